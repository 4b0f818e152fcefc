/** What sellers send and see of their ad campaigns. */
import { type Static, Type } from '@sinclair/typebox';
import { CentsAboveZero, Day, Id, line, nullable, oneOf } from '../../shared/fields.schema.ts';
import { CAMPAIGN_STATUSES } from '../../shared/statuses/selling-statuses.ts';

const date = (description: string) => Type.String({ ...Day, description });

const PLACEMENTS = ['search', 'homepage', 'category', 'lot_detail', 'email'] as const;
const PRICING_MODELS = ['flat', 'cpc', 'cpm'] as const;
export type PricingModel = (typeof PRICING_MODELS)[number];

/** What a click (cpc) or a thousand impressions (cpm) cost, in cents; a campaign keeps the rate that it was made at. */
export const RATES_CENTS: Readonly<Record<PricingModel, number | null>> = { flat: null, cpc: 50, cpm: 500 };

const fields = {
  name: line(200),
  placement: oneOf(PLACEMENTS, { description: '`search`: in the lot search.' }),
  pricing_model: oneOf(PRICING_MODELS, {
    description:
      '`flat`: the budget is spread over the days; `cpc`: per click; `cpm`: per thousand impressions.',
  }),
  budget_cents: CentsAboveZero,
  start_date: date('The first day, in UTC.'),
  end_date: date('The last day, in UTC.'),
};
const lotIds = Type.Optional(
  Type.Array(Id, {
    maxItems: 500,
    uniqueItems: true,
    description: 'Lots of the team.',
  }),
);

export const NewCampaignBody = Type.Object(
  { ...fields, lot_ids: lotIds },
  { $id: 'NewAdCampaign', additionalProperties: false },
);
export type NewCampaignBody = Static<typeof NewCampaignBody>;

export const CampaignChangeBody = Type.Object(
  {
    ...Type.Partial(Type.Object(fields)).properties,
    lot_ids: lotIds,
    status: Type.Optional(
      oneOf(CAMPAIGN_STATUSES, {
        description:
          'A change of status. `pending_payment` creates the invoice; its payment, or an admin, makes it `active`.',
      }),
    ),
  },
  { $id: 'AdCampaignChange', additionalProperties: false },
);
export type CampaignChangeBody = Static<typeof CampaignChangeBody>;

export const Campaign = Type.Object(
  {
    id: Type.Integer(),
    ...fields,
    status: oneOf(CAMPAIGN_STATUSES, { description: 'The placement in which it is shown.' }),
    rate_cents: nullable(Type.Integer({ description: 'The price per click or per thousand impressions.' })),
    spent_cents: Type.Integer(),
    impressions: Type.Integer(),
    clicks: Type.Integer(),
    lot_ids: Type.Array(Type.Integer()),
    invoice_number: nullable(Type.String({ description: 'Its latest invoice.' })),
    created_at: Type.String(),
  },
  { $id: 'AdCampaign' },
);

/**
 * The form of a lot: the fields of the API's `NewLot` and `LotChange`, with the custom fields as the lot's category
 * describes them.
 */
import type { Knex } from 'knex';
import { hasGroups } from '../../../bidding/records/grouped-lots.ts';
import { readJoinedSchemas } from '../../../catalog/categories/joined-schemas.ts';
import { unusedFields } from '../../../shared/format-fields.ts';
import { FORMAT_FIELDS } from '../../../shared/lot-field-lists.ts';
import { OVER_AUCTIONS } from '../../../shared/statuses/auction-statuses.ts';
import { TENDER_CHOICES, TENDER_LABELS } from '../../formats/format-pages.ts';
import { categoryChoices } from '../auctions/auction-form.ts';
import type { Choice, FormOptions, Question } from '../forms/form-options.ts';
import type { FormTexts } from '../forms/form-values.ts';
import { inMinutes } from '../forms/minutes.ts';
import type { Schema } from '../forms/shapes.ts';
import { TRANSLATION_HINTS, TRANSLATION_LABELS } from '../forms/translation-fields.ts';
import type { Desk } from '../frame/desk.ts';
import { PLACE_FIELD, withPlaceField } from './lot-location.ts';

/** What names the lots that close, or are offered, with one. */
const GROUPS = ['close_group', 'choice_group'] as const;

export interface LotForm {
  readonly schema: Schema;
  readonly options: FormOptions;
}

interface AuctionChoice {
  readonly id: number;
  readonly title: string;
  readonly status: string;
  readonly currency: string;
  readonly category_id: number | null;
  readonly type: string;
  readonly format: string;
}

const ORDER = [
  ...[
    'auction_id',
    'lot_number',
    'catalog_number',
    'title',
    'category_id',
    'starting_bid',
    ...FORMAT_FIELDS,
    'reserve_price',
    'buy_now_price',
    'estimate_low',
    'estimate_high',
  ],
  ...[
    'description',
    'condition',
    'quantity',
    'bid_per',
    'units',
    'unit_name',
    ...GROUPS,
    'sku',
    'custom_fields',
    'location',
    'land',
    'consignor',
    'photos',
    'translations',
  ],
];

/** What every lot needs, under what is asked; the rest, which few need, is folded up. */
const QUESTIONS: readonly Question[] = [
  {
    legend: 'What is it?',
    fields: [
      ...['auction_id', 'lot_number', 'catalog_number', 'title', 'category_id'],
      ...['description', 'condition', 'quantity', 'custom_fields'],
    ],
  },
  {
    legend: 'What may it cost?',
    fields: [
      ...['starting_bid', ...FORMAT_FIELDS, 'reserve_price', 'buy_now_price'],
      ...['estimate_low', 'estimate_high'],
    ],
  },
  { legend: 'Where is it?', fields: ['location'] },
];
const LAND: Question = { legend: 'What land is it?', fields: ['land'] };

/** What the lot's form calls its fields, where it is not the words of their names. */
export const LOT_LABELS: Readonly<Record<string, string>> = {
  auction_id: 'Auction',
  category_id: 'Category',
  custom_fields: 'Fields of the category',
  sku: 'SKU',
  photos: 'Photos',
  consignor_id: 'Consignor’s account number',
  buy_now_price: 'Buy-now price',
  estimate_low: 'Low estimate',
  estimate_high: 'High estimate',
  [PLACE_FIELD]: 'Town or postal code',
  step: 'Falls by',
  step_seconds: 'Every',
  floor_price: 'Down to',
  floor_seconds: 'Stays there for',
  ...TENDER_LABELS,
  bid_per: 'Amounts are for',
  units: 'Number of units',
  unit_name: 'What a unit is called',
  close_group: 'Closes with the group',
  choice_group: 'Offered with the group',
  'land.apn': 'APN',
  ...TRANSLATION_LABELS,
};

const UNITS = {
  step_seconds: 'seconds',
  floor_seconds: 'seconds',
  tender_final_round: 'bidders',
  tender_final_seconds: 'minutes',
};

const HINTS = {
  ...TRANSLATION_HINTS,
  lot_number: 'Leave it empty for the next number.',
  catalog_number: 'Such as 12A, where the catalog has another number than that of the order.',
  photos: 'Names of files, one per line: pictures that are uploaded for the auction find the lot by them.',
  reserve_price: 'Bidders see only whether it is met.',
  bid_per: 'By the unit: all amounts of the lot are prices of one unit, and the buyer pays for all of them.',
  tender_final_round:
    'Leave it empty for none. They, and all equal to the last, bid once more after the first end.',
  tender_final_seconds: 'Leave it empty for a day.',
  units: 'Above 0, with at most four decimals.',
  unit_name: 'acre, hectare, head, tonne, each, or a word of your own.',
  close_group:
    'Lots with the same name close together; fixed once one of them is active. Timed auctions only.',
  choice_group:
    'Lots with the same name are offered together in the saleroom: the buyer chooses among them. Fixed once ' +
    'one of them is active. Simulcast auctions only.',
  consignor:
    'Whose lot it is, by name; for somebody new the number of their account, whose owner is asked to agree.',
  [PLACE_FIELD]: 'Such as Austin, TX or 78701: town, state and the pin on the map follow from it.',
  'location.country': 'Two letters, such as US.',
  'land.utilities': 'One per line.',
};

/** The form for what is filled in: its category, or else its auction's, says which custom fields there are. */
export async function lotForm(
  desk: Desk,
  teamId: number,
  isNew: boolean,
  texts: FormTexts,
): Promise<LotForm> {
  const { knex, operations } = desk;
  const auctions = await openAuctions(knex, teamId, idIn(texts['auction_id']));
  const auction = auctions.find(({ id }) => id === idIn(texts['auction_id']));
  const categoryId = idIn(texts['category_id']) ?? auction?.category_id ?? null;
  const whole: Schema = operations.bodySchema(isNew ? 'createSellerLot' : 'changeSellerLot');
  const currency = (auction?.currency ?? 'usd').toUpperCase();
  return {
    schema: inMinutes(withPlaceField(withCustomFields(whole, await customSchema(knex, categoryId)))),
    options: {
      order: ORDER,
      folded: ['translations'],
      questions: (await isLand(knex, teamId, categoryId)) ? [...QUESTIONS, LAND] : QUESTIONS,
      more: 'More: units, groups, consignor, photographs, land',
      omit: [
        ...['status', 'consignor_id', 'location.lat', 'location.lng'],
        ...[...unusedFields(auction?.format ?? 'timed')],
        ...GROUPS.filter((name) => auction !== undefined && !hasGroups(name, auction)),
      ],
      labels: LOT_LABELS,
      currency,
      units: UNITS,
      hints: HINTS,
      choices: {
        ...TENDER_CHOICES,
        bid_per: [
          { value: 'lot', label: 'The whole lot' },
          { value: 'unit', label: 'One unit' },
        ],
        auction_id: auctions.map(({ id, title, status }) => ({
          value: String(id),
          label: `${title} (${status})`,
        })),
        category_id: await categoryChoices(knex, 'Same as the auction'),
      },
    },
  };
}

/** Whether the team's lots of a category have acres: a chair is not asked for its parcel number. */
async function isLand(knex: Knex, teamId: number, categoryId: number | null): Promise<boolean> {
  if (categoryId === null) return false;
  const found = await knex('lots as l')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .where('l.team_id', teamId)
    .whereNotNull('l.acres')
    .whereRaw('coalesce(l.category_id, a.category_id) = ?', [categoryId])
    .first('l.id');
  return found !== undefined;
}

function idIn(text: string | undefined): number | null {
  return text !== undefined && /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : null;
}

/** The team's auctions that take lots, and the one that the lot is in. */
async function openAuctions(knex: Knex, teamId: number, own: number | null): Promise<AuctionChoice[]> {
  return knex('auctions')
    .where('team_id', teamId)
    .where((query) => {
      query.whereNotIn('status', [...OVER_AUCTIONS]);
      if (own !== null) query.orWhere('id', own);
    })
    .orderBy('id', 'desc')
    .limit(500)
    .select('id', 'title', 'status', 'currency', 'category_id', 'type', 'format');
}

/** The team's auctions for choosing one, with their currencies where there are several. */
export async function auctionChoices(knex: Knex, teamId: number): Promise<Choice[]> {
  const rows: { id: number; title: string; currency: string }[] = await knex('auctions')
    .where('team_id', teamId)
    .orderBy('id', 'desc')
    .limit(500)
    .select('id', 'title', 'currency');
  const currencies = new Set(rows.map(({ currency }) => currency));
  const unit = (currency: string) => (currencies.size > 1 ? ` (${currency.toUpperCase()})` : '');
  return rows.map(({ id, title, currency }) => ({ value: String(id), label: `${title}${unit(currency)}` }));
}

/** The custom fields of a category, its parents' included; null where there are none. */
export async function customSchema(knex: Knex, categoryId: number | null): Promise<Schema | null> {
  if (categoryId === null) return null;
  return (await readJoinedSchemas(knex, [categoryId])).get(categoryId) ?? null;
}

/** The schema with a category's fields. */
export function withCustomFields(whole: Schema, custom: Schema | null): Schema {
  const { custom_fields: _open, ...properties } = whole.properties ?? {};
  const fields = Object.entries(custom?.properties ?? {}).filter(
    ([, property]) => typeof property === 'object',
  );
  if (custom === null || fields.length === 0) return { ...whole, properties };
  const group = { ...custom, type: 'object', properties: Object.fromEntries(fields) };
  return { ...whole, properties: { ...properties, custom_fields: group } };
}

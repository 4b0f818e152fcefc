/** What sellers send and see of their lots. */
import { type Static, Type } from '@sinclair/typebox';
import { LotDetail } from '../../catalog/lots/lot-presentation.schema.ts';
import { Id, nullable } from '../../shared/fields.schema.ts';
import { lotFields } from '../../shared/lot.schema.ts';

const id = Id;
const { title, starting_bid: startingBid, ...optional } = lotFields;
const references = {
  category_id: Type.Optional(nullable(id)),
  consignor_id: Type.Optional(nullable(id)),
  status: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 20,
      description: 'A change of status: `scheduled` schedules a draft, `withdrawn` withdraws a lot.',
    }),
  ),
};

export const NewLotBody = Type.Object(
  { auction_id: id, ...lotFields, ...references },
  { $id: 'NewLot', additionalProperties: false },
);
export type NewLotBody = Static<typeof NewLotBody>;

export const LotChangeBody = Type.Object(
  {
    auction_id: Type.Optional(id),
    title: Type.Optional(title),
    starting_bid: Type.Optional(startingBid),
    ...optional,
    ...references,
  },
  { $id: 'LotChange', additionalProperties: false },
);
export type LotChangeBody = Static<typeof LotChangeBody>;

export const RelistBody = Type.Object(
  {
    auction_id: id,
    starting_bid: Type.Optional(startingBid),
    reserve_price: optional.reserve_price,
  },
  { $id: 'RelistLot', additionalProperties: false },
);
export type RelistBody = Static<typeof RelistBody>;

export const BulkLotsBody = Type.Object(
  { lots: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 500 }) },
  { $id: 'BulkLots', additionalProperties: false },
);

const { viewer: _viewer, ...shown } = LotDetail.properties;

export const SellerLot = Type.Object(
  {
    ...shown,
    reserve_price: nullable(Type.String()),
    consignor_id: nullable(Type.Integer()),
    consignor_status: nullable(
      Type.Union([Type.Literal('invited'), Type.Literal('accepted')], {
        description: 'Whether the consignor has accepted; until then they can bid like anybody else.',
      }),
    ),
    relisted_from: nullable(Type.Integer()),
    created_at: Type.String(),
  },
  { $id: 'SellerLot' },
);

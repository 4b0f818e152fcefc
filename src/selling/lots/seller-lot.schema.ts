/** What sellers send and see of their lots. */
import { type Static, Type } from '@sinclair/typebox';
import { LotDetail } from '../../catalog/lots/lot-presentation.schema.ts';
import { Id, line, nullable } from '../../shared/fields.schema.ts';
import { lotFields } from '../../shared/lot.schema.ts';

const id = Id;
const { title, ...optional } = lotFields;
const references = {
  category_id: Type.Optional(nullable(id)),
  consignor_id: Type.Optional(nullable(id)),
  consignor: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Instead of `consignor_id`: the name of one of the team’s consignors, as `GET ' +
          '/api/v1/seller/consignor-links` has it, or the number of an account.',
      }),
    ),
  ),
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
    ...optional,
    ...references,
  },
  { $id: 'LotChange', additionalProperties: false },
);
export type LotChangeBody = Static<typeof LotChangeBody>;

/** Everything that describes a lot but the seller's own number for it, and what it is offered for. */
const {
  sku: _sku,
  reserve_price: _reserve,
  buy_now_price: _price,
  units: _units,
  unit_name: _name,
  bid_per: _per,
  starting_bid: startingBid,
  start_price: _start,
  step: _step,
  step_seconds: _seconds,
  floor_price: _floor,
  floor_seconds: _atFloor,
  close_group: _group,
  choice_group: _choice,
  ...described
} = optional;

export const AmendmentBody = Type.Object(
  {
    changes: Type.Object(
      {
        title: Type.Optional(title),
        ...described,
        category_id: references.category_id,
        media: Type.Optional(
          Type.Array(id, {
            maxItems: 200,
            uniqueItems: true,
            description:
              'The lot’s media from now on, in order; others stay with the lot, but are no longer shown. ' +
              'New ones are uploaded before.',
          }),
        ),
      },
      { additionalProperties: false, minProperties: 1 },
    ),
    reason: line(1_000),
  },
  {
    $id: 'LotAmendment',
    additionalProperties: false,
    examples: [{ changes: { title: 'An oak table' }, reason: 'The wood was left out.' }],
  },
);
export type AmendedBody = Static<typeof AmendmentBody>;

export const RelistBody = Type.Object(
  {
    auction_id: id,
    starting_bid: startingBid,
    reserve_price: optional.reserve_price,
  },
  { $id: 'RelistLot', additionalProperties: false },
);
export type RelistBody = Static<typeof RelistBody>;

export const BulkLotsBody = Type.Object(
  { lots: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 500 }) },
  { $id: 'BulkLots', additionalProperties: false },
);

const { viewer: _viewer, amendments: _amendments, ...shown } = LotDetail.properties;

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

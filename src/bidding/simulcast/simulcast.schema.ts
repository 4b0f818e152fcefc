/** What simulcast platforms send and are answered: floor bids and sales, one or up to 500 in a signed body. */

import { type Static, Type } from '@sinclair/typebox';
import { FLOOR_CHANNELS } from '../../../engine/lot/channels.ts';
import { Id, oneOf, orNull, Time } from '../../shared/fields.schema.ts';

const AMOUNT = Type.String({
  pattern: '^[0-9]{1,12}(\\.[0-9]{1,3})?$',
  'x-message': 'The amount must be a decimal string such as "1500.00".',
});
const ID = Id;
const SHORT = Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]+$' });

const Bidder = Type.Object({ paddle: Type.Optional(SHORT), external_id: Type.Optional(SHORT) });

const common = {
  event_id: SHORT,
  sequence: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  occurred_at: Type.Optional(Time),
  lot_id: Type.Optional(ID),
  auction_id: Type.Optional(ID),
  lot_number: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  sku: Type.Optional(SHORT),
  currency: Type.Optional(Type.String({ pattern: '^[A-Za-z]{3}$' })),
};

export const FloorBid = Type.Object(
  {
    ...common,
    amount: AMOUNT,
    channel: Type.Optional(oneOf(FLOOR_CHANNELS)),
    bidder: Bidder,
    lot_ids: Type.Optional(
      Type.Array(ID, {
        minItems: 1,
        maxItems: 16,
        uniqueItems: true,
        description:
          'Of parcels: the lots that the bid is for, together. The first of them stands for `lot_id`, which need not ' +
          'be there. Of `channel` `floor` or `phone`.',
      }),
    ),
    standing: Type.Optional(
      Type.Boolean({
        description: 'Of parcels: the bid is to stand also where it does not lead.',
      }),
    ),
  },
  { $id: 'FloorBid', additionalProperties: false },
);
export type FloorBid = Static<typeof FloorBid>;

export const FloorSale = Type.Object(
  {
    ...common,
    result: Type.Union([Type.Literal('sold'), Type.Literal('passed'), Type.Literal('unsold')]),
    hammer_price: Type.Optional(orNull(AMOUNT)),
    bidder: Type.Optional(orNull(Bidder)),
    choice: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description:
          'Of lots that are offered together: the numbers of those that the buyer takes, each at the hammer price. ' +
          'Without it an online winner chooses within `choice_seconds`, and anybody else gets the lot that is named.',
      }),
    ),
  },
  { $id: 'FloorSale', additionalProperties: false },
);
export type FloorSale = Static<typeof FloorSale>;

export const FloorAnswer = Type.Object(
  {
    event_id: orNull(Type.String()),
    status: oneOf(['applied', 'outbid', 'duplicate', 'stale', 'rejected']),
    code: Type.Optional(Type.String()),
    sequence: Type.Optional(Type.Integer()),
    price_to_lead: Type.Optional(
      Type.String({
        description: 'With `bid_not_leading` and `bid_too_low` of parcels: the least that leads.',
      }),
    ),
    last_sequence: Type.Optional(
      Type.Integer({ description: 'With `stale`: the last one applied for this platform and lot.' }),
    ),
    flags: Type.Optional(Type.Array(Type.String())),
    errors: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  { $id: 'FloorAnswer' },
);
export type FloorAnswer = Static<typeof FloorAnswer>;

/** The shapes of lists of bids and of a lot's journal. */

import { type TSchema, Type } from '@sinclair/typebox';
import { BID_OUTCOMES, isListed } from '../../../engine/lot/events.ts';
import { ROW_STATUSES } from '../../../engine/lot/format.ts';
import { oneOf, orNull, UNIT_TOTALS } from '../../shared/fields.schema.ts';
import { OF_PARCEL_BIDS } from '../../shared/parcels.schema.ts';
import { STANDINGS } from './my-standing.ts';

export const PageQuery = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 15 })),
};

const total = orNull(Type.String(), {
  description: 'What the amount comes to, where amounts of the lot are for one unit; null otherwise.',
});

const take = Type.Optional(Type.Integer({ description: 'How many pieces; of a lot on a falling clock.' }));

/** A raised ceiling has no row in the list; a sealed bid only in its bidder's own. */
const outcome = oneOf(BID_OUTCOMES.filter((one) => isListed(one) || one === 'sealed'));
const sequence = orNull(Type.Integer(), { description: 'Null while it is sealed.' });
const receipt = Type.Object({
  hash: Type.String({ description: 'Hash of the journal entry that holds the bid.' }),
});

export const BidRow = Type.Object(
  {
    id: Type.String(),
    amount: Type.String(),
    total,
    outcome,
    channel: Type.String(),
    sequence,
    placed_at: Type.String(),
    status: oneOf(ROW_STATUSES),
    bidder: Type.Object({ alias: Type.String(), paddle_number: Type.String() }),
    is_mine: Type.Boolean(),
    max_amount: Type.Optional(Type.String({ description: 'On the caller’s own rows only.' })),
    take,
    lot_ids: OF_PARCEL_BIDS.lot_ids,
    receipt,
  },
  { $id: 'BidRow' },
);

export const MyBidRow = Type.Object(
  {
    id: Type.String(),
    lot_id: Type.Integer(),
    auction_id: Type.Integer(),
    amount: Type.String(),
    total,
    max_amount: Type.String(),
    outcome,
    channel: Type.String(),
    sequence,
    placed_at: Type.String(),
    status: oneOf([...STANDINGS, 'voided', 'sealed']),
    take,
    lot_ids: OF_PARCEL_BIDS.lot_ids,
    receipt,
    lot: Type.Object({
      id: Type.Integer(),
      lot_number: Type.Integer(),
      title: Type.String(),
      slug: Type.String(),
      status: Type.String(),
      current_bid: orNull(Type.String()),
      bid_count: orNull(Type.Integer()),
      reserve_met: orNull(Type.Boolean()),
      is_high_bidder: Type.Boolean(),
      end_time: Type.String(),
      hammer_price: orNull(Type.String()),
      ...UNIT_TOTALS,
    }),
  },
  { $id: 'MyBid' },
);

export const JournalEntry = Type.Object(
  {
    events: Type.Array(Type.Object({}, { additionalProperties: true })),
    first_sequence: Type.Integer(),
    hash: Type.String(),
    previous_hash: Type.String(),
    recorded_at: Type.String(),
    sequence: Type.Integer(),
  },
  { $id: 'JournalEntry' },
);

const Meta = Type.Object({
  current_page: Type.Integer(),
  last_page: Type.Integer(),
  per_page: Type.Integer(),
  total: Type.Integer(),
  stale: Type.Optional(Type.Boolean()),
});

export const listBody = (row: TSchema) =>
  Type.Object({ success: Type.Literal(true), data: Type.Array(row), meta: Meta });

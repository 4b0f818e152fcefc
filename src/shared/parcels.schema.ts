/** What answers say of bids on lots that are sold in any combination; absent on all others. */
import { Type } from '@sinclair/typebox';
import { orNull } from './fields.schema.ts';

const lotIds = Type.Array(Type.Integer(), { description: 'The lots that it is for, by number.' });
const total = Type.Optional(
  Type.String({ description: 'What it comes to, where amounts are for one unit.' }),
);

export const ParcelBid = Type.Object(
  {
    bid_id: Type.String(),
    lot_ids: lotIds,
    amount: Type.String({ description: 'For all of its lots, or for one unit of them.' }),
    total,
    paddle_number: Type.String(),
    sequence: Type.Integer(),
  },
  { $id: 'ParcelBid' },
);

/** With a bid on several lots. */
export const OF_PARCEL_BIDS = {
  lot_ids: Type.Optional(lotIds),
  leading: Type.Optional(
    Type.Array(ParcelBid, {
      description: 'The bids that lead after it: of parcels, those that come to the most.',
    }),
  ),
};

/** With the figures of a lot. */
export const LEADING_SET = {
  leading_set: Type.Optional(
    orNull(ParcelBid, { description: 'Of parcels: the bid that leads on the lot, alone or with others.' }),
  ),
};

/** What a lot was bought with. */
export const SoldSet = Type.Object(
  { bid_id: Type.String(), lot_ids: lotIds, amount: Type.String(), total },
  { $id: 'SoldSet' },
);

export const OF_PARCELS = {
  ...LEADING_SET,
  set: Type.Optional(
    orNull(SoldSet, {
      description: 'Of parcels: what a sold lot was bought with, and for how much together.',
    }),
  ),
};

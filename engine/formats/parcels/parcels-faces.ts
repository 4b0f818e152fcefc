/** A sale of tracts facing one of its lots: what every lot has is that lot's, for all who read it as a single one. */
import type { LotState } from '../../lot/state.ts';
import { isPerUnit } from '../../lot/units.ts';
import { lotOf, type ParcelLot, type ParcelsState, setOf } from './parcels-state.ts';

type Shown = Pick<
  LotState,
  | 'lotNumber'
  | 'startingBidCents'
  | 'reserveCents'
  | 'consignorUserId'
  | 'units'
  | 'currentCents'
  | 'bidCount'
  | 'frozen'
  | 'reserveLowered'
  | 'hammerCents'
  | 'winner'
>;

/** The ids of the sale's lots, by number. */
export function idsOf({ lots }: ParcelsState): number[] {
  return lots.map(({ lotId }) => lotId);
}

/** The state facing a lot, with its status. Throws where the sale has no such lot. */
export function faceOf(state: ParcelsState, lotId: number): ParcelsState {
  return { ...state, lotId, status: memberOf(state, lotId).status, ...shownOf(state, lotId) };
}

function memberOf(state: ParcelsState, lotId: number): ParcelLot {
  const lot = lotOf(state, lotId);
  if (lot === undefined) throw new Error(`lot ${lotId} is not sold with lot ${state.lotId}`);
  return lot;
}

/** What every lot has, of one of them but for its status. */
export function shownOf(state: ParcelsState, lotId: number): Shown {
  const lot = memberOf(state, lotId);
  const { lotNumber, startingBidCents, reserveCents, consignorUserId, units } = lot;
  const { frozen, reserveLowered, hammerCents, winner } = lot;
  const set = setOf(state, [lotId]) ?? 0;
  let currentCents = 0;
  let bidCount = 0;
  for (const bid of state.bids) {
    if ((bid.set & set) === 0) continue;
    bidCount += 1;
    if (bid.set === set && bid.cents > currentCents) currentCents = bid.cents;
  }
  // Of a sold lot it is what it costs: its share, or by the unit the price of one that its whole set was bid (rule 19).
  const buying = isPerUnit(units) ? state.bids.find(({ bidId }) => bidId === lot.setBidId) : undefined;
  if (buying !== undefined) currentCents = buying.cents;
  else if (hammerCents !== null) currentCents = hammerCents;
  return {
    ...{ lotNumber, startingBidCents, reserveCents, consignorUserId, units },
    ...{ currentCents, bidCount, frozen, reserveLowered, hammerCents, winner },
  };
}

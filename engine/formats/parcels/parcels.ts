/**
 * The format of tracts that are sold in any combination: an auction's lots as one sale, with one journal and one end
 * (rule 23). Of all bids on sets of lots those lead that do not overlap and come to the most.
 */

import type { AuctionRecord } from '../../auction/record.ts';
import { boundaryUs, nextDueUs } from '../../lot/closing.ts';
import { caughtUp } from '../../lot/deciding.ts';
import type { ExposureChange, Format } from '../../lot/format.ts';
import { exposureOf } from './lead-price.ts';
import { board, lastCall, quote } from './parcels-board.ts';
import { check } from './parcels-check.ts';
import { buyingCents } from './parcels-close.ts';
import { decodeEvents, decodeSnapshot, encodeEvents, encodeSnapshot } from './parcels-codec.ts';
import { catchUp, decide } from './parcels-decide.ts';
import type { ParcelsEvent } from './parcels-events.ts';
import { evolve, NO_LOT } from './parcels-evolve.ts';
import { explain } from './parcels-explain.ts';
import { faceOf, idsOf } from './parcels-faces.ts';
import { openings } from './parcels-openings.ts';
import { publicText } from './parcels-public.ts';
import { openSet, type ParcelBid, type ParcelsState } from './parcels-state.ts';
import { leadersOf, minimumNextCents, readBid, readRow, salesOf, view } from './parcels-view.ts';

export const PARCELS: Format<ParcelsState, ParcelsEvent> = {
  name: 'parcels',
  rule: 23,
  unscheduled: NO_LOT,
  decide,
  evolve,
  withEntry: (state, { hash, recordedAtUs }) => ({ ...state, hash, recordedAtUs }),
  firstTimes: (_, { startsAtUs, endsAtUs }) => ({ startsAtUs, endsAtUs }),
  catchUp,
  members: { idsOf, faceOf, board, quote, totalOf: ({ totalCents }) => totalCents, buyingCents, lastCall },
  minimumNextCents,
  dueUs: (state, record) => state.held?.untilUs ?? nextDueUs(state, record),
  isHeld: ({ held, status }) => held !== null && status !== 'withdrawn',
  validUntilUs,
  exposureOf,
  exposureChanges,
  codec: { encodeEvents, decodeEvents, encodeSnapshot, decodeSnapshot },
  publicEvent: publicText,
  view,
  leadersOf,
  salesOf,
  readBid,
  readRow,
  withoutLead: (state) => ({ ...state, leading: [], totalCents: 0 }),
  highestBid: ({ events }, key) => highestBid(events, key),
  openings,
  explain,
  check,
};

/** Sets of several lots may be bid on from a moment of their own. */
function validUntilUs(state: ParcelsState, record: AuctionRecord, nowUs: number): number | null {
  const boundary = boundaryUs(caughtUp(state, catchUp(state, record, nowUs), evolve), record, nowUs);
  const { combinationsFromUs: fromUs } = state;
  if (fromUs === null || nowUs >= fromUs) return boundary;
  return boundary === null ? fromUs : Math.min(boundary, fromUs);
}

/** Of those whose bids have changed; of everybody where lots are over or withdrawn. */
function exposureChanges(before: ParcelsState, after: ParcelsState): ExposureChange[] {
  const moved =
    openSet(before) === openSet(after) ? differing(before.bids, after.bids) : [...before.bids, ...after.bids];
  return [...new Set(moved.map(({ key }) => key))].flatMap((key) => {
    const deltaCents = exposureOf(after, key) - exposureOf(before, key);
    return deltaCents === 0 ? [] : [{ key, deltaCents }];
  });
}

function differing(some: readonly ParcelBid[], others: readonly ParcelBid[]): ParcelBid[] {
  if (some === others) return [];
  const ids = (bids: readonly ParcelBid[]) => new Set(bids.map(({ bidId }) => bidId));
  const [inSome, inOthers] = [ids(some), ids(others)];
  return [
    ...some.filter(({ bidId }) => !inOthers.has(bidId)),
    ...others.filter(({ bidId }) => !inSome.has(bidId)),
  ];
}

function highestBid(events: readonly unknown[], bidder: string): number | null {
  // Cast: a lot's history is of its format.
  const bids = (events as readonly ParcelsEvent[]).filter((event) => event.type === 'bid_placed');
  const own = bids.filter(({ bidder: { key } }) => key === bidder).map(({ amountCents }) => amountCents);
  return own.length === 0 ? null : Math.max(...own);
}

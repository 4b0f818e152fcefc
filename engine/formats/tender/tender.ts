/**
 * The format of the tender: sealed bids that nobody but their bidders know of, opened at the end (rule 22). What a
 * bidder may have to pay is as secret as the bid: the journal counts how often they have bid, and the amounts are added
 * up where the key is.
 */

import { scheduledEndUs } from '../../auction/record.ts';
import { boundaryUs, catchUp, nextDueUs } from '../../lot/closing.ts';
import { caughtUp } from '../../lot/deciding.ts';
import type { ExposureChange, Format, PlacedBid, Sale, SealedFormat } from '../../lot/format.ts';
import { openSecret } from '../../lot/seals.ts';
import { isOpen } from '../../lot/state.ts';
import { totalOf } from '../../lot/units.ts';
import { check, explain, openings } from './tender-check.ts';
import { decodeEvents, decodeSnapshot, encodeEvents, encodeSnapshot } from './tender-codec.ts';
import { decide } from './tender-decide.ts';
import { isSilent, type TenderBidPlaced, type TenderEvent } from './tender-events.ts';
import { evolve, NO_LOT, withEntry } from './tender-evolve.ts';
import { publicText } from './tender-public.ts';
import { type OpenedBid, ownBidOf, type TenderState } from './tender-state.ts';
import { leadersOf, ownOf, readBid, readRow, view } from './tender-view.ts';

const SEALED: SealedFormat<TenderState, TenderEvent> = {
  isSilent,
  keyOf: ({ lotKey }) => lotKey,
  ownOf,
  shownAt: ({ shownSequence: sequence, shownAtUs: recordedAtUs }) => ({ sequence, recordedAtUs }),
  isOpened: ({ isOpened }) => isOpened,
  biddersOf: ({ bids }) => bids.flatMap(({ userId }) => (userId === null ? [] : [userId])),
  opensNextRound: ({ type }) => type === 'final_round_opened',
  exposureOf: (state, key, seals) => {
    const bid = isOpen(state) ? ownBidOf(state, key) : undefined;
    if (bid === undefined) return 0;
    const secret = openSecret(seals, state.lotKey, bid.sealed);
    return secret === null ? null : totalOf(state.units, secret.cents);
  },
};

export const TENDER: Format<TenderState, TenderEvent> = {
  name: 'tender',
  rule: 22,
  unscheduled: NO_LOT,
  decide,
  evolve,
  withEntry,
  firstTimes: ({ lotNumber }, record) => ({
    startsAtUs: record.startsAtUs,
    endsAtUs: scheduledEndUs(record, lotNumber),
  }),
  catchUp,
  sealed: SEALED,
  minimumNextCents: ({ startingBidCents }) => startingBidCents,
  dueUs: nextDueUs,
  validUntilUs: (state, record, nowUs) =>
    boundaryUs(caughtUp(state, catchUp(state, record, nowUs), evolve), record, nowUs),
  exposureOf: () => 0,
  exposureChanges,
  codec: { encodeEvents, decodeEvents, encodeSnapshot, decodeSnapshot },
  publicEvent: publicText,
  view,
  leadersOf,
  salesOf,
  readBid,
  readRow,
  placedBy,
  withoutLead: (state) => state,
  highestBid: ({ events }, key) => highestBid(events, key),
  openings,
  explain,
  check,
};

/** One more for everybody of whom another bid counts now, or none any more: those of a lot that is over. */
function exposureChanges(before: TenderState, after: TenderState): ExposureChange[] {
  const ids = (state: TenderState) =>
    new Map(isOpen(state) ? state.bids.map(({ key, bidId }) => [key, bidId]) : []);
  const [was, is] = [ids(before), ids(after)];
  const keys = [...new Set([...was.keys(), ...is.keys()])];
  return keys.filter((key) => was.get(key) !== is.get(key)).map((key) => ({ key, deltaCents: 1 }));
}

function salesOf({ status, winner, hammerCents, top }: TenderState): Sale[] {
  if (status !== 'sold' || winner === null || hammerCents === null) return [];
  return [{ winner, hammerCents, bidId: top?.key === winner.key ? top.bidId : null }];
}

/** The rows of what is opened: each as it was placed. */
function placedBy(event: TenderEvent): PlacedBid<TenderBidPlaced>[] | null {
  if (event.type !== 'bids_opened') return null;
  const listed = event.bids.filter(({ rank }) => rank !== null);
  return listed.sort((a, b) => a.sequence - b.sequence).map(rowOf);
}

function rowOf(bid: OpenedBid): PlacedBid<TenderBidPlaced> {
  const { bidId, salt, key, userId, alias, paddle, channel, cents, rank, sequence, placedAtUs, hash } = bid;
  const event: TenderBidPlaced = {
    ...{ type: 'bid_placed', sequence, bidId, salt, bidder: { key, userId, alias, paddle } },
    channel,
    outcome: rank === 1 ? 'leading' : 'outbid',
    amountCents: cents,
    currentCents: cents,
    bidCount: 0,
    minimumNextCents: cents,
    reserveMet: false,
    endsAtUs: 0,
    extendedToUs: null,
  };
  return { event, recordedAtUs: placedAtUs, hash };
}

function highestBid(events: readonly unknown[], bidder: string): number | null {
  // Cast: a lot's history is of its format.
  const all = events as readonly TenderEvent[];
  const own = all.flatMap((event) =>
    event.type === 'bids_opened' ? event.bids.filter(({ key }) => key === bidder) : [],
  );
  return own.length === 0 ? null : Math.max(...own.map(({ cents }) => cents));
}

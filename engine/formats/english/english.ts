/**
 * The format of timed auctions and of the saleroom: rising bids, ceilings that the service bids up to, and an end that
 * late bids move (rules 1 to 16).
 */
import { type AuctionRecord, pausedSinceUs, userKey } from '../../auction/record.ts';
import { boundaryUs, nextDueUs } from '../../lot/closing.ts';
import { caughtUp } from '../../lot/deciding.ts';
import type {
  ExposureChange,
  Format,
  Leading,
  RowReading,
  RowStatus,
  RowToRead,
  Sale,
} from '../../lot/format.ts';
import { type LotView, type Sight, viewOf } from '../../lot/sight.ts';
import { isOpen } from '../../lot/state.ts';
import { totalOf } from '../../lot/units.ts';
import { check } from './checking.ts';
import { catchUp, GROUPED, OFFERED } from './choice-group.ts';
import { firstTimes } from './close-group.ts';
import { decide } from './decide.ts';
import type { EnglishBidPlaced, EnglishEvent } from './english-events.ts';
import { type EnglishState, minimumNextCents, reserveMet } from './english-state.ts';
import { decodeEvents, encodeEvents } from './event-codec.ts';
import { evolve, NO_LOT, withEntry } from './evolve.ts';
import { explain } from './explaining.ts';
import { highestBid } from './historic-bids.ts';
import { openings } from './opened-secrets.ts';
import { publicText } from './public-events.ts';
import { decodeSnapshot, encodeSnapshot } from './snapshot.ts';

export const ENGLISH: Format<EnglishState, EnglishEvent> = {
  name: 'timed',
  unscheduled: NO_LOT,
  decide,
  evolve,
  withEntry,
  firstTimes,
  catchUp,
  grouped: GROUPED,
  offered: OFFERED,
  minimumNextCents,
  dueUs: (state, record) => state.held?.untilUs ?? choiceDueUs(state, record) ?? nextDueUs(state, record),
  isHeld: ({ held }) => held !== null,
  validUntilUs: (state, record, nowUs) => {
    const present = caughtUp<EnglishState, EnglishEvent>(state, catchUp(state, record, nowUs), evolve);
    return choiceDueUs(present, record) ?? boundaryUs(present, record, nowUs);
  },
  exposureOf,
  exposureChanges,
  codec: { encodeEvents, decodeEvents, encodeSnapshot, decodeSnapshot },
  publicEvent: publicText,
  view,
  leadersOf,
  salesOf,
  readBid,
  readRow,
  withoutLead: (state) => ({ ...state, leader: null }),
  // Cast: a lot's history is of its format.
  highestBid: ({ events }, key) => highestBid(events as readonly EnglishEvent[], key),
  openings,
  explain,
  check,
};

/** Until when a winner may choose; null: nobody does. */
function choiceDueUs(state: EnglishState, record: AuctionRecord): number | null {
  const pending = state.choice === null || !isOpen(state) ? null : state.choice.pending;
  return pending === null || pausedSinceUs(record) !== null ? null : pending.untilUs;
}

/** What the leader's ceiling comes to, while the lot is open. */
function exposureOf(state: EnglishState, key: string): number {
  return isOpen(state) && state.leader?.key === key ? totalOf(state.units, state.leader.ceilingCents) : 0;
}

function exposureChanges(before: EnglishState, after: EnglishState): ExposureChange[] {
  const changes: ExposureChange[] = [];
  if (before.leader !== null) addChange(changes, before.leader.key, before, after);
  if (after.leader !== null && after.leader.key !== before.leader?.key)
    addChange(changes, after.leader.key, before, after);
  return changes;
}

function addChange(changes: ExposureChange[], key: string, before: EnglishState, after: EnglishState): void {
  const deltaCents = exposureOf(after, key) - exposureOf(before, key);
  if (deltaCents !== 0) changes.push({ key, deltaCents });
}

function view(state: EnglishState, sight: Sight): LotView {
  const { viewer, increments } = sight;
  const { leader, currentCents, bidCount } = state;
  const leads = viewer !== null && leader?.key === viewer;
  return viewOf(state, sight, {
    currentCents,
    minimumNextCents: minimumNextCents(state, { increments }),
    bidCount,
    reserveMet: reserveMet(state),
    own: viewer === null ? null : { leads, ceilingCents: leads ? leader.ceilingCents : null },
  });
}

function leadersOf({ leader }: EnglishState): Leading[] {
  return leader === null ? [] : [leader];
}

function salesOf({ status, winner, hammerCents, leader }: EnglishState): Sale[] {
  if (status !== 'sold' || winner === null || hammerCents === null) return [];
  return [{ winner, hammerCents, bidId: leader?.key === winner.key ? leader.bidId : null }];
}

/** To its bidder a row names their ceiling: of a bid that leads, the one that leads now. */
function readBid(event: EnglishBidPlaced) {
  const { listedCents, straightCents, ceilingCents, leader, bidId, outcome } = event;
  const leads = leader.bidId === bidId;
  const status: RowStatus = outcome === 'won' ? 'won' : leads ? 'leading' : 'outbid';
  return {
    listedCents,
    straightCents,
    ceilingCents,
    status,
    ownCeilingCents: leads ? leader.ceilingCents : ceilingCents,
  };
}

function readRow(state: EnglishState, row: RowToRead): RowReading {
  const { leader } = state;
  const leads = leader?.bidId === row.bidId;
  // A leader may have raised the ceiling since.
  const isOwners = leads && row.userId !== null && leader.key === userKey(row.userId);
  return {
    status: statusOf(state, row, leads),
    ownCeilingCents: isOwners ? leader.ceilingCents : row.ceilingCents,
  };
}

/**
 * The leader's newest row leads; it has won when the lot was sold to this leader, and stays as it is when the lot
 * passes.
 */
function statusOf(state: EnglishState, { voided }: RowToRead, leads: boolean): RowStatus {
  if (voided) return 'voided';
  if (!leads) return 'outbid';
  if (state.status !== 'sold') return 'leading';
  return state.winner?.key === state.leader?.key ? 'won' : 'outbid';
}

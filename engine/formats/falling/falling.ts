/** The format of the falling clock: the price falls step by step, and who says yes first buys at it (rule 21). */
import { catchUpBy, nextDueUs } from '../../lot/closing.ts';
import { caughtUp } from '../../lot/deciding.ts';
import type { ExposureChange, Format, Sale } from '../../lot/format.ts';
import { isOpen } from '../../lot/state.ts';
import { decimalsOf } from '../../money.ts';
import { check, explain } from './falling-check.ts';
import { decodeEvents, decodeSnapshot, encodeEvents, encodeSnapshot } from './falling-codec.ts';
import { decide, minimumNextCents } from './falling-decide.ts';
import type { FallingEvent } from './falling-events.ts';
import { evolve, NO_LOT } from './falling-evolve.ts';
import { publicText } from './falling-public.ts';
import { clockOf } from './falling-settings.ts';
import { type FallingState, takenCents } from './falling-state.ts';
import { firstTimes, TIMETABLE, validUntilUs } from './falling-timetable.ts';
import { readBid, readRow, view } from './falling-view.ts';

const catchUp: Format<FallingState, FallingEvent>['catchUp'] = (state, record, nowUs) =>
  catchUpBy(TIMETABLE, state, record, nowUs);

export const FALLING: Format<FallingState, FallingEvent> = {
  name: 'falling',
  rule: 21,
  movesByClock: true,
  unscheduled: NO_LOT,
  decide,
  evolve,
  withEntry: (state, { hash, recordedAtUs }) => ({ ...state, hash, recordedAtUs }),
  firstTimes: ({ lotNumber, settings = {} }, record) =>
    firstTimes(clockOf(settings, decimalsOf(record.currency)), lotNumber, record),
  catchUp,
  minimumNextCents,
  dueUs: nextDueUs,
  validUntilUs: (state, record, nowUs) =>
    validUntilUs(caughtUp(state, catchUp(state, record, nowUs), evolve), record, nowUs),
  exposureOf,
  exposureChanges,
  codec: { encodeEvents, decodeEvents, encodeSnapshot, decodeSnapshot },
  publicEvent: publicText,
  view,
  // Nobody is overtaken: who has bought keeps what they have.
  leadersOf: () => [],
  salesOf,
  readBid,
  readRow,
  withoutLead: (state) => ({ ...state, taken: [] }),
  highestBid: ({ events }, key) => highestBid(events, key),
  openings: (events) => ({ closed: events.some(({ type }) => type === 'lot_closed'), secrets: [] }),
  explain,
  check,
};

/** What a bidder has taken, while the lot is open. */
function exposureOf(state: FallingState, key: string): number {
  if (!isOpen(state)) return 0;
  return state.taken.reduce((sum, one) => (one.key === key ? sum + takenCents(state, one) : sum), 0);
}

function exposureChanges(before: FallingState, after: FallingState): ExposureChange[] {
  const keys = new Set([...before.taken, ...after.taken].map(({ key }) => key));
  return [...keys].flatMap((key) => {
    const deltaCents = exposureOf(after, key) - exposureOf(before, key);
    return deltaCents === 0 ? [] : [{ key, deltaCents }];
  });
}

function salesOf(state: FallingState): Sale[] {
  if (state.status !== 'sold') return [];
  return state.taken.map((one) => {
    const { key, userId, alias, paddle, bidId, take } = one;
    return { winner: { key, userId, alias, paddle }, bidId, hammerCents: takenCents(state, one), take };
  });
}

function highestBid(events: readonly unknown[], bidder: string): number | null {
  // Cast: a lot's history is of its format.
  const bids = (events as readonly FallingEvent[]).filter((event) => event.type === 'bid_placed');
  const own = bids.filter(({ bidder: { key } }) => key === bidder).map(({ amountCents }) => amountCents);
  return own.length === 0 ? null : Math.max(...own);
}

/**
 * What must hold of a run when it has settled: the journal's chains, the answers, the rules, and the rows in
 * Postgres. The first thing that does not hold fails the run.
 */

import { GENESIS_HASH } from '../../engine/digest.ts';
import { decodeEvents, evolve, faceOf, isHeld, NO_LOT, withEntry } from '../../engine/formats/formats.ts';
import { chainHash, type SealedEntry } from '../../engine/lot/entry.ts';
import type { LotEvent } from '../../engine/lot/events.ts';
import type { LotState } from '../../engine/lot/state.ts';
import { checkAnswers } from './check-answers.ts';
import { checkOutages } from './check-outages.ts';
import { checkRows } from './check-rows.ts';
import { checkRules } from './check-rules.ts';
import { kindsOf } from './formats/kinds.ts';
import type { History } from './history.ts';
import { sha256, type World } from './world.ts';

export interface LoggedEntry {
  /** Its place in the journal's log. */
  readonly frame: number;
  readonly entry: SealedEntry;
  readonly events: readonly LotEvent[];
}

export function checkRun(world: World, history: History): void {
  const { redis, trace, plan } = world;
  const logged = loggedEntries(world);
  countWhatHappened(world, history, logged);
  const journals = checkChains(world, logged);
  const states = new Map<number, LotState>();
  for (const { lotId, hostId } of plan.lots) {
    const journal = journals.get(hostId);
    const state = journal && faceOf(journal, lotId);
    if (state !== undefined) states.set(lotId, state);
    if (state === undefined) trace.fail(`lot ${lotId} never came into the journal`);
    else if (state.status === 'scheduled' || state.status === 'active')
      trace.fail(`lot ${lotId} is ${state.status} at the end`);
  }
  // What is counted of sealed bids is how often they have changed, for good.
  const tenders = plan.auctions.filter(({ format }) => format === 'tender');
  const left = [...redis.store.exposure].filter(
    ([key]) => !tenders.some(({ auctionId }) => key.startsWith(`${auctionId}|`)),
  );
  if (left.length > 0) trace.fail(`there is exposure left: ${JSON.stringify(left)}`);
  checkAnswers(world, history, logged);
  checkRules(world, history, logged);
  checkOutages(world, logged);
  checkRows(world, logged, states);
}

function countWhatHappened({ trace }: World, history: History, logged: readonly LoggedEntry[]): void {
  for (const { events, entry } of logged)
    for (const event of events) for (const kind of kindsOf(event, entry)) trace.count(kind);
  for (const { result } of history.operations.flatMap(({ attempts }) => attempts)) {
    if (result?.kind === 'key_reused') trace.count('key_reused');
    if (result?.kind !== 'answer') continue;
    if (result.replayed) trace.count('replay');
    if (result.answer.kind !== 'refused') continue;
    trace.count('refusal');
    if (result.answer.code === 'bid_limit_exceeded') trace.count('limit_refusal');
  }
}

function loggedEntries({ redis }: World): LoggedEntry[] {
  return redis.store.log.flatMap((found, frame) =>
    found.kind === 'entry'
      ? [{ frame, entry: found.entry, events: decodeEvents(found.entry.privateText) }]
      : [],
  );
}

/** Every entry follows the one before and has the hash that it states; folded, they give the snapshots. */
function checkChains({ redis, trace }: World, logged: readonly LoggedEntry[]): Map<number, LotState> {
  const states = new Map<number, LotState>();
  for (const { entry, events } of logged) {
    const before = states.get(entry.lotId) ?? { ...NO_LOT, hash: GENESIS_HASH };
    const where = `entry ${entry.sequence} of lot ${entry.lotId}`;
    if (entry.previousHash !== before.hash) trace.fail(`${where} does not name the hash before it`);
    if (entry.hash !== chainHash(sha256, entry.previousHash, entry.publicText))
      trace.fail(`${where} does not have the hash that it names`);
    if (entry.recordedAtUs < before.recordedAtUs) trace.fail(`${where} is dated before the one before it`);
    let state = before;
    for (const event of events) {
      if (event.sequence !== state.sequence + 1)
        trace.fail(`${where}: event ${event.sequence} follows on ${state.sequence}`);
      // A purchase, or its own row of a lot that was chosen, has ended it already, and of several that are sold as one
      // each is closed.
      const closesPurchase =
        event.type === 'lot_closed' &&
        (event.reason === 'buy_now' || event.reason === 'choice' || event.lotId !== undefined);
      if (
        before.sequence > 0 &&
        !['scheduled', 'active'].includes(state.status) &&
        !isHeld(state) &&
        !closesPurchase
      )
        trace.fail(`${where}: ${event.type} happens to a lot that is ${state.status}`);
      state = evolve(state, event);
    }
    if (state.sequence !== entry.sequence || events[0]?.sequence !== entry.firstSequence)
      trace.fail(`${where} does not hold the events that it names`);
    states.set(entry.lotId, withEntry(state, entry));
  }
  for (const [lotId, kept] of redis.store.lots) {
    const folded = states.get(lotId);
    if (JSON.stringify(sorted(kept)) !== JSON.stringify(folded && sorted(folded)))
      trace.fail(`lot ${lotId} is kept as ${JSON.stringify(kept)}, its log gives ${JSON.stringify(folded)}`);
  }
  return states;
}

function sorted(state: LotState): [string, unknown][] {
  return Object.entries(state).sort(([a], [b]) => (a < b ? -1 : 1));
}

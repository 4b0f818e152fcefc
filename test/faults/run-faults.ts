/**
 * A fault run from its first bid to its verdict: bidders on hot lots, faults one after the other by a seed, lots that
 * come due around them, and at the end the history check over all of it and Postgres' rows. Called by the command and,
 * shorter, by the test.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyJournal } from '../../src/bidding/journal/verify.ts';
import { checkHistory } from '../history/check.ts';
import { below, type Dice, diceOf } from '../history/random-histories.ts';
import type { ClockTerms, LotHistory } from '../history/terms.ts';
import { type Crowd, startCrowd, type Try } from './bidders.ts';
import { endAt, type Outage, unfairOutages } from './fair-outages.ts';
import { readHistories, rowFaults, untilProjected } from './journals.ts';
import type { FaultKind } from './kinds.ts';
import { type Readers, startReaders } from './readers.ts';
import type { FaultRecord, RunFigures } from './report.ts';
import { type OfferedLot, openRound } from './rounds.ts';
import type { Setting } from './setting.ts';

export interface RunPlan {
  readonly seed: number;
  readonly kinds: readonly FaultKind[];
  readonly timesEach: number;
  readonly operations: number;
  /** How long Redis and Postgres are unavailable. */
  readonly outageMs: number;
  readonly thinkMs: number;
  /** The run ends its faults by then, whatever is left. */
  readonly maxSeconds: number;
  readonly say: (line: string) => void;
}

/** What is at work during a run. */
interface Stage {
  readonly setting: Setting;
  readonly plan: RunPlan;
  readonly dice: Dice;
  readonly crowd: Crowd;
  readonly readers: Readers;
  readonly lots: OfferedLot[];
  /** Those that are bid on now, the first one always. */
  hot: OfferedLot[];
  readonly faults: FaultRecord[];
  readonly outages: Outage[];
  readonly further: string[];
  readonly startedMs: number;
}

const CLOCK: ClockTerms = { toleranceUs: 100_000, stampAgeUs: 250_000 };
const WARM_MS = 1_000;
const PATIENCE_MS = 30_000;
const LIMIT_CENTS = 5_000_000;

/** Runs the plan on a setting; gives the figures, good or bad. */
export async function runFaults(setting: Setting, plan: RunPlan): Promise<RunFigures> {
  const stage = await openStage(setting, plan);
  const { crowd, readers, dice } = stage;
  try {
    for (const kind of shuffled(dice, plan)) {
      if (secondsOf(stage) > plan.maxSeconds) break;
      // What breaks off one fault must not keep the rest from being judged.
      await oneFault(stage, kind).catch((error: unknown) => {
        plan.say(`${kind.name}: ${error}`);
        stage.further.push(`${kind.name}: ${error}`);
      });
    }
    stage.hot = stage.lots.slice(0, 1);
    const enough = () =>
      new Set(crowd.tries.map(({ key, bidder }) => `${bidder} ${key}`)).size >= plan.operations;
    while (!enough() && secondsOf(stage) < plan.maxSeconds) await sleep(1_000);
  } finally {
    await Promise.all([crowd.stop(), readers.stop()]);
  }
  return judge(stage);
}

async function openStage(setting: Setting, plan: RunPlan): Promise<Stage> {
  const dice = diceOf(plan.seed);
  const { nowUs, people, clientWires } = setting;
  const terms = { lots: 1, endsAtUs: nowUs() + 7_200_000_000, staggerSeconds: 0, limitCents: null };
  const lots = await openRound(setting, terms);
  const urls = clientWires.map(({ port }) => `http://127.0.0.1:${port}`);
  const stage: { current?: Stage } = {};
  const hot = () => stage.current?.hot ?? lots;
  const crowd = startCrowd({ people, urls, dice, lots: hot, nowUs, thinkMs: plan.thinkMs });
  const { lotId, auctionId } = lots[0]!;
  const readers = startReaders(urls, [`/api/v1/lots/${lotId}`, `/api/v1/auctions/${auctionId}/lots`], nowUs);
  stage.current = {
    setting,
    plan,
    dice,
    crowd,
    readers,
    lots,
    hot: lots,
    faults: [],
    outages: [],
    further: [],
    startedMs: performance.now(),
  };
  return stage.current;
}

function secondsOf({ startedMs }: Stage): number {
  return (performance.now() - startedMs) / 1_000;
}

/** Every kind as often as wanted, in an order of the seed's. */
function shuffled(dice: Dice, { kinds, timesEach }: RunPlan): FaultKind[] {
  const all = kinds.flatMap((kind) => Array.from({ length: timesEach }, () => kind));
  for (let at = all.length - 1; at > 0; at -= 1) {
    const other = below(dice, at + 1);
    [all[at], all[other]] = [all[other]!, all[at]!];
  }
  return all;
}

/** A round of lots, a fault in the middle of it, and the wait until everything works and the lots are closed. */
async function oneFault(stage: Stage, kind: FaultKind): Promise<void> {
  const { setting, plan, dice, faults } = stage;
  const { nowUs } = setting;
  const lastsMs = kind.lastsMs(plan.outageMs);
  const staggerSeconds = lastsMs > 10_000 ? 3 : 1;
  const endsAtUs = nowUs() + (WARM_MS + lastsMs - staggerSeconds * 2_000 + dice() * 1_000) * 1_000;
  const terms = {
    lots: 4,
    endsAtUs: Math.round(Math.max(endsAtUs, nowUs() + 1_500_000)),
    staggerSeconds,
    limitCents: faults.length % 4 === 3 ? LIMIT_CENTS : null,
  };
  const round = await openRound(setting, terms);
  stage.lots.push(...round);
  stage.hot = [stage.lots[0]!, ...round];
  await sleep(WARM_MS);
  const before = faults.filter((fault) => fault.kind === kind.name).length;
  const struckMs = performance.now();
  const healed = await kind.strike({ ...setting, dice, before, outageMs: plan.outageMs });
  const healedUs = nowUs();
  if (healed.journalOutage !== null) stage.outages.push(healed.journalOutage);
  const recoveryMs = await firstTaken(stage, healedUs, healed.slot);
  faults.push({ kind: kind.name, recoveryMs });
  const tookSeconds = (performance.now() - struckMs) / 1_000;
  await untilClosed(stage, round);
  const tries = stage.crowd.tries.length;
  plan.say(
    `${secondsOf(stage).toFixed(0).padStart(4)} s  ${String(faults.length).padStart(2)}  ${kind.name}, ` +
      `${tookSeconds.toFixed(1)} s, first bid ${Math.round(recoveryMs)} ms after, ${tries} tries so far`,
  );
}

/** How long after `sinceUs` the first bid was taken, of those that began after it. */
async function firstTaken({ crowd, setting }: Stage, sinceUs: number, slot: number | null): Promise<number> {
  const until = performance.now() + PATIENCE_MS;
  let seen = crowd.tries.length;
  while (seen > 0 && crowd.tries[seen - 1]!.returnedUs > sinceUs) seen -= 1;
  for (;;) {
    for (; seen < crowd.tries.length; seen += 1) {
      const { answer, returnedUs, slot: by } = crowd.tries[seen]!;
      if (answer.kind === 'accepted' && returnedUs > sinceUs && (slot === null || by === slot))
        return (returnedUs - sinceUs) / 1_000;
    }
    if (performance.now() > until) return (setting.nowUs() - sinceUs) / 1_000;
    await sleep(20);
  }
}

async function untilClosed({ setting, further }: Stage, round: readonly OfferedLot[]): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  const { journal } = setting.backends;
  for (;;) {
    const states = await Promise.all(
      round.map(({ auctionId, lotId }) => journal.load(auctionId, lotId).catch(() => null)),
    );
    const open = states.filter(
      (state) => state === null || state.status === 'active' || state.status === 'scheduled',
    );
    if (open.length === 0) return;
    if (performance.now() > until) {
      further.push(`${open.length} lots of auction ${round[0]!.auctionId} were never closed`);
      return;
    }
    await sleep(50);
  }
}

async function judge(stage: Stage): Promise<RunFigures> {
  const { setting, plan, crowd, readers, lots, faults, outages, further } = stage;
  const { backends, webs, workers, redis, clientWires, redisWire } = setting;
  plan.say('judging');
  await untilProjected(backends, lots, 60_000).catch((error: Error) => further.push(error.message));
  const histories = await readHistories(backends, lots);
  const verdict = checkHistory(histories, crowd.tries, CLOCK);
  const verified = await verifyJournal(backends, null);
  if (!verified.ok) further.push(`journal verify: ${verified.difference}`);
  further.push(...(await rowFaults(backends, histories)), ...crowd.oddities);
  further.push(...unfairOutages(histories, outages));
  const within = (beganUs: number) => outages.some(({ fromUs, toUs }) => beganUs >= fromUs && beganUs < toUs);
  const unserved = crowd.tries.filter(
    ({ status, invokedUs }) => (status === 503 || status === 0) && within(invokedUs),
  );
  const reads = readers.reads.filter(({ beganUs, tookUs }) => within(beganUs) && within(beganUs + tookUs));
  const members = [...webs, ...workers];
  const bugs = crowd.tries.filter(({ status }) => status === 500).length;
  if (bugs > 0) further.push(`${bugs} bids were answered 500`, ...members.flatMap(({ errors }) => errors));
  const { slowest, closed } = closes(histories, outages);
  const beganUs = Date.now() * 1_000 - secondsOf(stage) * 1_000_000;
  return {
    seed: plan.seed,
    seconds: secondsOf(stage),
    tries: crowd.tries.length,
    verdict,
    faults,
    conflicts: redisWire.marks,
    lostAnswers: [redisWire, ...clientWires].reduce((sum, wire) => sum + wire.lost, 0),
    restarts: members.reduce((sum, { lives }) => sum + lives - 1, redis.starts - 1),
    silentDuringOutage: unserved.filter(({ status }) => status === 0).length,
    slowest503: slowestOf(unserved, beganUs),
    answers503: unserved.length,
    slowestClose: { ...slowest, seconds: (slowest.atUs - beganUs) / 1_000_000 },
    closedLots: closed,
    readsDuringOutage: reads.length,
    failedReads: reads.filter(({ status }) => status !== 200).length,
    further,
    surprises: members.flatMap(({ surprises }) => surprises),
  };
}

/** The longest that somebody waited in vain, what was answered, and when the request was sent. */
function slowestOf(tries: readonly Try[], beganUs: number): RunFigures['slowest503'] {
  const slowest = { ms: 0, code: '', seconds: 0 };
  for (const { invokedUs, returnedUs, code } of tries) {
    const ms = (returnedUs - invokedUs) / 1_000;
    if (ms > slowest.ms) Object.assign(slowest, { ms, code, seconds: (invokedUs - beganUs) / 1_000_000 });
  }
  return slowest;
}

/** How late lots were closed: after their end, or after the journal's return where that came later. */
function closes(
  histories: readonly LotHistory[],
  outages: readonly Outage[],
): { slowest: { ms: number; lotId: number; atUs: number }; closed: number } {
  let slowest = { ms: 0, lotId: 0, atUs: 0 };
  let closed = 0;
  for (const history of histories) {
    const close = history.items.at(-1);
    if (close?.kind !== 'closed') continue;
    closed += 1;
    let dueUs = endAt(history, close.atUs);
    for (const { fromUs, toUs } of outages)
      if (fromUs < close.atUs && toUs > dueUs) dueUs = Math.min(toUs, close.atUs);
    const ms = (close.atUs - dueUs) / 1_000;
    if (ms >= slowest.ms) slowest = { ms, lotId: history.lotId, atUs: close.atUs };
  }
  return { slowest, closed };
}

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
import { type Crowd, startCrowd } from './bidders.ts';
import { type Away, endAt, unfairOutages } from './fair-outages.ts';
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
  /** How long Redis and Postgres are away. */
  readonly awayMs: number;
  readonly thinkMs: number;
  /** The run ends its faults by then, whatever is left. */
  readonly maxSeconds: number;
  readonly say: (line: string) => void;
}

/** What is at work during a run. */
interface Floor {
  readonly setting: Setting;
  readonly plan: RunPlan;
  readonly dice: Dice;
  readonly crowd: Crowd;
  readonly readers: Readers;
  readonly lots: OfferedLot[];
  /** Those that are bid on now, the first one always. */
  hot: OfferedLot[];
  readonly faults: FaultRecord[];
  readonly away: Away[];
  readonly further: string[];
  readonly startedMs: number;
}

const CLOCK: ClockTerms = { toleranceUs: 100_000, stampAgeUs: 250_000 };
const WARM_MS = 1_000;
const PATIENCE_MS = 30_000;
const LIMIT_CENTS = 5_000_000;

/** Runs the plan on a setting; gives the figures, good or bad. */
export async function runFaults(setting: Setting, plan: RunPlan): Promise<RunFigures> {
  const floor = await openFloor(setting, plan);
  const { crowd, readers, dice } = floor;
  try {
    for (const kind of shuffled(dice, plan)) {
      if (secondsOf(floor) > plan.maxSeconds) break;
      await oneFault(floor, kind);
    }
    floor.hot = floor.lots.slice(0, 1);
    const enough = () =>
      new Set(crowd.tries.map(({ key, bidder }) => `${bidder} ${key}`)).size >= plan.operations;
    while (!enough() && secondsOf(floor) < plan.maxSeconds) await sleep(1_000);
  } finally {
    await Promise.all([crowd.stop(), readers.stop()]);
  }
  return judge(floor);
}

async function openFloor(setting: Setting, plan: RunPlan): Promise<Floor> {
  const dice = diceOf(plan.seed);
  const { nowUs, people, clientWires } = setting;
  const terms = { lots: 1, endsAtUs: nowUs() + 7_200_000_000, staggerSeconds: 0, limitCents: null };
  const lots = await openRound(setting, terms);
  const urls = clientWires.map(({ port }) => `http://127.0.0.1:${port}`);
  const floor: { current?: Floor } = {};
  const hot = () => floor.current?.hot ?? lots;
  const crowd = startCrowd({ people, urls, dice, lots: hot, nowUs, thinkMs: plan.thinkMs });
  const { lotId, auctionId } = lots[0]!;
  const readers = startReaders(urls, [`/api/v1/lots/${lotId}`, `/api/v1/auctions/${auctionId}/lots`], nowUs);
  floor.current = {
    setting,
    plan,
    dice,
    crowd,
    readers,
    lots,
    hot: lots,
    faults: [],
    away: [],
    further: [],
    startedMs: performance.now(),
  };
  return floor.current;
}

function secondsOf({ startedMs }: Floor): number {
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
async function oneFault(floor: Floor, kind: FaultKind): Promise<void> {
  const { setting, plan, dice, faults } = floor;
  const { nowUs } = setting;
  const lastsMs = kind.lastsMs(plan.awayMs);
  const staggerSeconds = lastsMs > 10_000 ? 3 : 1;
  const endsAtUs = nowUs() + (WARM_MS + lastsMs - staggerSeconds * 2_000 + dice() * 1_000) * 1_000;
  const terms = {
    lots: 4,
    endsAtUs: Math.round(Math.max(endsAtUs, nowUs() + 1_500_000)),
    staggerSeconds,
    limitCents: faults.length % 4 === 3 ? LIMIT_CENTS : null,
  };
  const round = await openRound(setting, terms);
  floor.lots.push(...round);
  floor.hot = [floor.lots[0]!, ...round];
  await sleep(WARM_MS);
  const before = faults.filter((fault) => fault.kind === kind.name).length;
  const struckMs = performance.now();
  const healed = await kind.strike({ ...setting, dice, before, awayMs: plan.awayMs });
  const healedUs = nowUs();
  if (healed.journalAway !== null) floor.away.push(healed.journalAway);
  const recoveryMs = await firstTaken(floor, healedUs, healed.slot);
  faults.push({ kind: kind.name, recoveryMs });
  const tookSeconds = (performance.now() - struckMs) / 1_000;
  await untilClosed(floor, round);
  const tries = floor.crowd.tries.length;
  plan.say(
    `${secondsOf(floor).toFixed(0).padStart(4)} s  ${String(faults.length).padStart(2)}  ${kind.name}, ` +
      `${tookSeconds.toFixed(1)} s, first bid ${Math.round(recoveryMs)} ms after, ${tries} tries so far`,
  );
}

/** How long after `sinceUs` the first bid was taken, of those that began after it. */
async function firstTaken({ crowd, setting }: Floor, sinceUs: number, slot: number | null): Promise<number> {
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

async function untilClosed({ setting, further }: Floor, round: readonly OfferedLot[]): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  const { journal } = setting.platform;
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

async function judge(floor: Floor): Promise<RunFigures> {
  const { setting, plan, crowd, readers, lots, faults, away, further } = floor;
  const { platform, webs, workers, redis, clientWires, redisWire } = setting;
  plan.say('judging');
  await untilProjected(platform, lots, 60_000).catch((error: Error) => further.push(error.message));
  const histories = await readHistories(platform, lots);
  const verdict = checkHistory(histories, crowd.tries, CLOCK);
  const verified = await verifyJournal(platform, null);
  if (!verified.ok) further.push(`journal verify: ${verified.difference}`);
  further.push(...(await rowFaults(platform, histories)), ...crowd.oddities);
  further.push(...unfairOutages(histories, away));
  const within = (beganUs: number) => away.some(({ fromUs, toUs }) => beganUs >= fromUs && beganUs < toUs);
  const unserved = crowd.tries.filter(
    ({ status, invokedUs }) => (status === 503 || status === 0) && within(invokedUs),
  );
  const reads = readers.reads.filter(({ beganUs, tookUs }) => within(beganUs) && within(beganUs + tookUs));
  const members = [...webs, ...workers];
  const { slowestMs, closed } = closes(histories, away);
  return {
    seed: plan.seed,
    seconds: secondsOf(floor),
    tries: crowd.tries.length,
    verdict,
    faults,
    conflicts: redisWire.marks,
    lostReplies: [redisWire, ...clientWires].reduce((sum, wire) => sum + wire.lost, 0),
    restarts: members.reduce((sum, { lives }) => sum + lives - 1, redis.starts - 1),
    silentWhileAway: unserved.filter(({ status }) => status === 0).length,
    slowest503Ms: Math.max(
      0,
      ...unserved.map(({ invokedUs, returnedUs }) => (returnedUs - invokedUs) / 1_000),
    ),
    answers503: unserved.length,
    slowestCloseMs: slowestMs,
    closedLots: closed,
    readsWhileAway: reads.length,
    failedReads: reads.filter(({ status }) => status !== 200).length,
    further,
    surprises: members.flatMap(({ surprises }) => surprises),
  };
}

/** How late lots were closed: after their end, or after the journal's return where that came later. */
function closes(
  histories: readonly LotHistory[],
  away: readonly Away[],
): { slowestMs: number; closed: number } {
  let slowestMs = 0;
  let closed = 0;
  for (const history of histories) {
    const close = history.items.at(-1);
    if (close?.kind !== 'closed') continue;
    closed += 1;
    let dueUs = endAt(history, close.atUs);
    for (const { fromUs, toUs } of away)
      if (fromUs < close.atUs && toUs > dueUs) dueUs = Math.min(toUs, close.atUs);
    slowestMs = Math.max(slowestMs, (close.atUs - dueUs) / 1_000);
  }
  return { slowestMs, closed };
}

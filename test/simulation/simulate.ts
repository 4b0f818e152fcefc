/**
 * One run: builds a world from a seed, runs it until everything has settled, and checks the result. The same seed gives
 * the same trace, event for event.
 */
import { faceOf, isHeld } from '../../engine/formats/formats.ts';
import { Bidder } from './bidders.ts';
import { checkSettled, unanswered } from './check-answers.ts';
import { checkRun } from './check-run.ts';
import { Clerk } from './clerk.ts';
import { History } from './history.ts';
import { type Process, startIncidents } from './incidents.ts';
import { Machine } from './machine.ts';
import { NO_FAULTS } from './network.ts';
import { Staff } from './staff.ts';
import type { Kind } from './trace.ts';
import { watchClosing } from './watch-closing.ts';
import { Web } from './web.ts';
import { Worker } from './worker.ts';
import { World } from './world.ts';

export interface Outcome {
  readonly seed: number;
  readonly hash: string;
  /** The first thing that was wrong, or null. */
  readonly failure: string | null;
  readonly counts: ReadonlyMap<Kind, number>;
  readonly operations: number;
  /** What happened, line by line; null unless requested. */
  readonly lines: readonly string[] | null;
}

/** By then every answer must have been given, every lot closed and everything projected, counted from the last incident. */
const REST_US = 25_000_000;
const CHECK_EVERY_US = 500_000;

export async function simulate(seed: number, keepLines = false): Promise<Outcome> {
  const world = new World(seed, keepLines);
  const { plan, time, trace, dice } = world;
  await settle(world);
  const machine = (name: string) => new Machine(name, time, trace, dice);
  const webs = Array.from({ length: plan.webs }, (_, at) => new Web(machine(`web${at + 1}`), world));
  const claims = new Map<number, Machine>();
  const workers = Array.from(
    { length: plan.workers },
    (_, at) => new Worker(machine(`worker${at + 1}`), world, claims),
  );
  const history = new History(world.redis);
  const bidders = Array.from({ length: plan.bidders }, (_, at) => new Bidder(at + 1, world, webs, history));
  const room = new Bidder(null, world, webs, history);
  const staff = new Staff(world, webs);
  const clerk = new Clerk(world, webs);
  const processes: Process[] = [...webs, ...workers].map((process) => ({
    machine: process.machine,
    start: () => process.start(),
  }));
  for (const { start } of processes) void start();
  const people = [...bidders, room, staff, clerk];
  for (const person of people) person.start();
  startIncidents(world, processes);
  watchClosing(world, workers);
  time.after(plan.faultsEndUs, () => {
    world.network.faults = NO_FAULTS;
    trace.note('the faults end');
  });
  const failed = () => trace.failure !== null;
  const endUs = Math.max(plan.biddingEndsUs, plan.faultsEndUs);
  await time.runUntil(endUs, failed);
  const lives = () => {
    const well = webs.filter(({ machine }) => machine.up && !machine.stopped);
    return new Map(well.map(({ machine }) => [machine.name, machine.life]));
  };
  // Requests whose callers are gone are answered eventually, too.
  const isQuiet = () => people.every(({ waiting }) => waiting === 0) && unanswered(history, lives()) === null;
  const isAtRest = () => failed() || (isQuiet() && isDone(world));
  for (let untilUs = endUs; untilUs < endUs + REST_US && !isAtRest(); untilUs += CHECK_EVERY_US)
    await time.runUntil(untilUs + CHECK_EVERY_US, failed);
  if (!failed()) checkSettled(world, history, lives());
  if (!failed()) checkRun(world, history);
  return {
    seed,
    hash: trace.digest(),
    failure: trace.failure,
    counts: trace.counts,
    operations: history.operations.length,
    lines: trace.lines,
  };
}

/** The auctions as published before the run. */
async function settle({ plan, redis, postgres }: World): Promise<void> {
  for (const record of plan.auctions) {
    await redis.journal.saveRecord(record);
    redis.seal();
    postgres.rows.auctions.set(String(record.auctionId), { status: 'scheduled', record_version: 0 });
  }
  for (const { lotId, auctionId } of plan.lots)
    postgres.rows.lots.set(String(lotId), { id: lotId, auction_id: auctionId, status: 'scheduled' });
}

/** Every lot is over, and Postgres knows all that the journal does. */
function isDone({ plan, redis, postgres }: World): boolean {
  const { lots } = redis.store;
  const statusOf = (lotId: number, hostId: number) => {
    const state = lots.get(hostId);
    return state === undefined || isHeld(state) ? 'scheduled' : faceOf(state, lotId).status;
  };
  const isOver = plan.lots.every(
    ({ lotId, hostId }) => !['scheduled', 'active'].includes(statusOf(lotId, hostId)),
  );
  const entries = redis.store.log.filter((frame) => frame.kind === 'entry').length;
  return isOver && postgres.rows.entries.size >= entries && redis.isProjected(postgres.rows.positions);
}

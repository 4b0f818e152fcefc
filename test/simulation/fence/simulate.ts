/**
 * One run of the fence: builds a world from a seed, lets Redis come back older again and again, and judges every write
 * by what was acknowledged. The same seed gives the same trace.
 */
import type { NetworkFaults } from '../network.ts';
import { NO_FAULTS } from '../network.ts';
import { Incidents } from './incidents.ts';
import { FenceProcess } from './process.ts';
import { carriesName, keepProjecting } from './projection.ts';
import { FenceWorld } from './world.ts';

export interface FenceOutcome {
  readonly seed: number;
  readonly hash: string;
  /** The first thing that was wrong, or null. */
  readonly failure: string | null;
  readonly counts: ReadonlyMap<string, number>;
  readonly operations: number;
  /** What happened, line by line; null unless requested. */
  readonly lines: readonly string[] | null;
}

/** What a share of seeds must cover. */
export const FENCE_KINDS = [
  ...['acknowledged', 'excused', 'opened', 'left_behind', 'rebuilt', 'killed', 'stopped', 'postgres_away'],
  ...[
    'same',
    'one',
    'many',
    'life',
    'before',
    'empty',
    'taken_over',
    'scripts_flushed',
    'ends_older',
    'ends_right',
  ],
] as const;

/** Within this time everybody must have said what is wrong, or write again. */
const SETTLED_US = 9_000_000;
const LATELY_US = 7_000_000;
const MAX_REBUILDS = 3;
/** Shorter than the time between two heartbeats. */
const UNTOLD_US = 300_000;

export async function simulate(seed: number, keepLines = false): Promise<FenceOutcome> {
  const world = new FenceWorld(seed, keepLines);
  const { plan, time, trace, truth, postgres, hosts } = world;
  const processes = Array.from(
    { length: plan.processes },
    (_, at) => new FenceProcess(world.machine(`web${at + 1}`), world),
  );
  const worker = new FenceProcess(world.machine('worker'), world);
  const operator = new FenceProcess(world.machine('operator'), world);
  postgres.writers = () => processes.filter(({ machine }) => machine.up);
  worker.machine.begin();
  operator.machine.begin();
  // It works beside the servers.
  operator.machine.distanceUs = 0;
  operator.isBeside = true;
  for (const process of processes) process.start();
  void keepProjecting(world, worker);
  const incidents = new Incidents(world, processes, operator);
  incidents.begin();
  const failed = () => trace.failure !== null;
  const run = (us: number) => time.runUntil(time.nowUs + us, failed);
  await run(plan.faultsEndUs);
  const none: NetworkFaults = NO_FAULTS;
  world.network.faults = none;
  trace.note('the faults end');
  const isWhole = () =>
    !postgres.isUnavailable &&
    hosts.every((host) => host.run !== null) &&
    processes.every(({ machine, isIdle }) => machine.up && !machine.stopped && !isIdle);
  while (!failed() && !isWhole()) await run(100_000);
  await run(SETTLED_US);
  if (!failed()) checkSaid(world, processes);
  for (let times = 0; !failed() && times < MAX_REBUILDS; times += 1) {
    if (processes.every(({ trouble }) => trouble === null)) break;
    await run(SETTLED_US / 2);
    if (processes.every(({ trouble }) => trouble === null)) break;
    const acting = incidents.act();
    await run(SETTLED_US);
    await Promise.race([acting, Promise.resolve()]);
    await run(SETTLED_US);
  }
  if (!failed()) checkWriting(world, processes);
  if (!failed()) {
    incidents.forgetAllScripts();
    await run(LATELY_US);
    checkWriting(world, processes);
  }
  if (!failed()) {
    // What is written from now on nobody projects, and hardly anybody has handed in.
    worker.machine.kill();
    await run(UNTOLD_US);
    incidents.loseNewest();
    await run(SETTLED_US);
    checkSaid(world, processes);
  }
  return {
    seed,
    hash: trace.digest(),
    failure: trace.failure,
    counts: truth.counts,
    operations: truth.entries.length,
    lines: trace.lines,
  };
}

/** On an older one everybody says so; on the right one nobody says anything. */
function checkSaid(world: FenceWorld, processes: readonly FenceProcess[]): void {
  const { trace, truth } = world;
  const isRight = carriesName(world) && !world.isOlder(true);
  if (!carriesName(world) || world.isOlder(false)) {
    truth.count('ends_older');
    for (const { machine, trouble } of processes)
      if (
        trouble === null ||
        !/older|empty|replaced in a failover/.test(trouble) ||
        !trouble.includes('`rostrum journal rebuild`')
      )
        trace.fail(`${machine.name} does not say that Redis is older: ${trouble}`);
  } else if (isRight) {
    truth.count('ends_right');
    for (const { machine, trouble } of processes)
      if (trouble !== null) trace.fail(`${machine.name} says of the right Redis: ${trouble}`);
  }
}

/** Everybody writes to every shard. */
function checkWriting(world: FenceWorld, processes: readonly FenceProcess[]): void {
  const { trace, time, plan } = world;
  for (const { machine, trouble, acknowledgedUs } of processes) {
    if (trouble !== null) trace.fail(`${machine.name} still says: ${trouble}`);
    const seldom = plan.seldom > 0 ? plan.shards.slice(0, 1) : plan.shards;
    for (const shard of seldom)
      if (time.nowUs - (acknowledgedUs.get(shard) ?? 0) > LATELY_US)
        trace.fail(`${machine.name} does not write to shard ${shard}`);
  }
}

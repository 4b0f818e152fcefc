/** What every part of a run of the fence shares: the time, the dice, the servers, and what the seed decides about it. */
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { JournalUnavailable } from '../../../engine/actor/journal.ts';
import { Dice } from '../dice.ts';
import { Machine } from '../machine.ts';
import { Network, type NetworkFaults } from '../network.ts';
import { Trace } from '../trace.ts';
import { VirtualTime } from '../virtual-time.ts';
import { type LinkParts, openLinkOf } from './link.ts';
import { FencePostgres } from './postgres.ts';
import { Host } from './servers.ts';
import { Truth, type Writer } from './truth.ts';

export interface FencePlan {
  readonly processes: number;
  readonly servers: number;
  /** One server, with a replica that takes over. */
  readonly hasReplica: boolean;
  /** Its processes reach it through a proxy, which keeps their connections when it moves its own. */
  readonly isProxied: boolean;
  readonly shards: readonly number[];
  readonly faults: NetworkFaults;
  readonly faultsEndUs: number;
  readonly incidentGapUs: number;
  readonly thinkUs: number;
  /** How often a shard that is not the first is left alone. */
  readonly seldom: number;
  /** Between two rounds of the projection. */
  readonly projectionUs: number;
}

const SECOND = 1_000_000;

function drawPlan(dice: Dice, seed: number): FencePlan {
  const servers = [1, 1, 3, 2][seed % 4]!;
  const part = () => dice.pick([0, 0, 0.01, 0.02]);
  return {
    processes: dice.between(2, 4),
    servers,
    hasReplica: seed % 4 === 1,
    isProxied: seed % 8 === 5,
    shards: [0, 1, 2].slice(0, Math.max(2, servers)),
    faults: { lostRequests: part(), lostAnswers: part(), slow: dice.pick([0, 0.03, 0.1]) },
    faultsEndUs: dice.between(15, 40) * SECOND,
    incidentGapUs: dice.pick([1 * SECOND, 2 * SECOND, 4 * SECOND]),
    thinkUs: dice.pick([150_000, 400_000]),
    seldom: dice.pick([0, 0.9]),
    projectionUs: dice.pick([300_000, 1 * SECOND, 4 * SECOND]),
  };
}

/** What ends a call in the ordinary course of things; any other error is one of the simulation or the service. */
const EXPECTED =
  /^postgres: |( in time| was lost| is away| connection is closed)$|^NOSCRIPT|being compared|^a Redis that should take writes|^not every shard/;

export class FenceWorld {
  readonly time = new VirtualTime();
  readonly dice: Dice;
  readonly trace: Trace;
  readonly network: Network;
  readonly truth: Truth;
  readonly postgres: FencePostgres;
  readonly plan: FencePlan;
  readonly hosts: readonly Host[];

  constructor(seed: number, keepLines: boolean) {
    this.dice = new Dice(seed);
    this.trace = new Trace(this.time, keepLines);
    this.network = new Network(this.time, this.dice, this.trace);
    this.truth = new Truth(this.time, this.trace);
    this.postgres = new FencePostgres(this.time, this.truth);
    this.plan = drawPlan(this.dice, seed);
    this.network.faults = this.plan.faults;
    this.hosts = Array.from(
      { length: this.plan.servers },
      (_, at) => new Host(`redis${at + 1}`, this.time, this.truth),
    );
  }

  machine(name: string): Machine {
    return new Machine(name, this.time, this.trace, this.dice);
  }

  openLink(parts: LinkParts): OpenLink {
    return openLinkOf(parts);
  }

  hostOf(shard: number): Host {
    return this.hosts[shard % this.hosts.length]!;
  }

  get faultsAreOver(): boolean {
    return this.time.nowUs >= this.plan.faultsEndUs;
  }

  /** Whether the servers at hand lack what counts; `anything`: or what is excused. */
  isOlder(anything: boolean): boolean {
    return this.plan.shards.some((shard) => {
      const { run } = this.hostOf(shard);
      if (run === null) return true;
      return anything ? this.truth.lacksAnything(run, shard) : this.truth.lackedBy(run, shard) !== undefined;
    });
  }

  noteFault(by: Writer, error: Error): void {
    if (error instanceof JournalUnavailable || EXPECTED.test(error.message)) return;
    this.trace.fail(`${by.machine.name}: ${error.stack ?? error.message}`);
  }
}

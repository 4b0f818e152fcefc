/**
 * A process of the run with the real keeper, the real fence and the real guarded scripts: it watches once a second,
 * commits to the shards in turn and beats.
 */

import { type Fence, GuardedScript } from '../../../adapters/redis/guarded-script.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import type { Marks } from '../../../adapters/redis/marks.ts';
import { shardKeys } from '../../../adapters/redis/shards.ts';
import { EpochKeeper } from '../../../src/bidding/journal/epoch-keeper.ts';
import { ServerFence } from '../../../src/bidding/journal/server-fence.ts';
import type { Machine } from '../machine.ts';
import type { Client } from './postgres.ts';
import { SCRIPTS } from './servers.ts';
import type { Writer } from './truth.ts';
import type { FenceWorld } from './world.ts';

const WATCH_US = 1_000_000;
/** How long a caller waits for the journal. */
const DEADLINE_US = 1_500_000;
/** A call to Postgres that takes longer is as good as a failed one. */
const SLOW_US = 300_000;
const BEAT_US = 400_000;

type Answer = 'epoch' | 'older' | 'beaten' | readonly [id: string, uid: string];

/** What a process' memory holds: in its next life it is another. */
interface Life {
  readonly link: OpenLink;
  readonly fence: ServerFence;
  readonly keeper: EpochKeeper;
  readonly commit: GuardedScript<Answer>;
  readonly heartbeat: GuardedScript<Answer>;
}

export class FenceProcess implements Writer, Client {
  readonly machine: Machine;
  /** When each shard's last commit was acknowledged in this life. */
  readonly acknowledgedUs = new Map<number, number>();
  /** Whether it works beside the servers, with no proxy between. */
  isBeside = false;
  /** Whether nobody bids here any more. */
  isIdle = false;
  #life: Life | null = null;
  #awayUs = 0;
  readonly #calls = new Set<{ readonly sinceUs: number }>();
  readonly #world: FenceWorld;

  constructor(machine: Machine, world: FenceWorld) {
    this.machine = machine;
    this.#world = world;
  }

  /** What it says is wrong, or null. */
  get trouble(): string | null {
    return this.#life === null ? 'not started' : this.#life.keeper.trouble;
  }

  start(): void {
    const { machine } = this;
    machine.begin();
    this.isIdle = false;
    this.#calls.clear();
    this.acknowledgedUs.clear();
    this.#life = this.open();
    machine.whenKilled(() => {
      this.#world.truth.killed(this);
      this.#life = null;
    });
    void this.#keepWatching(this.#life);
    for (const shard of this.#world.plan.shards) void this.#keepCommitting(this.#life, shard);
    void this.#keepBeating(this.#life);
  }

  /** Connections of its own, as a process has that starts. */
  open(): Life {
    const { network, hosts, time, postgres, plan } = this.#world;
    const { machine } = this;
    let serverLost = () => {};
    const link = this.#world.openLink({
      writer: this,
      network,
      hosts,
      time,
      isProxied: plan.isProxied && !this.isBeside,
      onLost: () => serverLost(),
    });
    const knex = postgres.knexFor(this, network);
    const processTime = {
      nowMs: () => machine.monotonicMs(),
      sleep: (ms: number) => machine.sleep(ms * 1_000),
    };
    const fence = new ServerFence(knex, link, SCRIPTS, processTime);
    serverLost = () => void fence.serverLost();
    const keeper = new EpochKeeper(knex, link, fence);
    const commit = new GuardedScript<Answer>(SCRIPTS, 'commit', keeper);
    const heartbeat = new GuardedScript<Answer>(SCRIPTS, 'heartbeat', keeper);
    return { link, fence, keeper, commit, heartbeat };
  }

  /** Ends as with SIGTERM. */
  async end(): Promise<void> {
    const life = this.#life;
    if (life === null) return;
    const number = this.machine.life;
    this.isIdle = true;
    await this.machine.sleep(DEADLINE_US);
    await life.fence.close();
    if (this.machine.life === number && this.machine.up) this.machine.kill();
  }

  stop(): void {
    this.#awayUs = this.#world.time.nowUs;
    this.machine.stop();
  }

  goOn(): void {
    this.#awayUs = this.#world.time.nowUs;
    this.machine.goOn();
  }

  wasAwaySince(us: number): boolean {
    const { nowUs } = this.#world.time;
    const isSlow = [...this.#calls].some(({ sinceUs }) => nowUs - sinceUs > SLOW_US);
    return this.machine.stopped || isSlow || this.#awayUs >= us;
  }

  noteCall(): (failed: boolean) => void {
    const { time } = this.#world;
    const call = { sinceUs: time.nowUs };
    this.#calls.add(call);
    return (failed) => {
      this.#calls.delete(call);
      if (failed || time.nowUs - call.sinceUs > SLOW_US) this.#awayUs = time.nowUs;
    };
  }

  async #keepWatching({ keeper }: Life): Promise<void> {
    let said: string | null = null;
    for (;;) {
      void keeper.watch().then(
        () => {
          const { trouble } = keeper;
          if (trouble !== said)
            this.#world.trace.note(`${this.machine.name} says: ${trouble ?? 'nothing is wrong'}`);
          said = trouble;
        },
        (error: Error) => {
          this.#world.trace.note(`${this.machine.name} cannot check: ${error.message}`);
          this.#world.noteFault(this, error);
        },
      );
      await this.machine.sleep(WATCH_US);
    }
  }

  async #keepCommitting(life: Life, shard: number): Promise<void> {
    const { dice, plan } = this.#world;
    for (;;) {
      await this.machine.sleep(dice.wait(plan.thinkUs));
      if (this.isIdle || (shard !== plan.shards[0] && dice.chance(plan.seldom))) continue;
      void this.#commitOnce(life, shard);
    }
  }

  async #commitOnce({ link, keeper, commit }: Life, shard: number): Promise<void> {
    let isLate = false;
    void this.machine.sleep(DEADLINE_US).then(() => {
      isLate = true;
    });
    const { meta, log, ver } = shardKeys(shard);
    const argsOf = ({ epoch, number }: Fence) => [epoch, keeper.marks.of(shard), String(number)];
    try {
      const answer = await commit.run(() => link.link, [meta, log, ver], argsOf);
      if (answer === 'older') await keeper.recheck();
      if (typeof answer === 'string' || isLate) return;
      const [id, uid] = answer;
      (keeper.marks satisfies Marks).note(shard, id);
      this.acknowledgedUs.set(shard, this.#world.time.nowUs);
      this.#world.truth.acknowledged(Number(uid));
    } catch (error) {
      this.#world.noteFault(this, error as Error);
    }
  }

  async #keepBeating({ link, keeper, heartbeat }: Life): Promise<void> {
    for (;;) {
      await this.machine.sleep(BEAT_US);
      for (const shard of this.#world.plan.shards) {
        const argsOf = ({ epoch }: { epoch: string }) => [epoch, keeper.marks.of(shard)];
        void heartbeat
          .run(() => link.link, [shardKeys(shard).meta], argsOf)
          .then(
            (answer) => (answer === 'older' ? keeper.recheck() : undefined),
            (error: Error) => this.#world.noteFault(this, error),
          );
      }
    }
  }
}

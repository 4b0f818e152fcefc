/**
 * A process's way to the simulated journal. The committers that gather commits and the clock that follows the
 * server's are the very ones of the journal on Redis; what is behind them is the simulated network.
 */

import { ServerClock } from '../../adapters/redis/clock.ts';
import { FairScheduler } from '../../adapters/redis/fair-scheduler.ts';
import { ShardCommitter } from '../../adapters/redis/shard-committer.ts';
import type {
  Batch,
  BatchSource,
  BidderInAuction,
  CommitResult,
  Journal,
  NewBidder,
} from '../../engine/actor/journal.ts';
import type { AuctionRecord, Bidder, BidderKey } from '../../engine/auction/record.ts';
import type { LotState } from '../../engine/lot/state.ts';
import type { Machine } from './machine.ts';
import type { Network } from './network.ts';
import type { SimRedis } from './sim-redis.ts';
import type { VirtualTime } from './virtual-time.ts';

const PING_US = 500_000;
/** Few enough that second calls are common among so few bidders. */
const GROUP_COMMIT = { weight: 12_000, pipelineFrom: 4 };

/**
 * The real turns look at the real time to see when they are over: here each committer has a whole one, and time waits
 * for it.
 */
class WholeSlices extends FairScheduler {
  readonly #time: VirtualTime;

  constructor(time: VirtualTime) {
    super();
    this.#time = time;
  }

  override schedule(work: () => void): void {
    this.#time.collect();
    setImmediate(work);
  }
}

export class SimJournal implements Journal {
  readonly #machine: Machine;
  readonly #network: Network;
  readonly #redis: SimRedis;
  readonly #clock: ServerClock;
  readonly #scheduler: FairScheduler;
  readonly #committers = new Map<number, ShardCommitter>();
  #outageUs = 0;

  constructor(machine: Machine, network: Network, redis: SimRedis, time: VirtualTime) {
    this.#machine = machine;
    this.#network = network;
    this.#redis = redis;
    this.#scheduler = new WholeSlices(time);
    this.#clock = new ServerClock(() => machine.monotonicMs());
  }

  /** Asks the time until there is an answer, and from then on again and again. */
  async start(): Promise<void> {
    while (!(await this.#readTime())) await this.#machine.sleep(PING_US);
    void this.#keepReadingTime();
    void this.#goOnBeating();
  }

  nowUs(): number {
    return this.#clock.nowUs();
  }

  lastOutageUs(): number {
    return this.#outageUs;
  }

  enqueue(source: BatchSource): void {
    const shard = this.#redis.shardOf(source.auctionId);
    let committer = this.#committers.get(shard);
    if (committer === undefined) {
      const call = (_shard: number, batches: readonly Batch[]) => this.#commit(batches);
      committer = new ShardCommitter(shard, call, () => this.nowUs(), GROUP_COMMIT, this.#scheduler);
      this.#committers.set(shard, committer);
    }
    committer.enqueue(source);
  }

  async #commit(batches: readonly Batch[]): Promise<CommitResult[]> {
    const { name } = this.#machine;
    const { serverUs, results } = await this.#call('commit', () => this.#redis.commit(name, batches));
    if (batches.some((batch) => batch.stampUs > serverUs)) this.#clock.reset(serverUs);
    else this.#clock.observe(serverUs);
    return results;
  }

  load(auctionId: number, lotId: number): Promise<LotState | null> {
    return this.#read('load', (journal) => journal.load(auctionId, lotId));
  }

  loadRecord(auctionId: number): Promise<AuctionRecord | null> {
    return this.#read('record', (journal) => journal.loadRecord(auctionId));
  }

  loadNote(auctionId: number, group: string): Promise<string> {
    return this.#read('note', (journal) => journal.loadNote(auctionId, group));
  }

  loadBidders(auctionId: number, keys: readonly BidderKey[]): Promise<Map<BidderKey, BidderInAuction>> {
    return this.#read('bidders', (journal) => journal.loadBidders(auctionId, keys));
  }

  findRecord(auctionId: number, field: string): Promise<string | null> {
    return this.#read('record', (journal) => journal.findRecord(auctionId, field));
  }

  findPaddle(auctionId: number, paddle: string): Promise<BidderKey | null> {
    return this.#read('paddle', (journal) => journal.findPaddle(auctionId, paddle));
  }

  saveRecord(record: AuctionRecord, unmoved?: ReadonlyMap<number, number>): Promise<boolean> {
    return this.#write('save the record', (journal) => journal.saveRecord(record, unmoved));
  }

  register(auctionId: number, bidders: readonly NewBidder[]): Promise<Bidder[]> {
    return this.#write('register', (journal) => journal.register(auctionId, bidders));
  }

  saveBidder(auctionId: number, bidder: Bidder, reason: string | null): Promise<Bidder> {
    return this.#write('save a bidder', (journal) => journal.saveBidder(auctionId, bidder, reason));
  }

  #read<T>(label: string, work: (journal: Journal) => Promise<T>): Promise<T> {
    return this.#call(label, () => work(this.#redis.journal));
  }

  #write<T>(label: string, work: (journal: Journal) => Promise<T>): Promise<T> {
    return this.#call(label, () => {
      const done = work(this.#redis.journal);
      this.#redis.seal();
      return done;
    });
  }

  #call<T>(label: string, work: () => T | Promise<T>): Promise<T> {
    return this.#network.call(this.#machine, this.#redis, label, work);
  }

  async #readTime(): Promise<boolean> {
    try {
      this.#clock.observe(await this.#call('time', () => this.#redis.wallUs()));
      return true;
    } catch {
      return false;
    }
  }

  async #keepReadingTime(): Promise<void> {
    for (;;) {
      await this.#machine.sleep(PING_US);
      await this.#readTime();
    }
  }

  /** At its times, whether the beat before has got through or not. */
  async #goOnBeating(): Promise<void> {
    for (;;) {
      await this.#machine.sleep(PING_US);
      void this.#beat();
    }
  }

  async #beat(): Promise<void> {
    try {
      this.#outageUs = await this.#call('beat', () => this.#redis.beat());
    } catch {
      // The next beat tries again.
    }
  }
}

/**
 * The journal on Redis: one script call per shard and turn for all lots that are ready, Redis' clock as the only clock,
 * reads batched the same way. Whatever goes wrong on the way is a `JournalUnavailable`; the caller may send the command
 * again under its key.
 */
import type {
  Batch,
  BatchSource,
  BidderInAuction,
  CommitResult,
  Journal,
  NewBidder,
} from '../../engine/actor/journal.ts';
import { JournalUnavailable, LotMissing, Overloaded } from '../../engine/actor/journal.ts';
import type { AuctionRecord, Bidder, BidderKey } from '../../engine/auction/record.ts';
import { firstOf } from '../../engine/first-of.ts';
import { decodeSnapshot } from '../../engine/formats/formats.ts';
import type { LotState } from '../../engine/lot/state.ts';
import { BatchedReads } from './batched-reads.ts';
import { ServerClock } from './clock.ts';
import {
  type CommitAnswer,
  commitArguments,
  commitKeys,
  hasCommitted,
  KEY_BUCKET_SECONDS,
  readCommitAnswer,
} from './commit-call.ts';
import { otherEpoch } from './epoch.ts';
import { FairScheduler } from './fair-scheduler.ts';
import { type Fence, GuardedScript, type JournalGuard, unguarded } from './guarded-script.ts';
import { Heartbeat } from './heartbeat.ts';
import { JournalCalls } from './journal-calls.ts';
import type { RedisJournalOptions } from './journal-options.ts';
import { findRecord } from './kept-records.ts';
import type { OpenLink } from './link.ts';
import {
  bidderArguments,
  newBidderArguments,
  readBidders,
  readNote,
  readPaddle,
  readRecord,
  readRegistered,
  saveArguments,
} from './record-calls.ts';
import { isClustered } from './server-identity.ts';
import { enqueueWhere, ShardCommitter } from './shard-committer.ts';
import type { ShardDirectory } from './shard-directory.ts';
import { isMessageId } from './shard-log.ts';
import { ALL_SHARDS, SHARD_COUNT, shardKeys } from './shards.ts';
import { StateCache } from './state-cache.ts';

const GROUP_COMMIT = { weight: 1_000, pipelineFrom: 16 };
/** A Redis that has not answered for as long is out of touch. */
const SILENT_MS = 3_000;

export class RedisJournal implements Journal {
  readonly #open: OpenLink;
  readonly #options: Required<Omit<RedisJournalOptions, 'durability' | 'guard'>>;
  readonly #guard: JournalGuard;
  readonly #shards: ShardDirectory;
  readonly #clock = new ServerClock();
  readonly #committers: ShardCommitter[];
  readonly #loads: BatchedReads<LotState | null>;
  #states = new StateCache();
  #fenceOfStates: Fence | null = null;
  readonly #commit: GuardedScript<CommitAnswer>;
  readonly #saveRecord: GuardedScript<string | 0>;
  readonly #register: GuardedScript<'epoch' | 'older' | readonly string[]>;
  readonly #heartbeat: Heartbeat;
  readonly #calls: JournalCalls;
  #answeredMs = performance.now();
  /** Whether a commit claims the ids of the events that it has keys of, over all shards. */
  claimsEvents = false;

  constructor(open: OpenLink, options: RedisJournalOptions) {
    this.#open = open;
    this.#shards = options.shards;
    this.#options = {
      oldestStampUs: 250_000,
      maxLogBytes: 256 * 1024 * 1024,
      timeoutMs: 1_500,
      onCommit: () => {},
      ...options,
    };
    this.#calls = new JournalCalls(open, this.#options.timeoutMs, options.durability ?? 'local');
    const guard = typeof options.guard === 'string' ? unguarded(options.guard) : options.guard;
    this.#guard = guard;
    this.#commit = new GuardedScript(options.scripts, 'commit', guard);
    this.#saveRecord = new GuardedScript(options.scripts, 'save-record', guard);
    this.#register = new GuardedScript(options.scripts, 'register', guard);
    const call = (shard: number, batches: readonly Batch[]) => this.#commitShard(shard, batches);
    const scheduler = new FairScheduler();
    this.#committers = Array.from(
      { length: SHARD_COUNT },
      (_, shard) => new ShardCommitter(shard, call, () => this.nowUs(), GROUP_COMMIT, scheduler),
    );
    this.#loads = new BatchedReads((shard, lotIds) => this.#loadMany(shard, lotIds));
    this.#heartbeat = new Heartbeat(open, guard, options.scripts, this.#hear);
  }

  /** Reads the server's clock once, so that `nowUs` is valid; must be called first. */
  async start(): Promise<this> {
    this.#clock.observe(await this.#open.timeUs());
    this.claimsEvents = !(await isClustered(this.#open));
    return this;
  }

  /** Whether nothing is in flight. */
  get idle(): boolean {
    return this.#committers.every((committer) => committer.idle);
  }

  /** Whether Redis has answered lately. What it has not sent yet, Postgres does not know either. */
  get isInTouch(): boolean {
    return performance.now() - this.#answeredMs < SILENT_MS;
  }

  stop(): void {
    this.#heartbeat.stop();
  }

  /**
   * Whether a commit would be taken now: tried over the connection that commits go over, and compared as they are.
   * Rejects with `JournalUnavailable`.
   */
  async requireReady(): Promise<void> {
    const shards = this.#open.masters === 1 ? [0] : ALL_SHARDS;
    const proofs = await this.#calls.read(Promise.all(shards.map((shard) => this.#heartbeat.proves(shard))));
    if (proofs.includes(false)) throw await this.#older();
    await this.#calls.confirm(firstOf(shards));
  }

  /** Resolves when what a shard holds now survives the loss of its server, as far as the durability requires that. */
  confirm(shard: number): Promise<void> {
    return this.#calls.confirm(shard);
  }

  nowUs(): number {
    return this.#clock.nowUs();
  }

  lastOutageUs(auctionId: number): number {
    const shard = this.#shards.cached(auctionId);
    return shard === undefined ? 0 : this.#heartbeat.lastOutageUs(shard);
  }

  enqueue(source: BatchSource): void {
    const shard = this.#shards.of(source.auctionId);
    enqueueWhere(shard, this.#committers, source, () => this.nowUs());
  }

  load(auctionId: number, lotId: number): Promise<LotState | null> {
    const shard = this.#shards.of(auctionId);
    const loadFrom = (found: number) => this.#loads.get(found, String(lotId));
    return typeof shard === 'number' ? loadFrom(shard) : shard.then(loadFrom);
  }

  async loadRecord(auctionId: number): Promise<AuctionRecord | null> {
    const shard = this.#shards.cached(auctionId) ?? (await this.#shards.of(auctionId));
    return this.#calls.read(readRecord(this.#open.link, shard, auctionId));
  }

  async loadNote(auctionId: number, group: string): Promise<string> {
    return this.#calls.read(readNote(this.#open.link, await this.#shards.of(auctionId), auctionId, group));
  }

  async loadBidders(
    auctionId: number,
    bidderKeys: readonly BidderKey[],
  ): Promise<Map<BidderKey, BidderInAuction>> {
    const shard = this.#shards.cached(auctionId) ?? (await this.#shards.of(auctionId));
    return this.#calls.read(readBidders(this.#open.link, shard, auctionId, bidderKeys));
  }

  async findRecord(auctionId: number, field: string): Promise<string | null> {
    return this.#calls.read(findRecord(this.#open, await this.#shards.of(auctionId), field));
  }

  async findPaddle(auctionId: number, paddle: string): Promise<BidderKey | null> {
    return this.#calls.read(readPaddle(this.#open.link, await this.#shards.of(auctionId), auctionId, paddle));
  }

  async saveRecord(record: AuctionRecord, unmoved?: ReadonlyMap<number, number>): Promise<boolean> {
    const { auctionId } = record;
    const shard = this.#shards.cached(auctionId) ?? (await this.#shards.of(auctionId));
    const keys = shardKeys(shard);
    const answer = await this.#calls.write(
      shard,
      this.#saveRecord,
      [keys.aver, keys.rec, keys.log, keys.meta, keys.ver],
      ({ epoch }) => saveArguments(record, epoch, this.#guard.marks.of(shard), unmoved),
      (saved) => isMessageId(saved),
    );
    if (answer === 'epoch') throw otherEpoch();
    if (answer === 'older') throw await this.#older();
    if (answer === 'silent') await this.#calls.read(this.#heartbeat.beat(shard));
    if (!isMessageId(answer)) return false;
    this.#guard.marks.note(shard, answer);
    return true;
  }

  register(auctionId: number, bidders: readonly NewBidder[]): Promise<Bidder[]> {
    return this.#registerCall(auctionId, ['0', ''], bidders.flatMap(newBidderArguments));
  }

  async saveBidder(auctionId: number, bidder: Bidder, reason: string | null): Promise<Bidder> {
    return firstOf(await this.#registerCall(auctionId, ['1', reason ?? ''], bidderArguments(bidder)));
  }

  async #registerCall(auctionId: number, how: readonly string[], flat: readonly string[]): Promise<Bidder[]> {
    const shard = this.#shards.cached(auctionId) ?? (await this.#shards.of(auctionId));
    const { aver, bid, log, meta } = shardKeys(shard);
    const mark = () => this.#guard.marks.of(shard);
    const argsOf = ({ epoch }: Fence) => [epoch, String(auctionId), ...how, mark(), ...flat];
    const keys = [aver, bid, log, meta];
    const answer = await this.#calls.write(shard, this.#register, keys, argsOf, () => false);
    if (answer === 'epoch') throw otherEpoch();
    if (answer === 'older') throw await this.#older();
    const { bidders, messageId } = readRegistered(answer);
    if (messageId !== null) this.#guard.marks.note(shard, messageId);
    return bidders;
  }

  async #commitShard(shard: number, batches: readonly Batch[]): Promise<CommitResult[]> {
    const { oldestStampUs, maxLogBytes, onCommit } = this.#options;
    const startMs = performance.now();
    const bucket = Math.floor(this.nowUs() / 1_000_000 / KEY_BUCKET_SECONDS);
    const argsOf = ({ epoch }: Fence) =>
      commitArguments(batches, epoch, bucket, {
        oldestStampUs,
        maxLogBytes,
        mark: this.#guard.marks.of(shard),
      });
    const keys = commitKeys(shardKeys(shard), bucket, batches, this.claimsEvents);
    const answer = await this.#calls.write(shard, this.#commit, keys, argsOf, hasCommitted);
    const [first] = answer;
    if (first === 'epoch') throw otherEpoch();
    if (first === 'older') throw await this.#older();
    if (first === 'full')
      throw new Overloaded(`the log of shard ${shard} is full: its projection has fallen behind`);
    this.#heartbeat.watch(shard);
    if (first === 'silent') {
      await this.#calls.read(this.#heartbeat.beat(shard));
      return batches.map(() => ({ kind: 'record_changed' }));
    }
    if (first === 'bucket') {
      this.#clock.reset(Number(answer[1]));
      return batches.map(() => ({ kind: 'clock' }));
    }
    const serverUs = Number(first);
    if (batches.some((batch) => batch.stampUs > serverUs)) this.#clock.reset(serverUs);
    else this.#clock.observe(serverUs);
    const { found, messageId } = readCommitAnswer(answer, batches, (lotId) => new LotMissing(lotId));
    if (messageId !== null) this.#guard.marks.note(shard, messageId);
    const conflicts = found.reduce((count, { kind }) => (kind === 'conflict' ? count + 1 : count), 0);
    onCommit({ seconds: (performance.now() - startMs) / 1_000, batches: batches.length, conflicts });
    return found;
  }

  async #loadMany(shard: number, lotIds: readonly string[]): Promise<(LotState | null)[]> {
    const { ver, lot, meta } = shardKeys(shard);
    const { link } = this.#open;
    const fence = this.#guard.current();
    const { epoch } = fence;
    // Of another server a sequence may be another state's.
    if (fence !== this.#fenceOfStates) this.#states = new StateCache();
    this.#fenceOfStates = fence;
    this.#heartbeat.watch(shard);
    // A Redis that returned empty has no lots either: that is not to be read as their having left the journal.
    const ofThisLife = async <T>(answer: Promise<T>): Promise<T> => {
      const [found, read] = await this.#calls.read(Promise.all([link.hGet(meta, 'epoch'), answer]));
      if (found !== epoch) throw otherEpoch();
      return read;
    };
    return this.#states.read(lotIds, {
      versions: (ids) => ofThisLife(link.hmGet(ver, [...ids])),
      states: async (ids) =>
        (await ofThisLife(link.hmGet(lot, [...ids]))).map((text) =>
          text === null ? null : decodeSnapshot(text),
        ),
    });
  }

  /** Redis has said what time it is. */
  readonly #hear = (serverUs: number): void => {
    this.#calls.noteAnswer();
    this.#answeredMs = performance.now();
    this.#clock.observe(serverUs);
  };

  /** The log ends before what was acknowledged: what is to be said of that is found out now. */
  async #older(): Promise<JournalUnavailable> {
    await this.#guard.recheck();
    return new JournalUnavailable('this Redis is older than what was acknowledged from it');
  }
}

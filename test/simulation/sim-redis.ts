/**
 * The one journal of a run: the reference journal in memory with the clock, the log in messages and the closing index
 * that the real one has in Redis. Each of its calls is one step that nothing interrupts, as a script is.
 */

import { MemoryJournal, MemoryStore } from '../../adapters/memory/memory-journal.ts';
import { packAuctionEvent, packEntry } from '../../adapters/redis/frames.ts';
import type { OpenLink, RedisLink, StreamMessage } from '../../adapters/redis/link.ts';
import { compareLogIds, LOG_START } from '../../adapters/redis/shard-log.ts';
import { SHARD_COUNT, shardKeys } from '../../adapters/redis/shards.ts';
import type { Batch, CommitResult } from '../../engine/actor/journal.ts';
import { JournalUnavailable } from '../../engine/actor/journal.ts';
import type { Outage } from '../../engine/auction/record.ts';
import { encodeSnapshot } from '../../engine/formats/formats.ts';
import type { Machine } from './machine.ts';
import type { Network, Server } from './network.ts';
import type { Kind, Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';
import { checkCommit } from './watch-commits.ts';

/** When the wall clock was at the run's beginning: 2026-07-12T10:00:00Z. */
export const BASE_US = Date.UTC(2026, 6, 12, 10) * 1_000;

const COUNTED: Partial<Record<CommitResult['kind'], Kind>> = {
  conflict: 'conflict',
  record_changed: 'record_changed',
  note_changed: 'note_changed',
  clock: 'clock_refused',
  replayed: 'replayed',
  exposure: 'exposure_wrong',
};

/** With how many frames the log had when it was noted, or when it began. */
export interface Silence extends Outage {
  readonly frame: number;
}

export class SimRedis implements Server {
  readonly name = 'redis';
  isUnavailable = false;
  readonly timeoutUs = 1_500_000;
  readonly store = new MemoryStore();
  /** The server's clock when each frame of the log was written. */
  readonly writtenUs: number[] = [];
  /** What the clock showed just before and after each adjustment, pair by pair. */
  readonly clocksAroundSteps: number[] = [];
  /** The outages that the journal has recorded, and the times when it really was unavailable. */
  readonly outages: Silence[] = [];
  readonly absences: Silence[] = [];
  readonly journal: MemoryJournal;
  /** How many shards the auctions are spread over. */
  shards = SHARD_COUNT;
  readonly #logs = new Map<number, StreamMessage[]>();
  #sealed = 0;
  #offsetUs = 0;
  #keptUs = 0;
  #lastMs = 0;
  #counter = 0;
  readonly #time: VirtualTime;
  readonly #trace: Trace;

  constructor(time: VirtualTime, trace: Trace) {
    this.#time = time;
    this.#trace = trace;
    this.journal = new MemoryJournal(this.store, { serverUs: () => this.nowUs() });
  }

  fault(why: string): Error {
    return new JournalUnavailable(why);
  }

  /** The clock that the scripts use: it does not advance where the machine's has been set back. */
  nowUs(): number {
    return Math.max(this.wallUs(), this.#keptUs);
  }

  wallUs(): number {
    return BASE_US + this.#time.nowUs + this.#offsetUs;
  }

  /** Somebody sets the machine's clock. */
  step(byUs: number): void {
    const beforeUs = this.nowUs();
    this.#offsetUs += byUs;
    this.clocksAroundSteps.push(beforeUs, this.nowUs());
    this.#setBack(this.nowUs() - beforeUs);
    this.#trace.note(`redis' clock is set by ${byUs}`);
    this.#trace.count(byUs < 0 ? 'clock_back' : 'clock_ahead');
  }

  /** An outage that nobody has noticed yet ends by the clock of the first call that succeeds. */
  #setBack(byUs: number): void {
    const aliveUs = this.store.aliveUs ?? 0;
    this.absences.forEach(({ fromUs, toUs, frame }, at) => {
      const isUnnoted = byUs < 0 && aliveUs <= fromUs;
      if (isUnnoted) this.absences[at] = { fromUs, toUs: toUs + byUs, frame };
    });
  }

  shardOf(auctionId: number): number {
    return auctionId % this.shards;
  }

  /** Commits the batches of one call, in order. */
  commit(by: string, batches: readonly Batch[]): { serverUs: number; results: CommitResult[] } {
    const serverUs = this.nowUs();
    const results = batches.map((batch) => {
      const before = this.store.lots.get(batch.lotId) ?? null;
      const result = this.journal.commit(batch);
      const counted = COUNTED[result.kind];
      if (counted !== undefined) this.#trace.count(counted);
      if (batch.expectedPreviousHash !== null)
        this.#trace.count(result.kind === 'committed' ? 'pipelined' : 'pipelined_rolled_back');
      this.#trace.note(`commit by ${by}: lot ${batch.lotId} at ${batch.expectedSequence}: ${result.kind}`);
      if (result.kind === 'committed' && batch.entry !== null) {
        this.#trace.note(`  ${batch.entry.hash} ${batch.entry.privateText}`);
        checkCommit(this.#trace, before, batch, this.store, serverUs);
      }
      return result;
    });
    if (this.seal()) this.#keptUs = serverUs;
    return { serverUs, results };
  }

  /** A sign of life; gives when the last outage was over. */
  beat(): number {
    this.journal.beat();
    this.#noteOutages();
    return this.journal.lastOutageUs();
  }

  #noteOutages(): void {
    const { outages, log } = this.store;
    for (const outage of outages.slice(this.outages.length)) {
      this.outages.push({ ...outage, frame: log.length });
      this.#trace.note(`an outage is noted: ${outage.fromUs} to ${outage.toUs}`);
      this.#trace.count('outage_noted');
    }
  }

  /** It cannot be reached from now until `comeBack`. */
  becomeUnavailable(): void {
    this.isUnavailable = true;
    // Before the first heartbeat a silence cannot be noticed.
    const fromUs = Math.max(this.nowUs(), this.store.aliveUs ?? Number.POSITIVE_INFINITY);
    this.absences.push({ fromUs, toUs: Number.POSITIVE_INFINITY, frame: this.store.log.length });
  }

  comeBack(): void {
    this.isUnavailable = false;
    const last = this.absences.pop();
    if (last !== undefined) this.absences.push({ ...last, toUs: this.nowUs() });
  }

  /** Makes one message of what has been written since the last one. An outage that was found then is before it. */
  seal(): boolean {
    this.#noteOutages();
    const frames = this.store.log.slice(this.#sealed);
    if (frames.length === 0) return false;
    this.#sealed += frames.length;
    for (const _ of frames) this.writtenUs.push(this.nowUs());
    const [first] = frames;
    const shard = this.shardOf(first!.kind === 'entry' ? first!.entry.auctionId : first!.auctionId);
    const text = frames
      .map((frame) =>
        frame.kind === 'entry' ? packEntry(frame.entry) : packAuctionEvent(frame.auctionId, frame.event),
      )
      .join('\n');
    const ms = Math.max(this.#lastMs, Math.floor(this.wallUs() / 1_000));
    this.#counter = ms === this.#lastMs ? this.#counter + 1 : 0;
    this.#lastMs = ms;
    const log = this.#logs.get(shard) ?? [];
    log.push({ id: `${ms}-${this.#counter}`, message: { e: text } });
    this.#logs.set(shard, log);
    return true;
  }

  /** Whether each shard's position is at the end of its log. */
  isProjected(positions: ReadonlyMap<string, { readonly stream_id: string }>): boolean {
    return [...this.#logs].every(
      ([shard, log]) => positions.get(String(shard))?.stream_id === log.at(-1)!.id,
    );
  }

  /** The commands that the sweep and the projection read with, as seen from a machine. */
  linkFor(machine: Machine, network: Network): OpenLink {
    const link: Pick<
      RedisLink,
      'zRangeWithScores' | 'zRangeByScore' | 'hmGet' | 'hGet' | 'xInfoStream' | 'xRange'
    > = {
      // There is one journal.
      hGet: async () => null,
      xInfoStream: (key) =>
        network.call(machine, this, 'log', () => {
          const log = this.#logs.get(SHARD_OF_LOG.get(key)!) ?? [];
          return {
            'last-generated-id': log.at(-1)?.id ?? LOG_START,
            'entries-added': log.length,
            length: log.length,
          };
        }),
      zRangeWithScores: async (key) => {
        const shard = SHARD_OF_DUE.get(key)!;
        if (!this.#logs.has(shard)) return [];
        const first = () => this.#due(shard, Number.POSITIVE_INFINITY, 1);
        return (await network.call(machine, this, 'due', first)).map((value) => ({ value, score: 0 }));
      },
      zRangeByScore: async (key, _min, max, options) => {
        const shard = SHARD_OF_DUE.get(key)!;
        // A shard that never had a lot is not worth the simulated way there and back.
        if (!this.#logs.has(shard)) return [];
        return network.call(machine, this, 'due', () => this.#due(shard, Number(max), options!.LIMIT.count));
      },
      hmGet: (_key, ids) =>
        network.call(machine, this, 'lots', () =>
          ids.map((id) => {
            const state = this.store.lots.get(Number(id));
            return state === undefined ? null : encodeSnapshot(state);
          }),
        ),
      xRange: (key, start, _end, options) =>
        network.call(machine, this, 'log', () => {
          const log = this.#logs.get(SHARD_OF_LOG.get(key)!) ?? [];
          const after = start.slice(1);
          let first = log.length;
          while (first > 0 && compareLogIds(log[first - 1]!.id, after) > 0) first -= 1;
          return log.slice(first, first + options!.COUNT);
        }),
    };
    return { link: link as RedisLink } as OpenLink;
  }

  #due(shard: number, byUs: number, count: number): string[] {
    return [...this.store.due]
      .filter(
        ([lotId, dueUs]) => dueUs <= byUs && this.shardOf(this.store.lots.get(lotId)!.auctionId) === shard,
      )
      .sort((a, b) => a[1] - b[1] || a[0] - b[0])
      .slice(0, count)
      .map(([lotId]) => String(lotId));
  }
}

const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);
const SHARD_OF_DUE = new Map(shards.map((shard) => [shardKeys(shard).due, shard]));
const SHARD_OF_LOG = new Map(shards.map((shard) => [shardKeys(shard).log, shard]));

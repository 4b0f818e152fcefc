/**
 * Projects shards: reads a segment of each one's log from its stored position on, folds them, and writes them
 * together with the new positions in one transaction. It may be broken off anywhere and repeated by anybody: what is
 * committed is never read again, and two projectors on one shard only cost each other time. What Postgres refuses is
 * set aside, so that all else continues, and so is for a while what others hold locked.
 */

import type { Knex } from 'knex';
import type { Database } from '../../../adapters/postgres/database.ts';
import type { Frame } from '../../../adapters/redis/frames.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import type { Tracing } from '../../../adapters/tracing/tracing.ts';
import { entryOf, firstOf, present } from '../../../engine/first-of.ts';
import type { OutboxEvent } from '../../events/outbox.ts';
import { subjectOf, writeContained } from './containment.ts';
import { foldFrames } from './fold.ts';
import { writeIdempotencyRecords } from './idempotency-records.ts';
import { KnownRows } from './known-lots.ts';
import { readFitPositions } from './log-fit.ts';
import { type LogSegment, LogSegmentReader } from './log-segments.ts';
import { noPendingWrites } from './pending-writes.ts';
import { lockPositions, movePositions, type Position, touchFailures } from './positions.ts';
import { ProjectionTraces } from './projection-traces.ts';
import { findLocked, requireTables, waitBriefly } from './row-locks.ts';
import { append, type Failure, readSubjects, setAside, shardsOf, storedSubject } from './set-aside.ts';
import { StatementPatience } from './statement-patience.ts';
import { isTransient, isUnwritable } from './unwritable.ts';
import { type LotClosedHook, writePending } from './write.ts';

export interface ProjectorParts {
  readonly database: Database;
  readonly redis: OpenLink;
  readonly onLotClosed: readonly LotClosedHook[];
  /** Resolves when what was read of a shard survives the loss of its server; default: at once. */
  readonly confirm?: (shard: number) => Promise<void>;
  /** Called with what was written, after its transaction. */
  readonly onWritten?: (written: WrittenLog) => void;
  /** Follows what is written; null: nobody does. */
  readonly tracing?: Tracing | null;
  /** Characters of log that go into one transaction, more or less. */
  readonly segmentChars?: number;
}

/** What one step did. */
export interface Step {
  readonly messages: number;
  readonly entries: number;
  readonly bids: number;
  /** The shards whose position it has moved, and where to. */
  readonly positions: ReadonlyMap<number, Position>;
  /** Shards that may have more to read at once. */
  readonly more: readonly number[];
  /** Shards that somebody else has moved, or is moving. */
  readonly moved: readonly number[];
  /** Shards whose log could not be read. */
  readonly unread: ReadonlyMap<number, unknown>;
  /** What Postgres refused and is set aside from now on. */
  readonly failures: readonly Failure[];
  /** Shards of which something is set aside from now on until somebody else releases its rows. */
  readonly locked: readonly number[];
}

/** What a transaction has written: the frames of the log, and the facts that came of them but for those of bids. */
export interface WrittenLog {
  readonly frames: readonly Frame[];
  readonly facts: readonly OutboxEvent[];
}

interface Count {
  readonly entries: number;
  readonly bids: number;
  readonly facts: readonly OutboxEvent[];
}

type Written = Count & Pick<Step, 'failures' | 'locked'>;

const NOTHING_WRITTEN = { entries: 0, bids: 0, failures: [], locked: [] };
const NOTHING = { ...NOTHING_WRITTEN, messages: 0, positions: new Map(), more: [], moved: [] };

export class Projector {
  readonly #parts: ProjectorParts;
  readonly #known = new KnownRows();
  readonly #traces: ProjectionTraces | null;
  readonly #positions = new Map<number, Position>();
  readonly #reader: LogSegmentReader;
  /** Which version of a shard's failures `#subjects` is. */
  readonly #versions = new Map<number, number>();
  /** What is set aside, by shard and subject. */
  readonly #subjects = new Map<number, Map<string, number>>();
  readonly #patience = new StatementPatience();

  constructor(parts: ProjectorParts) {
    this.#parts = parts;
    this.#traces = parts.tracing ? new ProjectionTraces(parts.tracing) : null;
    this.#reader = new LogSegmentReader(parts.redis, parts.confirm, parts.segmentChars);
  }

  /** The position of a shard that was committed last, as far as this projector knows. */
  position(shard: number): Position | null {
    return this.#positions.get(shard) ?? null;
  }

  /** Reads a shard's position again: others may have moved it, or Postgres may have been restored. */
  forget(shard: number): void {
    this.#positions.delete(shard);
    // Whoever moved a shard has changed its rows too: without its version, all of them are read again.
    this.#versions.delete(shard);
  }

  /**
   * Projects the next segments of these shards. Throws what Postgres throws when it is unavailable; nothing is
   * written then.
   */
  async step(shards: readonly number[]): Promise<Step> {
    try {
      const unfit = await this.#findPositions(shards.filter((shard) => !this.#positions.has(shard)));
      const fit = shards.filter((shard) => !unfit.has(shard));
      const read = await this.#reader.read(fit.map((shard) => [shard, entryOf(this.#positions, shard)]));
      // Redis may return as another one: whether its log continues here is then looked at again.
      for (const shard of read.failed.keys()) this.forget(shard);
      const step = await this.#project(read.segments);
      return { ...step, unread: new Map([...unfit, ...read.failed]) };
    } catch (error) {
      // Whether the transaction was committed is not known here: everything is read again.
      this.#forgetAll();
      throw error;
    }
  }

  /** Takes over these shards at Postgres' positions. Gives those that must not be read, with the reason. */
  async #findPositions(shards: readonly number[]): Promise<ReadonlyMap<number, Error>> {
    if (shards.length === 0) return new Map();
    const { database, redis } = this.#parts;
    const { positions, unfit } = await readFitPositions(database.knex, redis, shards);
    for (const [shard, position] of positions) this.#positions.set(shard, position);
    return unfit;
  }

  #forgetAll(): void {
    this.#positions.clear();
    this.#versions.clear();
    this.#subjects.clear();
    this.#known.forget();
  }

  async #project(segments: readonly LogSegment[]): Promise<Omit<Step, 'unread'>> {
    if (segments.length === 0) return NOTHING;
    const { mine, written } = await this.#transact(segments);
    this.#traces?.committed();
    const moved = segments.filter((segment) => !mine.includes(segment)).map(({ shard }) => shard);
    for (const shard of moved) this.forget(shard);
    for (const { shard, to } of mine) this.#positions.set(shard, to);
    const { facts, ...outcome } = written;
    this.#parts.onWritten?.({ frames: mine.flatMap(({ frames }) => frames), facts });
    return {
      messages: mine.reduce((sum, { messages }) => sum + messages, 0),
      positions: new Map(mine.map(({ shard, to }) => [shard, to])),
      more: mine.filter(({ more }) => more).map(({ shard }) => shard),
      moved,
      ...outcome,
    };
  }

  async #transact(
    segments: readonly LogSegment[],
  ): Promise<{ mine: readonly LogSegment[]; written: Written }> {
    const { knex } = this.#parts.database;
    const startedMs = performance.now();
    try {
      const done = await knex.transaction((trx) => this.#write(trx, segments, false));
      this.#patience.took(performance.now() - startedMs);
      return done;
    } catch (error) {
      if (!isUnwritable(error) && !isTransient(error)) throw error;
      this.#known.forget();
      return await knex.transaction((trx) => this.#write(trx, segments, true));
    }
  }

  async #write(
    trx: Knex.Transaction,
    segments: readonly LogSegment[],
    contained: boolean,
  ): Promise<{ mine: readonly LogSegment[]; written: Written }> {
    this.#traces?.begin();
    const limitMs = this.#patience.limitMs(framesIn(segments));
    const versions = await lockPositions(trx, segments, limitMs);
    const mine = segments.filter(({ shard }) => versions.has(shard));
    if (mine.length === 0) return { mine, written: { ...NOTHING_WRITTEN, facts: [] } };
    await this.#refreshSubjects(trx, versions);
    const frames = mine.flatMap((segment) => segment.frames);
    const waiting = this.#waiting(mine);
    const free = waiting.size === 0 ? frames : frames.filter((frame) => !waiting.has(frame));
    await this.#known.load(trx, free, this.#subjects.size > 0);
    const written = contained
      ? await this.#writeContained(trx, mine, frames, free)
      : {
          ...(await this.#writeFrames(trx, frames, waiting.size === 0 ? null : free)),
          failures: [],
          locked: [],
        };
    this.#known.keepRecords(frames);
    for (const failureId of new Set(waiting.values()))
      await append(
        trx,
        failureId,
        frames.filter((frame) => waiting.get(frame) === failureId),
      );
    await writeIdempotencyRecords(trx, mine);
    await movePositions(trx, mine);
    return { mine, written };
  }

  /** Reads what is set aside where others, or this transaction's forerunner, have changed it. */
  async #refreshSubjects(trx: Knex, versions: ReadonlyMap<number, number>): Promise<void> {
    const changed = [...versions].filter(([shard, version]) => this.#versions.get(shard) !== version);
    if (changed.length === 0) return;
    this.#known.forget();
    const subjects = await readSubjects(
      trx,
      changed.map(([shard]) => shard),
    );
    for (const [shard, version] of changed) {
      this.#versions.set(shard, version);
      const here = subjects.get(shard);
      if (here === undefined) this.#subjects.delete(shard);
      else this.#subjects.set(shard, here);
    }
  }

  /** The frames of what is set aside, each with the failure that it waits behind. */
  #waiting(segments: readonly LogSegment[]): Map<Frame, number> {
    const waiting = new Map<Frame, number>();
    for (const { shard, frames } of segments) {
      const subjects = this.#subjects.get(shard);
      if (subjects === undefined) continue;
      for (const frame of frames) {
        const failureId = subjects.get(storedSubject(frame));
        if (failureId !== undefined) waiting.set(frame, failureId);
      }
    }
    return waiting;
  }

  /** Writes the wanted ones of these frames, all where it is null. Gives how many there were, and the facts. */
  async #writeFrames(
    trx: Knex.Transaction,
    frames: readonly Frame[],
    wanted: readonly Frame[] | null,
  ): Promise<Count> {
    const pending = noPendingWrites();
    foldFrames(pending, this.#known, frames, wanted && new Set(wanted));
    const recordOf = (auctionId: number) =>
      pending.newestRecords.get(auctionId) ?? this.#known.auctions.get(auctionId) ?? null;
    const facts = await writePending(trx, pending, recordOf, this.#parts.onLotClosed, this.#traces);
    this.#known.keepLots(pending);
    return { entries: pending.entries.length, bids: pending.bids.size, facts };
  }

  async #writeContained(
    trx: Knex.Transaction,
    mine: readonly LogSegment[],
    frames: readonly Frame[],
    free: readonly Frame[],
  ): Promise<Written> {
    let [entries, bids] = [0, 0];
    const facts: OutboxEvent[] = [];
    const startedMs = performance.now();
    await waitBriefly(trx, this.#patience.searchMs(frames.length));
    await requireTables(trx);
    const lockedOnes = await findLocked(trx, this.#known, free);
    const readMs = performance.now() - startedMs;
    const writable = free.filter((frame) => !lockedOnes.has(subjectOf(frame)));
    const refused = await writeContained(writable, async (wanted) => {
      const count = await trx.transaction((savepoint) => this.#writeFrames(savepoint, frames, wanted));
      entries += count.entries;
      bids += count.bids;
      facts.push(...count.facts);
    });
    this.#patience.requireCulprits(refused, frames.length, { isWritten: entries > 0, readMs });
    await waitBriefly(trx, this.#patience.limitMs(frames.length));
    const setAsideNow: Failure[] = [];
    for (const refusal of [...lockedOnes.values(), ...refused.values()]) {
      const { shard } = present(mine.find((segment) => segment.frames.includes(firstOf(refusal.frames))));
      setAsideNow.push(await setAside(trx, shard, refusal));
    }
    if (setAsideNow.length > 0) await touchFailures(trx, shardsOf(setAsideNow));
    const failures = setAsideNow.filter(({ transient }) => !transient);
    const locked = shardsOf(setAsideNow.filter(({ transient }) => transient));
    return { entries, bids, failures, locked, facts };
  }
}

function framesIn(segments: readonly LogSegment[]): number {
  return segments.reduce((sum, { frames }) => sum + frames.length, 0);
}

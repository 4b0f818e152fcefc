/**
 * Under which number this process may write the journal. Each run of the Redis servers is compared once, under a number
 * of its own, with everything that anybody was told is recorded: Postgres' positions, and the marks of all processes.
 * Whoever meets an unknown run closes the number before; every process that writes then hands in its marks
 * and writes no more until the run is found to continue them. The number is put into the scripts that the servers of
 * the run are handed (`guarded-script.ts`), so that nothing is written to any other.
 */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { readServerState, type ServerState } from '../../../adapters/redis/compared-servers.ts';
import { fencedTexts } from '../../../adapters/redis/guarded-script.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import type { SingleServer } from '../../../adapters/redis/link-types.ts';
import { Marks } from '../../../adapters/redis/marks.ts';
import { isSame } from '../../../adapters/redis/server-identity.ts';
import { compareLogIds } from '../../../adapters/redis/shard-log.ts';
import { SHARD_COUNT } from '../../../adapters/redis/shards.ts';
import { type ProcessTime, processTime } from '../../shared/process-time.ts';
import {
  closeFence,
  type FenceState,
  handIn,
  join,
  leave,
  openFence,
  othersWriting,
  readFence,
  readMarks,
} from './fence-rows.ts';

/** What this process writes under. */
interface HeldFence {
  readonly number: number;
  /** The names of the servers' runs, in order. */
  readonly runs: readonly string[];
}

/** How often a process that compares looks whether all others have handed in their marks. */
const LOOK_MS = 50;
/** Those that do not say for so long that they write no more stand still, are cut off or gone. */
const PATIENCE_MS = 3_000;
/** Of a time between two looks no more is counted: longer, this process or Postgres stood still itself. */
const COUNTED_MS = 500;
/** How long one comparison may take: longer than a process that stands still is waited for. */
const COMPARING_MS = 10_000;

/** The shards of a journal that ends before what was acknowledged from it, or null where it continues. */
type Older = readonly number[] | null;

/** What Postgres has of the fence, against the servers at hand. */
interface Comparison {
  readonly fence: FenceState;
  /** Whether others may still write under a number that is closed. */
  readonly isAwaited: boolean;
  readonly runs: readonly string[];
  /** Whether the number goes by these servers. */
  readonly isKnown: boolean;
  readonly older: Older;
}

export class ServerFence {
  readonly marks = new Marks();
  readonly time: ProcessTime;
  #held: HeldFence | null = null;
  /** The number that the marks were made under: a rebuild since makes them void. */
  #marksFence = 0;
  /** What this process is called among those that write. */
  readonly #id = randomUUID();
  #handing: Promise<void> = Promise.resolve();
  /** It may be known among them. */
  #isKnown = false;
  readonly #knex: Knex;
  readonly #open: OpenLink;
  /** Where the .lua files lie. */
  readonly #scripts: string;

  constructor(knex: Knex, open: OpenLink, scripts: string, time: ProcessTime = processTime) {
    this.#knex = knex;
    this.#open = open;
    this.#scripts = scripts;
    this.time = time;
  }

  /** Null while nothing may be written. */
  get held(): HeldFence | null {
    return this.#held;
  }

  /**
   * Compares the servers at hand and takes their number, or gives the shards in which they are older. Throws what
   * Postgres or Redis throw, and where a server is no master or does not go by this `epoch`.
   */
  async take(epoch: string): Promise<Older> {
    const servers = await this.#open.openServers();
    try {
      return await this.#takeFrom(servers, epoch);
    } finally {
      for (const server of servers) server.close();
    }
  }

  async #takeFrom(servers: readonly SingleServer[], epoch: string): Promise<Older> {
    const latestMs = this.time.nowMs() + COMPARING_MS;
    const patience = new Patience(this.time);
    let isRefused = false;
    while (this.time.nowMs() < latestMs) {
      const found = await this.#compare(servers, epoch);
      const { fence, runs, isKnown, older } = found;
      if (!isKnown) await this.release();
      if (older !== null) {
        await this.release();
        return older;
      }
      if (isKnown) {
        if (await this.#join(servers, fence.number, runs)) return null;
      } else isRefused = await this.#makeReady(found, patience, isRefused);
    }
    throw new Error('Redis is still being compared with what was acknowledged');
  }

  async #compare(servers: readonly SingleServer[], epoch: string): Promise<Comparison> {
    const fence = await this.#read();
    const isAwaited = fence.runs === null && (await othersWriting(this.#knex, this.#id, fence.number));
    // After all is handed in, before the servers are asked: what is acknowledged between is no sign of anything.
    const marks = await readMarks(this.#knex);
    const states = await Promise.all(servers.map(readServerState));
    requireWhole(states, epoch);
    const runs = states.map(({ runId }) => runId).sort();
    const isKnown = fence.runs !== null && isSame(fence.runs, runs);
    return { fence, isAwaited, runs, isKnown, older: olderShards(states, marks) };
  }

  /**
   * Closes the number of other servers, waits for those who still write under it, or opens it for these: whether that
   * was refused when it was last tried.
   */
  async #makeReady(
    { fence, runs, isAwaited }: Comparison,
    patience: Patience,
    wasRefused: boolean,
  ): Promise<boolean> {
    if (fence.runs !== null) {
      await closeFence(this.#knex, fence.number);
      return wasRefused;
    }
    if (patience.isLeft(fence.number) && isAwaited) {
      await this.time.sleep(LOOK_MS);
      return wasRefused;
    }
    // Everybody had handed in their marks, or is gone. Another process may just have opened it; or the journal is being
    // rebuilt.
    if (wasRefused) await this.time.sleep(LOOK_MS);
    return !(await openFence(this.#knex, fence.number, runs));
  }

  async #join(servers: readonly SingleServer[], number: number, runs: readonly string[]): Promise<boolean> {
    await load(servers, fencedTexts(this.#scripts, number));
    if (!(await join(this.#knex, this.#id, number, runs))) return false;
    this.#held = { number, runs };
    this.#isKnown = true;
    this.#marksFence = number;
    return true;
  }

  async #read(): Promise<FenceState> {
    const fence = await readFence(this.#knex);
    if (fence.rebuiltFence > this.#marksFence) this.marks.clear();
    return fence;
  }

  /**
   * Once a second: hands in the marks that have moved, says that this process is there, and writes no more where
   * another one has closed the number. Whether it still holds what it held. Throws what Postgres throws.
   */
  async keepUp(): Promise<boolean> {
    const held = this.#held;
    if (held === null) return false;
    await this.#handIn(held.number);
    const fence = await readFence(this.#knex);
    const isOpen = fence.number === held.number && fence.runs !== null && isSame(fence.runs, held.runs);
    if (isOpen && fence.rebuiltFence <= this.#marksFence) return true;
    await this.release();
    return false;
  }

  /**
   * A server is out of reach: what it has acknowledged is handed in at once. Where this process ends as well and the
   * server comes back older, nobody else would know of it. Never throws: the next round tries again.
   */
  async serverLost(): Promise<void> {
    const held = this.#held;
    if (held !== null && this.marks.haveMoved) await this.#handIn(held.number).catch(() => undefined);
  }

  /**
   * Before the journal is rebuilt: nobody writes any more, and everybody has handed in what they know, or is gone. A
   * server that was not lost would be written to while it is projected and wiped. Throws what Postgres throws.
   */
  async halt(): Promise<void> {
    await this.release();
    const patience = new Patience(this.time);
    for (;;) {
      const { number, runs } = await readFence(this.#knex);
      if (runs !== null) await closeFence(this.#knex, number);
      else if (patience.isLeft(number) && (await othersWriting(this.#knex, this.#id, number)))
        await this.time.sleep(LOOK_MS);
      else return;
    }
  }

  /** Writes nothing from now on, and says so with all that it knows. Throws what Postgres throws. */
  async release(): Promise<void> {
    this.#held = null;
    await this.#handIn(null);
  }

  /** One after the other: whoever says that it writes no more has handed in everything before. */
  #handIn(number: number | null): Promise<void> {
    const done = this.#handing.then(() => this.#handInNow(number));
    this.#handing = done.catch(() => undefined);
    return done;
  }

  async #handInNow(number: number | null): Promise<void> {
    const moved = this.marks.takeMoved();
    this.#isKnown = true;
    try {
      await handIn(this.#knex, { id: this.#id, number, marks: moved, marksFence: this.#marksFence });
    } catch (error) {
      for (const [shard] of moved) this.marks.moveAgain(shard);
      throw error;
    }
  }

  /** Hands in the last marks and leaves. Never throws: a Postgres that is away learns nothing. */
  async close(): Promise<void> {
    this.#held = null;
    if (!this.#isKnown) return;
    await this.#handIn(null)
      .then(() => leave(this.#knex, this.#id))
      .catch(() => undefined);
  }
}

/**
 * How long others are still waited for under a number. Time counts by looks that were answered: while Postgres is away
 * nobody can hand in anything.
 */
class Patience {
  #number: number | null = null;
  #leftMs = 0;
  #checkedMs = 0;
  readonly #time: ProcessTime;

  constructor(time: ProcessTime) {
    this.#time = time;
  }

  isLeft(number: number): boolean {
    const nowMs = this.#time.nowMs();
    if (number === this.#number) this.#leftMs -= Math.min(nowMs - this.#checkedMs, COUNTED_MS);
    else this.#leftMs = PATIENCE_MS;
    this.#number = number;
    this.#checkedMs = nowMs;
    return this.#leftMs > 0;
  }
}

/** Where these servers end before a mark. */
function olderShards(states: readonly ServerState[], marks: ReadonlyMap<number, readonly string[]>): Older {
  const older: number[] = [];
  for (const { shards } of states)
    for (const [shard, { lastId }] of shards)
      if (marks.get(shard)?.some((mark) => compareLogIds(lastId, mark) < 0)) older.push(shard);
  return older.length === 0 ? null : older.sort((a, b) => a - b);
}

/** Each server is a master, and together they have every shard of this life of the journal. */
function requireWhole(states: readonly ServerState[], epoch: string): void {
  if (!states.every(({ isMaster }) => isMaster))
    throw new Error('a Redis that should take writes is a replica');
  const shards = new Map(states.flatMap((state) => [...state.shards]));
  if (shards.size < SHARD_COUNT)
    throw new Error('not every shard of the journal is on a server that answers');
  if (![...shards.values()].every((shard) => shard.epoch === epoch))
    throw new Error('Redis changed while it was being compared');
}

/** Hands each server the scripts: it knows them for as long as it runs. */
async function load(servers: readonly SingleServer[], texts: readonly string[]): Promise<void> {
  for (const server of servers) await Promise.all(texts.map((text) => server.send(['SCRIPT', 'LOAD', text])));
}

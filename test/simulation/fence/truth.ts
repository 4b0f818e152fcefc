/**
 * What was acknowledged in a run, and whether it may be lost. It shares nothing with the fence: it sees every server's
 * log, every process' memory and every row at once.
 *
 * An entry counts from the moment of its 201. It is excused, for good, where nobody can know of it any more: its process
 * is killed before it has handed in the mark and nothing was projected; or a number is opened more than three seconds
 * after the one before was closed, and its process stood still or could not reach Postgres in the last three of them.
 */
import { compareLogIds, LOG_START } from '../../../adapters/redis/shard-log.ts';
import type { Trace } from '../trace.ts';
import type { VirtualTime } from '../virtual-time.ts';

/** What one commit wrote. */
export interface Entry {
  readonly uid: number;
  readonly shard: number;
  readonly id: string;
  readonly sequence: number;
  /** Of the journal: how often it had been rebuilt. */
  readonly life: number;
  readonly by: Writer;
  readonly byLife: number;
  /** The number that its process wrote under. */
  readonly fence: number;
  isAcknowledged: boolean;
  isExcused: boolean;
  isProjected: boolean;
  isWiped: boolean;
}

/** A process as the truth sees it. */
export interface Writer {
  readonly machine: { readonly name: string; readonly life: number; readonly up: boolean };
  /** Whether it stood still or could not reach Postgres at any time since. */
  wasAwaySince(us: number): boolean;
}

/** A run of a server: whether its log has an entry. */
interface LogOfRun {
  readonly runId: string;
  has(entry: Entry): boolean;
}

const PATIENCE_US = 3_000_000;

export class Truth {
  life = 0;
  readonly entries: Entry[] = [];
  /** How often each thing has happened that a share of seeds must cover. */
  readonly counts = new Map<string, number>();
  /** What Postgres knows of how far a shard's log has come. */
  knownId: (shard: number) => string = () => LOG_START;
  /** The journal's name as Postgres has it. */
  nameOfLife: () => unknown = () => undefined;
  readonly #acknowledged = new Map<number, Entry[]>();
  /** Of each run, up to where it was found to have everything of a life's shard. */
  readonly #verified = new WeakMap<LogOfRun, Map<string, number>>();
  /** Of each process the newest number that was opened without waiting for it any longer. */
  readonly #leftBehind = new Map<string, number>();
  readonly #sequences = new Map<string, Entry>();
  readonly #time: VirtualTime;
  readonly #trace: Trace;

  constructor(time: VirtualTime, trace: Trace) {
    this.#time = time;
    this.#trace = trace;
  }

  count(kind: string): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }

  /** A script that has found nothing wrong is about to write to a shard. */
  writes(run: LogOfRun, by: Writer, what: string, shard: number): void {
    const lacking = this.lackedBy(run, shard);
    if (lacking !== undefined)
      this.#trace.fail(`${by.machine.name}: ${what} on ${run.runId}, which lacks ${name(lacking)}`);
  }

  /** An entry that counts and that a server which has its shard lacks. */
  lackedBy(run: LogOfRun, shard: number): Entry | undefined {
    const entries = this.#of(shard);
    // A run keeps what it has, but for a wipe, which a new life follows on.
    const known = this.#verified.get(run) ?? new Map<string, number>();
    this.#verified.set(run, known);
    let first = known.get(`${this.life}|${shard}`) ?? 0;
    while (first < entries.length && run.has(entries[first]!)) first += 1;
    known.set(`${this.life}|${shard}`, first);
    return entries.slice(first).find((entry) => !entry.isExcused && !run.has(entry));
  }

  /** Whether it lacks something that was acknowledged, though it may be excused. */
  lacksAnything(run: LogOfRun, shard: number): boolean {
    return this.#of(shard).some((entry) => !run.has(entry));
  }

  /** What was acknowledged of a shard in this life of the journal. */
  #of(shard: number): Entry[] {
    const found = this.#acknowledged.get(shard) ?? [];
    this.#acknowledged.set(shard, found);
    return found;
  }

  committed(
    entry: Omit<Entry, 'uid' | 'life' | 'isAcknowledged' | 'isExcused' | 'isProjected' | 'isWiped'>,
  ): Entry {
    const uid = this.entries.length;
    const states = { isAcknowledged: false, isExcused: false, isProjected: false, isWiped: false };
    const made: Entry = { ...entry, ...states, uid, life: this.life };
    this.entries.push(made);
    return made;
  }

  /** A log is written to: a rebuild has wiped what it had before. */
  continues(runId: string, [oldest]: readonly Entry[]): void {
    if (oldest !== undefined && oldest.life < this.life)
      this.#trace.fail(`${runId} has been rebuilt and still has ${name(oldest)}`);
  }

  /** Its bidder has 201. */
  acknowledged(uid: number): void {
    const entry = this.entries[uid]!;
    const { by, byLife } = entry;
    entry.isAcknowledged = true;
    this.count('acknowledged');
    const left = this.#leftBehind.get(lifeOf(by, byLife)) ?? 0;
    if (entry.fence < left) entry.isExcused = true;
    this.#trace.note(
      `${by.machine.name} acknowledges ${name(entry)}${entry.isExcused ? ', left behind' : ''}`,
    );
    if (entry.life < this.life || entry.isWiped) {
      if (entry.isWiped) this.#judgeKept(entry);
      return;
    }
    this.#of(entry.shard).push(entry);
    const given = `${entry.life}|${entry.shard}|${entry.sequence}`;
    const before = this.#sequences.get(given);
    if (before !== undefined && !before.isExcused && !entry.isExcused)
      this.#trace.fail(`sequence ${entry.sequence} of shard ${entry.shard} was given out twice`);
    this.#sequences.set(given, entry);
  }

  /** A process is gone: what it alone knew is excused. */
  killed(by: Writer): void {
    this.#excuse(by);
  }

  /**
   * A number was opened; the one before was closed at this time. Whoever stood still or was cut off within the last three
   * seconds could not be waited for any longer.
   */
  opened(number: number, closedUs: number, writers: readonly Writer[]): void {
    this.#trace.note(`number ${number} is opened`);
    this.count('opened');
    if (this.#time.nowUs < closedUs + PATIENCE_US) return;
    for (const by of writers) {
      if (!by.wasAwaySince(this.#time.nowUs - PATIENCE_US)) continue;
      this.count('left_behind');
      this.#leftBehind.set(lifeOf(by, by.machine.life), number);
      this.#excuse(by);
    }
  }

  #excuse(by: Writer): void {
    for (const entry of [...this.#acknowledged.values()].flat())
      if (entry.by === by && entry.byLife === by.machine.life && !this.#isKnown(entry)) {
        entry.isExcused = true;
        this.count('excused');
      }
  }

  #isKnown(entry: Entry): boolean {
    return entry.isProjected || compareLogIds(this.knownId(entry.shard), entry.id) >= 0;
  }

  /**
   * A rebuild discards these of a log. Where it carries another name, a server that was replaced has returned: what it
   * has is listed for the operator and kept in a file.
   */
  wiped(entries: readonly Entry[], epoch: string | undefined): void {
    if (epoch !== this.nameOfLife()) return;
    for (const entry of entries) {
      // Of an earlier life a copy of a disk may have what was lost long before.
      if (entry.life < this.life) continue;
      entry.isWiped = true;
      if (entry.isAcknowledged) this.#judgeKept(entry);
    }
  }

  #judgeKept(entry: Entry): void {
    if (!entry.isExcused && !entry.isProjected)
      this.#trace.fail(`a rebuild has lost ${name(entry)}, which the log had`);
  }

  /** The journal was rebuilt. */
  beganLife(): void {
    this.life += 1;
    this.count('rebuilt');
    this.#trace.note(`the journal begins life ${this.life}`);
    this.#acknowledged.clear();
  }
}

function name({ uid, shard, id, sequence, by }: Entry): string {
  return `entry ${uid} (shard ${shard}, ${id}, sequence ${sequence}, by ${by.machine.name})`;
}

function lifeOf({ machine }: Writer, life: number): string {
  return `${machine.name}|${life}`;
}

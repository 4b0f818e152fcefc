/**
 * Redis as the fence knows it: one server or several, each with runs that have a name, a script cache and a
 * disk. Scripts are recognised by their text and executed by hand: of commit.lua and heartbeat.lua what they compare.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compareLogIds, LOG_START } from '../../../adapters/redis/shard-log.ts';
import { shardKeys } from '../../../adapters/redis/shards.ts';
import type { Server } from '../network.ts';
import { BASE_US } from '../sim-redis.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { Entry, Truth, Writer } from './truth.ts';

/** Where the .lua files lie, also for a copy of the simulation that something is planted in. */
export const SCRIPTS = fileURLToPath(new URL('../../../adapters/redis', import.meta.url));

export type Fields = Readonly<Record<string, string>>;

/** What a server has, and what is left of it where it ends. Never changed, only replaced. */
export interface Disk {
  readonly hashes: ReadonlyMap<string, Fields>;
  readonly logs: ReadonlyMap<string, readonly Entry[]>;
}

export const EMPTY: Disk = { hashes: new Map(), logs: new Map() };

const bases = new Map(
  ['commit', 'heartbeat'].map((name) => [readFileSync(`${SCRIPTS}/${name}.lua`, 'utf8'), name]),
);

interface KnownScript {
  readonly sha: string;
  readonly name: string | undefined;
}

/** What each text is: they are long and few. */
const loaded = new Map<string, KnownScript>();

function readScript(text: string): KnownScript {
  const fence = /\n-- fence \d+\n$/.exec(text);
  const base = fence === null ? text : text.slice(0, fence.index);
  return { sha: hash('sha1', text, 'hex'), name: bases.get(base) };
}

/** From one start of a server to its end. */
export class Run {
  readonly runId: string;
  replicationId: string;
  previousId: string | null = null;
  isMaster = true;
  disk: Disk;
  readonly #scripts = new Map<string, KnownScript>();
  /** The name that each shard had before it was wiped. */
  readonly #wiped = new Map<string, string | undefined>();
  readonly #entries = new Map<string, { log: readonly Entry[]; readonly entries: Set<Entry> }>();
  readonly #host: Host;

  constructor(host: Host, name: string, disk: Disk, replicationId = `id-of-${name}`) {
    this.#host = host;
    this.runId = name;
    this.disk = disk;
    this.replicationId = replicationId;
  }

  /** It was the replica of this one, and takes over. */
  beganAfter(master: Run): void {
    this.previousId = master.replicationId;
    this.replicationId = `id-${this.runId}-after-${master.replicationId}`;
  }

  has(entry: Entry): boolean {
    return this.#entriesOf(shardKeys(entry.shard).log).entries.has(entry);
  }

  /** What a log has, to be found at once. */
  #entriesOf(key: string): { log: readonly Entry[]; readonly entries: Set<Entry> } {
    const log = this.#log(key);
    const known = this.#entries.get(key);
    if (known?.log === log) return known;
    const found = { log, entries: new Set(log) };
    this.#entries.set(key, found);
    return found;
  }

  hash(key: string): Fields {
    return this.disk.hashes.get(key) ?? {};
  }

  setHash(key: string, fields: Fields): void {
    const hashes = new Map(this.disk.hashes).set(key, { ...this.hash(key), ...fields });
    this.disk = { ...this.disk, hashes };
  }

  del(key: string): void {
    const [hashes, logs] = [new Map(this.disk.hashes), new Map(this.disk.logs)];
    hashes.delete(key);
    if (key.endsWith(':meta')) this.#wiped.set(key.slice(0, -4), this.hash(key)['epoch']);
    if (logs.delete(key)) this.#host.truth.wiped(this.#log(key), this.#wiped.get(key.slice(0, -3)));
    this.disk = { hashes, logs };
  }

  #log(key: string): readonly Entry[] {
    return this.disk.logs.get(key) ?? [];
  }

  messages(key: string, after: string): readonly Entry[] {
    const log = this.#log(key);
    let first = log.length;
    while (first > 0 && compareLogIds(log[first - 1]!.id, after) > 0) first -= 1;
    return log.slice(first);
  }

  lastId(key: string): string {
    return this.#log(key).at(-1)?.id ?? LOG_START;
  }

  length(key: string): number {
    return this.#log(key).length;
  }

  info(): string {
    return [
      ...['redis_mode:standalone', `run_id:${this.runId}`, `role:${this.isMaster ? 'master' : 'slave'}`],
      ...[`master_replid:${this.replicationId}`, `master_replid2:${this.previousId ?? '0000'}`],
    ].join('\r\n');
  }

  forgetScripts(): void {
    this.#scripts.clear();
  }

  load(text: string): void {
    const known = loaded.get(text) ?? readScript(text);
    loaded.set(text, known);
    this.#scripts.set(known.sha, known);
  }

  /** Throws where it does not know the script. */
  evaluate(sha: string, shard: number, args: readonly string[], by: Writer): unknown {
    const script = this.#scripts.get(sha);
    if (script === undefined) throw new Error('NOSCRIPT No matching script. Please use EVAL.');
    const { meta, log, ver } = shardKeys(shard);
    const [epoch, mark = '', fence = ''] = args;
    if (this.hash(meta)['epoch'] !== epoch) return 'epoch';
    if (mark !== '' && compareLogIds(this.lastId(log), mark) < 0) return 'older';
    const { truth } = this.#host;
    truth.writes(this, by, script.name ?? 'a script', shard);
    if (script.name !== 'commit') return 'beaten';
    const sequence = Number(this.hash(ver)['sequence'] ?? 0) + 1;
    const id = this.#host.nextId(this.lastId(log));
    const made = { shard, id, sequence, by, byLife: by.machine.life, fence: Number(fence) };
    const entry = truth.committed(made);
    const known = this.#entriesOf(log);
    truth.continues(this.runId, known.log);
    known.log = [...known.log, entry];
    known.entries.add(entry);
    const hashes = new Map(this.disk.hashes)
      .set(ver, { sequence: String(sequence) })
      .set(meta, { ...this.hash(meta), at: id });
    this.disk = { hashes, logs: new Map(this.disk.logs).set(log, known.log) };
    return [id, String(entry.uid)];
  }
}

/** The address of one of the servers: which run is there now, and what is left of earlier ones. */
export class Host implements Server {
  readonly name: string;
  readonly timeoutUs = 1_500_000;
  readonly truth: Truth;
  /** How much longer than usual an answer takes that it gives now. */
  answersAfterUs = 0;
  /** How often another server has come to be here. */
  reign = 0;
  #run: Run | null = null;
  #runs = 0;
  readonly #time: VirtualTime;

  constructor(name: string, time: VirtualTime, truth: Truth) {
    this.name = name;
    this.#time = time;
    this.truth = truth;
    this.start(EMPTY);
  }

  get run(): Run | null {
    return this.#run;
  }

  set run(run: Run | null) {
    this.#run = run;
    this.reign += 1;
  }

  get isUnavailable(): boolean {
    return this.run === null;
  }

  fault(why: string): Error {
    return new Error(why);
  }

  start(disk: Disk): Run {
    this.run = this.newRun(disk);
    return this.run;
  }

  newRun(disk: Disk, replicationId?: string): Run {
    this.#runs += 1;
    return new Run(this, `${this.name}-run-${this.#runs}`, disk, replicationId);
  }

  nextId(last: string): string {
    const nowMs = Math.floor((BASE_US + this.#time.nowUs) / 1_000);
    const [ms = 0, counter = 0] = last.split('-').map(Number);
    return ms >= nowMs ? `${ms}-${counter + 1}` : `${nowMs}-0`;
  }
}

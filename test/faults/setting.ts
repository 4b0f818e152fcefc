/**
 * The setting of a fault run: Postgres, Redis, wires, web and worker processes, people with tokens, and the run's own
 * connection to the marketplace, through which it publishes lots and reads journals. close() ends every process, and
 * unmounts what was mounted.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startGuardian } from '../../adapters/embedded/guardian.ts';
import { type Database, openDatabase } from '../../adapters/postgres/database.ts';
import type { OpenLink } from '../../adapters/redis/link.ts';
import { type Backends, openBackends } from '../../src/app/process/backends.ts';
import { aToken, aUser } from '../support/builders.ts';
import { openWire, type Wire } from '../support/wire.ts';
import type { Person } from './bidders.ts';
import { type Member, startMember } from './fleet.ts';
import { type PostgresPart, startPostgresPart } from './postgres-part.ts';
import { type RedisPart, startRedisPart } from './redis-part.ts';

export interface SettingOptions {
  readonly webs: number;
  readonly workers: number;
  readonly bidders: number;
  /** The data of Redis and of Postgres are on small file systems of their own, which can be filled. Needs root. */
  readonly smallDisk: boolean;
  /** How large Postgres' is, in MiB: bids take room there, and so does each restored copy of them. */
  readonly postgresMib?: number;
  readonly program: readonly string[];
  /** Further lines for Redis' configuration. */
  readonly redisLines: readonly string[];
  /** A migrated database that somebody else keeps; without it, a Postgres is started that can be unavailable. */
  readonly databaseUrl: string | null;
}

export interface Setting {
  readonly base: string;
  /** What follows `node`. */
  readonly program: readonly string[];
  readonly redis: RedisPart;
  readonly postgres: PostgresPart | null;
  readonly webs: readonly Member[];
  readonly workers: readonly Member[];
  /** Between clients and each web process. */
  readonly clientWires: readonly Wire[];
  /** Between Redis and all web processes but the last; counts conflicts. */
  readonly redisWire: Wire;
  readonly people: readonly Person[];
  readonly db: Database;
  readonly backends: Backends;
  /** This process' clock in microseconds, set by Redis' at the start. Monotonic. */
  readonly nowUs: () => number;
  close(): Promise<void>;
}

/** What the commit script answers for a lot whose version had moved on. */
const CONFLICT = '*2\r\n$8\r\nconflict\r\n';
const DISK_MIB = 1_024;

export async function openSetting(options: SettingOptions): Promise<Setting> {
  // With the process's id, so that another run can recognize leftovers.
  const base = await mkdtemp(join(tmpdir(), `rostrum-faults-${process.pid}-`));
  const ending: (() => Promise<unknown>)[] = [() => rm(base, { recursive: true, force: true })];
  const close = async () => {
    const faults: unknown[] = [];
    for (const end of ending.splice(0).reverse()) await end().catch((fault: unknown) => faults.push(fault));
    if (faults.length > 0) throw faults[0];
  };
  try {
    return { ...(await fill(base, options, ending)), close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

async function fill(
  base: string,
  options: SettingOptions,
  ending: (() => Promise<unknown>)[],
): Promise<Omit<Setting, 'close'>> {
  const guardian = startGuardian();
  ending.push(async () => guardian.release());
  const folder = join(base, 'redis');
  const [postgresBase, otherBase] = [join(base, 'postgres-disk'), join(base, 'other-postgres-disk')];
  await Promise.all([folder, postgresBase, otherBase].map((one) => mkdir(one)));
  if (options.smallDisk) {
    mountSmall(folder, `size=${DISK_MIB}m,mode=700`, ending);
    const size = `size=${options.postgresMib ?? DISK_MIB}m`;
    for (const one of [postgresBase, otherBase]) mountSmall(one, `${size},mode=755`, ending);
  }
  const [redis, postgres] = await Promise.all([
    startRedisPart({ folder, base, guardian, extra: options.redisLines }),
    options.databaseUrl === null ? startPostgresPart(postgresBase, guardian, undefined, otherBase) : null,
  ]);
  ending.push(() => redis.close());
  if (postgres !== null) ending.push(() => postgres.close());
  const databaseUrl = postgres?.databaseUrl ?? options.databaseUrl!;
  const redisWire = await openWire(redis.port, CONFLICT);
  ending.push(() => redisWire.close());

  const settings = { base, guardian, databaseUrl, program: options.program };
  const wiredUrl = `redis://127.0.0.1:${redisWire.port}`;
  const db = openDatabase(databaseUrl, { max: 4 });
  ending.push(() => db.close());
  const people = await somePeople(db, options.bidders);
  const backends = await openBackends({ databaseUrl, redisUrl: redis.redisUrl }, pino({ level: 'silent' }), {
    connections: 4,
  });
  ending.push(() => backends.close());
  const members: Member[] = [];
  ending.push(() => Promise.all(members.map((member) => member.close())));
  for (let at = 0; at < options.webs; at += 1) {
    const redisUrl = at === options.webs - 1 && at > 0 ? redis.redisUrl : wiredUrl;
    members.push(await startMember({ ...settings, redisUrl }, 'web', at));
    await members.at(-1)!.ready();
  }
  for (let at = 0; at < options.workers; at += 1) {
    members.push(await startMember({ ...settings, redisUrl: redis.redisUrl }, 'worker', at));
    await members.at(-1)!.ready();
  }
  const webs = members.filter(({ role }) => role === 'web');
  const clientWires = await Promise.all(webs.map(({ port }) => openWire(port)));
  ending.push(() => Promise.all(clientWires.map((wire) => wire.close())));
  const workers = members.filter(({ role }) => role === 'worker');
  const nowUs = await clockLike(backends.redis);
  const { program } = options;
  return {
    base,
    program,
    redis,
    postgres,
    webs,
    workers,
    clientWires,
    redisWire,
    people,
    db,
    backends,
    nowUs,
  };
}

function mountSmall(folder: string, options: string, ending: (() => Promise<unknown>)[]): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  ending.push(async () => void execFileSync('umount', ['-l', folder]));
}

export async function somePeople(db: Database, count: number): Promise<Person[]> {
  const people: Person[] = [];
  for (let at = 0; at < count; at += 1) {
    const user = await aUser(db);
    const { token } = await aToken(db, { user });
    people.push({ userId: user.id, token });
  }
  return people;
}

/** The monotonic clock of this process, moved to where Redis' clock is, to within half a round trip. */
export async function clockLike(redis: Pick<OpenLink, 'timeUs'>): Promise<() => number> {
  let best = { tookMs: Number.POSITIVE_INFINITY, offsetUs: 0 };
  for (let round = 0; round < 10; round += 1) {
    const beganMs = performance.now();
    const serverUs = await redis.timeUs();
    const tookMs = performance.now() - beganMs;
    if (tookMs < best.tookMs) best = { tookMs, offsetUs: serverUs - (beganMs + tookMs / 2) * 1_000 };
  }
  return () => Math.round(performance.now() * 1_000 + best.offsetUs);
}

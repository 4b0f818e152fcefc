/**
 * An address that names several hosts, `postgres://user@a:5432,b:5432/database`: whichever takes writes is connected
 * to. Every new connection checks, so that a failover needs nothing but the old connections' end. Where several take
 * writes, because a primary that was replaced has returned, the one that was promoted last is the primary.
 */

import pTimeout from 'p-timeout';
import pg from 'pg';

const PATIENCE_MS = 2_000;
/** How long the other hosts may take to say that they have been promoted later. */
const OTHERS_MS = 250;
const SEVERAL = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]+,[^/?]+)(.*)$/;

/** A host that takes writes. */
export interface Primary {
  readonly address: string;
  /** Grows with a major upgrade, which restarts the timelines. */
  readonly major: number;
  /** Grows with each promotion. */
  readonly timeline: number;
}

/** The primary of each address that was promoted last, as far as this process has seen. */
const lastPrimary = new Map<string, Primary>();

/** One address for each host that is named. */
export function addressesOf(url: string): string[] {
  const [, head = '', hosts = '', tail = ''] = SEVERAL.exec(url) ?? [];
  return hosts === '' ? [url] : hosts.split(',').map((host) => `${head}${host}${tail}`);
}

/**
 * The address of a server as it may be shown: in errors, in the log, on a terminal. A password may hold an unescaped
 * "@", and each host of a cluster may come with its own password: only what follows the last "@" is shown.
 */
export function withoutCredentials(url: string): string {
  return url
    .replace(/^[\w-]+:\/\//, '')
    .replace(/[?#].*$/, '')
    .replace(/^.*@/, '');
}

/** The address of the host that takes writes. Throws the last failure where none does. */
export async function primaryOf(url: string): Promise<string> {
  const addresses = addressesOf(url);
  if (addresses.length === 1) return url;
  const found: Primary[] = [];
  let failure: unknown = null;
  const looks = addresses.map(async (address) => {
    try {
      const primary = await lookAt(address);
      if (primary !== null) found.push(primary);
      return primary;
    } catch (error) {
      failure = error;
      return null;
    }
  });
  const all = Promise.all(looks);
  await Promise.any(looks.map(async (look) => (await look) ?? Promise.reject(new Error('a standby')))).then(
    () => pTimeout(all, { milliseconds: OTHERS_MS, fallback: () => undefined }),
    () => all,
  );
  const newest = newestPrimary(found, lastPrimary.get(url) ?? null);
  if (newest === null) throw failure ?? new NoPrimary('none of the hosts accepts writes');
  lastPrimary.set(url, newest);
  return newest.address;
}

/** The one that was promoted last; null where none is left but what was replaced by `last`. */
export function newestPrimary(found: readonly Primary[], last: Primary | null): Primary | null {
  const known = last === null ? [] : [last];
  const [newest] = [...found, ...known].sort((a, b) => b.major - a.major || b.timeline - a.timeline);
  return found.find(({ major, timeline }) => major === newest?.major && timeline === newest.timeline) ?? null;
}

/** No host may be written to; recognised by its SQLSTATE, as Postgres itself reports it. */
class NoPrimary extends Error {
  override readonly name = 'NoPrimary';
  readonly code = '25006';
}

// SQL: a state of the server. The first eight digits of a WAL file's name are its timeline.
const LOOK = `SELECT current_setting('server_version_num')::int / 10000 AS major,
  CASE WHEN NOT pg_is_in_recovery()
    THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline`;

/** Null: a standby. */
async function lookAt(address: string): Promise<Primary | null> {
  const client = new pg.Client({
    connectionString: address,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ major: number; timeline: number | null }>(LOOK);
    const [row] = rows;
    if (row === undefined || row.timeline === null) return null;
    return { address, major: row.major, timeline: row.timeline };
  } finally {
    await client.end().catch(() => undefined);
  }
}

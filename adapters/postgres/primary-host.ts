/**
 * An address that names several hosts, `postgres://user@a:5432,b:5432/database`: whichever takes writes is connected
 * to. Every new connection asks, so that a failover needs nothing but the old connections' end.
 */
import pg from 'pg';

const PATIENCE_MS = 2_000;
const SEVERAL = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]+,[^/?]+)(.*)$/;

/** Which host of an address was the primary last. */
const lastPrimary = new Map<string, string>();

/** One address for each host that is named. */
export function addressesOf(url: string): string[] {
  const [, head = '', hosts = '', tail = ''] = SEVERAL.exec(url) ?? [];
  return hosts === '' ? [url] : hosts.split(',').map((host) => `${head}${host}${tail}`);
}

/** The address of the host that takes writes. Throws the last failure where none does. */
export async function primaryOf(url: string): Promise<string> {
  const addresses = addressesOf(url);
  if (addresses.length === 1) return url;
  const last = lastPrimary.get(url);
  const order = addresses.sort((a, b) => Number(b === last) - Number(a === last));
  let failure: unknown = null;
  for (const address of order) {
    try {
      if (await isStandby(address)) continue;
      lastPrimary.set(url, address);
      return address;
    } catch (error) {
      failure = error;
    }
  }
  throw failure ?? new NoPrimary('none of the hosts takes writes');
}

/** All hosts that answer are standbys; told apart by its SQLSTATE, as Postgres itself says it. */
class NoPrimary extends Error {
  override readonly name = 'NoPrimary';
  readonly code = '25006';
}

async function isStandby(connectionString: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
    return rows[0]?.standby ?? true;
  } finally {
    await client.end().catch(() => undefined);
  }
}

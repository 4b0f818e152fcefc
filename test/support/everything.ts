/**
 * Everything that a request can change, as one map of names to digests: rows of all tables, the journal and the queues
 * in Redis. What a mere read writes (when a token was last used) is left out.
 */
import { createClient } from 'redis';
import type { Service } from './service.ts';

export type Everything = ReadonlyMap<string, string>;

/** Columns with the time of the last use. */
const TOUCHED = ['last_used_at', 'last_used_address', 'last_used_ip', 'last_seen_at'];

/**
 * What processes hand in every second by themselves, like a shard's heartbeat: that they write to the journal, and how
 * far they saw each of its logs get. The logs themselves are looked at below, so a write to one shows there at once.
 */
const HANDED_IN = ['journal_writers', 'journal_marks'];

/** Notes of refused bids, for staff and for a void that lets their bidders in again: written a moment later. */
const NOTED = ['refused_bids'];

/** Versions that invalidate caches, and are not data. */
const CACHES = /^teams:cache-versions$/;

/** Hashes and sets in order: being read while it grows moves what a hash holds, and its dump with it. */
const DIGEST = `
local kind, parts = redis.call('TYPE', KEYS[1]).ok, {}
if kind == 'hash' then
  local flat = redis.call('HGETALL', KEYS[1])
  for at = 1, #flat, 2 do parts[#parts + 1] = cmsgpack.pack({ flat[at], flat[at + 1] }) end
elseif kind == 'set' then
  parts = redis.call('SMEMBERS', KEYS[1])
else
  return redis.sha1hex(redis.call('DUMP', KEYS[1]) or '')
end
table.sort(parts)
return redis.sha1hex(table.concat(parts, '\\n'))`;

/** A shard's own fields, of which `beat` says only that the journal is there. */
const SHARD_FIELDS = /^\{s\d+\}:meta$/;

/** What there is now. */
export async function everythingOf(service: Service): Promise<Everything> {
  const all = new Map<string, string>();
  const { knex } = service.database;
  const tables: { name: string }[] = await knex('pg_tables')
    .where('schemaname', 'public')
    .whereNotIn('tablename', [...HANDED_IN, ...NOTED])
    .select('tablename as name');
  for (const { name } of tables) {
    const { rows } = await knex.raw<{ rows: { digest: string | null }[] }>(
      `SELECT md5(string_agg(md5((to_jsonb(t) - ?::text[])::text), '' ORDER BY to_jsonb(t)::text)) AS digest FROM ?? t`,
      [TOUCHED, name],
    );
    all.set(`table ${name}`, rows[0]!.digest ?? 'empty');
  }
  const client = createClient({ url: service.redis.redisUrl });
  const digestOf = async (key: string) => String(await client.eval(DIGEST, { keys: [key] }));
  const fieldsOf = async (key: string) => {
    const { beat: _, ...fields } = await client.hGetAll(key);
    return JSON.stringify(Object.entries(fields).sort());
  };
  await client.connect();
  try {
    for await (const keys of client.scanIterator({ COUNT: 1_000 })) {
      for (const key of keys.filter((name) => !CACHES.test(name)))
        all.set(`key ${key}`, SHARD_FIELDS.test(key) ? await fieldsOf(key) : await digestOf(key));
    }
  } finally {
    client.destroy();
  }
  return all;
}

/** What differs between two looks, by name. */
export function changedBetween(before: Everything, after: Everything): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort();
}

/**
 * The whole of a shard as of one moment, in Redis' own serialization, and putting it back into an empty Redis of the
 * same version or a later one. For backups: what it holds is opaque.
 */

import { KEY_BUCKET_SECONDS } from './commit-call.ts';
import type { OpenLink } from './link.ts';
import { SHARD_COUNT, shardKeys } from './shards.ts';

/** One key: its name, what it holds, and for how long it stays (-1: for good). */
export interface DumpedKey {
  readonly key: string;
  readonly ttlMs: number;
  /** Base64. */
  readonly value: string;
}

/** Keys that are in one slot, and that one script may read together. */
export interface KeyGroup {
  readonly name: string;
  readonly keys: readonly string[];
}

/** All that the journal keeps: each shard, and the ids of simulcast events over all of them. */
export function journalGroups(nowUs: number): KeyGroup[] {
  const bucket = Math.floor(nowUs / 1_000_000 / KEY_BUCKET_SECONDS);
  const buckets = [bucket - 2, bucket - 1, bucket, bucket + 1];
  const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => {
    const { ver, lot, aver, rec, bid, due, log, meta, exp, note, keys } = shardKeys(shard);
    return {
      name: `shard-${String(shard).padStart(2, '0')}`,
      keys: [ver, lot, aver, rec, bid, due, log, meta, exp, note, ...buckets.map(keys)],
    };
  });
  return [...shards, { name: 'event-claims', keys: buckets.map((at) => `{event-claims}:${at}`) }];
}

const DUMP = `
  local out = {}
  for i = 1, #KEYS do
    local value = redis.call('DUMP', KEYS[i])
    if value then
      out[#out + 1] = KEYS[i]
      out[#out + 1] = tostring(redis.call('PTTL', KEYS[i]))
      out[#out + 1] = value
    end
  end
  return out`;

/** Reads a group in one moment. Holds the server up as long as it takes to serialize it. */
export async function dumpGroup(open: OpenLink, { keys }: KeyGroup): Promise<DumpedKey[]> {
  const command = ['EVAL', DUMP, String(keys.length), ...keys];
  const flat = await open.sendForBytes<Buffer[]>(keys[0] ?? '', command);
  const dumped: DumpedKey[] = [];
  for (let at = 0; at + 2 < flat.length; at += 3) {
    const [key, ttl, value] = [flat[at], flat[at + 1], flat[at + 2]];
    dumped.push({
      key: String(key),
      ttlMs: Number(ttl),
      value: value?.toString('base64') ?? '',
    });
  }
  return dumped;
}

/** Puts keys back, over what is there. Rejects where a value is of a later Redis. */
export async function restoreKeys(open: OpenLink, dumped: readonly DumpedKey[]): Promise<void> {
  for (const { key, ttlMs, value } of dumped) {
    const bytes = Buffer.from(value, 'base64');
    await open.sendForBytes(key, ['RESTORE', key, String(Math.max(0, ttlMs)), bytes, 'REPLACE']);
  }
}

/** Whether no shard holds anything. */
export async function isJournalEmpty(open: OpenLink): Promise<boolean> {
  const counts = await Promise.all(
    Array.from({ length: SHARD_COUNT }, async (_, shard) => {
      const { lot, log, rec } = shardKeys(shard);
      return Number(await open.link.send(lot, ['EXISTS', lot, log, rec]));
    }),
  );
  return counts.every((count) => count === 0);
}

/**
 * Idempotency records outside of the hashes that commits keep them in: alongside the entries in a shard's log, and on
 * their way back into a journal that is rebuilt.
 */
import { KEY_BUCKET_SECONDS } from './commit-call.ts';
import type { OpenLink } from './link.ts';
import { shardKeys } from './shards.ts';

export interface KeptRecords {
  readonly shard: number;
  /** The time bucket that they were written in. */
  readonly bucket: number;
  readonly records: ReadonlyMap<string, string>;
}

/** Reads what a commit has written into the log: fields and their records in turn. */
export function decodeKeptRecords(text: string): [field: string, record: string][] {
  const flat: string[] = JSON.parse(text);
  return Array.from({ length: flat.length / 2 }, (_, at) => [flat[at * 2] ?? '', flat[at * 2 + 1] ?? '']);
}

/** What a shard keeps under a key; null: nothing. */
export async function findRecord(open: OpenLink, shard: number, field: string): Promise<string | null> {
  const bucket = Math.floor((await open.timeUs()) / 1_000_000 / KEY_BUCKET_SECONDS);
  const { keys } = shardKeys(shard);
  const found = await Promise.all([bucket - 1, bucket].map((at) => open.link.hGet(keys(at), field)));
  return found[0] ?? found[1] ?? null;
}

/** Puts records back, for as long as they would have stayed. */
export async function restoreRecords(open: OpenLink, { shard, bucket, records }: KeptRecords): Promise<void> {
  if (records.size === 0) return;
  const key = shardKeys(shard).keys(bucket);
  await open.link.hSet(key, Object.fromEntries(records));
  const nowSeconds = Math.floor((await open.timeUs()) / 1_000_000);
  const seconds = (bucket + 2) * KEY_BUCKET_SECONDS + 3_600 - nowSeconds;
  await open.link.send(key, ['EXPIRE', key, String(seconds)]);
}

/** Rewriting a journal: only for rebuilding one that has lost its disk, with nobody committing meanwhile. */
import type { AuctionRecord, Bidder } from '../../engine/auction/record.ts';
import { KEY_BUCKET_SECONDS, noteField } from './commit-call.ts';
import type { OpenLink } from './link.ts';
import { SHARD_COUNT, shardKeys } from './shards.ts';

/** Removes what is left of every shard, its epoch first, so that no commit gets between. */
export async function wipeShards(open: OpenLink): Promise<void> {
  const bucket = Math.floor((await open.timeUs()) / 1_000_000 / KEY_BUCKET_SECONDS);
  for (let shard = 0; shard < SHARD_COUNT; shard += 1) {
    const { meta, ver, lot, aver, rec, bid, due, log, exp, note, keys } = shardKeys(shard);
    // Commits that were acknowledged but exist nowhere else are lost: their keys must not report them as committed.
    const records = [bucket - 2, bucket - 1, bucket, bucket + 1].map(keys);
    const all = [meta, ver, lot, aver, rec, bid, due, log, exp, note, ...records];
    for (const key of all) await open.link.del(key);
  }
}

/** Puts an auction's record and its bidders back. Paddles continue above the highest that was given. */
export async function restoreAuction(
  open: OpenLink,
  shard: number,
  record: AuctionRecord,
  bidders: readonly Bidder[],
): Promise<void> {
  const { auctionId, version } = record;
  const keys = shardKeys(shard);
  await open.link.hSet(keys.aver, { [auctionId]: String(version) });
  await open.link.hSet(keys.rec, { [auctionId]: JSON.stringify(record) });
  if (bidders.length === 0) return;
  const fields: Record<string, string> = {};
  let highest = 1_000;
  for (const bidder of bidders) {
    fields[`${auctionId}|${bidder.key}`] = JSON.stringify(bidder);
    if (bidder.paddle === null) continue;
    fields[`${auctionId}|#${bidder.paddle}`] = bidder.key;
    const number = Number(bidder.paddle);
    if (Number.isInteger(number)) highest = Math.max(highest, number);
  }
  // Numbers that were given out and not projected are passed over too.
  fields[`${auctionId}|#`] = String(highest - 1_000 + 10_000);
  await open.link.hSet(keys.bid, fields);
}

/** Puts the note of a group of lots back. */
export async function restoreNote(
  open: OpenLink,
  shard: number,
  { auctionId, group, note }: { readonly auctionId: number; readonly group: string; readonly note: string },
): Promise<void> {
  await open.link.hSet(shardKeys(shard).note, { [noteField(auctionId, group)]: note });
}

/** Reads an auction's record as decisions want it, at its version, knowing of its shard's outages; and replaces it. */
import { type AuctionRecord, lastOutageUs, OUTAGE_US } from '../../engine/auction/record.ts';
import { packAuctionEvent } from './frames.ts';
import { readOutages } from './heartbeat.ts';
import type { RedisLink } from './link.ts';
import { shardKeys } from './shards.ts';

/** Null where the journal has none. */
export async function readRecord(
  link: RedisLink,
  shard: number,
  auctionId: number,
): Promise<AuctionRecord | null> {
  const { aver, rec, meta } = shardKeys(shard);
  const field = String(auctionId);
  // The version is read first: a record that is newer than its version is sent back by the next commit.
  const reads = [link.hGet(aver, field), link.hGet(rec, field), link.hGet(meta, 'outages')];
  const [version = null, text = null, silences = null] = await Promise.all(reads);
  if (text === null) return null;
  const outages = readOutages(silences);
  const record: AuctionRecord = { ...JSON.parse(text), version: Number(version ?? 0) };
  return outages.length === 0 ? record : { ...record, outages };
}

/** The arguments of save-record.lua. */
export function saveArguments(
  record: AuctionRecord,
  epoch: string,
  unmoved: ReadonlyMap<number, number> = new Map(),
): string[] {
  const { outages: _silences, ...stored } = record;
  const { auctionId, version } = stored;
  return [
    ...[epoch, String(auctionId), String(version - 1), String(version), JSON.stringify(stored)],
    packAuctionEvent(auctionId, { type: 'auction_recorded', record: stored }),
    String(lastOutageUs(record)),
    String(OUTAGE_US),
    ...[...unmoved].flat().map(String),
  ];
}

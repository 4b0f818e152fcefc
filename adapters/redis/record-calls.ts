/**
 * Reads an auction's record as decisions want it, at its version, knowing of its shard's outages; reads its bidders;
 * and has the arguments of the scripts that replace them.
 */
import type { BidderInAuction, NewBidder } from '../../engine/actor/journal.ts';
import {
  type AuctionRecord,
  type Bidder,
  type BidderKey,
  lastOutageUs,
  OUTAGE_US,
} from '../../engine/auction/record.ts';
import { exposureField, noteField } from './commit-call.ts';
import { packAuctionEvent } from './frames.ts';
import { readOutages } from './heartbeat.ts';
import type { RedisLink } from './link.ts';
import { isMessageId } from './shard-log.ts';
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
  mark: string,
  unmoved: ReadonlyMap<number, number> = new Map(),
): string[] {
  const { outages: _silences, ...stored } = record;
  const { auctionId, version } = stored;
  return [
    ...[epoch, String(auctionId), String(version - 1), String(version), JSON.stringify(stored)],
    packAuctionEvent(auctionId, { type: 'auction_recorded', record: stored }),
    String(lastOutageUs(record)),
    String(OUTAGE_US),
    mark,
    ...[...unmoved].flat().map(String),
  ];
}

/** The bidders of an auction with what they lead by; null for one whom it does not know. */
export async function readBidders(
  link: RedisLink,
  shard: number,
  auctionId: number,
  bidderKeys: readonly BidderKey[],
): Promise<Map<BidderKey, BidderInAuction>> {
  const { bid, exp } = shardKeys(shard);
  const fields = bidderKeys.map((key) => exposureField(auctionId, key));
  const [bidders, exposures] = await Promise.all([link.hmGet(bid, fields), link.hmGet(exp, fields)]);
  return new Map(
    bidderKeys.map((key, index) => {
      const text = bidders[index] ?? null;
      const bidder: Bidder | null = text === null ? null : JSON.parse(text);
      return [key, { bidder, exposureCents: Number(exposures[index] ?? 0) }];
    }),
  );
}

/** The note of a group of lots; '' where there is none yet. */
export async function readNote(
  link: RedisLink,
  shard: number,
  auctionId: number,
  group: string,
): Promise<string> {
  return (await link.hGet(shardKeys(shard).note, noteField(auctionId, group))) ?? '';
}

/** Whose paddle it is; null: nobody's. */
export function readPaddle(
  link: RedisLink,
  shard: number,
  auctionId: number,
  paddle: string,
): Promise<BidderKey | null> {
  return link.hGet(shardKeys(shard).bid, `${auctionId}|#${paddle}`);
}

/** What register.lua answers: the registrations, and the id of the log's message where it has written one. */
export function readRegistered(answer: readonly string[]): {
  readonly bidders: Bidder[];
  readonly messageId: string | null;
} {
  const last = answer.at(-1);
  const messageId = isMessageId(last) ? last : null;
  const texts = messageId === null ? answer : answer.slice(0, -1);
  return { bidders: texts.map((text): Bidder => JSON.parse(text)), messageId };
}

/** A bidder as register.lua takes one. */
export function bidderArguments(bidder: Bidder): string[] {
  const { key, userId, alias, paddle, status, limitCents, conditionsVersion = '' } = bidder;
  return [
    key,
    String(userId ?? ''),
    alias,
    paddle ?? '',
    status,
    String(limitCents ?? ''),
    String(conditionsVersion),
  ];
}

/** One who is approved where nobody has decided otherwise. */
export function newBidderArguments(bidder: NewBidder): string[] {
  return bidderArguments({ ...bidder, status: 'approved', limitCents: null });
}

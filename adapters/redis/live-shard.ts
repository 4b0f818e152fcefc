/** Everything that a shard holds of its lots, auctions and bidders, a part at a time. */
import type { AuctionRecord, Bidder } from '../../engine/auction/record.ts';
import { decodeSnapshot } from '../../engine/formats/formats.ts';
import type { LotState } from '../../engine/lot/state.ts';
import type { OpenLink } from './link.ts';
import { shardKeys } from './shards.ts';

const AT_ONCE = '500';

/** The state of every lot of the shard; a lot may occur twice. */
export async function* liveLots(open: OpenLink, shard: number): AsyncGenerator<LotState[]> {
  for await (const part of fieldsOf(open, shardKeys(shard).lot))
    yield part.map(([, text]) => decodeSnapshot(text));
}

/** The records of the shard's auctions. */
export async function liveRecords(open: OpenLink, shard: number): Promise<Map<number, AuctionRecord>> {
  const records = new Map<number, AuctionRecord>();
  for await (const part of fieldsOf(open, shardKeys(shard).rec))
    for (const [auctionId, text] of part) records.set(Number(auctionId), JSON.parse(text));
  return records;
}

export interface BidderOfAuction {
  readonly auctionId: number;
  readonly bidder: Bidder;
}

/** The bidders of the shard's auctions. */
export async function* liveBidders(open: OpenLink, shard: number): AsyncGenerator<BidderOfAuction[]> {
  for await (const part of fieldsOf(open, shardKeys(shard).bid)) {
    yield part
      // The others say who has a paddle, and which was the last.
      .filter(([field]) => !/^[0-9]+\|#/.test(field))
      .map(([field, text]) => ({ auctionId: Number.parseInt(field, 10), bidder: JSON.parse(text) }));
  }
}

async function* fieldsOf(open: OpenLink, key: string): AsyncGenerator<[field: string, value: string][]> {
  let cursor = '0';
  do {
    const [next, flat] = await open.link.send<[string, string[]]>(key, [
      'HSCAN',
      key,
      cursor,
      'COUNT',
      AT_ONCE,
    ]);
    yield Array.from({ length: flat.length / 2 }, (_, at) => [flat[at * 2] ?? '', flat[at * 2 + 1] ?? '']);
    cursor = next;
  } while (cursor !== '0');
}

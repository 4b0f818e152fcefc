/**
 * What the logs in Redis hold and Postgres does not: what a rebuild would take along, as it continues what Postgres
 * has, and what it would discard, because the two have parted. Reads only.
 */
import type { Knex } from 'knex';
import type { Frame } from '../../../adapters/redis/frames.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { LOG_START, readLog } from '../../../adapters/redis/shard-log.ts';
import { ALL_SHARDS } from '../../../adapters/redis/shards.ts';
import { itemAt } from '../../../engine/first-of.ts';
import { decodeEvents } from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import type { LotEvent } from '../../../engine/lot/events.ts';
import { decimalsOf, formatCents } from '../../../engine/money.ts';
import { bidRowOf } from '../projection/bid-rows.ts';
import { readFitPositions } from '../projection/log-fit.ts';
import { readSetAsideEntries } from '../projection/set-aside.ts';

/** One bid, or one entry without bids. */
export interface OnlyInRedis {
  readonly lotId: number;
  readonly sequence: number;
  /** Null where it is no bid. */
  readonly bid: { readonly id: string; readonly amount: string; readonly bidder: Bidder } | null;
  readonly hash: string;
  /** It continues what Postgres has, and is projected before anything is discarded. */
  readonly continues: boolean;
  readonly entry: SealedEntry;
}

/** Name and address are null for bidders of whom Postgres has no account. */
interface Bidder {
  readonly key: string;
  readonly name: string | null;
  readonly email: string | null;
}

const AT_ONCE = 200;

/** Everything that only Redis has, shard by shard in the order of the log. */
export async function* onlyInRedis(knex: Knex, redis: OpenLink): AsyncGenerator<OnlyInRedis[]> {
  const { unfit } = await readFitPositions(knex, redis, ALL_SHARDS);
  const setAside = await readSetAsideEntries(knex);
  for (const shard of ALL_SHARDS) {
    let after = LOG_START;
    for (;;) {
      const messages = await readLog(redis, shard, after, AT_ONCE);
      if (messages.length === 0) break;
      const entries = messages.flatMap(({ frames }) => frames.flatMap(entriesOf));
      const missing = await withoutKnown(knex, entries, setAside);
      if (missing.length > 0) yield await described(knex, missing, !unfit.has(shard));
      after = itemAt(messages, -1).id;
    }
  }
}

function entriesOf(frame: Frame): SealedEntry[] {
  return frame.kind === 'entry' ? [frame.entry] : [];
}

async function withoutKnown(
  knex: Knex,
  entries: readonly SealedEntry[],
  setAside: ReadonlyMap<number, readonly SealedEntry[]>,
): Promise<SealedEntry[]> {
  if (entries.length === 0) return [];
  // SQL: pairs of columns against pairs of arrays.
  const { rows } = await knex.raw<{ rows: { lot_id: number; sequence: number; hash: string }[] }>(
    `SELECT lot_id, sequence, hash FROM journal_entries
     WHERE (lot_id, sequence) IN (SELECT * FROM unnest(?::bigint[], ?::bigint[]))`,
    [entries.map(({ lotId }) => lotId), entries.map(({ sequence }) => sequence)],
  );
  const known = new Set(rows.map(({ lot_id, sequence, hash }) => `${lot_id} ${sequence} ${hash}`));
  for (const [lotId, kept] of setAside)
    for (const { sequence, hash } of kept) known.add(`${lotId} ${sequence} ${hash}`);
  return entries.filter(({ lotId, sequence, hash }) => !known.has(`${lotId} ${sequence} ${hash}`));
}

async function described(
  knex: Knex,
  entries: readonly SealedEntry[],
  continues: boolean,
): Promise<OnlyInRedis[]> {
  const events = entries.map((entry) => ({ entry, placed: decodeEvents(entry.privateText).filter(isBid) }));
  const userIds = events.flatMap(({ placed }) => placed.flatMap(({ bidder }) => bidder.userId ?? []));
  const people: { id: number; name: string; email: string }[] = await knex('users')
    .whereIn('id', userIds)
    .select('id', 'name', 'email');
  const auctions: { id: number; currency: string }[] = await knex('auctions')
    .whereIn(
      'id',
      entries.map(({ auctionId }) => auctionId),
    )
    .select('id', 'currency');
  const decimals = new Map(auctions.map(({ id, currency }) => [id, decimalsOf(currency)]));
  const byId = new Map(people.map((person) => [person.id, person]));
  return events.flatMap(({ entry, placed }): OnlyInRedis[] => {
    const { lotId, sequence, hash } = entry;
    const common = { lotId, hash, continues, entry };
    if (placed.length === 0) return [{ ...common, sequence, bid: null }];
    return placed.map((event) => {
      const { key, userId } = event.bidder;
      const person = userId === null ? undefined : byId.get(userId);
      const bidder = { key, name: person?.name ?? null, email: person?.email ?? null };
      const bid = {
        id: event.bidId,
        amount: formatCents(bidRowOf(event, entry).amount_cents, decimals.get(entry.auctionId) ?? 2),
        bidder,
      };
      return { ...common, sequence: event.sequence, bid };
    });
  });
}

type BidPlaced = Extract<LotEvent, { type: 'bid_placed' }>;

function isBid(event: LotEvent): event is BidPlaced {
  return event.type === 'bid_placed';
}

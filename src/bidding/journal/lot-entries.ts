/**
 * A lot's journal entries from a sequence on, wherever they are: projected ones in Postgres, those that Postgres
 * refused set aside there, the newest still only in the shard's log. Nothing that was acknowledged before the call is
 * missing from the answer.
 */
import type { Knex } from 'knex';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { LOG_START, readLog } from '../../../adapters/redis/shard-log.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import { usFromIso } from '../../../engine/time.ts';
import { readSetAsideEntries } from '../projection/set-aside.ts';
import { readShard } from '../records/auction-shards.ts';

export interface EntrySources {
  readonly knex: Knex;
  readonly redis: OpenLink;
}

const READ_AT_ONCE = 500;

/** Entries that hold a sequence above `after`, oldest first; the first may begin at or below it. */
export async function readEntriesAfter(
  sources: EntrySources,
  lotIds: { readonly auctionId: number; readonly lotId: number },
  after: number,
): Promise<SealedEntry[]> {
  // The log first, from the projection's position before: what moves on meanwhile is then found there too.
  const tail = await readTail(sources, lotIds);
  const setAside = (await readSetAsideEntries(sources.knex, lotIds.lotId)).get(lotIds.lotId) ?? [];
  const kept = await readKept(sources.knex, lotIds, after);
  return joined(kept, setAside, tail).filter((entry) => entry.sequence > after);
}

/**
 * As `readEntriesAfter`, but only the next `max` entries, for journals that are too long to hold at once; none when
 * there are no more.
 */
export async function readNextEntries(
  sources: EntrySources,
  lotIds: { readonly auctionId: number; readonly lotId: number },
  after: number,
  max: number,
): Promise<SealedEntry[]> {
  const projected = await readKept(sources.knex, lotIds, after, max);
  if (projected.length === max) return projected;
  const tail = await readTail(sources, lotIds, { after, max });
  const setAside = (await readSetAsideEntries(sources.knex, lotIds.lotId)).get(lotIds.lotId) ?? [];
  const kept = await readKept(sources.knex, lotIds, after, max);
  if (kept.length === max) return kept;
  return joined(kept, setAside, tail)
    .filter((entry) => entry.sequence > after)
    .slice(0, max);
}

/** A lot's entries from several places, each in order, none twice. */
export function joined(...sources: readonly (readonly SealedEntry[])[]): SealedEntry[] {
  const all: SealedEntry[] = [];
  for (const entries of sources) {
    const reached = all.at(-1)?.sequence ?? 0;
    // One by one: a lot may have more entries than a call takes arguments.
    for (const entry of entries) if (entry.sequence > reached) all.push(entry);
  }
  return all;
}

/** The entries of one lot that are not projected yet, oldest first. */
async function readTail(
  sources: EntrySources,
  { auctionId, lotId }: { readonly auctionId: number; readonly lotId: number },
  { after, max } = { after: 0, max: Number.POSITIVE_INFINITY },
): Promise<SealedEntry[]> {
  const entries: SealedEntry[] = [];
  await eachTailEntry(sources, await readShard(sources.knex, auctionId), (entry) => {
    if (entry.lotId === lotId && entry.sequence > after) entries.push(entry);
    return entries.length < max;
  });
  return entries;
}

/** Everything of a shard that is not projected yet, by lot. */
export async function readShardTail(
  sources: EntrySources,
  shard: number,
): Promise<Map<number, SealedEntry[]>> {
  const byLot = new Map<number, SealedEntry[]>();
  await eachTailEntry(sources, shard, (entry) => {
    const entries = byLot.get(entry.lotId);
    if (entries === undefined) byLot.set(entry.lotId, [entry]);
    else entries.push(entry);
    return true;
  });
  return byLot;
}

/** Visits a shard's entries until `visit` wants no more. */
async function eachTailEntry(
  { knex, redis }: EntrySources,
  shard: number,
  visit: (entry: SealedEntry) => boolean,
): Promise<void> {
  const position = await knex('projection_positions')
    .where({ shard })
    .first<{ stream_id: string } | undefined>('stream_id');
  let afterId = position?.stream_id ?? LOG_START;
  for (;;) {
    const messages = await readLog(redis, shard, afterId, READ_AT_ONCE);
    for (const { frames } of messages)
      for (const frame of frames) if (frame.kind === 'entry' && !visit(frame.entry)) return;
    const last = messages.at(-1);
    if (last === undefined || messages.length < READ_AT_ONCE) return;
    afterId = last.id;
  }
}

interface EntryRow {
  sequence: number;
  first_sequence: number;
  recorded_at: string;
  hash: string;
  previous_hash: string;
  public_text: string;
  private_text: string;
}

/** The projected entries of a lot above a sequence, oldest first. */
export async function readKept(
  knex: Knex,
  { auctionId, lotId }: { readonly auctionId: number; readonly lotId: number },
  after: number,
  max?: number,
): Promise<SealedEntry[]> {
  const query = knex('journal_entries')
    .where('lot_id', lotId)
    .where('sequence', '>', after)
    .orderBy('sequence');
  const rows: EntryRow[] = await (max === undefined ? query : query.limit(max));
  return rows.map((row) => ({
    lotId,
    auctionId,
    firstSequence: row.first_sequence,
    sequence: row.sequence,
    hash: row.hash,
    previousHash: row.previous_hash,
    recordedAtUs: usFromIso(row.recorded_at) ?? 0,
    publicText: row.public_text,
    privateText: row.private_text,
  }));
}

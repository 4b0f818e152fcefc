/**
 * A lot's journal entries from a sequence on, wherever they are: projected ones in Postgres, those that Postgres
 * refused set aside there, the newest still only in the shard's log. Nothing that was acknowledged before the call is
 * missing from the answer.
 */
import type { Knex } from 'knex';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { LOG_START, readLog } from '../../../adapters/redis/shard-log.ts';
import { ALL_SHARDS } from '../../../adapters/redis/shards.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import { usFromIso } from '../../../engine/time.ts';
import { readSetAsideEntries } from '../projection/set-aside.ts';
import { readShard } from '../records/auction-shards.ts';
import { journalIdOf } from './journal-lots.ts';

export interface EntrySources {
  readonly knex: Knex;
  readonly redis: OpenLink;
}

const READ_AT_ONCE = 500;
const FIRST_READ = 8;
const CHARS_AT_ONCE = 512 * 1_024;

/** Entries that hold a sequence above `after`, oldest first; the first may begin at or below it. */
export async function readEntriesAfter(
  sources: EntrySources,
  lotIds: LotIds,
  after: number,
): Promise<SealedEntry[]> {
  const own = await ownJournal(sources, lotIds);
  // The log first, from the projection's position before: what moves on meanwhile is then found there too.
  const tail = await readTail(sources, own);
  const setAside = (await readSetAsideEntries(sources.knex, own.lotId)).get(own.lotId) ?? [];
  const kept = await readKept(sources.knex, own, after);
  return joined(kept, setAside, tail).filter((entry) => entry.sequence > after);
}

interface LotIds {
  readonly auctionId: number;
  readonly lotId: number;
}

/** A lot that is sold with others is in the journal of the one that hosts them. */
async function ownJournal({ knex }: EntrySources, { auctionId, lotId }: LotIds): Promise<LotIds> {
  return { auctionId, lotId: await journalIdOf(knex, lotId) };
}

/** How much is read at once: whichever comes first, but always an entry, which may hold thousands of bids. */
export interface ReadBounds {
  readonly entries: number;
  /** Of the entries' texts. */
  readonly bytes: number;
}

/**
 * As `readEntriesAfter`, but only the next ones, for journals that are too long to hold at once; none when there are no
 * more.
 */
export async function readNextEntries(
  sources: EntrySources,
  lotIds: LotIds,
  after: number,
  bounds: ReadBounds,
): Promise<SealedEntry[]> {
  const own = await ownJournal(sources, lotIds);
  const projected = await readKeptWithin(sources.knex, own, after, bounds);
  if (isFull(projected, bounds)) return projected;
  const tail = await readTail(sources, own, after, bounds);
  const setAside = (await readSetAsideEntries(sources.knex, own.lotId)).get(own.lotId) ?? [];
  const kept = await readKeptWithin(sources.knex, own, after, bounds);
  if (isFull(kept, bounds)) return kept;
  return within(
    joined(kept, setAside, tail).filter((entry) => entry.sequence > after),
    bounds,
  );
}

const bytesOf = ({ privateText, publicText }: SealedEntry) => privateText.length + publicText.length;

function isFull(entries: readonly SealedEntry[], bounds: ReadBounds): boolean {
  const bytes = entries.reduce((sum, entry) => sum + bytesOf(entry), 0);
  return entries.length >= bounds.entries || bytes >= bounds.bytes;
}

function within(entries: readonly SealedEntry[], bounds: ReadBounds): SealedEntry[] {
  const some: SealedEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    if (some.length >= bounds.entries || bytes >= bounds.bytes) break;
    some.push(entry);
    bytes += bytesOf(entry);
  }
  return some;
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

const EVERYTHING: ReadBounds = { entries: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

/** The entries of one lot that are not projected yet, oldest first. */
async function readTail(
  sources: EntrySources,
  { auctionId, lotId }: LotIds,
  after = 0,
  bounds = EVERYTHING,
): Promise<SealedEntry[]> {
  const entries: SealedEntry[] = [];
  let bytes = 0;
  await eachTailEntry(sources, await readShard(sources.knex, auctionId), (entry) => {
    if (entry.lotId === lotId && entry.sequence > after) {
      entries.push(entry);
      bytes += bytesOf(entry);
    }
    return entries.length < bounds.entries && bytes < bounds.bytes;
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

/** Visits what is not projected yet of all shards, until `visit` wants no more. */
export async function eachUnprojected(
  sources: EntrySources,
  visit: (entry: SealedEntry) => boolean,
): Promise<void> {
  const positions: { shard: number; stream_id: string }[] = await sources.knex('projection_positions');
  const reached = new Map(positions.map(({ shard, stream_id }) => [shard, stream_id]));
  for (const shard of ALL_SHARDS)
    if (!(await eachAfter(sources, shard, reached.get(shard) ?? LOG_START, visit))) return;
}

/** Visits a shard's entries until `visit` wants no more. */
async function eachTailEntry(
  sources: EntrySources,
  shard: number,
  visit: (entry: SealedEntry) => boolean,
): Promise<void> {
  const position = await sources
    .knex('projection_positions')
    .where({ shard })
    .first<{ stream_id: string } | undefined>('stream_id');
  await eachAfter(sources, shard, position?.stream_id ?? LOG_START, visit);
}

/** The same from a position on. Gives whether `visit` wants more. */
async function eachAfter(
  { redis }: EntrySources,
  shard: number,
  position: string,
  visit: (entry: SealedEntry) => boolean,
): Promise<boolean> {
  let afterId = position;
  for (let count = FIRST_READ; ; ) {
    const messages = await readLog({ link: redis.timely }, shard, afterId, count);
    for (const { frames } of messages)
      for (const frame of frames) if (frame.kind === 'entry' && !visit(frame.entry)) return false;
    const last = messages.at(-1);
    if (last === undefined || messages.length < count) return true;
    afterId = last.id;
    // A message may be a bid, or thousands of them.
    const chars = messages.reduce((sum, message) => sum + message.chars, 0);
    count = Math.max(
      1,
      Math.min(READ_AT_ONCE, Math.floor((messages.length * CHARS_AT_ONCE) / Math.max(1, chars))),
    );
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
export async function readKept(knex: Knex, lotIds: LotIds, after: number): Promise<SealedEntry[]> {
  const rows: EntryRow[] = await knex('journal_entries')
    .where('lot_id', lotIds.lotId)
    .where('sequence', '>', after)
    .orderBy('sequence');
  return rows.map((row) => entryOf(lotIds, row));
}

/** The next of them, as far as the bounds go. */
async function readKeptWithin(
  knex: Knex,
  lotIds: LotIds,
  after: number,
  { entries, bytes }: ReadBounds,
): Promise<SealedEntry[]> {
  // SQL: a running sum of lengths, for which no text is read.
  const { rows } = await knex.raw<{ rows: EntryRow[] }>(
    `SELECT * FROM (SELECT e.*, sum(octet_length(private_text) + octet_length(public_text)) OVER (ORDER BY sequence)
         - octet_length(private_text) - octet_length(public_text) AS bytes_before
       FROM (SELECT * FROM journal_entries WHERE lot_id = ? AND sequence > ? ORDER BY sequence LIMIT ?) e) n
     WHERE bytes_before < ? ORDER BY sequence`,
    [lotIds.lotId, after, entries, bytes],
  );
  return rows.map((row) => entryOf(lotIds, row));
}

function entryOf({ auctionId, lotId }: LotIds, row: EntryRow): SealedEntry {
  return {
    lotId,
    auctionId,
    firstSequence: row.first_sequence,
    sequence: row.sequence,
    hash: row.hash,
    previousHash: row.previous_hash,
    recordedAtUs: usFromIso(row.recorded_at) ?? 0,
    publicText: row.public_text,
    privateText: row.private_text,
  };
}

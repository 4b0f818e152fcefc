/**
 * A lot's journal as served: entries exactly as hashed, with their hash, oldest first, the newest of them straight from
 * the log.
 */
import { decodeSnapshot, isSealed } from '../../../engine/formats/formats.ts';
import { isOpen } from '../../../engine/lot/state.ts';
import { journalIdOf } from '../journal/journal-lots.ts';
import { type LotIds, type Newest, type NewestParts, readNewest } from './newest.ts';

export interface JournalPage {
  /** JSON texts of the page's entries. */
  readonly entries: readonly string[];
  /** Entries over all pages. */
  readonly total: number;
  readonly stale: boolean;
}

interface EntryText {
  readonly hash: string;
  readonly public_text: string;
}

/** One page of a lot's journal, `page` from 1. */
export async function readJournalPage(
  parts: NewestParts,
  lotIds: LotIds,
  { page, perPage }: { readonly page: number; readonly perPage: number },
): Promise<JournalPage> {
  const { knex } = parts;
  const newest = await readNewest(parts, lotIds);
  const kept = await knex('lot_states')
    .where('lot_id', lotIds.lotId)
    .first<Kept | undefined>('sequence', 'entry_count', ...(newest.state === null ? ['snapshot'] : []));
  const state = newest.state ?? (kept?.snapshot === undefined ? null : decodeSnapshot(kept.snapshot));
  if (state !== null && isOpen(state) && isSealed(state))
    return readFirstEntry(knex, lotIds.lotId, newest, page);
  const keptSequence = kept?.sequence ?? 0;
  const keptCount = kept?.entry_count ?? 0;
  const fresh = newest.entries.filter((entry) => entry.sequence > keptSequence);
  const total = keptCount + fresh.length;
  const skip = (page - 1) * perPage;
  const count = Math.min(perPage, keptCount - skip);
  const rows =
    count > 0
      ? await readKeptTexts(knex, await journalIdOf(knex, lotIds.lotId), {
          skip,
          count,
          keptCount,
          keptSequence,
        })
      : [];
  const texts = rows.map((row) => withHash(row.public_text, row.hash));
  for (const entry of fresh.slice(Math.max(0, skip - keptCount), Math.max(0, skip + perPage - keptCount))) {
    texts.push(withHash(entry.publicText, entry.hash));
  }
  return { entries: texts, total, stale: newest.stale };
}

interface Kept {
  readonly sequence: number;
  readonly entry_count: number;
  /** Read only where the journal has not said how the lot is. */
  readonly snapshot?: string;
}

/** Until a lot with sealed bids is over, its first entry is all of its journal that shows. */
async function readFirstEntry(
  knex: NewestParts['knex'],
  lotId: number,
  { entries, stale }: Newest,
  page: number,
): Promise<JournalPage> {
  const kept = await knex<EntryText>('journal_entries')
    .where('lot_id', lotId)
    .orderBy('sequence')
    .first('hash', 'public_text');
  const [fresh] = entries;
  const found =
    kept ?? (fresh === undefined ? undefined : { hash: fresh.hash, public_text: fresh.publicText });
  const texts = found === undefined ? [] : [withHash(found.public_text, found.hash)];
  return { entries: page === 1 ? texts : [], total: texts.length, stale };
}

/** Counts from whichever end is nearer. */
async function readKeptTexts(
  knex: NewestParts['knex'],
  lotId: number,
  range: {
    readonly skip: number;
    readonly count: number;
    readonly keptCount: number;
    readonly keptSequence: number;
  },
): Promise<EntryText[]> {
  const fromEnd = range.keptCount - range.skip - range.count;
  const backwards = fromEnd < range.skip;
  // SQL: reads a page from either end by the index.
  const { rows } = await knex.raw<{ rows: EntryText[] }>(
    `SELECT e.hash, e.public_text
     FROM (SELECT sequence FROM journal_entries WHERE lot_id = :lotId AND sequence <= :keptSequence
           ORDER BY sequence ${backwards ? 'DESC' : 'ASC'} OFFSET :offset LIMIT :count) page
     JOIN journal_entries e ON e.lot_id = :lotId AND e.sequence = page.sequence
     ORDER BY e.sequence`,
    {
      lotId,
      keptSequence: range.keptSequence,
      offset: backwards ? fromEnd : range.skip,
      count: range.count,
    },
  );
  return rows;
}

const BEFORE = ',"previous_hash":"';

/** Puts the hash where the canonical form has it, so that what is served is canonical too. */
function withHash(publicText: string, hash: string): string {
  const at = publicText.lastIndexOf(BEFORE);
  return `${publicText.slice(0, at)},"hash":"${hash}"${publicText.slice(at)}`;
}

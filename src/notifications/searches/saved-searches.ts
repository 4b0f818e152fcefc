/**
 * Searches that people keep, as the query of the search page, and what is new in them: lots that fit and that were
 * listed since the last run. Adding one twice keeps one.
 */
import type { Knex } from 'knex';
import { type ModelObject, type Page, raw } from 'objection';
import { InputError } from '../../shared/input-error.ts';
import type { Inbox } from '../inbox/inbox.ts';
import { SavedSearch } from './saved-search.model.ts';

const MAX_SEARCHES = 100;
const EVERY = "interval '1 minute'";
const AFTER_FAILURE = "interval '5 minutes'";
const AT_ONCE = 50;

/** Throws `InputError` where somebody has as many as they may. */
export async function saveSearch(knex: Knex, userId: number, name: string, query: string): Promise<void> {
  if ((await SavedSearch.query(knex).where('user_id', userId).resultSize()) >= MAX_SEARCHES) {
    throw new InputError(`You have ${MAX_SEARCHES} saved searches: remove one first.`);
  }
  await SavedSearch.query(knex)
    .insert({ user_id: userId, name: name.slice(0, 200), query })
    .onConflict(['user_id', 'query'])
    .ignore();
}

/** The newest first. */
export async function readSearches(
  knex: Knex,
  userId: number,
  { page, perPage }: { readonly page: number; readonly perPage: number },
): Promise<Page<SavedSearch>> {
  return SavedSearch.query(knex)
    .where('user_id', userId)
    .orderBy('id', 'desc')
    .page(page - 1, perPage);
}

/** Whether there was one of theirs to remove. */
export async function removeSearch(knex: Knex, userId: number, id: number): Promise<boolean> {
  return (await SavedSearch.query(knex).deleteById(id).where('user_id', userId)) > 0;
}

type DueSearch = ModelObject<SavedSearch> & { readonly looked_at: string };

/** How many lots fit a query and were listed after a moment; null if the query is no longer valid. */
export type CountNew = (query: string, after: string) => Promise<number | null>;

/**
 * Runs the searches that are due. Returns whose notifications have changed. A search that fails is tried again later,
 * after those that are due by then; `onFailure` is told why.
 */
export async function notifySearches(
  knex: Knex,
  inbox: Inbox,
  countNew: CountNew,
  onFailure: (id: number, error: unknown) => void = () => {},
): Promise<number[]> {
  const due: DueSearch[] =
    // SQL: the moment of reading comes along, by the clock of the database.
    (
      await knex.raw(
        `SELECT s.*, now() AS looked_at FROM saved_searches s WHERE due_at < now() ORDER BY due_at LIMIT ${AT_ONCE}`,
      )
    ).rows;
  const notified: number[] = [];
  for (const search of due) {
    try {
      const count = await countNew(search.query, search.checked_at);
      notified.push(...(await notifyOne(knex, inbox, search, count ?? 0)));
    } catch (error) {
      onFailure(search.id, error);
      await SavedSearch.query(knex)
        .findById(search.id)
        .patch({ due_at: raw(`now() + ${AFTER_FAILURE}`) });
    }
  }
  return notified;
}

/** Another worker may be at the same search: only the one that moves its time notifies. */
async function notifyOne(knex: Knex, inbox: Inbox, search: DueSearch, count: number): Promise<number[]> {
  return knex.transaction(async (trx) => {
    const moved = await SavedSearch.query(trx)
      .where({ id: search.id, checked_at: search.checked_at })
      .patch({ checked_at: search.looked_at, due_at: raw(`now() + ${EVERY}`) });
    if (moved === 0 || count === 0) return [];
    const { name, query } = search;
    const key = `saved-search-${search.id}-${search.looked_at}`;
    return inbox.put(trx, [
      { userId: search.user_id, kind: 'saved_search', key, lot_id: null, data: { name, query, count } },
    ]);
  });
}

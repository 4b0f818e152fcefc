/**
 * News that no fact of the outbox covers: watched lots about to end, registrations requested and decided, refunds,
 * settlements. Each pass reads what has changed lately; each item's key prevents it from being sent twice.
 */
import type { Knex } from 'knex';
import type { Inbox } from '../inbox/inbox.ts';
import { newsOfRows, ROWS_AT_ONCE, SOURCED_KINDS } from './read-sources.ts';

/** One pass. Returns whose notifications have changed, and whether there may be more to tell. */
export async function notifyRows(knex: Knex, inbox: Inbox): Promise<{ more: boolean; notified: number[] }> {
  return knex.transaction(async (trx) => {
    // SQL: no builder knows advisory locks.
    const { rows } = await trx.raw<{ rows: { mine: boolean }[] }>(
      'SELECT pg_try_advisory_xact_lock(7265737401) AS mine',
    );
    if (!rows[0]?.mine) return { more: false, notified: [] };
    const notified = new Set<number>();
    let more = false;
    for (const kind of SOURCED_KINDS) {
      const news = await newsOfRows(trx, kind);
      more ||= news.length === ROWS_AT_ONCE;
      for (const userId of await inbox.put(trx, news)) notified.add(userId);
    }
    return { more, notified: [...notified] };
  });
}

/**
 * What the outbox's facts mean to people: bids that beat somebody, and whatever the kinds of notifications make of the
 * others. Reads a run of facts behind the last position, once over all workers; a run that fails is retried.
 */
import type { Knex } from 'knex';
import { isFactBehind, readFactRun } from '../../events/read-events.ts';
import type { Inbox, News } from '../inbox/inbox.ts';
import { NOTIFICATION_KINDS } from '../kinds/kinds.ts';
import { newsOfFacts, SOURCED_KINDS } from './read-sources.ts';

const TYPES = [
  ...new Set(
    SOURCED_KINDS.flatMap((kind) => {
      const { source } = NOTIFICATION_KINDS[kind];
      return source.from === 'facts' ? source.types : [];
    }),
  ),
];

const AT_ONCE = 5_000;

/** Whether there is anything for a run to read. A run that finds nothing is dearer: it writes and is synced. */
export function isAnyFactNew(knex: Knex): Promise<boolean> {
  return isFactBehind(knex, 'notification_position', TYPES);
}

/** One run. Returns whether there may be more facts, and whose notifications have changed. */
export async function notifyFacts(knex: Knex, inbox: Inbox): Promise<{ more: boolean; notified: number[] }> {
  return knex.transaction(async (trx) => {
    // SQL: the one row of the reading position, under a lock that others pass by.
    const position = await trx('notification_position').forUpdate().skipLocked().first('tx', 'id');
    // Another worker is at it.
    if (position === undefined) return { more: false, notified: [] };
    const run = await readFactRun(trx, position, TYPES, AT_ONCE);
    if (run.seen === 0) return { more: false, notified: [] };
    const outbid = await inbox.putOutbid(trx, { after: position, upTo: run.position });
    const news: News[] = [];
    if (run.facts.length > 0)
      for (const kind of SOURCED_KINDS) news.push(...(await newsOfFacts(trx, kind, run.facts)));
    const notified = [...outbid, ...(await inbox.put(trx, news))];
    await trx('notification_position').update(run.position);
    return { more: run.seen === AT_ONCE, notified: [...new Set(notified)] };
  });
}

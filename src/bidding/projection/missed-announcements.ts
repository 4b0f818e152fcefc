/**
 * Withdrawn lots that nobody was told of. An announcement is written with the entry that it is of, and a worker of the
 * release before projects such entries during an upgrade without one: so a repeated job looks for lots whose row says
 * that they are withdrawn and that have none, and takes it from the journal as it is kept.
 */
import type { Knex } from 'knex';
import { decodeEvents, decodeSnapshot } from '../../../engine/formats/formats.ts';
import { type Announcement, announcementsOf, writeAnnouncements } from './lot-announcements.ts';

interface Unannounced {
  readonly id: number;
  readonly snapshot: string;
  /** Of an entry that withdraws a lot of the journal; null: there is none. */
  readonly private_text: string | null;
  readonly at_us: number | null;
}

const AT_ONCE = 100;

/** Writes the announcements that are missing. Returns how many lots had none. */
export async function announceMissed(knex: Knex): Promise<number> {
  let found = 0;
  for (let after = 0; ; ) {
    // SQL: lots without a row of another table, each with the entries that may be of it.
    const { rows } = await knex.raw<{ rows: Unannounced[] }>(
      `SELECT n.id, s.snapshot, e.private_text, e.at_us
       FROM (SELECT l.id, coalesce(l.host_id, l.id) AS journal_id FROM lots l
         WHERE l.status = 'withdrawn' AND l.id > ?
           AND EXISTS (SELECT FROM lot_states o WHERE o.lot_id = coalesce(l.host_id, l.id))
           AND NOT EXISTS (SELECT FROM lot_announcements a WHERE a.lot_id = l.id AND a.kind = 'withdrawn')
         ORDER BY l.id LIMIT ${AT_ONCE}) n
       JOIN lot_states s ON s.lot_id = n.journal_id
       LEFT JOIN LATERAL (
         SELECT private_text, (extract(epoch FROM recorded_at) * 1000000)::bigint AS at_us FROM journal_entries
         WHERE lot_id = n.journal_id AND public_text LIKE '%"type":"lot_withdrawn"%') e ON true
       ORDER BY n.id`,
      [after],
    );
    const ids = [...new Set(rows.map(({ id }) => id))];
    const missed = rows.flatMap(missedIn);
    const named = new Set(missed.map(({ lot_id }) => lot_id));
    // What the journal does not say any more was long ago: nobody is told, and nobody looks for it again.
    const untold = ids.filter((id) => !named.has(id)).map(longAgo);
    await writeAnnouncements(knex, [...missed, ...untold]);
    found += ids.length;
    if (ids.length < AT_ONCE) return found;
    after = ids.at(-1) ?? after;
  }
}

function missedIn({ id, snapshot, private_text: text, at_us: recordedAtUs }: Unannounced): Announcement[] {
  if (text === null || recordedAtUs === null) return [];
  const state = decodeSnapshot(snapshot);
  return decodeEvents(text)
    .flatMap((event) => announcementsOf(event, state, { recordedAtUs }))
    .filter(({ lot_id, kind }) => lot_id === id && kind === 'withdrawn');
}

function longAgo(lotId: number): Announcement {
  return { lot_id: lotId, kind: 'withdrawn', at_us: 0, reason: null, bidder_ids: [] };
}

/**
 * Reading facts in their one order, by (transaction, row), and never past a transaction that is still open: what
 * commits late is read late, and nothing is passed over. The feed of deliveries and the list of events read here.
 */

import type { Knex } from 'knex';
import { readPrepared, runPrepared } from '../../adapters/postgres/prepared.ts';
import { firstOf, present } from '../../engine/first-of.ts';
import { factsOf, type StoredFact } from './bid-runs.ts';
import type { StoredEventType } from './outbox.ts';

/** A position among the facts: after the row `id` of the transaction `tx`. */
export interface EventPosition {
  readonly tx: number;
  readonly id: number;
}

export const FIRST_POSITION: EventPosition = { tx: 0, id: 0 };

/** A fact as deliveries and the list of events read it. */
export interface PublishedEvent extends EventPosition, StoredFact {
  readonly type: StoredEventType;
  readonly created_at: string;
  /** `data.status`, where there is one. */
  readonly status: string | null;
}

const COLUMNS = `id, tx::text::bigint AS tx, type, created_at, data::text AS data_text, data->>'status' AS status,
  auction_id, lot_id, bids, trace`;

/** Behind every transaction that is still open: only up to here may anything be read. */
const SETTLED = 'tx < pg_snapshot_xmin(pg_current_snapshot())';

interface EventQuery {
  readonly after: EventPosition;
  /** Up to and with this position, which must be settled; without it, up to whatever is settled now. */
  readonly upTo?: EventPosition;
  readonly types: readonly StoredEventType[];
  readonly limit: number;
}

const RANGE = `(tx, id) > (:tx::text::xid8, :id) AND type = ANY(:types)`;

/** The bounds of a query: its condition, and what the condition names. */
function boundsOf({ after, upTo, types, limit }: EventQuery) {
  return {
    range: `${RANGE} AND ${upTo === undefined ? SETTLED : '(tx, id) <= (:upToTx::text::xid8, :upToId)'}`,
    values: {
      tx: String(after.tx),
      id: after.id,
      upToTx: String(upTo?.tx ?? 0),
      upToId: upTo?.id ?? 0,
      types: [...types],
      limit,
    },
  };
}

/**
 * Facts of a team, oldest first: those of its auctions, lots, invoices and subscriptions, and of the verification of
 * people who are its members now.
 */
export async function readTeamEvents(
  knex: Knex,
  teamId: number,
  query: EventQuery,
): Promise<PublishedEvent[]> {
  const { range, values } = boundsOf(query);
  const ofTeam = `SELECT ${COLUMNS} FROM events WHERE team_id = :teamId AND ${range} ORDER BY events.tx, id LIMIT :limit`;
  const ofMembers = `SELECT ${COLUMNS} FROM events
    WHERE team_id IS NULL AND user_id IN (SELECT user_id FROM memberships WHERE team_id = :teamId)
      AND ${range} ORDER BY events.tx, id LIMIT :limit`;
  const sql = query.types.includes('user.verified')
    ? `SELECT * FROM ((${ofTeam}) UNION ALL (${ofMembers})) AS both_kinds ORDER BY tx, id LIMIT :limit`
    : ofTeam;
  // SQL: compares transaction ids (xid8), which only SQL casts.
  const { rows } = await knex.raw<{ rows: PublishedEvent[] }>(sql, { teamId, ...values });
  return factsAfter(rows, query);
}

/** The facts of these rows behind the query's position. A row's position is that of its last fact. */
function factsAfter(rows: readonly PublishedEvent[], { after, limit }: EventQuery): PublishedEvent[] {
  const facts: PublishedEvent[] = [];
  for (const row of rows) {
    if (facts.length >= limit) break;
    for (const fact of factsOf(row)) if (fact.tx !== after.tx || fact.id > after.id) facts.push(fact);
  }
  return facts.slice(0, limit);
}

/** Facts of the lots listed on a platform, of any owner, oldest first. */
export async function readPlatformEvents(
  knex: Knex,
  platform: string,
  query: EventQuery,
): Promise<PublishedEvent[]> {
  const { range, values } = boundsOf(query);
  // SQL: compares transaction ids (xid8), which only SQL casts.
  const { rows } = await knex.raw<{ rows: PublishedEvent[] }>(
    `SELECT ${COLUMNS} FROM events WHERE data->>'platform' = :platform AND type LIKE 'listing.%' AND ${range}
     ORDER BY events.tx, id LIMIT :limit`,
    { platform, ...values },
  );
  return rows;
}

/** A fact in full, of any team. */
export interface Fact extends EventPosition {
  readonly type: StoredEventType;
  readonly auction_id: number | null;
  readonly lot_id: number | null;
  readonly user_id: number | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly trace: string | null;
}

export interface FactRun {
  /** How many there were, and the last one's position. */
  readonly seen: number;
  readonly position: EventPosition;
  /** Those that are no bids, oldest first: of bids there are too many. */
  readonly facts: readonly Fact[];
}

/** All bids, and the facts of these types, behind a position, up to what is settled. */
export async function readFactRun(
  knex: Knex,
  after: EventPosition,
  types: readonly StoredEventType[],
  limit: number,
): Promise<FactRun> {
  // SQL: compares transaction ids (xid8), which only SQL casts; a run in one pass.
  const { rows } = await knex.raw<{ rows: (FactRun & { tx: number; id: number })[] }>(
    `WITH run AS MATERIALIZED (
       SELECT id, tx, type, auction_id, lot_id, user_id, data, trace FROM events
       WHERE (tx, id) > (:tx::text::xid8, :id) AND ${SETTLED} AND type = ANY(:types || '{lot.bid_placed}'::text[])
       ORDER BY events.tx, id LIMIT :limit),
     final AS (SELECT tx::text::bigint AS tx, id FROM run ORDER BY run.tx DESC, id DESC LIMIT 1)
     SELECT (SELECT count(*) FROM run)::int AS seen, (SELECT tx FROM final) AS tx, (SELECT id FROM final) AS id,
       (SELECT coalesce(json_agg(f ORDER BY f.tx, f.id), '[]') FROM (
          SELECT id, tx::text::bigint AS tx, type, auction_id, lot_id, user_id, data, trace
          FROM run WHERE type <> 'lot.bid_placed') f) AS facts`,
    { tx: String(after.tx), id: after.id, types: [...types], limit },
  );
  const { seen, tx, id, facts } = firstOf(rows);
  return { seen, facts, position: seen === 0 ? after : { tx, id } };
}

/** Whether there is anything for `readFactRun` behind the position in the only row of a table. */
export async function isFactBehind(
  knex: Knex,
  positionTable: string,
  types: readonly StoredEventType[],
): Promise<boolean> {
  // Ordered though one row is enough: only so is the index sure to be used.
  const rows = await runPrepared<[number]>(knex, {
    text: `SELECT id FROM events
      WHERE (tx, id) > ((SELECT tx::text::xid8 FROM ${positionTable}), (SELECT id FROM ${positionTable})) AND ${SETTLED}
        AND type = ANY($1 || '{lot.bid_placed}'::text[])
      ORDER BY tx, id LIMIT 1`,
    values: [types],
  });
  return rows.length > 0;
}

/** A part of the facts' order: behind one position, up to and with another. */
export interface EventRange {
  readonly after: EventPosition;
  readonly upTo: EventPosition;
}

/**
 * Who led which lot before or during the bids of a range: `lot_id`, and `leaders`, a JSON array of ids; a lot may be in
 * several rows. `rangeValues` are its values.
 */
export const LEADERS_IN_RANGE = `
  SELECT e.lot_id, e.data->'leaders' AS leaders FROM events e
  WHERE (e.tx, e.id) > (:afterTx::text::xid8, :afterId) AND (e.tx, e.id) <= (:upToTx::text::xid8, :upToId)
    AND e.type = 'lot.bid_placed'`;

export function rangeValues({ after, upTo }: EventRange) {
  return { afterTx: String(after.tx), afterId: after.id, upToTx: String(upTo.tx), upToId: upTo.id };
}

/** The position of the fact with this id, or null where there is none. */
export async function positionOfEvent(knex: Knex, id: number): Promise<EventPosition | null> {
  // SQL: a transaction id (xid8) as a number.
  const { rows } = await knex.raw<{ rows: (EventPosition & StoredFact)[] }>(
    `SELECT id, tx::text::bigint AS tx, auction_id, lot_id, data::text AS data_text, bids FROM events
     WHERE id >= ? ORDER BY id LIMIT 1`,
    [id],
  );
  const [row] = rows;
  const isThere = row !== undefined && factsOf(row).some((fact) => fact.id === id);
  return isThere ? { id, tx: row.tx } : null;
}

/** Who new facts concern. */
export interface EventNews {
  readonly team_id: number | null;
  readonly type: StoredEventType;
}

export interface SettledEvents {
  /** Everything up to here is settled and is in `news`. */
  readonly position: EventPosition;
  readonly news: readonly EventNews[];
  /** There is more, behind a transaction that is still open or beyond this read. */
  readonly more: boolean;
}

const MAX_SETTLED_READ = 10_000;

/** What has been settled since a position, in short: teams and types, each pair once. */
export async function readSettled(knex: Knex, after: EventPosition): Promise<SettledEvents> {
  // Ordered though one row is enough: only so is the index sure to be used.
  // Compares transaction ids (xid8), and groups what is new in one pass.
  const [found] = await readPrepared<{ tx: number | null; id: number; news: EventNews[]; more: boolean }>(
    knex,
    {
      text: `WITH settled AS MATERIALIZED (
       SELECT tx, id, team_id, type FROM events
        WHERE (tx, id) > ($1::text::xid8, $2::bigint) AND ${SETTLED} ORDER BY tx, id LIMIT ${MAX_SETTLED_READ}),
     final AS MATERIALIZED (SELECT tx, id FROM settled ORDER BY tx DESC, id DESC LIMIT 1)
     SELECT (SELECT tx::text::bigint FROM final) AS tx, (SELECT id FROM final) AS id,
       (SELECT coalesce(json_agg(pair), '[]') FROM (SELECT DISTINCT team_id, type FROM settled) pair) AS news,
       (SELECT id FROM events
         WHERE (tx, id)
           > (coalesce((SELECT tx FROM final), $1::text::xid8), coalesce((SELECT id FROM final), $2::bigint))
         ORDER BY tx, id LIMIT 1) IS NOT NULL AS more`,
      values: [String(after.tx), after.id],
    },
  );
  const { tx, id, news, more } = present(found);
  return { position: tx === null ? after : { tx, id }, news, more };
}

/** The last settled position of all. */
export async function lastSettled(knex: Knex): Promise<EventPosition> {
  // SQL: compares transaction ids (xid8), which only SQL casts.
  const { rows } = await knex.raw<{ rows: EventPosition[] }>(
    `SELECT tx::text::bigint AS tx, id FROM events WHERE ${SETTLED} ORDER BY events.tx DESC, id DESC LIMIT 1`,
  );
  return rows[0] ?? FIRST_POSITION;
}

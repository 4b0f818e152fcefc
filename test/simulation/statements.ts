/**
 * What the projection and the followers ask of Postgres, done by hand: the handful of queries that they build with
 * Knex, and the statements that they write out, recognised by their first words. A statement that is not known here
 * ends the run.
 */
import { LOG_START } from '../../adapters/redis/shard-log.ts';
import type { BidRow, EntryRow } from '../../src/bidding/projection/pending-writes.ts';
import type { EventRow, PositionRow, Tables } from './sim-postgres.ts';

/** A built query, with the row lock that it needs. */
export interface Query {
  readonly table: string;
  readonly lock: string | null;
  run(tables: Tables): unknown;
}

type Send = (query: Query) => Promise<unknown>;

/** The builder of one query on a table. */
export function answerQuery(table: string, send: Send): unknown {
  if (table === 'lot_states') {
    const select = (ids: readonly number[]) => () =>
      send({
        table,
        lock: null,
        run: ({ states }) =>
          ids.flatMap((id) => {
            const row = states.get(id);
            if (row === undefined) return [];
            return [{ lot_id: id, snapshot: row['snapshot'], entry_count: row['entry_count'] }];
          }),
      });
    return { whereRaw: (_sql: string, [ids]: [number[]]) => ({ select: select(ids) }) };
  }
  if (table === 'auctions') return auctions(send);
  if (table === 'lots') return lots(send);
  throw new Error(`the simulation knows no queries on ${table}`);
}

function auctions(send: Send): unknown {
  const live = ({ auctions: rows }: Tables) =>
    [...rows.committed]
      .filter(([, { status }]) => status !== 'ended')
      .map(([id, { record_version }]) => ({ id: Number(id), record_version }));
  // What a record says is known from the log itself; its row has nothing more that a run looks at.
  const rows = () => send({ table: 'auctions', lock: null, run: () => [] });
  const select = () => send({ table: 'auctions', lock: null, run: live });
  return { whereRaw: () => ({ orderBy: rows, orWhereRaw: () => ({ orderBy: () => ({ select }) }) }) };
}

function lots(send: Send): unknown {
  const pluck = (auctionId: number) => () =>
    send({
      table: 'lots',
      lock: null,
      run: (tables) =>
        [...tables.lots.committed]
          .filter(([, row]) => row['auction_id'] === auctionId)
          .map(([id]) => Number(id))
          .sort((a, b) => a - b),
    });
  const where = (_column: unknown, auctionId: number) => ({
    // The drafts of a cancelled auction, of which a run has none.
    update: () => send({ table: 'lots', lock: null, run: () => 0 }),
    whereNot: () => ({ orderBy: () => ({ pluck: pluck(auctionId) }) }),
  });
  return { where };
}

type Statement = (
  tables: Tables,
  binding: unknown,
  bindings: readonly unknown[],
) => { rows: unknown[] } | undefined;
type Json = Record<string, unknown>;

const rowsOf = <Row>(binding: unknown) => JSON.parse(binding as string) as Row[];

const STATEMENTS: readonly (readonly [string, Statement])[] = [
  [
    'SELECT shard, stream_id',
    ({ positions }, shards) => ({
      rows: (shards as number[]).flatMap((shard) => {
        const row = positions.get(shard);
        return row === undefined ? [] : [{ shard, failures_version: 0, epoch: null, ...row }];
      }),
    }),
  ],
  // There is one journal.
  ['SELECT epoch FROM journal_meta', () => undefined],
  ['SELECT id, shard, subject FROM projection_failures', () => undefined],
  [
    'INSERT INTO projection_positions',
    ({ positions }, shards) => {
      for (const shard of shards as number[])
        if (positions.get(shard) === undefined) positions.put(shard, { stream_id: LOG_START, messages: 0 });
    },
  ],
  [
    'UPDATE projection_positions p SET',
    ({ positions }, binding) => {
      for (const { shard, ...row } of rowsOf<PositionRow & { shard: number }>(binding))
        if (positions.get(shard) !== undefined) positions.put(shard, row);
    },
  ],
  [
    'UPDATE bids b SET',
    ({ bids }, binding) => {
      for (const change of rowsOf<BidRow>(binding)) {
        const row = bids.get(change.bid_id);
        if (row === undefined) continue;
        const next = { ...row, ...change };
        bids.put(change.bid_id, { ...next, listed: next.outcome !== 'max_raised' });
      }
    },
  ],
  [
    'WITH n AS MATERIALIZED',
    ({ states, lots: table }, binding) => {
      for (const row of (binding as { readonly rows: readonly Json[] }).rows) {
        states.put(row['id'] as number, row);
        if (table.get(row['id'] as number)) table.put(row['id'] as number, row);
      }
    },
  ],
  [
    'UPDATE auctions a SET record_version',
    ({ auctions }, binding) => {
      for (const row of rowsOf<Json>(binding)) {
        const known = auctions.get(row['id'] as number);
        const version = row['record_version'] as number;
        if (known !== undefined && known.record_version < version)
          auctions.put(row['id'] as number, { ...known, record_version: version });
      }
    },
  ],
  [
    'INSERT INTO registrations AS r',
    ({ registrations }, binding) => {
      for (const row of rowsOf<Json>(binding))
        registrations.put(`${row['auction_id']}|${row['user_id']}`, row);
    },
  ],
  [
    `UPDATE auctions SET status = 'active'`,
    (tables, ids) => moved(tables, ids, 'active', (s) => s === 'scheduled'),
  ],
  ['SELECT id FROM auctions', () => undefined],
  [
    `UPDATE auctions a SET status = 'ended'`,
    (tables, ids) => moved(tables, ids, 'ended', (status, id) => status !== 'ended' && isOver(tables, id)),
  ],
  [
    'INSERT INTO invoices',
    ({ invoices }, binding) => {
      for (const { bid_id, ...invoice } of rowsOf<{
        lot_id: number;
        bid_id: string | null;
        winner: number | null;
        cents: number;
      }>(binding))
        invoices.add('invoices', `${invoice.lot_id}|${bid_id}`, invoice);
    },
  ],
  // Whom a worker tells is not simulated.
  ['INSERT INTO lot_announcements', () => undefined],
  // Which lots are sold together is in the plan.
  ['UPDATE lot_states s SET host_id', () => undefined],
  ['SELECT pg_notify', () => undefined],
  [`SELECT 'projected_lot'`, () => ({ rows: [{ id: 1 }] })],
];

/** Rows that were sent by COPY. */
export function copyInto(
  { entries, bids, events }: Tables,
  statement: string,
  rows: readonly unknown[],
): void {
  const [, table] = /^COPY (\w+) /.exec(statement) ?? [];
  for (const row of rows) {
    if (table === 'bids') bids.add('bids', (row as BidRow).bid_id, row as BidRow);
    else if (table === 'journal_entries') {
      const entry = row as EntryRow;
      entries.add('journal_entries', `${entry.lot_id}|${entry.sequence}`, entry);
    } else if (table === 'events') events.add('events', (row as EventRow).event_key, row as EventRow);
    else throw new Error(`the simulation does not know the statement ${statement}`);
  }
}

/** Runs a statement that was written out, on the rows of its transaction. */
export function runStatement(tables: Tables, sql: string, bindings: readonly unknown[]): { rows: unknown[] } {
  const words = sql.trim().replaceAll(/\s+/g, ' ');
  const known = STATEMENTS.find(([beginning]) => words.startsWith(beginning));
  if (known === undefined)
    throw new Error(`the simulation does not know the statement ${words.slice(0, 80)}`);
  return known[1](tables, bindings[0], bindings) ?? { rows: [] };
}

/** The position of a shard as a lock. */
export function lockOf(shard: number): string {
  return `position ${shard}`;
}

/** The locks that a statement takes before it runs: those that it waits for, and those that it skips if taken. */
export function locksOf(
  tables: Tables,
  sql: string,
  bindings: readonly unknown[],
): { readonly waits: readonly string[]; readonly skips: readonly number[] } {
  const words = sql.trim();
  const shards: readonly number[] = bindings.find(Array.isArray) ?? [];
  if (words.startsWith('INSERT INTO projection_positions'))
    return {
      waits: shards.filter((shard) => tables.positions.get(shard) === undefined).map(lockOf),
      skips: [],
    };
  if (words.startsWith('SELECT shard') && words.endsWith('SKIP LOCKED')) return { waits: [], skips: shards };
  return { waits: [], skips: [] };
}

function moved(
  { auctions }: Tables,
  ids: unknown,
  to: string,
  may: (status: string, id: number) => boolean,
): { rows: unknown[] } {
  const rows: unknown[] = [];
  for (const id of ids as number[]) {
    const auction = auctions.get(id);
    if (auction === undefined || !may(auction.status, id)) continue;
    auctions.put(id, { ...auction, status: to });
    rows.push({ id, slug: `auction-${id}`, team_id: 90 });
  }
  return { rows };
}

function isOver({ lots: table }: Tables, auctionId: number): boolean {
  const statuses = [...table.committed.keys()]
    .map((id) => table.get(id)!)
    .filter((row) => row['auction_id'] === auctionId)
    .map((row) => row['status'] as string);
  return (
    !statuses.some((status) => status === 'scheduled' || status === 'active') &&
    statuses.some((status) => status === 'sold' || status === 'passed' || status === 'unsold')
  );
}

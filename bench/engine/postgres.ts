/**
 * What people build on Postgres, through `pg` with prepared statements: the row lock (`SELECT … FOR UPDATE` in a
 * transaction) and the same in one function call. Bids carry the rules in short: the end, the amount, the new price
 * and leader; no keys, limits or chain.
 */
import pg from 'pg';
import { newBidId } from '../../src/shared/node-crypto.ts';
import type { Contender, Scenario } from './scenarios.ts';

const SCHEMA = `
  CREATE TABLE lots (
    id bigint PRIMARY KEY,
    current_cents bigint NOT NULL DEFAULT 0,
    leader_id bigint,
    bid_count integer NOT NULL DEFAULT 0,
    ends_at timestamptz NOT NULL DEFAULT now() + interval '1 day'
  ) WITH (fillfactor = 50);
  CREATE TABLE bids (
    id uuid PRIMARY KEY,
    lot_id bigint NOT NULL REFERENCES lots,
    sequence integer NOT NULL,
    bidder_id bigint NOT NULL,
    amount_cents bigint NOT NULL,
    placed_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (lot_id, sequence)
  );
  CREATE FUNCTION place_bid(bid uuid, lot bigint, bidder bigint, cents bigint) RETURNS integer LANGUAGE plpgsql AS $$
  DECLARE
    found lots%ROWTYPE;
  BEGIN
    SELECT * INTO found FROM lots WHERE id = lot FOR UPDATE;
    IF now() >= found.ends_at OR cents < found.current_cents + 100 THEN RETURN NULL; END IF;
    INSERT INTO bids (id, lot_id, sequence, bidder_id, amount_cents)
      VALUES (bid, lot, found.bid_count + 1, bidder, cents);
    UPDATE lots SET current_cents = cents, leader_id = bidder, bid_count = bid_count + 1 WHERE id = lot;
    RETURN found.bid_count + 1;
  END $$;
`;

/** Creates the tables in a schema of its own; returns its URL. */
export async function bidTables(databaseUrl: string, scenario: Scenario): Promise<string> {
  const schema = `bench_${scenario.name}`;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}; SET search_path = ${schema}`,
  );
  await client.query(SCHEMA);
  await client.query('INSERT INTO lots (id) SELECT generate_series(1, $1::bigint)', [scenario.lots]);
  const { rows } = await client.query<{ fsync: string }>('SHOW fsync');
  await client.end();
  if (rows[0]?.fsync !== 'on') throw new Error('this Postgres runs without fsync: nothing could be compared');
  const url = new URL(databaseUrl);
  url.searchParams.set('options', `-c search_path=${schema}`);
  return url.href;
}

/** Bidders waiting for each connection, so that none is ever idle. */
const WAITING_EACH = 8;

/** A transaction of five statements, the lot's row locked in it. */
export function rowLock(tablesUrl: string, connections: number): Contender {
  const pool = new pg.Pool({ connectionString: tablesUrl, max: connections });
  return {
    async bid(lot, bidder, amountCents) {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        const found = await client.query<{ current_cents: string; bid_count: number; open: boolean }>({
          name: 'lock',
          text: 'SELECT current_cents, bid_count, now() < ends_at AS open FROM lots WHERE id = $1 FOR UPDATE',
          values: [lot],
        });
        const row = found.rows[0]!;
        const taken = row.open && amountCents >= Number(row.current_cents) + 100;
        if (taken) {
          await client.query({
            name: 'insert',
            text: 'INSERT INTO bids (id, lot_id, sequence, bidder_id, amount_cents) VALUES ($1, $2, $3, $4, $5)',
            values: [newBidId(), lot, row.bid_count + 1, bidder, amountCents],
          });
          await client.query({
            name: 'update',
            text: 'UPDATE lots SET current_cents = $2, leader_id = $3, bid_count = bid_count + 1 WHERE id = $1',
            values: [lot, amountCents, bidder],
          });
        }
        await client.query(taken ? 'COMMIT' : 'ROLLBACK');
        return taken;
      } finally {
        client.release();
      }
    },
    tidy: async () => undefined,
    maxWaiting: connections * WAITING_EACH,
    close: () => pool.end(),
  };
}

/** One call of a plpgsql function, a transaction of its own. */
export function functionCall(tablesUrl: string, connections: number): Contender {
  const pool = new pg.Pool({ connectionString: tablesUrl, max: connections });
  return {
    async bid(lot, bidder, amountCents) {
      const { rows } = await pool.query<{ sequence: number | null }>({
        name: 'place',
        text: 'SELECT place_bid($1, $2, $3, $4) AS sequence',
        values: [newBidId(), lot, bidder, amountCents],
      });
      return rows[0]!.sequence !== null;
    },
    tidy: async () => undefined,
    maxWaiting: connections * WAITING_EACH,
    close: () => pool.end(),
  };
}

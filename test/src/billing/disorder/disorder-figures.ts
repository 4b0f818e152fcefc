/** All figures of a history in the service's database, at one moment. */
import type { Knex } from 'knex';
import type pg from 'pg';

/** What a history is told from others by: its team, the tag in its payments' names, and the last rows before it. */
export interface OfHistory {
  readonly team: number;
  readonly tag: string;
  readonly entry: number;
  readonly paid: number;
}

/** The last rows before a history. */
export async function lastRows(knex: Knex): Promise<Pick<OfHistory, 'entry' | 'paid'>> {
  // SQL: two tables at once.
  const { rows } = await knex.raw<{ rows: { entry: number; paid: number }[] }>(
    `SELECT (SELECT coalesce(max(id), 0) FROM ledger_entries) AS entry,
       (SELECT coalesce(max(id), 0) FROM payments) AS paid`,
  );
  return rows[0]!;
}

/** Reads them. */
export async function readFigures(knex: Knex, { team, tag, entry, paid }: OfHistory): Promise<Found> {
  // As a prepared statement, which no query of Knex is: planning it takes longer than doing it.
  const connection: pg.Client = await knex.client.acquireConnection();
  try {
    const values = [team, `%${tag}%`, entry, paid];
    const { rows } = await connection.query<Found>({ name: 'figures', text: FIGURES, values });
    return rows[0]!;
  } finally {
    await knex.client.releaseConnection(connection);
  }
}

type Row = Readonly<Record<string, string | undefined>>;

export interface Found {
  readonly bills: Readonly<Record<string, Row>>;
  readonly payments: Readonly<Record<string, Row>>;
  readonly settlements: readonly { readonly id: number; readonly status: string; readonly net: string }[];
  readonly accounts: Readonly<Record<string, string>>;
}

/** SQL: amounts as text: one may have more digits than a number holds. */
const FIGURES = `
  SELECT
    (SELECT coalesce(json_object_agg(invoice_number, json_build_object('status', status,
      'paid', amount_paid_cents::text, 'refunded', amount_refunded_cents::text, 'credited', credited_cents::text,
      'due', amount_due_cents::text, 'owed', owed_cents::text)), '{}')
      FROM invoices WHERE team_id = $1) AS bills,
    (SELECT coalesce(json_object_agg(payment_id, json_build_object('status', status, 'amount', amount_cents::text,
      'refunded', refunded_cents::text, 'unallocated', unallocated_cents::text, 'disputed', disputed_cents::text,
      'remains', left_cents::text)), '{}')
      FROM payments WHERE id > $4 AND payment_id LIKE $2 AND status <> 'failed') AS payments,
    (SELECT coalesce(json_agg(json_build_object('id', s.id, 'status', s.status, 'net', CASE WHEN s.status = 'paid'
        THEN s.payout_cents ELSE (SELECT coalesce(sum(net_cents), 0) FROM settlement_lines WHERE settlement_id = s.id)
          + (SELECT coalesce(sum(amount_cents - commission_cents), 0) FROM settlement_adjustments
             WHERE settlement_id = s.id) END::text) ORDER BY s.id), '[]')
      FROM settlements s WHERE s.team_id = $1) AS settlements,
    (SELECT coalesce(json_object_agg(name, cents), '{}') FROM (
      SELECT e.currency || ' ' || e.account AS name, sum(e.amount)::text AS cents FROM ledger_entries e
      LEFT JOIN invoices i ON i.id = e.invoice_id LEFT JOIN payments y ON y.id = e.payment_id
      LEFT JOIN settlements s ON s.id = e.settlement_id
      WHERE e.id > $3 AND (i.team_id = $1 OR s.team_id = $1 OR y.payment_id LIKE $2)
      GROUP BY 1 HAVING sum(e.amount) <> 0) a) AS accounts`;

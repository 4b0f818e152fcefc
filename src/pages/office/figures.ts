/**
 * What the marketplace sold, by month or by auction, in one currency: for the office's reports. Lots count in the month
 * in which they closed, invoices and disputes in the one in which they were made; months are in UTC.
 */
import type { Knex } from 'knex';
import { onLotSql } from '../../bidding/records/sale-units.ts';
import { ENDED_AUCTIONS } from '../../shared/statuses/auction-statuses.ts';
import { CLOSED_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';

export interface FiguresQuery {
  readonly by: 'month' | 'auction';
  readonly currency: string;
}

export interface Figures {
  /** A month such as `2026-11`, or an auction's id. */
  readonly key: string;
  readonly label: string;
  readonly sold: number;
  /** How many lots closed, sold or not. */
  readonly offered: number;
  readonly hammerCents: bigint;
  /** People who bid on these lots. */
  readonly bidders: number;
  /** Hammer prices of the sold lots that had both estimates, and these in whole units. */
  readonly estimatedHammerCents: bigint;
  readonly estimateLow: number;
  readonly estimateHigh: number;
  /** Of invoices that are due and not paid. */
  readonly unpaidCents: bigint;
  readonly unpaid: number;
  readonly disputedCents: bigint;
  readonly disputes: number;
}

const MONTHS = 12;
const AUCTIONS = 12;
/** A report is worth no more of Postgres' time. */
const PATIENCE_MS = 15_000;

/** The currencies in which something was sold or is for sale, the one with most auctions first. */
export async function figureCurrencies(knex: Knex): Promise<string[]> {
  // SQL: bidding's table, counted.
  const rows = await knex('auctions')
    .groupBy('currency')
    .orderBy([{ column: 'n', order: 'desc' }, { column: 'currency' }])
    .count<{ currency: string; n: number }[]>({ n: '*' })
    .select('currency');
  return rows.map(({ currency }) => currency);
}

/** Twelve months up to now, empty ones too, or the twelve auctions that ended last; the oldest first. */
export function readFigures(knex: Knex, { by, currency }: FiguresQuery): Promise<Figures[]> {
  return knex.transaction(
    async (trx) => {
      // SQL: a setting of the transaction.
      await trx.raw(`SET LOCAL statement_timeout = ${PATIENCE_MS}`);
      const keys = by === 'month' ? lastMonths(new Date()) : await lastAuctions(trx, currency);
      const scope: Scope = { by, currency, keys: keys.map(({ key }) => key) };
      const lots = await lotRows(trx, scope);
      const bidders = await bidderRows(trx, scope);
      const money = await moneyRows(trx, scope);
      return keys.map(({ key, label }) => figuresOf({ key, label }, lots, bidders, money));
    },
    { readOnly: true },
  );
}

interface Scope extends FiguresQuery {
  readonly keys: readonly string[];
}

function lastMonths(now: Date): { key: string; label: string }[] {
  return Array.from({ length: MONTHS }, (_, n) => {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - MONTHS + 1 + n, 1));
    const key = month.toISOString().slice(0, 7);
    return { key, label: MONTH.format(month) };
  });
}

const MONTH = new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' });

async function lastAuctions(trx: Knex, currency: string): Promise<{ key: string; label: string }[]> {
  // SQL: bidding's table.
  const rows = await trx('auctions')
    .where({ currency })
    .whereIn('status', [...ENDED_AUCTIONS])
    .orderBy([
      { column: 'end_time', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(AUCTIONS)
    .select<{ id: number; title: string }[]>('id', 'title');
  return rows.map(({ id, title }) => ({ key: String(id), label: title })).toReversed();
}

/** What belongs to a key, in a statement: by an expression for the moment, and by one for the auction. */
function keyed({ by, currency, keys }: Scope, moment: string, auction: string) {
  if (by === 'auction') {
    const within = `${auction} = ANY(:ids::bigint[])`;
    return { key: `${auction}::text`, within, values: { currency, ids: keys } };
  }
  const within = `${moment} >= :since::timestamptz`;
  const values = { currency, since: `${keys[0]}-01T00:00:00Z` };
  return { key: `to_char(${moment} AT TIME ZONE 'UTC', 'YYYY-MM')`, within, values };
}

interface LotsRow {
  readonly key: string;
  readonly sold: number;
  readonly offered: number;
  readonly hammer: string | null;
  readonly estimated: string | null;
  readonly low: string | null;
  readonly high: string | null;
}

async function lotRows(trx: Knex, scope: Scope): Promise<Map<string, LotsRow>> {
  const { key, within, values } = keyed(scope, 'l.closed_at', 'l.auction_id');
  const priced = "l.status = 'sold' AND l.estimate_low IS NOT NULL AND l.estimate_high IS NOT NULL";
  // SQL: sums with conditions.
  const { rows } = await trx.raw<{ rows: LotsRow[] }>(
    `SELECT ${key} AS key, count(*)::int AS offered, count(*) FILTER (WHERE l.status = 'sold')::int AS sold,
       sum(l.hammer_price_cents) FILTER (WHERE l.status = 'sold') AS hammer,
       sum(l.hammer_price_cents) FILTER (WHERE ${priced}) AS estimated,
       sum(l.estimate_low) FILTER (WHERE ${priced}) AS low, sum(l.estimate_high) FILTER (WHERE ${priced}) AS high
     FROM lots l JOIN auctions a ON a.id = l.auction_id
     WHERE l.status IN ${CLOSED_LOT_SQL} AND a.currency = :currency AND ${within} GROUP BY 1`,
    values,
  );
  return new Map(rows.map((row) => [row.key, row]));
}

async function bidderRows(trx: Knex, scope: Scope): Promise<Map<string, number>> {
  const { key, within, values } = keyed(scope, 'l.closed_at', 'l.auction_id');
  // SQL: each person once.
  const { rows } = await trx.raw<{ rows: { key: string; bidders: number }[] }>(
    `SELECT ${key} AS key, count(DISTINCT b.user_id)::int AS bidders
     FROM lots l JOIN auctions a ON a.id = l.auction_id JOIN bids b ON ${onLotSql('b', 'l')}
     WHERE l.status IN ${CLOSED_LOT_SQL} AND a.currency = :currency AND NOT b.voided AND ${within} GROUP BY 1`,
    values,
  );
  return new Map(rows.map((row) => [row.key, row.bidders]));
}

interface MoneyRow {
  readonly n: number;
  readonly cents: string;
}

type Money = Readonly<Record<'unpaid' | 'disputes', ReadonlyMap<string, MoneyRow>>>;

async function moneyRows(trx: Knex, scope: Scope): Promise<Money> {
  const read = async (statement: string, moment: string) => {
    const { key, within, values } = keyed(scope, moment, 'i.auction_id');
    // SQL: sums by month or auction.
    const { rows } = await trx.raw<{ rows: (MoneyRow & { key: string })[] }>(
      `SELECT ${key} AS key, ${statement} AND ${within} GROUP BY 1`,
      values,
    );
    return new Map(rows.map((row) => [row.key, row]));
  };
  return {
    unpaid: await read(
      `count(*)::int AS n, sum(i.owed_cents) AS cents FROM invoices i
       WHERE i.kind = 'winner' AND i.status = 'open' AND i.due_at < now() AND i.currency = :currency`,
      'i.created_at',
    ),
    disputes: await read(
      `count(DISTINCT p.id)::int AS n, sum(e.amount) AS cents
       FROM ledger_postings p JOIN ledger_entries e ON e.posting_id = p.id AND e.account = 'disputed'
       JOIN payments y ON y.id = e.payment_id LEFT JOIN invoices i ON i.id = y.invoice_id
       WHERE p.kind = 'dispute' AND e.amount > 0 AND e.currency = :currency`,
      'p.created_at',
    ),
  };
}

function figuresOf(
  named: Pick<Figures, 'key' | 'label'>,
  lots: ReadonlyMap<string, LotsRow>,
  bidders: ReadonlyMap<string, number>,
  { unpaid, disputes }: Money,
): Figures {
  const { key } = named;
  const lot = lots.get(key);
  return {
    ...named,
    sold: lot?.sold ?? 0,
    offered: lot?.offered ?? 0,
    hammerCents: BigInt(lot?.hammer ?? 0),
    bidders: bidders.get(key) ?? 0,
    estimatedHammerCents: BigInt(lot?.estimated ?? 0),
    estimateLow: Number(lot?.low ?? 0),
    estimateHigh: Number(lot?.high ?? 0),
    unpaidCents: BigInt(unpaid.get(key)?.cents ?? 0),
    unpaid: unpaid.get(key)?.n ?? 0,
    disputedCents: BigInt(disputes.get(key)?.cents ?? 0),
    disputes: disputes.get(key)?.n ?? 0,
  };
}

/**
 * The books by account: balances, with the postings behind each. An entry belongs to the invoice that it names, or to
 * the one that its payment is on or was meant for. The command line and the office read here.
 */
import type { Knex } from 'knex';
import { ACCOUNTS, type Account, type PostingKind } from '../ledger/chart-of-accounts.ts';

/** SQL: the ledger's entries with what they are about. */
export const ENTRIES_SQL = `
  SELECT e.id, e.posting_id, e.account, e.currency, e.amount, p.cause, p.kind, p.month, p.created_at,
    i.kind AS invoice_kind, i.invoice_number, i.lot_id, y.payment_id, s.statement_number,
    coalesce(e.auction_id, i.auction_id) AS auction_id, coalesce(i.team_id, s.team_id) AS team_id
  FROM ledger_entries e JOIN ledger_postings p ON p.id = e.posting_id
  LEFT JOIN payments y ON y.id = e.payment_id
  LEFT JOIN invoices i ON i.id = coalesce(e.invoice_id, y.invoice_id)
  LEFT JOIN settlements s ON s.id = e.settlement_id`;

export interface AccountFilter {
  readonly account?: Account;
  readonly auction?: number;
  readonly lot?: number;
  readonly team?: number;
  /** A number. */
  readonly invoice?: string;
  /** `2026-11`. */
  readonly month?: string;
}

export interface PostedEntry {
  readonly posting: number;
  readonly cause: string;
  readonly kind: PostingKind;
  readonly month: string;
  readonly posted_at: string;
  /** Of the currency's smallest unit. */
  readonly amount: bigint;
  readonly invoice_number: string | null;
  readonly payment_id: string | null;
  readonly statement_number: string | null;
  readonly auction_id: number | null;
  readonly lot_id: number | null;
  readonly team_id: number | null;
}

export interface AccountBalance {
  readonly account: Account;
  readonly currency: string;
  readonly balance: bigint;
  /** How many entries it is the sum of. */
  readonly entries: number;
  /** The newest first. */
  readonly postings: readonly PostedEntry[];
}

/** How many entries of all accounts together are listed behind the figures; the figures count all of them. */
const MAX_LISTED = 10_000;

/** Whether this is the name of an account. */
export function isAccount(name: string): name is Account {
  return Object.hasOwn(ACCOUNTS, name);
}

/**
 * The balances of all accounts that anything was posted to, by account and currency. `listed`: how many of the newest
 * entries come with them, after `skipped` newer ones; null: all.
 */
export async function readAccounts(
  knex: Knex,
  filter: AccountFilter = {},
  listed: number | null = MAX_LISTED,
  skipped = 0,
): Promise<AccountBalance[]> {
  const { where, values } = conditionsOf(filter);
  // SQL: sums over tables without a model.
  const { rows: balances } = await knex.raw<{
    rows: { account: Account; currency: string; balance: string; entries: number }[];
  }>(
    `SELECT account, currency, sum(amount)::text AS balance, count(*)::int AS entries FROM (${ENTRIES_SQL}) e ${where}
     GROUP BY account, currency ORDER BY account, currency`,
    values,
  );
  // SQL: as above.
  const { rows: entries } = await knex.raw<{
    rows: (PostedEntry & { account: Account; currency: string })[];
  }>(
    `SELECT account, currency, posting_id AS posting, cause, kind, to_char(month, 'YYYY-MM') AS month,
       created_at AS posted_at, amount, invoice_number, payment_id, statement_number, auction_id, lot_id, team_id
     FROM (${ENTRIES_SQL}) e ${where} ORDER BY e.id DESC LIMIT ? OFFSET ?`,
    [...values, listed, skipped],
  );
  return balances.map(({ account, currency, balance, entries: count }) => ({
    account,
    currency,
    balance: BigInt(balance),
    entries: count,
    postings: entries
      .filter((entry) => entry.account === account && entry.currency === currency)
      .map(({ account: _, currency: __, ...entry }) => ({ ...entry, amount: BigInt(entry.amount) })),
  }));
}

/** Each condition with its value; there may be none. */
function conditionsOf(filter: AccountFilter): { where: string; values: (string | number)[] } {
  const wanted = [
    ['account = ?', filter.account],
    ['auction_id = ?', filter.auction],
    ['lot_id = ?', filter.lot],
    ['team_id = ?', filter.team],
    ['invoice_number = ?', filter.invoice],
    ["to_char(month, 'YYYY-MM') = ?", filter.month],
  ] as const;
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  for (const [condition, value] of wanted) {
    if (value === undefined) continue;
    conditions.push(condition);
    values.push(value);
  }
  return { where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values };
}

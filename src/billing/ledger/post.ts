/**
 * Writing the ledger: every movement of money in billing is one call of `post`, in the transaction of what caused it.
 * The database refuses what does not sum to zero in one currency, and a change of what was posted.
 */
import type { Knex } from 'knex';
import type { Account, PostingKind } from './chart-of-accounts.ts';

export interface Entry {
  readonly account: Account;
  /** Of the currency's smallest unit; above zero a debit, below zero a credit. Zero is no entry. */
  readonly amount: number | bigint;
  readonly invoiceId?: number | null;
  readonly paymentId?: number | null;
  readonly settlementId?: number | null;
  readonly auctionId?: number | null;
}

export interface Posting {
  /** Names what caused it: the same cause posts once. */
  readonly cause: string;
  readonly kind: PostingKind;
  readonly currency: string;
  readonly entries: readonly Entry[];
}

/**
 * Posts these, each with its entries, in one statement; one whose cause has posted before, and one of nothing, changes
 * nothing. Returns how many were posted.
 */
export async function post(trx: Knex.Transaction, ...postings: readonly Posting[]): Promise<number> {
  const wanted = postings
    .map(({ entries, ...posting }) => ({ ...posting, entries: entries.filter(isSome).map(rowOf) }))
    .filter(({ entries }) => entries.length > 0);
  if (wanted.length === 0) return 0;
  // SQL: the projection posts the invoices of hundreds of lots in one statement.
  const { rows } = await trx.raw<{ rows: { posted: number }[] }>(
    `WITH wanted AS (
       SELECT * FROM json_to_recordset(?::json) AS w (cause text, kind text, currency text, entries json)),
     posted AS (
       INSERT INTO ledger_postings (cause, kind) SELECT cause, kind FROM wanted
       ON CONFLICT (cause) DO NOTHING RETURNING id, cause),
     entered AS (
       INSERT INTO ledger_entries
         (posting_id, account, currency, amount, invoice_id, payment_id, settlement_id, auction_id)
       SELECT posted.id, e.account, w.currency, e.amount, e.invoice_id, e.payment_id, e.settlement_id, e.auction_id
       FROM posted JOIN wanted w USING (cause)
       CROSS JOIN json_to_recordset(w.entries) AS e (account text, amount bigint, invoice_id bigint,
         payment_id bigint, settlement_id bigint, auction_id bigint))
     SELECT count(*)::int AS posted FROM posted`,
    [JSON.stringify(wanted)],
  );
  return rows[0]?.posted ?? 0;
}

const isSome = ({ amount }: Entry) => BigInt(amount) !== 0n;

function rowOf({ account, amount, invoiceId, paymentId, settlementId, auctionId }: Entry) {
  return {
    account,
    // As text: it may have more digits than a number holds.
    amount: String(amount),
    invoice_id: invoiceId,
    payment_id: paymentId,
    settlement_id: settlementId,
    auction_id: auctionId,
  };
}

/** What was posted of something, account by account and by the kind of posting. */
interface PostedSum {
  readonly account: Account;
  readonly kind: PostingKind;
  readonly amount: number | bigint;
}

/** What postings of these kinds sum to; sellers first: their share is rounded, the last takes what is left. */
export async function postedSums(
  trx: Knex,
  column: 'invoice_id' | 'settlement_id',
  id: number,
  ...kinds: readonly PostingKind[]
): Promise<PostedSum[]> {
  // SQL: sums over tables without a model.
  const { rows } = await trx.raw<{ rows: PostedSum[] }>(
    `SELECT e.account, p.kind, sum(e.amount)::bigint AS amount FROM ledger_entries e
     JOIN ledger_postings p ON p.id = e.posting_id
     WHERE e.${column} = ? AND p.kind = ANY(?::text[])
     GROUP BY e.account, p.kind
     ORDER BY array_position(ARRAY['owed_to_sellers', 'premium', 'tax'], e.account) NULLS LAST, e.account`,
    [id, [...kinds]],
  );
  return rows;
}

/** How many entries there are of something: names what may happen to it again and again. Its money is held. */
export async function entryCount(
  trx: Knex,
  column: 'invoice_id' | 'payment_id' | 'settlement_id',
  id: number,
): Promise<number> {
  // SQL: a table without a model.
  const row = await trx('ledger_entries').where(column, id).count('* as n').first();
  return Number(row?.n ?? 0);
}

/** Invoices, payments and settlements of everybody, for staff: searched, to be read page by page. */
import type { Knex } from 'knex';
import type { Model, QueryBuilder } from 'objection';
import { currenciesWith } from '../../../engine/money.ts';
import { likeAnywhere } from '../../shared/like-anywhere.ts';
import { centsTyped } from '../../shared/typed-amount.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { Payment } from '../invoices/payment.model.ts';
import { readReference } from '../invoices/references.ts';
import { Settlement } from '../settlements/settlement.model.ts';
import { NET_SQL } from '../settlements/settlement-lines.ts';

/** What is searched for; empty or absent: all. */
interface MoneySearch {
  /** A number, and what else is said below. */
  readonly q?: string;
  readonly status?: string;
}

export type InvoiceFound = Invoice & { readonly email: string };

/** Invoices with who owes them; found by these, too, what a transfer names, and the exact amount. */
export function searchInvoices(knex: Knex, { q = '', status = '' }: MoneySearch) {
  const query = Invoice.query(knex)
    .alias('i')
    .join('users as u', 'u.id', 'i.user_id')
    .select('i.*', 'u.email');
  if (q !== '') query.where((own) => matchInvoices(own, q));
  if (status !== '') query.where('i.status', status);
  return query.castTo<InvoiceFound[]>();
}

/** Payments with the invoices that they were meant for; found by these, too. `disputed`: only what payers dispute. */
export function searchPayments(
  knex: Knex,
  { q = '', status = '', disputed = false }: MoneySearch & { readonly disputed?: boolean },
) {
  const query = Payment.query(knex).withGraphFetched('invoice');
  if (q !== '') query.where((own) => matchPayments(own, knex, q));
  if (status !== '') query.where('status', status);
  if (disputed) query.where('disputed_cents', '>', 0);
  return query;
}

export type SettlementFound = Settlement & { readonly team_name: string; readonly auction_title: string };

/** Settlements with whose they are. */
export function searchSettlements(
  knex: Knex,
  { q = '', status = '', teamId }: MoneySearch & { readonly teamId?: number | undefined },
) {
  const query = Settlement.query(knex)
    .alias('s')
    .join('teams as t', 't.id', 's.team_id')
    .join('auctions as a', 'a.id', 's.auction_id')
    .select('s.*', 't.name as team_name', 'a.title as auction_title');
  if (q !== '') query.where('s.statement_number', q);
  if (status !== '') query.where('s.status', status);
  if (teamId !== undefined) query.where('s.team_id', teamId);
  return query.castTo<SettlementFound[]>();
}

/** By the number or a part of it, who owes it, what a transfer names, or the exact amount. */
function matchInvoices(own: QueryBuilder<Invoice>, q: string): void {
  const anywhere = likeAnywhere(q);
  own
    .whereILike('i.invoice_number', anywhere)
    .orWhereILike('u.email', anywhere)
    .orWhereILike('u.name', anywhere);
  const reference = readReference(q);
  if (reference?.kind === 'invoice') own.orWhere('i.id', reference.id);
  matchAmount(own, q, 'i.amount_due_cents', 'i.currency');
}

const OTHER_CURRENCIES = { 0: currenciesWith(0), 3: currenciesWith(3) };

/** Or the exact amount, in whatever currency the row has; one without its decimals may be a number of something. */
function matchAmount<M extends Model>(
  own: QueryBuilder<M>,
  q: string,
  amount: string,
  currency: string,
): void {
  if (!q.includes('.')) return;
  for (const decimals of [0, 2, 3] as const) {
    const cents = centsTyped(q, decimals);
    if (cents === null) continue;
    own.orWhere((one) => {
      one.where(amount, cents);
      if (decimals === 2) one.whereNotIn(currency, Object.values(OTHER_CURRENCIES).flat());
      else one.whereIn(currency, OTHER_CURRENCIES[decimals]);
    });
  }
}

/** Payments by a part of their number or their invoice's, by who owes that, or by the exact amount. */
function matchPayments(own: QueryBuilder<Payment>, knex: Knex, q: string): void {
  const anywhere = likeAnywhere(q);
  const meant = Invoice.query(knex)
    .alias('i')
    .join('users as u', 'u.id', 'i.user_id')
    .select('i.id')
    .where((invoice) => matchInvoices(invoice, q));
  own.whereILike('payment_id', anywhere).orWhereILike('charge_id', anywhere).orWhereIn('invoice_id', meant);
  matchAmount(own, q, 'amount_cents', 'currency');
}

/** What these settlements come to, by their ids. */
export async function settlementNets(
  knex: Knex,
  ids: readonly number[],
): Promise<ReadonlyMap<number, bigint>> {
  // SQL: sums over lines and adjustments in one statement.
  const { rows } = await knex.raw<{ rows: { id: number; net: string }[] }>(
    `SELECT s.id, ${NET_SQL} AS net FROM settlements s WHERE s.id = ANY(?::bigint[])`,
    [[...ids]],
  );
  return new Map(rows.map(({ id, net }) => [id, BigInt(net)]));
}

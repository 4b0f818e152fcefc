/** Invoices and settlements of everybody, for the office: searched, newest first, page by page. */
import type { Knex } from 'knex';
import type { Page } from 'objection';
import { normalizeEmail } from '../../accounts/people/accounts.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { Settlement } from '../settlements/settlement.model.ts';

export interface MoneySearch {
  /** A number, or for invoices who owes them; empty: all. */
  readonly q: string;
  /** Empty: any. */
  readonly status: string;
  readonly page: number;
  readonly perPage: number;
  /** Default: newest first. */
  readonly order?: readonly { readonly column: string; readonly order: 'asc' | 'desc' }[];
}

export type InvoiceFound = Invoice & { readonly email: string };

/** Invoices with who owes them, and how many there are. */
export async function searchInvoices(
  knex: Knex,
  { q, status, page, perPage, order = [{ column: 'i.id', order: 'desc' }] }: MoneySearch,
): Promise<{ rows: InvoiceFound[]; total: number }> {
  const query = Invoice.query(knex)
    .alias('i')
    .join('users as u', 'u.id', 'i.user_id')
    .select('i.*', 'u.email')
    .orderBy([...order]);
  if (q !== '') query.where((own) => own.where('i.invoice_number', q).orWhere('u.email', normalizeEmail(q)));
  if (status !== '') query.where('i.status', status);
  const { results, total } = await query.page(page - 1, perPage).castTo<Page<InvoiceFound>>();
  return { rows: results, total };
}

export type SettlementFound = Settlement & { readonly team_name: string; readonly auction_title: string };

export interface SettlementSearch extends MoneySearch {
  readonly teamId?: number | undefined;
}

/** Settlements with whose they are, and how many there are. */
export async function searchSettlements(
  knex: Knex,
  { q, status, teamId, page, perPage, order = [{ column: 's.id', order: 'desc' }] }: SettlementSearch,
): Promise<{ rows: SettlementFound[]; total: number }> {
  const query = Settlement.query(knex)
    .alias('s')
    .join('teams as t', 't.id', 's.team_id')
    .join('auctions as a', 'a.id', 's.auction_id')
    .select('s.*', 't.name as team_name', 'a.title as auction_title')
    .orderBy([...order]);
  if (q !== '') query.where('s.statement_number', q);
  if (status !== '') query.where('s.status', status);
  if (teamId !== undefined) query.where('s.team_id', teamId);
  const { results, total } = await query.page(page - 1, perPage).castTo<Page<SettlementFound>>();
  return { rows: results, total };
}

/** What these settlements come to, by their ids. */
export async function settlementNets(
  knex: Knex,
  ids: readonly number[],
): Promise<ReadonlyMap<number, bigint>> {
  // SQL: sums over lines and adjustments in one statement.
  const { rows } = await knex.raw<{ rows: { id: number; net: string }[] }>(
    `SELECT s.id, (SELECT coalesce(sum(net_cents), 0) FROM settlement_lines WHERE settlement_id = s.id)
       + (SELECT coalesce(sum(amount_cents - commission_cents), 0) FROM settlement_adjustments
          WHERE settlement_id = s.id) AS net
     FROM settlements s WHERE s.id = ANY(?::bigint[])`,
    [[...ids]],
  );
  return new Map(rows.map(({ id, net }) => [id, BigInt(net)]));
}

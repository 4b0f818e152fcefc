/**
 * What deposits cover of winners' invoices: a credit moves money from what a deposit holds to what an invoice asks for,
 * and its release moves it back. The caller holds the money of the auction's team.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { entryCount, post } from '../ledger/post.ts';
import { DepositCredit, Invoice } from './invoice.model.ts';
import { covered, keptCents, reopened, reread, surplusCents } from './invoices.ts';
import { DISPUTED_SQL } from './payment.model.ts';

/** What a deposit holds that covers nothing and that nobody disputes, in cents; below zero: what it covers too much. */
export async function freeCents(trx: Knex, deposit: Invoice): Promise<number> {
  return keptCents(deposit) - deposit.credited_cents - (await disputedCents(trx, deposit));
}

/** What of an invoice's money its payers dispute, in cents: until that is over nobody knows whose it is. */
async function disputedCents(knex: Knex, { id }: Invoice): Promise<number> {
  const row = await Invoice.query(knex)
    .findById(id)
    .select(raw(`${DISPUTED_SQL} AS disputed_cents`))
    .castTo<{ disputed_cents: number }>();
  return row.disputed_cents;
}

/** What of an invoice can go back as paid too much, in cents: neither what is disputed nor what a deposit covers. */
export async function returnableCents(trx: Knex, invoice: Invoice): Promise<number> {
  const surplus = surplusCents(invoice);
  if (invoice.kind === 'deposit') return Math.min(surplus, await freeCents(trx, invoice));
  return surplus - (await disputedCents(trx, invoice));
}

/** Covers `cents` of an open invoice with a deposit of its currency. */
export async function credit(
  trx: Knex.Transaction,
  deposit: Invoice,
  invoice: Invoice,
  cents: number,
): Promise<Invoice> {
  await postCredit(trx, deposit.id, invoice, cents);
  return covered(trx, invoice);
}

/** Takes off all that deposits cover of an invoice. */
export async function releaseAll(trx: Knex.Transaction, invoice: Invoice): Promise<void> {
  for (const { deposit_invoice_id: id, amount_cents } of await creditsOf(trx, { invoice_id: invoice.id }))
    await postCredit(trx, id, invoice, -amount_cents);
}

/** Takes off `cents` of what a deposit covers, newest first. Returns the invoices that are open again. */
export async function releaseNewest(
  trx: Knex.Transaction,
  deposit: Invoice,
  cents: number,
): Promise<Invoice[]> {
  let left = cents;
  const open: Invoice[] = [];
  for (const { invoice_id: id, amount_cents } of await creditsOf(trx, { deposit_invoice_id: deposit.id })) {
    const released = Math.min(left, amount_cents);
    if (released <= 0) break;
    left -= released;
    const invoice = await reread(trx, { id });
    await postCredit(trx, deposit.id, invoice, -released);
    open.push(await reopened(trx, invoice));
  }
  return open;
}

function creditsOf(trx: Knex, where: Partial<DepositCredit>): Promise<DepositCredit[]> {
  return DepositCredit.query(trx)
    .where(where)
    .orderBy('id', 'desc')
    .then((rows) => rows);
}

async function postCredit(trx: Knex.Transaction, depositId: number, invoice: Invoice, cents: number) {
  const { id, currency, auction_id: auctionId } = invoice;
  await post(trx, {
    cause: `credit:${depositId}:${id}:${await entryCount(trx, 'invoice_id', depositId)}`,
    kind: 'credit',
    currency,
    entries: [
      { account: 'deposits_held', amount: cents, invoiceId: depositId, auctionId },
      { account: 'receivable', amount: -cents, invoiceId: id, auctionId },
    ],
  });
}

/**
 * What buyers of the demo do once the sale that ends right after the start is over: ours pays one of the lots by bank
 * transfer and books a time for collecting it, so that the account has a slip and the seller's gate somebody to expect;
 * two others pay and dispute it.
 */
import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import { present } from '../../../engine/first-of.ts';
import { decimalsOf, formatCents } from '../../../engine/money.ts';
import { Invoice } from '../../billing/invoices/invoice.model.ts';
import { outstandingCents } from '../../billing/invoices/invoices.ts';
import { referenceOf } from '../../billing/invoices/references.ts';
import { recordTransfer } from '../../billing/staff/record-transfer.ts';
import { bookCollection, listCollectionSlots } from '../../sales/collections/collections.ts';
import { type DisputeParts, disputeInvoices, invoicesToDispute } from './disputes.ts';
import { SOLD_AUCTION } from './more-auctions.ts';
import { DEMO_PEOPLE } from './people.ts';
import { once } from './seed.ts';

const LOOKS = 60;
const EVERY_MS = 5_000;

/** Waits for the sale, some minutes at most; the next start waits anew. */
export async function bookDemoCollection(parts: DisputeParts, signal: AbortSignal): Promise<void> {
  const { knex } = parts;
  for (let look = 0; look < LOOKS && !signal.aborted; look += 1) {
    const invoice = await firstInvoice(knex);
    const disputed =
      invoice === undefined ? null : await invoicesToDispute(knex, SOLD_AUCTION, invoice.user_id);
    if (invoice !== undefined) await once(knex, 'collection', () => book(parts, invoice));
    if (disputed !== null) return once(knex, 'disputes', () => disputeInvoices(parts, disputed));
    await setTimeout(EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function firstInvoice(knex: Knex): Promise<Invoice | undefined> {
  const { email } = present(DEMO_PEOPLE.find(({ role }) => role === 'buyer'));
  return Invoice.query(knex)
    .join('users as u', 'u.id', 'invoices.user_id')
    .join('auctions as a', 'a.id', 'invoices.auction_id')
    .where({ 'u.email': email, 'a.slug': SOLD_AUCTION, 'invoices.kind': 'winner' })
    .select('invoices.*')
    .orderBy('invoices.id')
    .first();
}

async function book(parts: Parameters<typeof recordTransfer>[0], invoice: Invoice): Promise<void> {
  const { id, user_id: userId, auction_id: auctionId, currency } = invoice;
  if (invoice.status === 'open')
    await recordTransfer(parts, {
      reference: referenceOf({ kind: 'invoice', id }),
      amount: formatCents(outstandingCents(invoice), decimalsOf(currency)),
      currency,
      id: `demo-${invoice.invoice_number}`,
    });
  const slots = await listCollectionSlots(parts.knex, present(auctionId), { userId });
  const slot = slots.find(({ free }) => free);
  if (slot !== undefined) await bookCollection(parts.knex, userId, present(auctionId), slot.from);
}

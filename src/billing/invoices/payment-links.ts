/**
 * Where an open invoice can be paid. A provider's link is requested when an invoice is opened, kept with it, and
 * requested again when it has expired, or the amount or our own address has changed, to which it leads back; a provider
 * that does not answer costs the link and nothing else.
 */
import type { Knex } from 'knex';
import type { Log } from '../../shared/log.ts';
import type { Checkout, Payable, PaymentProvider } from '../providers/provider.ts';
import { Invoice } from './invoice.model.ts';
import type { InvoiceRow } from './invoice-rows.ts';
import { outstandingCents } from './invoices.ts';

export interface LinkParts {
  readonly knex: Knex;
  readonly log: Pick<Log, 'warn'>;
  /** Null: invoices are paid some other way. */
  readonly provider: PaymentProvider | null;
}

/** The link that is known already under the address that we have now, or null; costs nothing. */
export function knownLink(row: InvoiceRow, baseUrl: string): string | null {
  const fits =
    row.checkout_live && row.checkout_cents === outstandingCents(row) && row.checkout_base === baseUrl;
  return row.status === 'open' && fits ? row.checkout_url : null;
}

/**
 * The link, made where there is none yet. Null for invoices that are not open, and while the provider is unavailable.
 */
export async function paymentLink(
  parts: LinkParts,
  row: InvoiceRow,
  email: string,
  baseUrl: string,
): Promise<string | null> {
  if (row.status !== 'open') return null;
  const known = knownLink(row, baseUrl);
  if (known !== null) return known;
  const amountCents = outstandingCents(row);
  const payable = {
    key: row.invoice_number,
    metadata: { invoice_number: row.invoice_number },
    name: `Invoice ${row.invoice_number}`,
    page: `/api/v1/invoices/${row.invoice_number}/document`,
    currency: row.currency,
    amountCents,
    description: row.lines.map((line) => line.description).join(', '),
    email,
  };
  const made = await pageToPay(parts, payable, baseUrl);
  if (made === null) return null;
  const { url, expiresAtMs } = made;
  await Invoice.query(parts.knex)
    .where({ id: row.id, status: 'open' })
    .patch({
      checkout_url: url,
      checkout_cents: amountCents,
      checkout_base: baseUrl,
      checkout_expires_at: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
    });
  return url;
}

/** The provider's page where it can be paid; null without a provider, and while that is unavailable. */
export async function pageToPay(
  { provider, log }: LinkParts,
  payable: Payable,
  baseUrl: string,
): Promise<Checkout | null> {
  if (provider === null) return null;
  return provider.checkout(payable, baseUrl).catch((err: unknown) => {
    log.warn({ err, payable: payable.key }, 'no payment link');
    return null;
  });
}

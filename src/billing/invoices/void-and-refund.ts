/** What staff decide about an invoice on the command line: voiding a debt, and giving back all that was paid. */
import type { Knex } from 'knex';
import { appendEvents } from '../../events/outbox.ts';
import { InputError } from '../../shared/input-error.ts';
import { inTransaction } from '../../shared/transactions.ts';
import type { PaymentProvider } from '../providers/provider.ts';
import type { Invoice } from './invoice.model.ts';
import { type Changed, giveBack, keptCents, lockInvoice, requireMove, voidInvoice } from './invoices.ts';

/** Cancels a draft or open invoice. Throws `InputError`. */
export function voidByNumber(knex: Knex, number: string): Promise<Invoice> {
  return inTransaction(knex, async (trx) => {
    const invoice = await requireInvoice(trx, number);
    return told(trx, await voidInvoice(trx, invoice));
  });
}

interface Taken {
  readonly payment_id: string;
  readonly provider: string;
  readonly amount_cents: number;
}

/**
 * Gives back all that was paid of an invoice, through the provider that took it. Throws `InputError`, and what the provider throws;
 * nothing is booked then, and doing it again sends no money twice.
 */
export function refundByNumber(
  knex: Knex,
  provider: PaymentProvider | null,
  number: string,
): Promise<Invoice> {
  return inTransaction(knex, async (trx) => {
    const invoice = await requireInvoice(trx, number);
    requireMove(invoice, 'refunded');
    const taken: Taken[] = await trx('payments')
      .where({ invoice_id: invoice.id, status: 'applied' })
      .orderBy('id');
    let left = keptCents(invoice);
    for (const { payment_id, amount_cents, provider: by } of taken) {
      const cents = Math.min(left, amount_cents);
      if (cents === 0) continue;
      if (provider?.name === by) await provider.refund(payment_id, cents, `refund-${number}-${payment_id}`);
      await trx('refunds').insert({
        invoice_id: invoice.id,
        event_id: `staff:${number}:${payment_id}`,
        charge_id: payment_id,
        status: 'applied',
        amount_cents: cents,
      });
      left -= cents;
    }
    return told(trx, await giveBack(trx, invoice, keptCents(invoice)));
  });
}

async function told(trx: Knex.Transaction, { invoice, facts }: Changed): Promise<Invoice> {
  await appendEvents(trx, facts);
  return invoice;
}

async function requireInvoice(trx: Knex.Transaction, number: string): Promise<Invoice> {
  const invoice = await lockInvoice(trx, number);
  if (invoice === null) throw new InputError(`number: there is no invoice ${number}`);
  return invoice;
}

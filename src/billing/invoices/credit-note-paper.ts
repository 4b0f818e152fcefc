/** A credit note with its invoice, and what is printed of it, for the page and the PDF alike. */
import type { Knex } from 'knex';
import type { Paper } from '../../../adapters/pdf/paper-pdf.ts';
import { CreditNote, type Invoice } from './invoice.model.ts';
import { moneyIn, partiesOf } from './invoice-paper.ts';
import type { Parties } from './parties.ts';

type Noted = CreditNote & { readonly invoice: Invoice };

/** By its number, with its invoice; null if there is none. */
export async function findCreditNote(knex: Knex, number: string): Promise<Noted | null> {
  const found = await CreditNote.query(knex)
    .findOne({ number })
    .withGraphFetched('invoice')
    .castTo<Noted | undefined>();
  return found ?? null;
}

export function creditNotePaper(note: Noted, parties: Parties): Paper {
  const money = moneyIn(note.invoice.currency);
  const amount = money(note.amount_cents);
  return {
    title: `Credit note ${note.number}`,
    parties: partiesOf(parties),
    facts: [
      ['Date', note.created_at.slice(0, 10)],
      ['Invoice', note.invoice.invoice_number],
      ['Invoice date', note.invoice.created_at.slice(0, 10)],
    ],
    rows: [[`Credit on invoice ${note.invoice.invoice_number}`, amount]],
    totals: [
      ['Total credit', amount],
      ...(note.tax_cents > 0 ? [['Of which tax', money(note.tax_cents)] as const] : []),
    ],
  };
}

/** What is printed of an invoice, for the page and the PDF alike. */
import type { Paper, PaperRow } from '../../../adapters/pdf/paper-pdf.ts';
import { decimalsOf, formatCents } from '../../../engine/money.ts';
import type { InvoiceRow } from './invoice-rows.ts';
import { outstandingCents } from './invoices.ts';
import type { Parties, Party } from './parties.ts';
import { referenceOf } from './references.ts';

const TITLES = {
  winner: 'Invoice',
  platform_fee: 'Platform fee invoice',
  subscription: 'Subscription invoice',
  deposit: 'Deposit invoice',
} as const;

const TAX_NUMBERS = { resale: 'Resale certificate', exemption: 'Exemption', vat: 'VAT number' } as const;

export function invoicePaper(row: InvoiceRow, parties: Parties): Paper {
  const money = moneyIn(row.currency);
  return {
    title: `${TITLES[row.kind]} ${row.invoice_number}`,
    parties: partiesOf(parties),
    facts: [
      ['Date', row.created_at.slice(0, 10)],
      ['Due', row.due_at.slice(0, 10)],
      ...optional('Conditions of sale', row.conditions_version, (version) => `Version ${version}`),
      ...optional(
        'Without tax',
        row.taxNumber ?? null,
        ({ kind, number, region }) => `${TAX_NUMBERS[kind]} ${number}, ${region}`,
      ),
      ['Status', row.is_overdue ? 'open, overdue' : row.status],
      ...optional('Paid', row.paid_at, (at) => at.slice(0, 10)),
      ...(row.status === 'open'
        ? [['Reference', referenceOf({ kind: 'invoice', id: row.id })] as const]
        : []),
    ],
    rows: [
      ...row.lines.map((line): PaperRow => [line.description, money(line.amount_cents)]),
      ...row.credits.map(
        ({ deposit, amount_cents }): PaperRow => [
          `Deposit ${deposit?.invoice_number ?? ''}`,
          `−${money(amount_cents)}`,
        ],
      ),
    ],
    totals: [
      ['Total', money(row.amount_due_cents)],
      ...optional('Received', row.amount_paid_cents || null, money),
      ...optional('Refunded', row.amount_refunded_cents || null, money),
      ...(row.status === 'open' ? [['Still owed', money(outstandingCents(row))] as const] : []),
    ],
  };
}

/** An amount as it is printed: `1234.50 USD`. */
export function moneyIn(currency: string): (cents: number) => string {
  return (cents) => `${formatCents(cents, decimalsOf(currency))} ${currency.toUpperCase()}`;
}

export function partiesOf({ seller, buyer }: Parties): Paper['parties'] {
  return [
    { heading: 'Seller', lines: linesOf(seller) },
    { heading: 'Billed to', lines: linesOf(buyer) },
  ];
}

function linesOf({ name, email, address, taxNumber }: Party): string[] {
  return [
    name,
    ...(email === null ? [] : [email]),
    ...(address?.split('\n') ?? []),
    ...(taxNumber === null ? [] : [`Tax number ${taxNumber}`]),
  ];
}

function optional<T>(label: string, value: T | null, shown: (value: T) => string): PaperRow[] {
  return value === null ? [] : [[label, shown(value)]];
}

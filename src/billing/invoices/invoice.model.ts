/**
 * An invoice's row, its lines, and how it may move. Money is integer cents, times ISO 8601 UTC with microseconds. Whoever
 * changes an invoice holds its row's lock and goes through `invoices.ts` or `payments/`.
 */
export const INVOICE_KINDS = ['winner', 'platform_fee', 'subscription', 'deposit'] as const;
export type InvoiceKind = (typeof INVOICE_KINDS)[number];

export const INVOICE_STATUSES = ['draft', 'open', 'paid', 'voided', 'refunded'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

export interface Invoice {
  readonly id: number;
  readonly invoice_number: string;
  readonly kind: InvoiceKind;
  readonly status: InvoiceStatus;
  /** Who owes it. */
  readonly user_id: number;
  /** The team whose subscribers hear of it. */
  readonly team_id: number | null;
  readonly auction_id: number | null;
  readonly lot_id: number | null;
  readonly subscription_id: number | null;
  readonly campaign_id: number | null;
  readonly period_start: string | null;
  readonly period_end: string | null;
  readonly currency: string;
  readonly amount_due_cents: number;
  /** Everything that came, refunds not taken off. */
  readonly amount_paid_cents: number;
  readonly amount_refunded_cents: number;
  readonly due_at: string;
  readonly overdue_at: string | null;
  readonly paid_at: string | null;
  readonly voided_at: string | null;
  readonly refunded_at: string | null;
  readonly created_at: string;
}

export type LineKind = 'hammer' | 'premium' | 'tax' | 'commission' | 'fee' | 'subscription' | 'deposit';

export interface InvoiceLine {
  readonly kind: LineKind;
  readonly description: string;
  readonly amount_cents: number;
}

const MOVES: Readonly<Record<InvoiceStatus, readonly InvoiceStatus[]>> = {
  draft: ['open', 'voided'],
  open: ['paid', 'voided'],
  paid: ['refunded'],
  voided: [],
  refunded: [],
};

/** Where an invoice may go from a status. */
export function allowedMoves(from: InvoiceStatus): readonly InvoiceStatus[] {
  return MOVES[from];
}

/** The model's money: a naive ledger of what was billed, what came, and what went back, each in whole cents. */
import type { AuctionModel, LotModel } from './market-terms.ts';

export interface PaymentModel {
  readonly name: string;
  readonly cents: number;
  /** The invoice that it names. */
  readonly meantFor: InvoiceModel;
  /** Whose money it is: an invoice's, or nobody's yet. */
  on: InvoiceModel | null;
  /** What went back of it: sent by us, and whether the provider has said so; or told by the provider. */
  readonly backs: { readonly cents: number; readonly ours: boolean; confirmed: boolean }[];
  /** What the provider withholds, and what a lost dispute has taken. */
  disputedCents: number;
  /** A payment is disputed once. */
  disputed: 'open' | 'over' | null;
  lostCents: number;
}

export interface InvoiceModel {
  readonly name: string;
  /** '' until it has been read. */
  number: string;
  readonly lot: LotModel;
  readonly buyer: string;
  readonly hammerCents: number;
  readonly dueCents: number;
  status: 'open' | 'paid' | 'voided' | 'refunded';
  /** Whether its buyer was said not to pay. */
  defaulted: boolean;
  /** Whether it ever was paid. */
  wasPaid: boolean;
  /** What refunds have taken off it: it is owed no more. */
  creditedCents: number;
}

/** A lot whose winner did not pay, or that has passed, for the best bidder who is left. */
export interface OfferModel {
  readonly name: string;
  id: number;
  readonly lot: LotModel;
  readonly to: string;
  readonly cents: number;
  readonly untilUs: number;
  /** Not where the seller accepted the bid at which the lot had passed. */
  readonly wasMade: boolean;
  status: 'offered' | 'accepted' | 'declined' | 'expired';
}

/** What the provider said of a payment that it had not yet told of. */
export interface EarlyRefund {
  readonly payment: string;
  readonly cents: number;
  readonly inAll: boolean;
}

export interface SettlementModel {
  readonly auction: AuctionModel;
  status: 'draft' | 'pending' | 'approved' | 'paid';
  id: number;
}

export const backOf = (payment: PaymentModel): number =>
  payment.backs.reduce((sum, { cents }) => sum + cents, 0);

/** What of a payment could still go back. */
export const leftOf = (payment: PaymentModel): number =>
  payment.cents - backOf(payment) - payment.disputedCents - payment.lostCents;

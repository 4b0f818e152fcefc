/**
 * The accounts of the ledger and what moves between them. An entry above zero is a debit, one below zero a credit: what
 * we have or are owed is above zero, what we owe or have earned below.
 */

/** What each account holds; the books print these sentences. */
export const ACCOUNTS = {
  receivable: 'what invoices still ask for; below zero: paid beyond what was due',
  provider: 'money at the payment provider',
  disputed: 'money that the provider withholds while a payer disputes it',
  at_platforms: 'what floor bidders without an account pay where they bid',
  paid_out: 'money paid out to sellers',
  unallocated: 'payments that no invoice has taken',
  deposits_held: 'bidders’ deposits',
  refunds_under_way: 'money sent back that the provider has not confirmed yet',
  owed_to_sellers: 'sellers’ share of sales, less commission and fees',
  premium: 'buyer’s premium',
  tax: 'sales tax',
  commission: 'commission on sales',
  fees: 'fees and campaigns',
  subscriptions: 'plans',
  chargeback_losses: 'disputes that were lost and that the platform bears',
} as const;

export type Account = keyof typeof ACCOUNTS;

/** What a posting is: `invoice` makes a debt, `payment` is money that came, `allocation` puts it on an invoice … */
export type PostingKind =
  | 'invoice'
  | 'void'
  | 'payment'
  | 'allocation'
  | 'refund'
  | 'refund_confirmed'
  | 'credit_note'
  | 'credit'
  | 'dispute'
  | 'dispute_lost'
  | 'commission'
  | 'payout';

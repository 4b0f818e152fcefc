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

/** What people call them. */
export const ACCOUNT_NAMES: Readonly<Record<Account, string>> = {
  receivable: 'Receivable',
  provider: 'Payment provider',
  disputed: 'Disputed',
  at_platforms: 'Paid at platforms',
  paid_out: 'Paid out',
  unallocated: 'Unallocated',
  deposits_held: 'Deposits held',
  refunds_under_way: 'Refunds under way',
  owed_to_sellers: 'Owed to sellers',
  premium: 'Buyer’s premium',
  tax: 'Sales tax',
  commission: 'Commission',
  fees: 'Fees',
  subscriptions: 'Subscriptions',
  chargeback_losses: 'Lost disputes',
};

/** What a posting is: `invoice` makes a debt, `payment` is money that came, `allocation` puts it on an invoice … */
export const POSTING_KINDS = {
  invoice: 'Invoice',
  void: 'Voided',
  payment: 'Payment',
  allocation: 'Allocation',
  refund: 'Refund',
  refund_confirmed: 'Refund confirmed',
  credit_note: 'Credit note',
  credit: 'Credit',
  dispute: 'Dispute',
  dispute_lost: 'Lost dispute',
  commission: 'Commission',
  payout: 'Pay-out',
} as const;
export type PostingKind = keyof typeof POSTING_KINDS;

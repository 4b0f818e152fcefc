/** What an invoice means in the ledger: a debt of its payer to whom each of its lines is for. */
import type { Knex } from 'knex';
import type { Account } from '../ledger/chart-of-accounts.ts';
import { type Entry, entryCount, type Posting, postedSums } from '../ledger/post.ts';
import type { Invoice, InvoiceLine, LineKind } from './invoice.model.ts';

type Billed = Pick<Invoice, 'id' | 'kind' | 'campaign_id' | 'auction_id' | 'currency'>;

/** Who each kind of line is for; a deposit is nobody's until it is paid. */
const EARNED: Readonly<Record<LineKind, Account | null>> = {
  hammer: 'owed_to_sellers',
  premium: 'premium',
  tax: 'tax',
  commission: 'commission',
  fee: 'fees',
  subscription: 'subscriptions',
  deposit: null,
};

/**
 * The debt that an invoice makes when it is opened. What a settlement has taken of a seller's money already is theirs
 * again as far as an invoice asks for it.
 */
export function invoicePosting(invoice: Billed, lines: readonly InvoiceLine[]): Posting {
  const { id, auction_id: auctionId, currency } = invoice;
  const settled = invoice.kind === 'platform_fee' && invoice.campaign_id === null;
  const entries: Entry[] = lines.flatMap(({ kind, amount_cents }) => {
    const account = settled ? 'owed_to_sellers' : EARNED[kind];
    if (account === null) return [];
    return [
      { account: 'receivable', amount: amount_cents, invoiceId: id, auctionId },
      { account, amount: -amount_cents, invoiceId: id, auctionId },
    ];
  });
  return { cause: `invoice:${id}`, kind: 'invoice', currency, entries };
}

/** What an invoice and its credit notes have booked, for whom. */
const bookedFor = (trx: Knex, id: number) => postedSums(trx, 'invoice_id', id, 'invoice', 'credit_note');

/** What is left of an invoice's debt, account by account, taken back. */
export async function reversal(trx: Knex, { id, auction_id: auctionId }: Billed): Promise<readonly Entry[]> {
  const booked = await bookedFor(trx, id);
  return booked.map(({ account, amount }) => ({ account, amount: -amount, invoiceId: id, auctionId }));
}

/** What lost disputes have taken of a sale is back with its payer: where nothing was sold, it is nobody’s loss. */
export async function lostBack(trx: Knex, { id, currency, auction_id: auctionId }: Billed): Promise<Posting> {
  const lost = await postedSums(trx, 'invoice_id', id, 'dispute_lost');
  const entries = lost.flatMap(({ account, amount }): Entry[] => [
    { account, amount: -amount, invoiceId: id, auctionId },
    { account: 'receivable', amount, invoiceId: id, auctionId },
  ]);
  return { cause: `lost_back:${id}`, kind: 'refund', currency, entries };
}

/**
 * Takes off an invoice what it still asks for. All that was ever taken off is shared out as the lines are, half a cent
 * up, so that many small ones come to what one would have.
 */
export async function creditNote(trx: Knex, invoice: Billed & Pick<Invoice, 'owed_cents'>): Promise<Posting> {
  const { id, currency, auction_id: auctionId, owed_cents: owed } = invoice;
  const booked = await bookedFor(trx, id);
  const billed = booked.filter(({ account, kind }) => kind === 'invoice' && account !== 'receivable');
  const notes = booked.filter(({ kind }) => kind === 'credit_note');
  const before = (account: Account) => BigInt(notes.find((note) => note.account === account)?.amount ?? 0);
  const total = billed.reduce((sum, { amount }) => sum - BigInt(amount), 0n);
  const all = BigInt(owed) - before('receivable');
  const shareOf = (upTo: bigint) => (2n * all * upTo + total) / (2n * total);
  let upTo = 0n;
  const entries = billed.map(({ account, amount }): Entry => {
    const share = shareOf(upTo - BigInt(amount)) - shareOf(upTo);
    upTo -= BigInt(amount);
    return { account, amount: share - before(account), invoiceId: id, auctionId };
  });
  return {
    cause: `credit_note:${id}:${await entryCount(trx, 'invoice_id', id)}`,
    kind: 'credit_note',
    currency,
    entries: [...entries, { account: 'receivable', amount: -owed, invoiceId: id, auctionId }],
  };
}

/**
 * Deposits for auctions that ask for one: registering opens an invoice, and its payment approves the bidder in the journal, so that it
 * holds for the very next bid. The approval follows the payment's commit; a round makes up for it where the journal was away.
 */
import type { Knex } from 'knex';
import { aliasFrom } from '../../../engine/actor/auction-cache.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { type Bidder, userKey } from '../../../engine/auction/record.ts';
import { appendEvents } from '../../events/outbox.ts';
import { newSalt } from '../../shared/node-crypto.ts';
import { createInvoices } from '../invoices/create-invoices.ts';
import type { Invoice } from '../invoices/invoice.model.ts';

interface DepositTerms {
  readonly title: string;
  readonly team_id: number;
  readonly currency: string;
  readonly registration_mode: string;
  readonly registration_deposit_cents: number | null;
}

/** As `openDepositInvoice`, for who needs to know the number alone. */
export async function openDeposit(
  trx: Knex.Transaction,
  auctionId: number,
  userId: number,
): Promise<string | null> {
  return (await openDepositInvoice(trx, auctionId, userId))?.invoice_number ?? null;
}

/**
 * The deposit invoice of this bidder in this auction, made where there is none that counts; the bidder's registration should say
 * `deposit_due` until it is paid. Null where the auction asks for no deposit. Runs in the caller's transaction.
 */
export async function openDepositInvoice(
  trx: Knex.Transaction,
  auctionId: number,
  userId: number,
): Promise<Invoice | null> {
  await trx.raw('SELECT pg_advisory_xact_lock(hashtextextended(?, 8))', [`${auctionId}:${userId}`]);
  const there = await trx('invoices')
    .where({ auction_id: auctionId, user_id: userId, kind: 'deposit' })
    .whereIn('status', ['draft', 'open', 'paid'])
    .first<Invoice | undefined>();
  if (there !== undefined) return there;
  const terms = await trx('auctions').where('id', auctionId).first<DepositTerms | undefined>();
  if (terms?.registration_mode !== 'deposit' || terms.registration_deposit_cents === null) return null;
  const { invoices, facts } = await createInvoices(trx, [
    {
      kind: 'deposit',
      userId,
      teamId: terms.team_id,
      auctionId,
      currency: terms.currency,
      lines: [
        {
          kind: 'deposit',
          description: `Bidder’s deposit: ${terms.title}`,
          amount_cents: terms.registration_deposit_cents,
        },
      ],
    },
  ]);
  await appendEvents(trx, facts);
  return invoices[0]!;
}

export interface DepositParts {
  readonly knex: Knex;
  readonly journal: Pick<Journal, 'loadBidders' | 'saveBidder'>;
}

/** Approves the bidder whose deposit this invoice is, if it is one. Throws when the journal is away; doing it twice is fine. */
export async function applyDeposit(parts: DepositParts, invoice: Invoice): Promise<void> {
  const { kind, status, auction_id: auctionId, user_id: userId } = invoice;
  if (kind !== 'deposit' || status !== 'paid' || auctionId === null) return;
  const key = userKey(userId);
  const known = (await parts.journal.loadBidders(auctionId, [key])).get(key)?.bidder ?? null;
  if (known === null || known.status === 'deposit_due' || known.status === 'pending') {
    const bidder: Bidder = known ?? {
      key,
      userId,
      alias: aliasFrom(newSalt()),
      paddle: null,
      status: 'approved',
      limitCents: null,
    };
    await parts.journal.saveBidder(auctionId, { ...bidder, status: 'approved' }, null);
  }
  await parts.knex('invoices').where('id', invoice.id).update({ deposit_applied_at: parts.knex.fn.now() });
}

const AT_ONCE = 100;

/** Approves everybody whose deposit is paid and who is not approved for it yet. Returns how many. */
export async function applyPaidDeposits(parts: DepositParts): Promise<number> {
  const paid: Invoice[] = await parts
    .knex('invoices')
    .where({ kind: 'deposit', status: 'paid' })
    .whereNull('deposit_applied_at')
    .orderBy('id')
    .limit(AT_ONCE);
  for (const invoice of paid) await applyDeposit(parts, invoice);
  return paid.length;
}

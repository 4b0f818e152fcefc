/**
 * Deposits for auctions that require one: registering opens an invoice, and its payment approves the bidder in the
 * journal, so that it holds for the very next bid; a refund reverts that. The journal follows the payment's commit; a
 * repeated job catches up if the journal was unavailable.
 */

import type { Knex } from 'knex';
import { raw } from 'objection';
import type { Journal } from '../../../engine/actor/journal.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import {
  changingBidder,
  type DepositPort,
  isDepositWaived,
  newBidder,
  readBidder,
} from '../../bidding/registrations/bidder-changes.ts';
import { forEachDue } from '../../shared/due-rows.ts';
import { isOverAuction } from '../../shared/statuses/auction-statuses.ts';
import { LIVE_INVOICES } from '../../shared/statuses/billing-statuses.ts';
import { holdName } from '../../shared/transactions.ts';
import { createInvoice } from '../invoices/create-invoices.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { ORDERED_SQL } from '../payments/refund-orders.ts';

/**
 * The deposit invoice of this bidder in this auction, made where there is none that counts; the bidder's registration
 * should say `deposit_due` until it is paid. Null where the auction requires no deposit. Runs in the caller's
 * transaction.
 */
export async function openDepositInvoice(
  trx: Knex.Transaction,
  auctionId: number,
  userId: number,
): Promise<Invoice | null> {
  await holdName(trx, `${auctionId}:${userId}`, 8);
  const there = await liveDeposits(trx, auctionId, [userId]);
  if (there[0] !== undefined) return there[0];
  const terms = await Auction.query(trx).findById(auctionId).forShare();
  if (terms?.registration_mode !== 'deposit' || terms.registration_deposit_cents === null) return null;
  const amount_cents = terms.registration_deposit_cents;
  return createInvoice(trx, {
    ...{ kind: 'deposit', user_id: userId, team_id: terms.team_id, auction_id: auctionId },
    currency: terms.currency,
    lines: [{ kind: 'deposit', description: `Bidder’s deposit: ${terms.title}`, amount_cents }],
  });
}

function liveDeposits(knex: Knex, auctionId: number, userIds: readonly number[]) {
  return Invoice.query(knex)
    .where({ auction_id: auctionId, kind: 'deposit' })
    .whereIn('user_id', [...userIds])
    .whereIn('status', [...LIVE_INVOICES]);
}

const KEPT = 'amount_paid_cents - amount_refunded_cents';
/** SQL: whether a deposit is paid, and no part of what it asks for has gone back, or is ordered to. */
const COVERS = `(status = 'paid' AND ${KEPT} - ${ORDERED_SQL} >= amount_due_cents)`;

/** What registrations need to know of deposits. */
export const DEPOSITS: DepositPort = {
  async open(trx, auctionId, userId) {
    return (await openDepositInvoice(trx, auctionId, userId))?.invoice_number ?? null;
  },
  async isPaid(knex, auctionId, userId) {
    return (await liveDeposits(knex, auctionId, [userId]).whereRaw(COVERS)).length > 0;
  },
  async numbers(knex, auctionId, userIds) {
    if (userIds.length === 0) return new Map();
    const invoices = await liveDeposits(knex, auctionId, userIds);
    return new Map(invoices.map((invoice) => [invoice.user_id, invoice.invoice_number]));
  },
};

export interface DepositParts {
  readonly knex: Knex;
  readonly journal: Pick<Journal, 'loadBidders' | 'saveBidder'>;
}

/**
 * Makes the journal follow a deposit: its payment lets the bidder bid, what goes back takes that away. Nothing
 * happens for other invoices. Throws when the journal is unavailable; doing it twice is fine.
 */
export async function followDeposit(parts: DepositParts, changed: Invoice): Promise<void> {
  const { id, kind, auction_id: auctionId, user_id: userId } = changed;
  if (kind !== 'deposit' || auctionId === null) return;
  await changingBidder(parts.knex, auctionId, userId, async (trx) => {
    const due = await Invoice.query(trx).findById(id).whereRaw(TO_FOLLOW);
    if (due === undefined) return;
    const applied = due.deposit_applied_at !== null;
    const auction = await readAuction(trx, auctionId);
    if (!applied) await letIn(parts, auction, userId);
    else if (auction.isRunning && !(await isDepositWaived(trx, auctionId, userId)))
      await requestAgain(parts, auctionId, userId);
    await Invoice.query(trx)
      .findById(id)
      .patch({ deposit_applied_at: applied ? null : raw('now()') });
  });
}

interface DepositAuction {
  readonly id: number;
  readonly isPrivate: boolean;
  readonly isRunning: boolean;
}

/** What counts of an auction here: one that is over takes no bids, so no standing in it changes. */
export async function readAuction(knex: Knex, id: number): Promise<DepositAuction> {
  const row = await Auction.query(knex).findById(id);
  return {
    id,
    isPrivate: row?.privacy_setting === 'private',
    isRunning: row !== undefined && !isOverAuction(row.status),
  };
}

/** In a private auction a deposit comes on top of the seller's invitation, never in its place. */
async function letIn(
  { journal }: DepositParts,
  { id, isPrivate, isRunning }: DepositAuction,
  userId: number,
): Promise<void> {
  if (!isRunning) return;
  const known = await readBidder(journal, id, userId);
  const waits =
    known?.status === 'deposit_due' || (!isPrivate && (known === null || known.status === 'pending'));
  if (waits) await journal.saveBidder(id, { ...(known ?? newBidder(userId)), status: 'approved' }, null);
}

async function requestAgain({ journal }: DepositParts, auctionId: number, userId: number): Promise<void> {
  const known = await readBidder(journal, auctionId, userId);
  if (known?.status === 'approved')
    await journal.saveBidder(auctionId, { ...known, status: 'deposit_due' }, null);
}

/** SQL: whether the journal does not have a deposit's payment, or its return, yet: each half has an index. */
const TO_FOLLOW = `((deposit_applied_at IS NULL AND ${COVERS})
  OR (deposit_applied_at IS NOT NULL AND (status <> 'paid' OR ${KEPT} < amount_due_cents)))`;

/** Follows all deposits whose payment or return the journal does not have yet. Returns how many. */
export function followDeposits(parts: DepositParts): Promise<number> {
  const due = Invoice.query(parts.knex).where('kind', 'deposit').whereRaw(TO_FOLLOW);
  return forEachDue('deposit', due, (invoice) => followDeposit(parts, invoice));
}

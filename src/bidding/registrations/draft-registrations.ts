/**
 * Registrations of an auction that is being prepared: the journal does not know it yet, so what its seller decides is
 * kept in the row, and takes effect when the auction is published.
 */
import type { Knex } from 'knex';
import { invalid } from '../../shared/refusal.ts';
import type { Decision, RegistrationOutcome } from './bidder-changes.ts';
import { type RegistrationRow, readRow } from './registration-rows.ts';

/** Whether the auction is a draft; it stays one until the transaction ends. */
export async function isDraft(trx: Knex.Transaction, auctionId: number): Promise<boolean> {
  const row = await trx('auctions').where({ id: auctionId, status: 'draft' }).forShare().first('id');
  return row !== undefined;
}

/** Decides in the row alone. Throws 422 for a paddle, which only a published auction gives. */
export async function decideInDraft(
  trx: Knex,
  found: RegistrationRow,
  { status, limitCents, reason, waiveDeposit, paddle }: Decision,
  deciderId: number,
): Promise<RegistrationOutcome> {
  if (paddle !== undefined) {
    throw invalid({ paddle_number: ['Paddles can be given once the auction is published.'] });
  }
  await trx('registrations')
    .where('id', found.id)
    .update({
      ...(status === undefined ? {} : { status, decided_by_user_id: deciderId, decided_at: trx.fn.now() }),
      ...(limitCents === undefined ? {} : { bid_limit_cents: limitCents }),
      ...(reason === undefined ? {} : { reason }),
      ...(waiveDeposit === undefined ? {} : { deposit_waived: waiveDeposit }),
    });
  const row = await readRow(trx, found.auction_id, { registrationId: found.id });
  return { row: row ?? found, bidder: null, isNew: found.decided_at === null, depositInvoiceNumber: null };
}

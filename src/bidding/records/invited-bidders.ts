/**
 * Bidders of whom a seller decided while the auction was a draft: their rows wait for its publication, which notifies
 * the journal of them before any lot takes bids.
 */
import type { Knex } from 'knex';
import { aliasFrom } from '../../../engine/actor/auction-cache.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { type BidderStatus, userKey } from '../../../engine/auction/record.ts';
import type { AuctionRow } from './auction-rows.ts';

interface DecidedRow {
  readonly user_id: number;
  readonly status: BidderStatus;
  readonly bid_limit_cents: number | null;
  readonly reason: string | null;
  readonly deposit_waived: boolean;
}

/**
 * Registers those whom the journal does not know yet; `newSalt` makes their aliases. They owe the deposit first, if
 * there is one.
 */
export async function admitDecided(
  knex: Knex,
  journal: Journal,
  { auctionId, registrationMode }: AuctionRow,
  newSalt: () => string,
): Promise<void> {
  // Everybody whom the journal knows has an alias, as soon as that is projected.
  const rows: DecidedRow[] = await knex('registrations')
    .where('auction_id', auctionId)
    .whereNotNull('decided_at')
    .whereNull('alias')
    .whereNotNull('user_id')
    .select('user_id', 'status', 'bid_limit_cents', 'reason', 'deposit_waived');
  if (rows.length === 0) return;
  const found = await journal.loadBidders(
    auctionId,
    rows.map((row) => userKey(row.user_id)),
  );
  for (const row of rows) {
    if (found.get(userKey(row.user_id))?.bidder != null) continue;
    const owes = registrationMode === 'deposit' && !row.deposit_waived;
    const status = row.status === 'approved' && owes ? 'deposit_due' : row.status;
    const { user_id: userId, bid_limit_cents: limitCents } = row;
    const who = { key: userKey(userId), userId, alias: aliasFrom(newSalt()), paddle: null };
    await journal.saveBidder(auctionId, { ...who, status, limitCents }, row.reason);
  }
}

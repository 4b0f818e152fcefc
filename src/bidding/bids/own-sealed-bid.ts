/**
 * A bidder's own sealed bid as lists of bids have it, opened for them alone. Read from the lot's live state, as nothing
 * of it is projected before the bids are opened.
 */
import type { Knex } from 'knex';
import type { Journal } from '../../../engine/actor/journal.ts';
import { userKey } from '../../../engine/auction/record.ts';
import { ownSealed, SEALED_FORMATS } from '../../../engine/formats/formats.ts';
import { openSecret, type Seals } from '../../../engine/lot/seals.ts';
import { isOpen, type LotState } from '../../../engine/lot/state.ts';
import { totalText } from '../../../engine/lot/unit-totals.ts';
import { formatCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { OPEN_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';
import type { BidView, StoredBid } from './bid-views.ts';

/** A bidder's own sealed bid on an open lot, as lists have bids; null: there is none, or the key is not at hand. */
export function ownSealedRow(state: LotState, userId: number, seals: Seals): StoredBid | null {
  const own = isOpen(state) ? ownSealed(state, userKey(userId)) : null;
  if (own === null || own.bid === null) return null;
  const { bidId, sealed, placedAtUs, hash, paddle, alias, channel, sequence } = own.bid;
  const secret = openSecret(seals, own.lotKey, sealed);
  if (secret === null) return null;
  return {
    lot_ids: null,
    bid_id: bidId,
    lot_id: state.lotId,
    auction_id: state.auctionId,
    sequence,
    user_id: userId,
    ceiling_cents: secret.cents,
    amount_cents: secret.cents,
    placed_at: isoFromUs(placedAtUs),
    voided: false,
    outcome: 'sealed',
    channel,
    alias,
    paddle_number: paddle,
    entry_hash: hash,
  };
}

/** The same as the list of a lot's bids shows it. */
export function ownSealedView(state: LotState, userId: number | null, seals: Seals): BidView | null {
  const row = userId === null ? null : ownSealedRow(state, userId, seals);
  if (row === null) return null;
  const amount = formatCents(row.amount_cents, state.decimals);
  return {
    id: row.bid_id,
    amount,
    total: totalText(state.units, row.amount_cents, state.decimals),
    outcome: row.outcome,
    channel: row.channel,
    sequence: null,
    placed_at: row.placed_at,
    status: 'sealed',
    bidder: { alias: row.alias, paddle_number: row.paddle_number },
    is_mine: true,
    max_amount: amount,
    receipt: { hash: row.entry_hash },
  };
}

/** More lots than anybody bids on at once. */
const MAX_LOTS = 2_000;

/**
 * The states of the open lots on which a user may have sealed bids: in auctions that they are registered in, and those
 * of `fresh` (lot → auction), of which Postgres may know nothing yet.
 */
export async function readSealedStates(
  knex: Knex,
  journal: Pick<Journal, 'load'>,
  userId: number,
  fresh: ReadonlyMap<number, number>,
): Promise<LotState[]> {
  // SQL: one statement over three tables.
  const { rows } = await knex.raw<{ rows: { id: number; auction_id: number }[] }>(
    `SELECT l.id, l.auction_id FROM registrations r
     JOIN auctions a ON a.id = r.auction_id AND a.format = ANY(:formats)
     JOIN lots l ON l.auction_id = a.id AND l.journal_opened AND l.status IN ${OPEN_LOT_SQL}
     WHERE r.user_id = :userId ORDER BY l.id DESC LIMIT :limit`,
    { formats: [...SEALED_FORMATS], userId, limit: MAX_LOTS },
  );
  const lots = new Map([...fresh, ...rows.map(({ id, auction_id }) => [id, auction_id] as const)]);
  const states = await Promise.all([...lots].map(([lotId, auctionId]) => journal.load(auctionId, lotId)));
  return states.filter((state) => state !== null);
}

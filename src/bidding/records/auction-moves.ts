/**
 * The moves of an auction that the clock and its lots make: it starts with its first lot and ends with its last. Each
 * is made at most once, together with its fact for subscribers, in the caller's transaction; the projection calls
 * these, and so may a process that finds an auction without lots whose time has come.
 */
import type { Knex } from 'knex';
import type { OutboxEvent } from '../../events/outbox.ts';
import { AUCTION_STATUSES } from '../../shared/statuses/auction-statuses.ts';
import { CLOSED_LOT_SQL, OPEN_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';

interface Moved {
  readonly id: number;
  readonly slug: string;
  readonly team_id: number;
}

/** Moves scheduled auctions to active. Returns the facts to append, for those that it moved. */
export async function startAuctions(trx: Knex, auctionIds: readonly number[]): Promise<OutboxEvent[]> {
  if (auctionIds.length === 0) return [];
  // SQL: moves only from states of the table, and returns which it moved.
  const moved = await trx.raw<{ rows: Moved[] }>(
    `UPDATE auctions SET status = 'active'
     WHERE id = ANY(?::bigint[]) AND status IN ${AUCTION_STATUSES.sourcesSql('active', 'clock')}
     RETURNING id, slug, team_id`,
    [[...auctionIds]],
  );
  return moved.rows.map((auction) => factOf(auction, 'auction.started'));
}

/**
 * Ends the auctions among these whose lots are all over, at least one of them by a close. The lots' columns must
 * already say so. Returns the facts to append.
 */
export async function endAuctions(trx: Knex, auctionIds: readonly number[]): Promise<OutboxEvent[]> {
  if (auctionIds.length === 0) return [];
  // A separate statement: a process that is scheduling another lot holds the auction's row, and the next statement then
  // sees it.
  // SQL: locks in the order of the ids, and reads nothing; invoices may still refer to the auctions meanwhile.
  await trx.raw('SELECT id FROM auctions WHERE id = ANY(?::bigint[]) ORDER BY id FOR NO KEY UPDATE', [
    [...auctionIds],
  ]);
  const moved = await trx.raw<{ rows: Moved[] }>(
    `UPDATE auctions a SET status = 'ended'
      WHERE a.id = ANY(?::bigint[]) AND a.status IN ${AUCTION_STATUSES.sourcesSql('ended', 'lots')}
        AND NOT EXISTS (SELECT 1 FROM lots l WHERE l.auction_id = a.id AND l.status IN ${OPEN_LOT_SQL})
        AND EXISTS (SELECT 1 FROM lots l WHERE l.auction_id = a.id AND l.status IN ${CLOSED_LOT_SQL})
     RETURNING id, slug, team_id`,
    [[...auctionIds]],
  );
  return moved.rows.map((auction) => factOf(auction, 'auction.ended'));
}

function factOf({ id, slug, team_id }: Moved, type: 'auction.started' | 'auction.ended'): OutboxEvent {
  return {
    eventKey: `auction-${id}-${type === 'auction.started' ? 'started' : 'ended'}`,
    type,
    teamId: team_id,
    userId: null,
    auctionId: id,
    lotId: null,
    data: { auction_id: id, slug },
  };
}

/**
 * The outbox: facts for webhooks and for `GET /api/v1/events`, written in the transaction that makes the fact. One row
 * for each fact, even where two names exist for it; readers (`read-events.ts`) distinguish the names. Only bids
 * may share rows (`bid-runs.ts`).
 */
import type { Knex } from 'knex';
import { type BidRun, rowOfRun, rowsOfBids } from './bid-runs.ts';

/** The name under which a fact is stored. `lot.passed` also means `lot.unsold`: `data.status` says which it was. */
export type StoredEventType =
  | 'lot.bid_placed'
  | 'bid.voided'
  | 'lot.sold'
  | 'lot.passed'
  | 'auction.published'
  | 'auction.started'
  | 'auction.ended'
  | 'invoice.created'
  | 'invoice.paid'
  | 'invoice.payment_failed'
  | 'invoice.refunded'
  | 'invoice.voided'
  | 'offer.created'
  | 'offer.accepted'
  | 'offer.declined'
  | 'offer.expired'
  | 'user.verified'
  | 'seller.approved'
  | 'subscription.updated'
  | 'listing.created'
  | 'listing.updated'
  | 'listing.ended'
  | 'listing.removed';

export interface OutboxEvent {
  /** Names the fact itself: a second row with the same key is refused by the database. */
  readonly eventKey: string;
  readonly type: StoredEventType;
  readonly teamId: number | null;
  readonly userId: number | null;
  readonly auctionId: number | null;
  readonly lotId: number | null;
  /** What subscribers are sent, without `event_key`, which is added. */
  readonly data: Record<string, unknown>;
  /** The trace context that a delivery of it continues; absent where nothing is traced. */
  trace?: string | null;
}

/** Where the commit of facts is announced. */
export const EVENTS_CHANNEL = 'rostrum_events';

/**
 * Appends facts in this order, and announces them when the transaction commits. Call it last in a transaction:
 * readers wait for every transaction that has begun before. Bids get a row each unless `bidsShareRows`.
 */
export async function appendEvents(
  trx: Knex,
  facts: readonly (OutboxEvent | BidRun)[],
  bidsShareRows = false,
): Promise<void> {
  if (facts.length === 0) return;
  const rows = facts.flatMap((fact) => {
    if (!('bids' in fact)) return rowOf(fact);
    return bidsShareRows ? rowOfRun(fact) : rowsOfBids(fact);
  });
  // SQL: inserts and notifies in one statement, for all facts at once.
  await trx.raw(
    `WITH added AS (
       INSERT INTO events (event_key, type, team_id, user_id, auction_id, lot_id, data, bids, trace)
       SELECT * FROM json_to_recordset(?::json) AS n (event_key text, type text, team_id bigint, user_id bigint,
         auction_id bigint, lot_id bigint, data jsonb, bids text, trace text))
     SELECT pg_notify(?, '')`,
    [JSON.stringify(rows), EVENTS_CHANNEL],
  );
}

function rowOf({ eventKey, type, teamId, userId, auctionId, lotId, data, trace }: OutboxEvent) {
  return {
    event_key: eventKey,
    type,
    team_id: teamId,
    user_id: userId,
    auction_id: auctionId,
    lot_id: lotId,
    data: { event_key: eventKey, ...data },
    trace,
  };
}

/**
 * The outbox: facts for webhooks and for `GET /api/v1/events`, written in the transaction that makes the fact. One
 * row for each fact, even where two names exist for it; whoever reads (`read-events.ts`) tells the names apart.
 */
import type { Knex } from 'knex';

/** The name under which a fact is stored. `lot.passed` stands for `lot.unsold` too: `data.status` says which it was. */
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
  /** What subscribers are told, without `event_key`, which is added. */
  readonly data: Record<string, unknown>;
}

/** Where the commit of facts is announced. */
export const EVENTS_CHANNEL = 'rostrum_events';

/**
 * Appends facts in this order, and announces them when the transaction commits. Call it last in a transaction:
 * readers wait for every transaction that has begun before.
 */
export async function appendEvents(trx: Knex, events: readonly OutboxEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => ({
    event_key: event.eventKey,
    type: event.type,
    team_id: event.teamId,
    user_id: event.userId,
    auction_id: event.auctionId,
    lot_id: event.lotId,
    data: { event_key: event.eventKey, ...event.data },
  }));
  // SQL: inserts and notifies in one statement, for every fact of a batch.
  await trx.raw(
    `WITH added AS (
       INSERT INTO events (event_key, type, team_id, user_id, auction_id, lot_id, data)
       SELECT * FROM json_to_recordset(?::json)
         AS n (event_key text, type text, team_id bigint, user_id bigint, auction_id bigint, lot_id bigint, data jsonb))
     SELECT pg_notify(?, '')`,
    [JSON.stringify(rows), EVENTS_CHANNEL],
  );
}

/**
 * The outbox: facts for webhooks and for `GET /api/v1/events`, written in the transaction that makes the fact. One row
 * for each fact, even where two names exist for it; readers (`read-events.ts`) distinguish the names. Only bids
 * may share rows (`bid-runs.ts`).
 */
import type { Knex } from 'knex';
import type { Column } from '../../adapters/postgres/binary-rows.ts';
import { copyRows } from '../../adapters/postgres/copy-rows.ts';
import { atEnd } from '../shared/transactions.ts';
import { type BidRun, type OutboxRow, rowOfRun } from './bid-runs.ts';

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
 * readers wait for every transaction that has begun before.
 */
export async function appendEvents(
  trx: Knex.Transaction,
  facts: readonly (OutboxEvent | BidRun)[],
): Promise<void> {
  if (facts.length === 0) return;
  const rows = facts.map((fact) => ('bids' in fact ? rowOfRun(fact) : rowOf(fact)));
  await copyRows(trx, 'events', COLUMNS, rows);
  // SQL: no builder notifies.
  await trx.raw(`SELECT pg_notify(?, '')`, [EVENTS_CHANNEL]);
}

/** The facts of transactions that have not ended. */
const waiting = new WeakMap<Knex.Transaction, OutboxEvent[]>();

/** Has facts appended at the end of a transaction of `inTransaction`, all in the order of the calls. */
export async function appendLast(trx: Knex.Transaction, ...facts: readonly OutboxEvent[]): Promise<void> {
  const before = waiting.get(trx);
  waiting.set(trx, [...(before ?? []), ...facts]);
  if (before !== undefined) return;
  await atEnd(trx, async () => {
    const all = waiting.get(trx) ?? [];
    waiting.delete(trx);
    await appendEvents(trx, all);
  });
}

const COLUMNS: readonly Column<OutboxRow>[] = [
  ['event_key', 'text'],
  ['type', 'text'],
  ['team_id', 'bigint'],
  ['user_id', 'bigint'],
  ['auction_id', 'bigint'],
  ['lot_id', 'bigint'],
  ['data', 'jsonb'],
  ['bids', 'text'],
  ['trace', 'text'],
];

function rowOf({ eventKey, type, teamId, userId, auctionId, lotId, data, trace }: OutboxEvent): OutboxRow {
  return {
    event_key: eventKey,
    type,
    team_id: teamId,
    user_id: userId,
    auction_id: auctionId,
    lot_id: lotId,
    data: { event_key: eventKey, ...data },
    bids: null,
    trace: trace ?? null,
  };
}

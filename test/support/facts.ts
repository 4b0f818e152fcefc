/** Facts for tests of what goes out: appended as an operation would, without the operation. */
import type { Database } from '../../adapters/postgres/database.ts';
import { appendEvents, type OutboxEvent } from '../../src/events/outbox.ts';

let counter = 0;

/** A bid on a lot of a team; `n` distinguishes them. */
export function bidFact(teamId: number, lotId: number, n: number): OutboxEvent {
  counter += 1;
  return {
    eventKey: `lot-${lotId}-bid-${process.pid}-${counter}`,
    type: 'lot.bid_placed',
    teamId,
    userId: null,
    auctionId: 1,
    lotId,
    data: {
      lot_id: lotId,
      auction_id: 1,
      lot_number: 1,
      bid_id: `bid-${counter}`,
      amount: `${n}.00`,
      current_bid: `${n}.00`,
      sequence: n,
      channel: 'online',
    },
  };
}

export function auctionFact(teamId: number, auctionId: number): OutboxEvent {
  counter += 1;
  return {
    eventKey: `auction-${auctionId}-published-${counter}`,
    type: 'auction.published',
    teamId,
    userId: null,
    auctionId,
    lotId: null,
    data: { auction_id: auctionId, slug: `auction-${auctionId}` },
  };
}

export function closedFact(teamId: number, lotId: number, status: 'passed' | 'unsold'): OutboxEvent {
  return {
    eventKey: `lot-${lotId}-closed`,
    type: 'lot.passed',
    teamId,
    userId: null,
    auctionId: 1,
    lotId,
    data: { lot_id: lotId, auction_id: 1, lot_number: 1, status, current_bid: '0.00', sequence: 2 },
  };
}

export function append(db: Database, facts: readonly OutboxEvent[]): Promise<void> {
  return db.knex.transaction((trx) => appendEvents(trx, facts));
}

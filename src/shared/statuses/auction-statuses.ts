/**
 * The states of an auction and its moves. Everything that checks, requests or shows an auction's status takes them from
 * here.
 */
import { isOneOf } from '../../../engine/objects.ts';
import { listSql, type StatusTable, statusTable } from './status-table.ts';

export type AuctionStatus = 'draft' | 'scheduled' | 'active' | 'paused' | 'ended' | 'settled' | 'cancelled';

export const AUCTION_STATUSES: StatusTable<AuctionStatus> = statusTable<AuctionStatus>({
  draft: { scheduled: ['hand'], cancelled: ['hand'] },
  scheduled: { active: ['clock'], ended: ['lots'], cancelled: ['hand'] },
  active: { paused: ['hand'], ended: ['lots', 'clock'], cancelled: ['hand'] },
  paused: { active: ['hand'], ended: ['lots'], cancelled: ['hand'] },
  ended: { settled: ['money'] },
  settled: {},
  cancelled: {},
});

const LIVE: readonly AuctionStatus[] = ['scheduled', 'active', 'paused'];

/** The states in which an auction and its lots live under the engine, for SQL. */
export const LIVE_AUCTION_SQL = listSql(LIVE);

/** Those that were held to the end. */
export const ENDED_AUCTIONS: readonly AuctionStatus[] = ['ended', 'settled'];

/** Those in which nothing more is sold. */
export const OVER_AUCTIONS: readonly AuctionStatus[] = [...ENDED_AUCTIONS, 'cancelled'];
export const OVER_AUCTION_SQL = listSql(OVER_AUCTIONS);

/** Whether an auction in this state is over: held or cancelled. */
export function isOverAuction(status: string): boolean {
  return isOneOf(OVER_AUCTIONS, status);
}

/** Whether an auction in this state lives under the engine. */
export function isLive(status: string): boolean {
  return isOneOf(LIVE, status);
}

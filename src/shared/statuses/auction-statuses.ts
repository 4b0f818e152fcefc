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

/** Whether an auction in this state lives under the engine. */
export function isLive(status: string): boolean {
  return isOneOf(LIVE, status);
}

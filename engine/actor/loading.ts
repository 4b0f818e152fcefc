/** Making the auction's book know the bidders that a lot's questions are about, before they can be decided. Called by the lot's actor. */

import type { AuctionCache } from './auction-cache.ts';
import type { PendingCommand } from './pending-command.ts';
import { bidderKeyOf } from './pending-command.ts';

/** Reads how these bidders stand in the auction. */
export function lookUpBidders(book: AuctionCache, asks: readonly PendingCommand[]): Promise<void> {
  const keys = new Set<string>();
  for (const { command } of asks) keys.add(bidderKeyOf(command)!);
  return book.loadBidders([...keys]);
}

/** Registers those who make their first bid in an open auction. */
export function registerBidders(book: AuctionCache, asks: readonly PendingCommand[]): Promise<void> {
  const bidders = new Map<string, { key: string; userId: number | null; paddle: string | null }>();
  for (const { command } of asks) {
    if (command.type !== 'place_bid' && command.type !== 'buy_now') continue;
    const { key, userId, paddle } = command.bidder;
    bidders.set(key, { key, userId, paddle: paddle ?? null });
  }
  return book.register([...bidders.values()]);
}

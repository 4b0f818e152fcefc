/**
 * The surcharge of auctions that have one on bids that came online: the projection calls it for the lots that have just
 * closed, once their bids are written, since where a bid came from is no part of a lot's state.
 */
import type { Knex } from 'knex';
import type { Channel } from '../../../engine/lot/channels.ts';
import { saleAmounts, saleTexts } from '../../shared/sale-amounts.ts';
import type { ClosedLot } from './pending-writes.ts';

/** Works out anew what these lots come to where their winning bid came online, in their events too. */
export async function chargeOnline(trx: Knex.Transaction, lots: readonly ClosedLot[]): Promise<void> {
  const bidIds = lots.flatMap(({ online }) => (online === null ? [] : [online.bidId]));
  if (bidIds.length === 0) return;
  const rows: { bid_id: string; channel: Channel }[] = await trx('bids')
    .whereRaw('bid_id = ANY(?::text[])', [bidIds])
    .select('bid_id', 'channel');
  const channels = new Map(rows.map(({ bid_id, channel }) => [bid_id, channel]));
  for (const lot of lots) {
    if (lot.online === null || lot.status !== 'sold') continue;
    const channel = channels.get(lot.online.bidId) ?? 'floor';
    const amounts = saleAmounts(lot.hammerCents ?? 0, lot.online.terms, channel);
    lot.premiumCents = amounts.premiumCents;
    lot.taxCents = amounts.taxCents;
    Object.assign(lot.eventData, saleTexts(amounts, lot.state.decimals));
  }
}

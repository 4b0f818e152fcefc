/**
 * The surcharge of auctions that have one on bids that came online: the projection calls it for the lots that have just
 * closed, once their bids are written, since where a bid came from is no part of a lot's state.
 */
import type { Knex } from 'knex';
import type { Channel } from '../../../engine/lot/channels.ts';
import { saleAmounts, saleTexts, sumOfSales } from '../../shared/sale-amounts.ts';
import type { ClosedLot } from './pending-writes.ts';

/** Works out anew what these lots come to where their winning bids came online, in their events too. */
export async function chargeOnline(trx: Knex.Transaction, lots: readonly ClosedLot[]): Promise<void> {
  const surcharged = lots.filter(({ terms }) => terms.onlineSurchargeBps !== undefined);
  const bidIds = surcharged.flatMap(({ sales }) => sales.flatMap(({ bidId }) => bidId ?? []));
  if (bidIds.length === 0) return;
  const rows: { bid_id: string; channel: Channel }[] = await trx('bids')
    .whereRaw('bid_id = ANY(?::text[])', [bidIds])
    .select('bid_id', 'channel');
  const channels = new Map(rows.map(({ bid_id, channel }) => [bid_id, channel]));
  for (const { sales, terms, eventData, state } of surcharged) {
    for (const sale of sales) {
      const channel = channels.get(sale.bidId ?? '') ?? 'floor';
      const { premiumCents, taxCents } = saleAmounts(sale.hammerCents, terms, channel);
      Object.assign(sale, { premiumCents, taxCents });
    }
    if (sales.length > 0) Object.assign(eventData, saleTexts(sumOfSales(sales), state.decimals));
  }
}

/** A sale of lots in any combination as it is now, for the API and for pages. */
import type { Knex } from 'knex';
import type { Journal } from '../../../engine/actor/journal.ts';
import { decodeSnapshot, saleOf } from '../../../engine/formats/formats.ts';
import type { ShownFields } from '../../../engine/lot/shown-fields.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { invalid, notFound } from '../../shared/refusal.ts';
import { readAuctionRow } from '../records/auction-rows.ts';

export interface ParcelsParts {
  readonly knex: Knex;
  readonly journal: Pick<Journal, 'load'>;
}

/** The whole sale: what leads, what stands, what it comes to. Throws 404 where the auction has no such sale. */
export async function readSale(parts: ParcelsParts, auctionId: number): Promise<ShownFields> {
  return saleOf(await readSaleState(parts, auctionId)).board();
}

/** What a bid on these lots would come up against. Throws 422 for lots that are not for sale there. */
export async function readQuote(
  parts: ParcelsParts,
  auctionId: number,
  lotIds: readonly number[],
): Promise<ShownFields> {
  const state = await readSaleState(parts, auctionId);
  const auction = await readAuctionRow(parts.knex, auctionId);
  const quote = auction === null ? null : saleOf(state).quote([...new Set(lotIds)], auction);
  if (quote === null)
    throw invalid({ lot_ids: ['The lot_ids must be lots of the auction that are still for sale.'] });
  return quote;
}

/** By the journal, or as it was when it left it. Throws 404 where there is no such sale. */
export async function readSaleState({ knex, journal }: ParcelsParts, auctionId: number): Promise<LotState> {
  const host = await knex('lots')
    .where('auction_id', auctionId)
    .whereNotNull('host_id')
    .first<{ host_id: number } | undefined>('host_id');
  if (host === undefined) throw notFound('The auction’s lots are not sold in combinations.');
  const live = await journal.load(auctionId, host.host_id);
  if (live !== null) return live;
  const kept = await knex('lot_states')
    .where('lot_id', host.host_id)
    .first<{ snapshot: string } | undefined>('snapshot');
  if (kept === undefined) throw notFound('The auction’s sale has not begun yet.');
  return decodeSnapshot(kept.snapshot);
}

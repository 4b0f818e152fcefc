/** `/seller/auctions/{id}/results`: the result of each lot, also as a CSV file. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../../adapters/http/endpoint.ts';
import { decimalsOf, formatCents, totalCents } from '../../../../engine/money.ts';
import { type LotResult, readLotResults } from '../../../sales/results/lot-results.ts';
import { csvOf } from '../../../shared/csv.ts';
import { Id } from '../../../shared/fields.schema.ts';
import { PAGE } from '../../page.ts';
import { auctionAt, type Desk } from '../frame/desk.ts';

const Params = Type.Object({ id: Id });

export function resultPages(desk: Desk): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/seller/auctions/{id}/results',
      operationId: 'sellerResultsPage',
      summary: 'The results of an auction’s lots',
      params: Params,
      handle: (request) =>
        desk.at(request, async (visit) => {
          const auction = await auctionAt(visit, request.params.id);
          const results = await readLotResults(desk.knex, auction.id);
          const sold = results.filter(({ status }) => status === 'sold');
          const hammerCents = totalCents(sold, ({ hammer_price_cents: cents }) => cents ?? 0);
          const data = { auction, results, soldCount: sold.length, hammerCents };
          return desk.html(visit, { title: 'Results', template: 'seller/results/results', data });
        }),
    }),
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/seller/auctions/{id}/results.csv',
      operationId: 'sellerResultsFile',
      summary: 'The results as a CSV file',
      params: Params,
      responses: { 200: { description: 'The file.', contentType: 'text/csv' } },
      handle: (request) =>
        desk.at(request, async (visit) => {
          const auction = await auctionAt(visit, request.params.id);
          const rows = (await readLotResults(desk.knex, auction.id)).map((lot) =>
            rowOf(lot, auction.currency),
          );
          return {
            status: 200,
            raw: csvOf(HEADER, rows),
            contentType: 'text/csv; charset=utf-8',
            headers: {
              'Content-Disposition': `attachment; filename="results-${auction.slug}.csv"`,
              'Cache-Control': 'no-store',
            },
          };
        }),
    }),
  ];
}

const HEADER = [
  ...['lot_number', 'title', 'sku', 'status', 'starting_bid', 'reserve_price', 'last_bid', 'hammer_price'],
  ...['bids', 'paddle_number', 'buyer', 'invoice_number', 'invoice_status'],
];

function rowOf(lot: LotResult, currency: string) {
  const text = (cents: number | null) => (cents === null ? null : formatCents(cents, decimalsOf(currency)));
  return [
    ...[lot.lot_number, lot.title, lot.sku, lot.status, text(lot.starting_bid_cents)],
    text(lot.reserve_price_cents),
    text(lot.current_bid_cents),
    ...[text(lot.hammer_price_cents), lot.bid_count, lot.paddle, lot.buyer, lot.invoice_number],
    lot.invoice_status,
  ];
}

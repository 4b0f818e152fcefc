/** `/seller/auctions/{id}/results`: the result of each lot, also as a CSV file. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../../adapters/http/endpoint.ts';
import { decimalsOf, formatCents, totalCents } from '../../../../engine/money.ts';
import { onLotSql } from '../../../bidding/records/sale-units.ts';
import { Id } from '../../../shared/fields.schema.ts';
import { PAGE } from '../../page.ts';
import { auctionAt, type Desk } from '../frame/desk.ts';
import { csvOf } from './csv.ts';

const Params = Type.Object({ id: Id });

interface Result {
  readonly id: number;
  readonly lot_number: number;
  readonly title: string;
  readonly sku: string | null;
  readonly status: string;
  readonly starting_bid_cents: number;
  readonly reserve_price_cents: number | null;
  readonly current_bid_cents: number;
  readonly hammer_price_cents: number | null;
  readonly bid_count: number;
  readonly paddle: string | null;
  readonly buyer: string | null;
  readonly invoice_number: string | null;
  readonly invoice_status: string | null;
}

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
          const results = await readResults(desk.knex, auction.id);
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
          const rows = (await readResults(desk.knex, auction.id)).map((lot) => rowOf(lot, auction.currency));
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

function rowOf(lot: Result, currency: string) {
  const text = (cents: number | null) => (cents === null ? null : formatCents(cents, decimalsOf(currency)));
  return [
    ...[lot.lot_number, lot.title, lot.sku, lot.status, text(lot.starting_bid_cents)],
    text(lot.reserve_price_cents),
    lot.bid_count === 0 ? null : text(lot.current_bid_cents),
    ...[text(lot.hammer_price_cents), lot.bid_count, lot.paddle, lot.buyer, lot.invoice_number],
    lot.invoice_status,
  ];
}

/**
 * A row for each lot, and for each part of one that several have bought. The paddle is the buyer’s own in this auction:
 * the last bid of a lot may be one that their ceiling has answered.
 */
async function readResults(knex: Knex, auctionId: number): Promise<Result[]> {
  // SQL: each lot with its live invoices and figures that are worked out.
  const { rows } = await knex.raw<{ rows: Result[] }>(
    `SELECT l.id, l.lot_number, l.title, l.sku, l.status, l.starting_bid_cents, l.reserve_price_cents,
       l.current_bid_cents, coalesce(part.cents, l.hammer_price_cents) AS hammer_price_cents, l.bid_count,
       u.name AS buyer, i.invoice_number, i.status AS invoice_status,
       COALESCE(r.paddle_number, NULLIF(b.paddle_number, '')) AS paddle
     FROM lots l
     LEFT JOIN LATERAL (SELECT p.bid_id, p.user_id, sum(n.amount_cents)::bigint AS cents FROM invoices p
       LEFT JOIN invoice_lines n ON n.invoice_id = p.id AND n.kind = 'hammer'
       WHERE p.lot_id = l.id AND p.bid_id IS NOT NULL AND p.status <> 'voided' GROUP BY p.id) part ON true
     LEFT JOIN users u ON u.id = coalesce(part.user_id, l.winner_user_id)
     LEFT JOIN registrations r ON r.auction_id = l.auction_id AND r.user_id = u.id
     LEFT JOIN LATERAL (SELECT paddle_number FROM bids b WHERE ${onLotSql('b', 'l')} AND NOT voided AND l.status = 'sold'
       AND bidder_key = COALESCE('u:' || u.id, l.leader_key) ORDER BY sequence DESC LIMIT 1) b ON true
     LEFT JOIN LATERAL (SELECT invoice_number, status FROM invoices o WHERE o.lot_id = l.id AND o.kind = 'winner'
       AND o.status <> 'voided' AND o.bid_id IS NOT DISTINCT FROM part.bid_id ORDER BY o.id DESC LIMIT 1) i ON true
     WHERE l.auction_id = ? AND l.status <> 'draft' ORDER BY l.lot_number, part.bid_id`,
    [auctionId],
  );
  return rows;
}

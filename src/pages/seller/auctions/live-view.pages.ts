/** `/seller/auctions/{id}/live`: a running auction as it runs: prices, watchers, bidders, bids a minute. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../../adapters/http/endpoint.ts';
import { rateKey } from '../../../../adapters/http/rate-limit.ts';
import type { AuctionChannels } from '../../../bidding/live/auction-channels.ts';
import { Id } from '../../../shared/fields.schema.ts';
import { perUnitText, type UnitColumns } from '../../../shared/lot-units.ts';
import { PAGE } from '../../page.ts';
import { auctionAt, type Desk } from '../frame/desk.ts';

const Params = Type.Object({ id: Id });

export interface LiveViewParts {
  readonly desk: Desk;
  readonly channels: Pick<AuctionChannels, 'follow'>;
}

export function liveViewPages({ desk, channels }: LiveViewParts): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/seller/auctions/{id}/live',
      operationId: 'sellerLiveViewPage',
      summary: 'A live view of a running auction',
      params: Params,
      handle: (request) =>
        desk.at(request, async (visit) => {
          const auction = await auctionAt(visit, request.params.id);
          const [lots, figures] = await Promise.all([
            readLots(desk.knex, auction.id),
            readFigures(desk.knex, auction.id),
          ]);
          return desk.html(visit, {
            title: `Live view: ${auction.title}`,
            template: 'seller/auctions/live',
            data: { auction, lots, figures, modules: ['live-view.js'] },
          });
        }),
    }),
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/seller/auctions/{id}/live/stream',
      operationId: 'sellerLiveViewStream',
      summary: 'The changing part of the live view',
      params: Params,
      responses: { 200: { description: 'The stream.', contentType: 'text/event-stream' } },
      handle: (request) =>
        desk.at(request, async (visit) => {
          const auction = await auctionAt(visit, request.params.id);
          const caller = rateKey(visit.who.userId, request.ip);
          return channels.follow(auction.id, { caller, sinceUs: null, signal: request.signal });
        }),
    }),
  ];
}

interface LiveLot {
  readonly id: number;
  readonly lot_number: number;
  readonly title: string;
  readonly status: string;
  readonly price_cents: number;
  /** What the price of an open lot is for, where that is not the lot. */
  readonly per: string;
  readonly bid_count: number;
  readonly reserve_met: boolean;
  readonly bidders: number;
  readonly watchers: number;
  readonly end_time: string;
}

async function readLots(knex: Knex, auctionId: number): Promise<LiveLot[]> {
  // SQL: columns that are worked out; read again every few seconds.
  const { rows } = await knex.raw<{ rows: (Omit<LiveLot, 'per'> & UnitColumns)[] }>(
    `SELECT l.id, l.lot_number, l.title, l.status, l.bid_count, l.reserve_met, l.units, l.unit_name, l.bid_per,
       coalesce(l.hammer_price_cents, nullif(l.current_bid_cents, 0), l.starting_bid_cents) AS price_cents,
       (SELECT count(DISTINCT bidder_key)::int FROM bids b WHERE b.lot_id = l.id AND NOT b.voided) AS bidders,
       (SELECT count(*)::int FROM watchlist w WHERE w.lot_id = l.id) AS watchers,
       coalesce(l.live_end_time, a.end_time) AS end_time
     FROM lots l JOIN auctions a ON a.id = l.auction_id
     WHERE l.auction_id = ? AND l.status <> 'draft' ORDER BY l.lot_number LIMIT 1000`,
    [auctionId],
  );
  return rows.map((row) => ({ ...row, per: perUnitText(row) }));
}

interface Figures {
  readonly bids: number;
  readonly bidders: number;
  readonly last_minute: number;
  readonly watchers: number;
}

async function readFigures(knex: Knex, auctionId: number): Promise<Figures | undefined> {
  // SQL: figures over one pass of the bids.
  const { rows } = await knex.raw<{ rows: Figures[] }>(
    `SELECT count(*)::int AS bids, count(DISTINCT b.bidder_key)::int AS bidders,
       count(*) FILTER (WHERE b.placed_at > now() - interval '1 minute')::int AS last_minute,
       (SELECT count(DISTINCT w.user_id)::int FROM watchlist w JOIN lots l ON l.id = w.lot_id
         WHERE l.auction_id = :auctionId) AS watchers
     FROM lots l JOIN bids b ON b.lot_id = l.id AND b.listed AND NOT b.voided WHERE l.auction_id = :auctionId`,
    { auctionId },
  );
  return rows[0];
}

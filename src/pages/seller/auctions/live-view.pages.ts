/** `/seller/auctions/{id}/live`: a running auction as it runs: prices, watchers, bidders, bids a minute. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../../adapters/http/endpoint.ts';
import { rateKey } from '../../../../adapters/http/rate-limit.ts';
import { DEFAULT_INCREMENTS } from '../../../../engine/auction/increments.ts';
import { formatOf, lotView } from '../../../../engine/formats/formats.ts';
import { isOpen, type LotState } from '../../../../engine/lot/state.ts';
import { isoFromUs } from '../../../../engine/time.ts';
import type { AuctionChannels } from '../../../bidding/live/auction-channels.ts';
import { RESUMING, resumesAt } from '../../../bidding/live/resuming.ts';
import { onLotSql } from '../../../bidding/records/sale-units.ts';
import { type LiveJournal, readLive } from '../../../catalog/lots/live.ts';
import { Id } from '../../../shared/fields.schema.ts';
import { perUnitText, type UnitColumns } from '../../../shared/lot-units.ts';
import { isOpenLot } from '../../../shared/statuses/lot-statuses.ts';
import { PAGE } from '../../page.ts';
import { auctionAt, type Desk } from '../frame/desk.ts';

const Params = Type.Object({ id: Id });

export interface LiveViewParts {
  readonly desk: Desk;
  readonly channels: Pick<AuctionChannels, 'follow' | 'moment'>;
  readonly journal: LiveJournal;
}

export function liveViewPages(parts: LiveViewParts): Endpoint[] {
  const { desk, channels } = parts;
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
          const moment = channels.moment();
          const auction = await auctionAt(visit, request.params.id);
          const [lots, figures] = await Promise.all([
            readLots(parts, auction),
            readFigures(desk.knex, auction.id),
          ]);
          return desk.html(visit, {
            title: ['Live view: {0}', auction.title],
            template: 'seller/auctions/live',
            data: { auction, ...lots, moment: lots.stale ? 0 : moment, figures, modules: ['live-view.js'] },
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
      ...RESUMING,
      responses: { 200: { description: 'The stream.', contentType: 'text/event-stream' } },
      handle: (request) =>
        desk.at(request, async (visit) => {
          const auction = await auctionAt(visit, request.params.id);
          const caller = rateKey(visit.who.userId, request.ip);
          return channels.follow(auction.id, { caller, sinceUs: resumesAt(request), signal: request.signal });
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
  /** The clock moves the price. */
  readonly is_on_clock?: boolean;
  /** Null: while bids are sealed nobody knows it. */
  readonly bid_count: number | null;
  readonly bidders: number;
  readonly watchers: number;
  readonly end_time: string;
}

/** The lots by the journal, where it can be read; people are counted as Postgres has them. */
async function readLots(
  { desk: { knex }, journal }: LiveViewParts,
  { id: auctionId }: { readonly id: number },
): Promise<{ lots: LiveLot[]; stale: boolean }> {
  // SQL: columns that are worked out; read again every few seconds.
  const { rows } = await knex.raw<{ rows: (Omit<LiveLot, 'per'> & UnitColumns)[] }>(
    `SELECT l.id, l.lot_number, l.title, l.status, l.bid_count, l.units, l.unit_name, l.bid_per,
       coalesce(l.hammer_price_cents, nullif(l.current_bid_cents, 0), l.starting_bid_cents) AS price_cents,
       (SELECT count(DISTINCT bidder_key)::int FROM bids b WHERE ${onLotSql('b', 'l')} AND NOT b.voided) AS bidders,
       (SELECT count(*)::int FROM watchlist w WHERE w.lot_id = l.id) AS watchers,
       coalesce(l.live_end_time, a.end_time) AS end_time
     FROM lots l JOIN auctions a ON a.id = l.auction_id
     WHERE l.auction_id = ? AND l.status <> 'draft' ORDER BY l.lot_number LIMIT 1000`,
    [auctionId],
  );
  const open = rows.filter(({ status }) => isOpenLot(status));
  const live = await readLive(
    journal,
    open.map(({ id }) => ({ lotId: id, auctionId })),
  );
  const nowUs = journal.nowUs();
  const lots = rows.map((row) => {
    return { ...row, ...movedOf(live.states.get(row.id), nowUs), per: perUnitText(row) };
  });
  return { lots, stale: live.stale };
}

/** What bids and the clock change. */
function movedOf(state: LotState | undefined, nowUs: number) {
  if (state === undefined) return {};
  const { status, hammerCents, startingBidCents, endsAtUs } = state;
  const view = lotView(state, { viewer: null, increments: DEFAULT_INCREMENTS, nowUs });
  const isOnClock = formatOf(state).movesByClock === true && isOpen(state);
  return {
    status,
    bid_count: view.bidCount,
    is_on_clock: isOnClock,
    price_cents: hammerCents ?? (isOnClock ? view.minimumNextCents : view.currentCents || startingBidCents),
    end_time: isoFromUs(endsAtUs),
  };
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

/** `/office/auctions/{auction}`: one sale for staff: who bids in it, from where, and each of its bids. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { lastPageOf } from '../../../adapters/http/envelope.ts';
import {
  type OriginReading,
  readSaleOrigins,
  type SaleOrigins,
} from '../../bidding/origins/origins-of-bids.ts';
import { Id } from '../../shared/fields.schema.ts';
import { browserName } from '../account/browser-name.ts';
import type { Cell, OfficePage, OfficeParts } from './office.ts';
import type { Subject } from './office-action.ts';
import { type AuctionRow, findAuctionRow, whoSees } from './office-auction-rows.ts';
import { countUndos } from './office-lot-rows.ts';
import { originCells, personCell, signsCell } from './origin-cells.ts';
import { subjectPages } from './subject-pages.ts';

export type FoundAuctionParts = OfficeParts & OriginReading;

const PER_PAGE = 50;
const MAX_BIDDERS = 500;

interface BidderRow {
  readonly id: number;
  readonly name: string;
  readonly bids: string;
  readonly lots: string;
}

interface BidRow {
  readonly lot_id: number;
  readonly lot_title: string;
  readonly sequence: number;
  readonly amount_cents: number;
  readonly voided: boolean;
  readonly placed_at: string;
  readonly user_id: number | null;
  readonly name: string | null;
  readonly alias: string;
  readonly paddle_number: string;
}

const AuctionParams = Type.Object({ auction: Id });

export function foundAuctionPages(parts: FoundAuctionParts): Endpoint[] {
  const subject: Subject<AuctionRow, typeof AuctionParams> = {
    path: '/office/auctions/{auction}',
    operationId: 'officeAuctionPage',
    summary: 'One auction with its bidders and bids',
    params: AuctionParams,
    query: ['page'],
    find: (knex, { auction }) => findAuctionRow(knex, auction),
    show: (row, query) => auctionPage(parts, row, query['page']),
    actions: [],
  };
  return subjectPages(parts, subject);
}

async function auctionPage(
  parts: FoundAuctionParts,
  row: AuctionRow,
  pageText: string | undefined,
): Promise<OfficePage> {
  const { knex } = parts;
  const page = /^[1-9][0-9]{0,4}$/.test(pageText ?? '') ? Number(pageText) : 1;
  const [origins, bidders, bids, undos, counted] = await Promise.all([
    readSaleOrigins(parts, { auctionId: row.id, teamId: row.team_id }),
    biddersOf(knex, row.id),
    bidsOf(knex, row.id, page),
    // Only a clerk takes calls back.
    row.type === 'simulcast' ? countUndos(knex, { auctionId: row.id }) : 0,
    knex('bids')
      .where('listed', true)
      .whereIn('lot_id', lotsOf(knex, row.id))
      .count<{ n: string }[]>({ n: '*' }),
  ]);
  const total = Number(counted[0]?.n ?? 0);
  return {
    section: 'lots',
    heading: ['Auction {0}: {1}', String(row.id), row.title],
    crumbs: [['/office/lots', 'Lots']],
    facts: [
      ['State', { pill: row.status }],
      ['Who can see it', whoSees(row)],
      ['Ends', { time: row.end_time }],
      ['Seller', { href: `/office/sellers/${row.team_id}`, text: row.team_name }],
      ['Lots', { href: `/office/lots?auction=${row.id}`, text: 'See them' }],
      ['Bids', total],
      ['Calls that the clerk took back', undos],
      ['Public page', { href: `/auctions/${row.slug}`, text: 'Open' }],
    ],
    tables: [
      {
        heading: 'Bidders',
        columns: ['Bidder', 'Bids', 'Lots', 'Addresses', 'Browsers', 'Noted'],
        rows: bidders.map((bidder) => bidderCells(bidder, origins)),
        empty: 'Nobody with an account has bid.',
      },
      {
        heading: 'Bids',
        columns: ['Lot', 'Bid', 'Amount', 'State', 'Bidder', 'Address', 'Browser', 'Noted', 'Placed'],
        rows: bids.map((bid) => bidCells(bid, row.currency, origins)),
        empty: 'There are no bids.',
      },
    ],
    pager: { page, lastPage: lastPageOf({ perPage: PER_PAGE, total }), query: '' },
  };
}

function bidderCells({ id, name, bids, lots }: BidderRow, origins: SaleOrigins): Cell[] {
  const known = origins.originsOf(id);
  const all = (texts: readonly string[]) => [...new Set(texts)].join(', ') || null;
  return [
    personCell({ id, name }),
    Number(bids),
    Number(lots),
    all(known.map(({ address }) => address)),
    all(known.map(({ browser }) => browserName(browser))),
    signsCell(origins, id),
  ];
}

function bidCells(bid: BidRow, currency: string, origins: SaleOrigins): Cell[] {
  const { lot_id: lotId, user_id: userId, name } = bid;
  return [
    { href: `/office/lots/${lotId}`, text: `${lotId} · ${bid.lot_title}` },
    String(bid.sequence),
    { cents: bid.amount_cents, currency },
    { pill: bid.voided ? 'voided' : 'valid' },
    userId === null || name === null
      ? `${bid.alias}, paddle ${bid.paddle_number}`
      : personCell({ id: userId, name }),
    ...originCells(origins.of(lotId, bid.sequence)),
    signsCell(origins, userId ?? undefined),
    { time: bid.placed_at },
  ];
}

/** Bids are found by their lots: a bid is in as few indexes as can be. */
function lotsOf(knex: Knex, auctionId: number) {
  return knex('lots').where('auction_id', auctionId).select('id');
}

function biddersOf(knex: Knex, auctionId: number) {
  return knex('bids as b')
    .join('users as u', 'u.id', 'b.user_id')
    .where('b.listed', true)
    .whereIn('b.lot_id', lotsOf(knex, auctionId))
    .groupBy('u.id', 'u.name')
    .orderBy('bids', 'desc')
    .limit(MAX_BIDDERS)
    .count({ bids: '*' })
    .countDistinct({ lots: 'b.lot_id' })
    .select<BidderRow[]>('u.id', 'u.name');
}

function bidsOf(knex: Knex, auctionId: number, page: number) {
  return knex('bids as b')
    .join('lots as l', 'l.id', 'b.lot_id')
    .leftJoin('users as u', 'u.id', 'b.user_id')
    .where('b.listed', true)
    .whereIn('b.lot_id', lotsOf(knex, auctionId))
    .orderBy([
      { column: 'b.placed_at', order: 'desc' },
      { column: 'b.sequence', order: 'desc' },
    ])
    .offset((page - 1) * PER_PAGE)
    .limit(PER_PAGE)
    .select<BidRow[]>(
      'b.lot_id',
      'l.title as lot_title',
      'b.sequence',
      'b.amount_cents',
      'b.voided',
      'b.placed_at',
      'b.user_id',
      'u.name',
      'b.alias',
      'b.paddle_number',
    );
}

/** `/office/lots`: finding a lot, and on its page voiding one of its bids and withdrawing it. */

import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { lastPageOf } from '../../../adapters/http/envelope.ts';
import { isSealed, SEALED_FORMATS } from '../../../engine/formats/formats.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { decimalsOf, parseCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { listBids } from '../../bidding/bids/bid-list.ts';
import type { BidView } from '../../bidding/bids/bid-views.ts';
import { type LotIds, type NewestParts, readLive } from '../../bidding/bids/newest.ts';
import {
  type OriginReading,
  readSaleOrigins,
  type SaleOrigins,
} from '../../bidding/origins/origins-of-bids.ts';
import type { LiveParts } from '../../bidding/records/auction-lots.ts';
import { withdrawLot } from '../../bidding/records/lot-changes.ts';
import { type VoidParts, voidBid } from '../../bidding/staff/void-bid.ts';
import { Id } from '../../shared/fields.schema.ts';
import { withGroupsBidding } from '../../shared/group-offers.ts';
import { InputError } from '../../shared/input-error.ts';
import { isOpenLot, LOT_STATUSES } from '../../shared/statuses/lot-statuses.ts';
import { buyerFact, changesTable, invoicesTable } from './lot-history.ts';
import { NamedText, namedThings } from './named-filter.ts';
import {
  bidCell,
  type Cell,
  type OfficeList,
  type OfficePage,
  type OfficeParts,
  type Table,
} from './office.ts';
import type { Subject } from './office-action.ts';
import { countUndos, findLotRow, type LotRow, searchLots } from './office-lot-rows.ts';
import { type Bidder, originCells, personCell, signsCell } from './origin-cells.ts';
import { choiceFilter, type RowTable, SEARCH, searchList, wordsFilter } from './search-list.ts';
import { selectableList } from './selection.ts';
import { subjectPages } from './subject-pages.ts';

/** The parts that staff's actions on lots need. */
export type FoundLotParts = OfficeParts & NewestParts & VoidParts & LiveParts & OriginReading;

const PATH = '/office/lots';
const BIDS_PER_PAGE = 50;

export function foundLotPages(parts: FoundLotParts): Endpoint[] {
  const subject = lot(parts);
  return [...selectableList(parts, lotList(parts), subject), ...subjectPages(parts, subject)];
}

const Search = Type.Object({
  ...SEARCH,
  status: Type.String({ maxLength: 20, default: '' }),
  auction: NamedText,
  leader: Type.Optional(Id),
  suspended: Type.Optional(Type.Literal('1')),
});

/** What nobody is told of a lot before its bids are opened. */
const SEALED: Cell = { pill: 'sealed' };

const isSealedRow = ({ format, status }: LotRow) => SEALED_FORMATS.includes(format) && isOpenLot(status);

/** Lots as lists of them show them. */
export const LOTS: RowTable<LotRow> = {
  columns: [
    { name: 'Lot', sort: 'title' },
    'Number',
    'Auction',
    'State',
    'Leader',
    { name: 'Bids', sort: 'bids' },
    { name: 'Current bid', sort: 'current' },
    { name: 'Ends', sort: 'ends' },
  ],
  row: (row) => [
    { href: `${PATH}/${row.id}`, text: `${row.id} · ${row.title}` },
    row.catalog_number ?? String(row.lot_number),
    { href: `/office/auctions/${row.auction_id}`, text: row.auction_title },
    { pill: row.status },
    row.led_by_suspended ? { pill: 'suspended' } : null,
    isSealedRow(row) ? SEALED : row.bid_count,
    isSealedRow(row) ? SEALED : bidCell(row.current_bid_cents, row.currency),
    { time: row.ends_at },
  ],
  pick: ({ id, title }) => ({ id: String(id), name: `${id} · ${title}` }),
};

function lotList(parts: FoundLotParts): OfficeList<typeof Search> {
  return searchList({
    path: PATH,
    operationId: 'officeLotsPage',
    summary: 'Lots of all sellers',
    query: Search,
    section: 'lots',
    heading: 'Lots',
    named: (query) => namedThings(parts.knex, ['auction'], query),
    filters: ({ q, status, suspended }, named) => [
      wordsFilter('Title, number, SKU or id', q),
      ...named,
      choiceFilter('status', 'State', status, LOT_STATUSES.statuses),
      {
        name: 'suspended',
        label: 'Leader or winner',
        value: suspended ?? '',
        options: [
          ['', 'Anybody'],
          ['1', 'Suspended, the bid was left'],
        ],
      },
    ],
    find: (query, { auction }) => searchLots(parts.knex, { ...query, auction }),
    ...LOTS,
    empty: 'No lot was found.',
  });
}

const LotParams = Type.Object({ lot: Id });

function lot(parts: FoundLotParts): Subject<LotRow, typeof LotParams> {
  return {
    path: `${PATH}/{lot}`,
    operationId: 'officeLotPage',
    summary: 'One lot with its bids',
    params: LotParams,
    query: ['bid', 'page'],
    find: (knex, params) => findLotRow(knex, params.lot),
    show: (row, query) => lotPage(parts, row, query['page']),
    actions: [
      {
        operationId: 'voidBidInOffice',
        name: 'void-bid',
        title: 'Void a bid',
        button: 'Void bid',
        danger: true,
        notice: 'The bid is voided: the lot is as if it had never been placed.',
        beyondPostgres: true,
        fieldNames: ['bid'],
        fields: (_, query) => [
          {
            name: 'bid',
            label: 'Bid',
            kind: 'line',
            required: true,
            maxLength: 100,
            value: query['bid'] ?? '',
            hint: 'Choosing one in the list above fills it in.',
          },
        ],
        async act(_, { id, team_id }, { values, reason }) {
          const bidId = values['bid'] ?? '';
          if (bidId === '') throw new InputError('bid: Name the bid.');
          const { sequence } = await voidBid(parts, bidId, reason, { onLotId: id });
          const bidder = await parts
            .knex('bids')
            .where('bid_id', bidId)
            .first<{ user_id: number | null } | undefined>('user_id');
          return {
            teamId: team_id,
            aboutUserId: bidder?.user_id ?? null,
            detail: { lot: id, bid: bidId, sequence },
          };
        },
      },
      {
        operationId: 'withdrawLotInOffice',
        name: 'withdraw',
        title: 'Withdraw the lot',
        button: 'Withdraw lot',
        danger: true,
        notice: 'The lot is withdrawn: nobody wins it.',
        beyondPostgres: true,
        blockedBy: ({ status }) =>
          isOpenLot(status) ? null : `The lot is ${status}: it cannot be withdrawn.`,
        async act(_, { id, team_id }, { reason }) {
          await withdrawLot(parts, id, { reason, byAdmin: true });
          return { teamId: team_id, detail: { lot: id } };
        },
      },
    ],
  };
}

/** The lot's state with the bidding of its group; null where the journal does not have it. */
async function readShown(parts: FoundLotParts, lotIds: LotIds): Promise<LotState | null> {
  const { state } = await readLive(parts, lotIds);
  return state === null ? null : withGroupsBidding(parts.journal, state).catch(() => state);
}

async function lotPage(parts: FoundLotParts, row: LotRow, pageText: string | undefined): Promise<OfficePage> {
  const page = /^[1-9][0-9]{0,4}$/.test(pageText ?? '') ? Number(pageText) : 1;
  const lotIds = { lotId: row.id, auctionId: row.auction_id };
  const [state, bids, origins] = await Promise.all([
    readShown(parts, lotIds),
    listBids(parts, lotIds, { page, perPage: BIDS_PER_PAGE }, null),
    readSaleOrigins(parts, { auctionId: row.auction_id, teamId: row.team_id }),
  ]);
  const [people, undos, buyer, ...tables] = await Promise.all([
    biddersOf(
      parts.knex,
      bids.rows.map(({ id }) => id),
    ),
    countUndos(parts.knex, { lotId: row.id }),
    buyerFact(parts.knex, row),
    invoicesTable(parts.knex, row.id),
    changesTable(parts.knex, row),
  ]);
  const { currency } = row;
  const hidden = (state === null ? isSealedRow(row) : isSealed(state)) ? SEALED : null;
  const endsAt = state === null ? row.ends_at : isoFromUs(state.endsAtUs);
  return {
    section: 'lots',
    heading: ['Lot {0}: {1}', String(row.id), row.title],
    crumbs: [
      [PATH, 'Lots'],
      [`/office/auctions/${row.auction_id}`, row.auction_title],
    ],
    facts: [
      ['State', { pill: state?.status ?? row.status }],
      ['Current bid', hidden ?? bidCell(state?.currentCents ?? row.current_bid_cents, currency)],
      ['Bids', hidden ?? state?.bidCount ?? row.bid_count],
      hidden === null ? buyer : [buyer[0], hidden],
      ['Calls that the clerk took back', undos],
      ['Ends', { time: endsAt }],
      ['Number in its auction', row.catalog_number ?? String(row.lot_number)],
      ['State of the auction', { pill: row.auction_status }],
      ['Seller', { href: `/office/sellers/${row.team_id}`, text: row.team_name }],
      ['Public page', { href: `/lots/${row.id}`, text: 'Open' }],
    ],
    tables: [bidsTable(row, bids.rows, people, origins), ...tables],
    pager: { page, lastPage: lastPageOf({ perPage: BIDS_PER_PAGE, total: bids.total }), query: '' },
  };
}

function bidsTable(
  { id: lotId, currency }: LotRow,
  bids: readonly BidView[],
  people: ReadonlyMap<string, Bidder>,
  origins: SaleOrigins,
): Table {
  return {
    heading: 'Bids',
    columns: [
      'Bid',
      'Amount',
      'Outcome',
      'State',
      'Bidder',
      'Address',
      'Browser',
      'Noted',
      'Placed',
      'Action',
    ],
    rows: bids.map((bid): Cell[] => [
      String(bid.sequence),
      { cents: parseCents(bid.amount, decimalsOf(currency)) ?? 0, currency },
      bid.outcome,
      { pill: bid.status },
      personCell(people.get(bid.id)) ?? `${bid.bidder.alias}, paddle ${bid.bidder.paddle_number}`,
      ...originCells(origins.of(lotId, bid.sequence ?? 0)),
      signsCell(origins, people.get(bid.id)?.id),
      { time: bid.placed_at },
      bid.status === 'voided'
        ? null
        : {
            href: `${PATH}/${lotId}?bid=${encodeURIComponent(bid.id)}#voidBidInOffice`,
            text: `Void bid ${bid.sequence}`,
          },
    ]),
    empty: 'There are no bids.',
  };
}

/** Who made these bids, as far as they are people with an account and Postgres has the bid. */
async function biddersOf(knex: Knex, bidIds: readonly string[]): Promise<Map<string, Bidder>> {
  const rows = await knex('bids as b')
    .join('users as u', 'u.id', 'b.user_id')
    .whereRaw('b.bid_id = any(?)', [[...bidIds]])
    .select<({ bid_id: string } & Bidder)[]>('b.bid_id', 'u.id', 'u.name');
  return new Map(rows.map(({ bid_id, id, name }) => [bid_id, { id, name }]));
}

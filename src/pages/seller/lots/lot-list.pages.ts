/** `/seller/lots`: the team's lots as a table, with changes for many at once. */

import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../../adapters/http/endpoint.ts';
import { coerce } from '../../../../adapters/http/query.ts';
import { namesIn } from '../../../../engine/objects.ts';
import { isKeeper } from '../../../accounts/models/team.model.ts';
import { Id, oneOf } from '../../../shared/fields.schema.ts';
import { likeAnywhere } from '../../../shared/like-anywhere.ts';
import { readPage } from '../../../shared/paging/read-page.ts';
import { LOT_STATUSES } from '../../../shared/statuses/lot-statuses.ts';
import { listAddress } from '../../lists.ts';
import { PAGE } from '../../page.ts';
import { changeEach } from '../forms/change-many.ts';
import { TextForm, textsIn, tickedIn } from '../forms/desk-form.ts';
import { bodyOf, type FormTexts } from '../forms/form-values.ts';
import { type Desk, type Notice, shownFor, type Visit } from '../frame/desk.ts';
import { columnHeads, PER_PAGE, tableQuery, tableView } from '../frame/tables.ts';
import { auctionChoices } from './lot-form.ts';

const PATH = '/seller/lots';
const COLUMNS = {
  number: 'l.lot_number',
  title: 'l.title',
  auction: 'a.title',
  status: 'l.status',
  starting: 'l.starting_bid_cents',
  current: 'l.current_bid_cents',
  bids: 'l.bid_count',
} as const;
const Query = tableQuery(namesIn(COLUMNS), {
  status: Type.Optional(oneOf(LOT_STATUSES.statuses)),
  auction_id: Type.Optional(Id),
  without: Type.Optional(Type.Literal('picture')),
});

/** What may be done to many lots at once, in the words of the choice. The last ones take the value alongside it. */
const ACTIONS = [
  ['scheduled', 'Put up'],
  ['withdrawn', 'Withdraw'],
  ['delete', 'Delete drafts'],
  ['starting_bid', 'Set starting bid to'],
  ['reserve_price', 'Set reserve price to'],
  ['buy_now_price', 'Set buy now price to'],
  ['condition', 'Set condition to'],
  ['quantity', 'Set quantity to'],
] as const;

export function lotListPages(desk: Desk): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: PATH,
      operationId: 'sellerLotsPage',
      summary: 'The team’s lots',
      query: Query,
      handle: (request) => desk.at(request, (visit) => show(desk, visit, request.query)),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: `${PATH}/many`,
      operationId: 'changeSellerLotsOnPage',
      summary: 'Changes many lots at once',
      body: { form: TextForm },
      handle: (request) =>
        desk.at(request, async (visit) => {
          const form = textsIn(request.body);
          return show(desk, visit, queryIn(form['back']), await changeMany(desk, visit, form));
        }),
    }),
  ];
}

function wanted(knex: Knex, teamId: number, query: Static<typeof Query>): Knex.QueryBuilder {
  const { search, status, auction_id: auctionId, without } = query;
  const rows = knex('lots as l').join('auctions as a', 'a.id', 'l.auction_id').where('l.team_id', teamId);
  if (auctionId !== undefined) rows.where('l.auction_id', auctionId);
  if (status !== undefined) rows.where('l.status', status);
  if (without !== undefined)
    rows.whereRaw("NOT EXISTS (SELECT FROM media m WHERE m.lot_id = l.id AND m.kind = 'image')");
  if (search !== undefined)
    rows.where((either) => {
      either.whereILike('l.title', likeAnywhere(search)).orWhereILike('l.sku', likeAnywhere(search));
    });
  return rows;
}

/** The view that a form was on. */
function queryIn(back: string | undefined): Static<typeof Query> {
  const values: Record<string, unknown> = {
    page: 1,
    ...Object.fromEntries(new URLSearchParams(back?.split('?')[1])),
  };
  coerce(values, Query);
  return Value.Check(Query, values) ? values : { page: 1 };
}

async function show(desk: Desk, visit: Visit, query: Static<typeof Query>, notice: Notice | null = null) {
  const { knex } = desk;
  const byAuction = query.auction_id !== undefined;
  const { sort = byAuction ? 'number' : 'auction', dir = 'asc', page, done } = query;
  const rows = wanted(knex, visit.team.id, query).select(
    ...[
      'l.id',
      'l.lot_number',
      'l.catalog_number',
      'l.title',
      'l.sku',
      'l.status',
      'l.starting_bid_cents',
      'l.current_bid_cents',
    ],
    ...['l.bid_count', 'l.reserve_price_cents', 'l.auction_id', 'a.title as auction_title', 'a.currency'],
    // SQL: a count alongside each row.
    knex.raw("(SELECT count(*)::int FROM media m WHERE m.lot_id = l.id AND m.kind = 'image') AS pictures"),
  );
  const order = [
    { column: COLUMNS[sort], order: dir },
    { column: 'l.lot_number', order: 'asc' as const },
    { column: 'l.id', order: 'asc' as const },
  ];
  const [found, auctions] = await Promise.all([
    readPage(rows, order, { page, per_page: PER_PAGE }),
    auctionChoices(knex, visit.team.id),
  ]);
  const current = { ...query, sort, dir };
  return desk.html(visit, {
    title: 'Lots',
    template: 'seller/lots/list',
    data: {
      ...{ query, auctions, lots: found.rows },
      actions: ACTIONS.filter(([name]) => name !== 'delete' || isKeeper(visit.team.role)),
      ...tableView(current, found.paging.total),
      back: listAddress(PATH, query),
      statuses: LOT_STATUSES.statuses,
      heads: columnHeads(PATH, current, [
        ['Number', 'number', true],
        ['Title', 'title'],
        ['Auction', 'auction'],
        ['Status', 'status'],
        ['Starting bid', 'starting', true],
        ['Current bid', 'current', true],
        ['Bids', 'bids', true],
        ['Pictures', null, true],
      ]),
      notice: done === undefined ? notice : { kind: 'good', text: 'The lot has been deleted.' },
      modules: ['seller-desk.js'],
    },
  });
}

async function changeMany(desk: Desk, visit: Visit, form: FormTexts): Promise<Notice> {
  const ids = tickedIn(form, 'lot');
  const action = form['action'] ?? '';
  const isMove = action === 'scheduled' || action === 'withdrawn';
  const schema = desk.operations.bodySchema('changeSellerLot');
  const isField = ACTIONS.some(([name]) => name === action);
  const typed = { [isField ? action : '']: form['value'] ?? '' };
  const body = isMove
    ? { status: action }
    : bodyOf(schema, typed, { marks: { [action]: '\u0000' }, ...shownFor(visit.request) });
  return changeEach(desk, ids, (id) =>
    action === 'delete'
      ? visit.perform('deleteSellerLot', { params: { id } })
      : visit.perform('changeSellerLot', { params: { id }, body }),
  );
}

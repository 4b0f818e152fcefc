/** `/seller/auctions`: the team's auctions as a table, with changes for many at once. */

import { type Static, Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../../adapters/http/endpoint.ts';
import { AUCTION_TYPES } from '../../../../engine/auction/record.ts';
import { namesIn } from '../../../../engine/objects.ts';
import { isKeeper } from '../../../accounts/models/team.model.ts';
import { oneOf } from '../../../shared/fields.schema.ts';
import { likeAnywhere } from '../../../shared/like-anywhere.ts';
import { readPage } from '../../../shared/paging/read-page.ts';
import { AUCTION_STATUSES } from '../../../shared/statuses/auction-statuses.ts';
import { PAGE } from '../../page.ts';
import { changeEach } from '../forms/change-many.ts';
import { TextForm, textsIn, tickedIn } from '../forms/desk-form.ts';
import type { FormTexts } from '../forms/form-values.ts';
import type { Desk, Notice, Visit } from '../frame/desk.ts';
import { columnHeads, PER_PAGE, tableQuery, tableView } from '../frame/tables.ts';

const PATH = '/seller/auctions';
const COLUMNS = {
  title: 'a.title',
  type: 'a.type',
  status: 'a.status',
  start: 'a.start_time',
  end: 'a.end_time',
  lots: 'lots',
} as const;
const SORTS = namesIn(COLUMNS);
const Query = tableQuery(SORTS, {
  status: Type.Optional(oneOf(AUCTION_STATUSES.statuses)),
  type: Type.Optional(oneOf(AUCTION_TYPES)),
});

/** What may be done to many auctions at once, in the words of the buttons. */
const ACTIONS = {
  scheduled: 'Publish',
  paused: 'Pause',
  active: 'Resume',
  cancelled: 'Cancel',
  delete: 'Delete drafts',
} as const;

export function auctionListPages(desk: Desk): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: PATH,
      operationId: 'sellerAuctionsPage',
      summary: 'The team’s auctions',
      query: Query,
      handle: (request) => desk.at(request, (visit) => show(desk, visit, request.query)),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: `${PATH}/many`,
      operationId: 'changeSellerAuctionsOnPage',
      summary: 'Changes many auctions at once',
      body: { form: TextForm },
      handle: (request) =>
        desk.at(request, async (visit) =>
          show(desk, visit, { page: 1 }, await changeMany(desk, visit, textsIn(request.body))),
        ),
    }),
  ];
}

async function show(desk: Desk, visit: Visit, query: Static<typeof Query>, notice: Notice | null = null) {
  const { search, sort = 'start', dir = 'desc', page, status, type, done } = query;
  const rows = desk
    .knex('auctions as a')
    .where('a.team_id', visit.team.id)
    .select('a.id', 'a.title', 'a.slug', 'a.type', 'a.status', 'a.start_time', 'a.end_time')
    // SQL: a count alongside each row.
    .select(desk.knex.raw('(SELECT count(*)::int FROM lots l WHERE l.auction_id = a.id) AS lots'));
  if (status !== undefined) rows.where('a.status', status);
  if (type !== undefined) rows.where('a.type', type);
  if (search !== undefined) rows.whereILike('a.title', likeAnywhere(search));
  const order = [
    { column: COLUMNS[sort], order: dir },
    { column: 'a.id', order: dir },
  ];
  const found = await readPage(rows, order, { page, per_page: PER_PAGE });
  const current = { ...query, sort, dir };
  return desk.html(visit, {
    title: 'Auctions',
    template: 'seller/auctions/list',
    data: {
      query,
      auctions: found.rows,
      ...tableView(current, found.paging.total),
      statuses: AUCTION_STATUSES.statuses,
      types: AUCTION_TYPES,
      actions: Object.entries(ACTIONS).filter(([name]) => name !== 'delete' || isKeeper(visit.team.role)),
      heads: columnHeads(PATH, current, [
        ['Title', 'title'],
        ['Type', 'type'],
        ['Status', 'status'],
        ['Starts', 'start'],
        ['Ends', 'end'],
        ['Lots', 'lots', true],
      ]),
      notice: done === undefined ? notice : { kind: 'good', text: 'The auction has been deleted.' },
      modules: ['seller-desk.js'],
    },
  });
}

/** Does it to each; the page that follows says of how many it was done, and why not of the others. */
async function changeMany(desk: Desk, visit: Visit, form: FormTexts): Promise<Notice> {
  const ids = tickedIn(form, 'auction');
  const action = form['action'] ?? '';
  return changeEach(desk, ids, (id) =>
    action === 'delete'
      ? visit.perform('deleteSellerAuction', { params: { id } })
      : visit.perform('changeSellerAuction', { params: { id }, body: { status: action } }),
  );
}

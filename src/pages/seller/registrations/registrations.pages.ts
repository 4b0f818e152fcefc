/**
 * `/seller/registrations` and `/seller/auctions/{id}/registrations`: who requested to bid, and the seller's decision on
 * each: approve, decline, suspend, and up to what limit.
 */

import { type Static, Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { BIDDER_STATUSES } from '../../../../engine/auction/record.ts';
import { decimalsOf } from '../../../../engine/money.ts';
import { namesIn } from '../../../../engine/objects.ts';
import { isKnownSql } from '../../../bidding/registrations/registration-rows.ts';
import { Id, oneOf } from '../../../shared/fields.schema.ts';
import { likeAnywhere } from '../../../shared/like-anywhere.ts';
import { readPage } from '../../../shared/paging/read-page.ts';
import { isLive, LIVE_AUCTION_SQL } from '../../../shared/statuses/auction-statuses.ts';
import { amountShown, plainAmount } from '../../../shared/typed-amount.ts';
import { PAGE } from '../../page.ts';
import { type Refusal, submit, TextForm, textsIn } from '../forms/desk-form.ts';
import { bodyOf, type FormTexts } from '../forms/form-values.ts';
import { auctionAt, type Desk, type SellersAuction, shownFor, type Visit } from '../frame/desk.ts';
import { columnHeads, PER_PAGE, tableQuery, tableView } from '../frame/tables.ts';

const COLUMNS = { asked: 'r.id', bidder: 'name', auction: 'a.title', status: 'r.status' } as const;
const Query = tableQuery(namesIn(COLUMNS), { status: Type.Optional(oneOf(BIDDER_STATUSES)) });
type Query = Static<typeof Query>;
/** Who has only been invited is an address to the seller. */
const KNOWN = isKnownSql('r');
const NAME = `CASE WHEN ${KNOWN} THEN u.name ELSE r.invited_email END`;
/** Nobody decides on a sale that is over. */
const WAITS = `(r.status = 'pending' AND a.status IN ${LIVE_AUCTION_SQL})`;
const Params = Type.Object({ id: Id });
const RowParams = Type.Object({ id: Id, registration: Id });

export function registrationDeskPages(desk: Desk): Endpoint[] {
  return [all(desk), ofAuction(desk), invite(desk), decide(desk)];
}

interface Drawn {
  readonly auction: SellersAuction | null;
  readonly query: Query;
  readonly refused?: Refusal & { readonly rowId: number | null; readonly texts: FormTexts };
}

function all(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/seller/registrations',
    operationId: 'sellerRegistrationsPage',
    summary: 'Registrations for the team’s auctions',
    query: Query,
    handle: (request) =>
      desk.at(request, (visit) => draw(desk, visit, { auction: null, query: request.query })),
  });
}

function ofAuction(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/seller/auctions/{id}/registrations',
    operationId: 'auctionRegistrationsPage',
    summary: 'Registrations for an auction',
    params: Params,
    query: Query,
    handle: (request) =>
      desk.at(request, async (visit) => {
        const auction = await auctionAt(visit, request.params.id);
        return draw(desk, visit, { auction, query: request.query });
      }),
  });
}

/** Of all auctions, or of one. */
const pathOf = (auction: SellersAuction | null): string =>
  auction === null ? '/seller/registrations' : `/seller/auctions/${auction.id}/registrations`;

interface Row {
  readonly id: number;
  readonly bid_limit_cents: number | null;
  readonly currency: string;
}

async function draw(desk: Desk, visit: Visit, { auction, query, refused }: Drawn): Promise<Reply> {
  const path = pathOf(auction);
  const { status, search, sort, dir = 'desc', page } = query;
  const rows = desk
    .knex('registrations as r')
    .join('auctions as a', 'a.id', 'r.auction_id')
    .leftJoin('users as u', 'u.id', 'r.user_id')
    .where('a.team_id', visit.team.id)
    .select('r.id', 'r.auction_id', 'r.status', 'r.bid_limit_cents', 'r.reason', 'r.created_at')
    .select('a.title as auction_title', 'a.currency', 'a.end_time')
    // SQL: columns that are worked out; nothing of somebody who has only been invited.
    .select(
      desk.knex.raw(`${NAME} AS name`),
      desk.knex.raw(`${KNOWN} AND u.verification_status = 'verified' AS verified`),
      desk.knex.raw(`CASE WHEN ${KNOWN} THEN r.paddle_number END AS paddle_number`),
      desk.knex.raw(`${KNOWN} AND r.floor_paddle AS floor_paddle`),
      desk.knex.raw(`${KNOWN} AS is_known`),
      desk.knex.raw(`${WAITS} AS waits`),
    );
  if (auction !== null) rows.where('a.id', auction.id);
  if (status !== undefined) rows.where('r.status', status);
  if (search !== undefined) rows.whereRaw(`${NAME} ILIKE ?`, [likeAnywhere(search)]);
  const order = [
    { column: sort === undefined ? 'waits' : COLUMNS[sort], order: dir },
    { column: 'r.id', order: dir },
  ];
  const [found, waiting] = await Promise.all([
    readPage<Row>(rows, order, { page, per_page: PER_PAGE }),
    readWaiting(desk.knex, visit.team.id, auction),
  ]);
  const current = sort === undefined ? query : { ...query, sort, dir };
  return desk.html(visit, {
    title: 'Registrations',
    template: 'seller/registrations/registrations',
    status: refused?.status ?? 200,
    data: {
      ...{ auction, query, page, address: path, statuses: BIDDER_STATUSES, refused: refused ?? null },
      ...{ waiting, isOpen: auction !== null && isLive(auction.status) },
      registrations: found.rows.map((row) => ({
        ...row,
        limit: row.bid_limit_cents === null ? '' : amountShown(row.bid_limit_cents, decimalsOf(row.currency)),
      })),
      ...tableView(current, found.paging.total),
      heads: columnHeads(path, current, [
        ['Bidder', 'bidder'],
        ...(auction === null ? [['Auction', 'auction'] as const] : []),
        ['Status', 'status'],
        ['Paddle', null],
        ['Asked', 'asked'],
        ['Decision', null],
      ]),
    },
  });
}

interface Waiting {
  readonly many: number;
  /** When the first of their sales ends. */
  readonly until: string | null;
}

/** Who waits for the team's decision: in one auction or in all of them. */
async function readWaiting(knex: Knex, teamId: number, auction: SellersAuction | null): Promise<Waiting> {
  // SQL: what is worked out over rows that two tables decide on.
  const row = await knex('registrations as r')
    .join('auctions as a', 'a.id', 'r.auction_id')
    .where({ 'a.team_id': teamId, ...(auction === null ? {} : { 'a.id': auction.id }) })
    .whereRaw(WAITS)
    .first<Waiting | undefined>(knex.raw('count(*)::int AS many, min(a.end_time) AS until'));
  return row ?? { many: 0, until: null };
}

function invite(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/auctions/{id}/registrations',
    operationId: 'inviteBidderOnPage',
    summary: 'Invites somebody to bid',
    params: Params,
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { id } = request.params;
        const auction = await auctionAt(visit, id);
        const texts = textsIn(request.body);
        const schema = desk.operations.bodySchema('inviteBidder');
        const body = bodyOf(schema, texts, { marks: null, ...shownFor(request) });
        return submit(
          desk,
          () => visit.perform('inviteBidder', { params: { id }, body }),
          (refused) =>
            draw(desk, visit, { auction, query: { page: 1 }, refused: { ...refused, rowId: null, texts } }),
          () => pathOf(auction),
        );
      }),
  });
}

function decide(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/auctions/{id}/registrations/{registration}',
    operationId: 'decideRegistrationOnPage',
    summary: 'Approves, declines or suspends a bidder, and sets their limit',
    params: RowParams,
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { id, registration } = request.params;
        const auction = await auctionAt(visit, id);
        const texts = textsIn(request.body);
        const limit = texts['bid_limit']?.trim() ?? '';
        const reason = texts['reason']?.trim() ?? '';
        const body = {
          ...(texts['status'] === undefined || texts['status'] === '' ? {} : { status: texts['status'] }),
          bid_limit: limit === '' ? null : plainAmount(limit),
          ...(reason === '' ? {} : { reason }),
        };
        const shown = texts['back'] === pathOf(null) ? null : auction;
        return submit(
          desk,
          () => visit.perform('decideRegistration', { params: { id, registration }, body }),
          (refused) =>
            draw(desk, visit, {
              auction: shown,
              query: { page: 1 },
              refused: { ...refused, rowId: registration, texts },
            }),
          () => pathOf(shown),
        );
      }),
  });
}

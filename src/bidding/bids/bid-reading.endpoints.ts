/** Reading bids: a lot's list, a lot's journal, and the caller's own bids. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Principal, type Reply } from '../../../adapters/http/endpoint.ts';
import { listOf } from '../../../adapters/http/envelope.ts';
import { DEFAULT_INCREMENTS } from '../../../engine/auction/increments.ts';
import { userKey } from '../../../engine/auction/record.ts';
import { lotView } from '../../../engine/formats/formats.ts';
import { lotTotals, totalText } from '../../../engine/lot/unit-totals.ts';
import { formatCents } from '../../../engine/money.ts';
import { objectIn } from '../../../engine/objects.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { oneOf } from '../../shared/fields.schema.ts';
import { LotParams } from '../../shared/lot-params.ts';
import { notFound } from '../../shared/refusal.ts';
import { findVisibleLot } from '../../shared/visibility/read-visibility.ts';
import { listBids } from './bid-list.ts';
import { BidRow, JournalEntry, listBody, MyBidRow, PageQuery } from './bid-reading.schema.ts';
import { readRow } from './bid-views.ts';
import { readJournalPage } from './journal-pages.ts';
import { listMyBids, type MyBid } from './my-bids.ts';
import { STANDINGS } from './my-standing.ts';
import type { NewestParts } from './newest.ts';

/** `GET /lots/{lot}/bids`, `GET /lots/{lot}/journal` and `GET /me/bids`. */
export function bidReadingEndpoints(parts: NewestParts): Endpoint[] {
  return [bidsOfLot(parts), journalOfLot(parts), myBids(parts)];
}

function bidsOfLot(parts: NewestParts): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/v1/lots/{lot}/bids',
    operationId: 'listBids',
    summary: 'The bids on a lot, newest first',
    description:
      'A bid that was answered with 201 is in this list from the next request on; raised ceilings are never listed. ' +
      'Each lot of a `choice_group` that is still offered lists the bids on all of them, since the hammer last fell.',
    tags: ['Bidding'],
    access: { kind: 'public', session: 'optional' },
    params: LotParams,
    query: Type.Object(PageQuery),
    responses: { 200: { description: 'A page of bids.', schema: listBody(BidRow) } },
    async handle({ params, query, principal }) {
      const lotIds = await lotIdsOf(parts, params.lot, principal);
      const { page, perPage } = pagingOf(query);
      const found = await listBids(parts, lotIds, { page, perPage }, principal?.userId ?? null);
      return listOf(found.rows, { page, perPage, total: found.total }, staleMeta(found.stale));
    },
  });
}

function journalOfLot(parts: NewestParts): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/v1/lots/{lot}/journal',
    operationId: 'readJournal',
    summary: 'The journal of a lot, oldest entry first',
    description:
      '`hash` is the hex SHA-256 over `previous_hash` followed by the RFC 8785 form of the entry without ' +
      '`hash`. Bidders are named by alias and paddle; ceilings and reserves are salted commitments.',
    tags: ['Bidding'],
    access: { kind: 'public' },
    params: LotParams,
    query: Type.Object(PageQuery),
    responses: { 200: { description: 'A page of entries.', schema: listBody(JournalEntry) } },
    async handle({ params, query, principal }) {
      const lotIds = await lotIdsOf(parts, params.lot, principal);
      const { page, perPage } = pagingOf(query);
      const found = await readJournalPage(parts, lotIds, { page, perPage });
      const reply = listOf([], { page, perPage, total: found.total }, staleMeta(found.stale));
      return withData(reply, found.entries);
    },
  });
}

function myBids(parts: NewestParts): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/v1/me/bids',
    operationId: 'listMyBids',
    summary: 'The caller’s bids, newest first',
    description:
      '`status` is the caller’s position on the lot: `leading` or `outbid` while it is open, `won` or ' +
      '`lost` after that; `sealed` for a sealed bid until the bids are opened.',
    tags: ['Bidding'],
    access: { kind: 'ability', ability: 'read' },
    query: Type.Object({
      ...PageQuery,
      status: Type.Optional(oneOf([...STANDINGS, 'sealed'])),
    }),
    responses: { 200: { description: 'A page of bids.', schema: listBody(MyBidRow) } },
    async handle({ query, principal }) {
      const { userId } = principal;
      const { page, perPage } = pagingOf(query);
      const found = await listMyBids(parts, userId, { status: query.status ?? null, page, perPage });
      const rows = found.rows.map((row) => presentMine(row, userId));
      return listOf(rows, { page, perPage, total: found.total }, staleMeta(found.stale));
    },
  });
}

async function lotIdsOf(parts: NewestParts, lotId: number, viewer: Principal | null) {
  const auctionId = await findVisibleLot(parts.knex, lotId, viewer);
  if (auctionId === null) throw notFound('There is no such lot.');
  return { lotId, auctionId };
}

function pagingOf(query: { readonly page?: number; readonly per_page?: number }) {
  return { page: query.page ?? 1, perPage: query.per_page ?? 15 };
}

function staleMeta(stale: boolean) {
  return stale ? { meta: { stale: true } } : {};
}

/** Inserts serialized rows into a serialized list: what was hashed is served unchanged. */
function withData(reply: Reply, texts: readonly string[]): Reply {
  const { data: _data, ...rest } = objectIn(reply.body);
  const tail = JSON.stringify(rest).slice(1);
  return { status: reply.status, raw: `{"data":[${texts.join(',')}],${tail}` };
}

function presentMine({ bid, standing, lot, state }: MyBid, userId: number) {
  const view = lotView(state, {
    viewer: userKey(userId),
    increments: DEFAULT_INCREMENTS,
    nowUs: state.recordedAtUs,
  });
  const { ownCeilingCents, fields } = readRow(bid, state);
  return {
    id: bid.bid_id,
    lot_id: bid.lot_id,
    auction_id: bid.auction_id,
    amount: formatCents(bid.amount_cents, state.decimals),
    total: totalText(state.units, bid.amount_cents, state.decimals),
    ...fields,
    max_amount: formatCents(ownCeilingCents, state.decimals),
    outcome: bid.outcome,
    channel: bid.channel,
    sequence: bid.outcome === 'sealed' ? null : bid.sequence,
    placed_at: bid.placed_at,
    status: bid.voided ? 'voided' : bid.outcome === 'sealed' ? 'sealed' : standing,
    receipt: { hash: bid.entry_hash },
    lot: {
      id: state.lotId,
      lot_number: state.lotNumber,
      title: lot.title,
      slug: lot.slug,
      status: view.status,
      current_bid: view.currentCents === null ? null : formatCents(view.currentCents, state.decimals),
      bid_count: view.bidCount,
      reserve_met: view.reserveMet,
      is_high_bidder: view.own?.leads === true,
      end_time: isoFromUs(state.endsAtUs),
      hammer_price: state.hammerCents === null ? null : formatCents(state.hammerCents, state.decimals),
      ...lotTotals(view, state),
    },
  };
}

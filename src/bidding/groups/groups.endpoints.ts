/** Bid groups by API: setting one up, reading them, stopping one. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { listOf, success } from '../../../adapters/http/envelope.ts';
import { decimalsOf, formatCents } from '../../../engine/money.ts';
import { Id, oneOf, orNull, Time } from '../../shared/fields.schema.ts';
import { bodyOf, listBody, pagingQuery } from '../../shared/paging/page.schema.ts';
import { BidAmount } from '../bids/bid.schema.ts';
import { type ChangeParts, createGroup, requireGroup, stopGroup } from './change-groups.ts';
import { GROUP_STATUSES } from './group.model.ts';
import { GROUP_LOT_STATUSES } from './group-plan.ts';
import { type GroupInFull, listGroups } from './read-groups.ts';

const Group = Type.Object(
  {
    id: Type.Integer(),
    auction_id: Type.Integer(),
    wanted: Type.Integer({ description: 'How many of the lots are wanted.' }),
    status: oneOf(GROUP_STATUSES, {
      description: '`done`: as many as are wanted are won, or all lots are over.',
    }),
    created_at: Time,
    lots: Type.Array(
      Type.Object({
        lot_id: Type.Integer(),
        max_amount: Type.String(),
        status: oneOf(GROUP_LOT_STATUSES, {
          description: '`waiting`: not bid on yet. `lost`: outbid, refused, or over and not won.',
        }),
        refusal: orNull(Type.String(), { description: 'The code of the last refusal of a bid on it.' }),
      }),
      { description: 'In order of wish.' },
    ),
  },
  { $id: 'BidGroup' },
);

const NewGroup = Type.Object(
  {
    auction_id: Id,
    wanted: Type.Integer({ minimum: 1, maximum: 20, description: 'At most as many as there are lots.' }),
    lots: Type.Array(Type.Object({ lot_id: Id, max_amount: BidAmount('The most to bid on this lot.') }), {
      minItems: 2,
      maxItems: 20,
      description: 'In order of wish.',
    }),
  },
  {
    $id: 'NewBidGroup',
    examples: [
      {
        auction_id: 7,
        wanted: 1,
        lots: [
          { lot_id: 123, max_amount: '20000.00' },
          { lot_id: 124, max_amount: '18000.00' },
          { lot_id: 125, max_amount: '15000.00' },
        ],
      },
    ],
  },
);

const REFUSALS = [
  'bid_too_low',
  'seller_cannot_bid',
  'registration_required',
  'registration_pending',
  'bidder_suspended',
  'deposit_required',
  'verification_required',
  'bid_limit_exceeded',
  'lot_closed',
  'lot_withdrawn',
  'journal_unavailable',
] as const;

const tags = ['Bidding'];
const PATH = '/api/v1/me/bid-groups';
const read = { kind: 'ability', ability: 'read' } as const;
const write = { kind: 'ability', ability: 'write' } as const;
const params = Type.Object({ group: Id });

export function bidGroupEndpoints(parts: ChangeParts): Endpoint[] {
  return [...listEndpoints(parts), ...singleEndpoints(parts)];
}

/** All groups of the caller: make and list. */
function listEndpoints(parts: ChangeParts): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: PATH,
      operationId: 'createBidGroup',
      summary: 'Bid on several lots of a sale of which only so many are wanted',
      description:
        'The caller’s agent bids `max_amount` on the first `wanted` lots; outbid on one, it bids on the next. What ' +
        'it leads and what it has won are never more than `wanted`. Its bids are bids like others, and are refused ' +
        'like others. A lead that comes back because somebody else’s bid was voided stays, is not raised, and is ' +
        'told.',
      tags,
      access: write,
      body: NewGroup,
      codes: REFUSALS,
      notFound: true,
      responses: { 201: { description: 'The group, with its first bids placed.', schema: bodyOf(Group) } },
      async handle({ body, principal, ip, headers }) {
        const founder = { principal, ip, browser: headers['user-agent'] ?? '' };
        const lots = body.lots.map(({ lot_id, max_amount }) => ({ lotId: lot_id, maxAmount: max_amount }));
        const wish = { auctionId: body.auction_id, wanted: body.wanted, lots };
        return shown(await createGroup(parts, founder, wish), 201);
      },
    }),
    endpoint({
      method: 'GET',
      path: PATH,
      operationId: 'listBidGroups',
      summary: 'The caller’s bid groups, the newest first',
      tags,
      access: read,
      query: Type.Object(pagingQuery),
      responses: { 200: { description: 'A page of groups.', schema: listBody(Group) } },
      async handle({ query, principal }) {
        const paging = { page: query.page, perPage: query.per_page };
        const { groups, total, stale } = await listGroups(parts, principal.userId, paging);
        return listOf(groups.map(groupBody), { ...paging, total }, stale ? { meta: { stale } } : {});
      },
    }),
  ];
}

/** One group: read and stop. */
function singleEndpoints(parts: ChangeParts): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: `${PATH}/{group}`,
      operationId: 'getBidGroup',
      summary: 'One of the caller’s bid groups',
      tags,
      access: read,
      params,
      responses: { 200: { description: 'The group.', schema: bodyOf(Group) } },
      async handle({ params: { group }, principal }) {
        return shown(await requireGroup(parts, principal.userId, group), 200);
      },
    }),
    endpoint({
      method: 'POST',
      path: `${PATH}/{group}/stop`,
      operationId: 'stopBidGroup',
      summary: 'Stop a bid group',
      description: 'Its agent bids no more; the bids that it has placed stand.',
      tags,
      access: write,
      params,
      responses: { 200: { description: 'The group.', schema: bodyOf(Group) } },
      async handle({ params: { group }, principal }) {
        return shown(await stopGroup(parts, principal.userId, group), 200);
      },
    }),
  ];
}

function shown(group: GroupInFull & { readonly stale: boolean }, status: number) {
  return success(groupBody(group), { status, ...(group.stale ? { meta: { stale: true } } : {}) });
}

function groupBody({ group, auction, lots }: GroupInFull) {
  const decimals = decimalsOf(auction.currency);
  return {
    id: group.id,
    auction_id: group.auction_id,
    wanted: group.wanted,
    status: group.status,
    created_at: group.created_at,
    lots: lots.map(({ lotId, row, status }) => ({
      lot_id: lotId,
      max_amount: formatCents(row.max_cents, decimals),
      status,
      refusal: row.refusal,
    })),
  };
}

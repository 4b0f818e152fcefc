/** The sellers' lots: list, make one or many, read, change. All in the context of the team that the caller acts for. */

import { setImmediate as breathe } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import {
  type Endpoint,
  endpoint,
  type HttpRequest,
  type Reply,
  type SignedRequest,
} from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { HostileItem } from '../../../adapters/http/json.ts';
import { type Guard, SchemaCompiler } from '../../../adapters/http/validate.ts';
import { ValidationErrors } from '../../../adapters/http/validation-errors.ts';
import { recordActivity } from '../../accounts/activity/activity.ts';
import { actingSeller, type Seller } from '../../accounts/teams/seller.ts';
import { TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import type { LiveParts } from '../../bidding/records/auction-lots.ts';
import { Amendment } from '../../catalog/lots/lot-presentation.schema.ts';
import { Id, oneOf } from '../../shared/fields.schema.ts';
import { bodyOf, listBody, pagingQuery } from '../../shared/paging/page.schema.ts';
import { changedReply, dataReply, listReply } from '../../shared/paging/page-text.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { LOT_STATUSES } from '../../shared/statuses/lot-statuses.ts';
import type { TeamCacheVersions } from '../team-cache-version.ts';
import { relistLot } from './relisting.ts';
import {
  AmendmentBody,
  BulkLotsBody,
  LotChangeBody,
  NewLotBody,
  RelistBody,
  SellerLot,
} from './seller-lot.schema.ts';
import { readSellerLots, SellerLotLists, type SellerLotTexts } from './seller-lot-view.ts';
import { amendLot, changeLot, createLot } from './seller-lots.ts';

const head = {
  tags: ['Seller'],
  access: { kind: 'ability', ability: 'seller' },
  headers: TeamHeaders,
} as const;
const id = Id;
const Params = Type.Object({ id });
const CHANGE_CODES = [
  ...TEAM_CODES,
  'plan_limit',
  'invalid_transition',
  'lot_locked',
  'overloaded',
  'journal_unavailable',
] as const;

export function sellerLotEndpoints(parts: LiveParts & { readonly versions: TeamCacheVersions }): Endpoint[] {
  return [list(parts), create(parts), bulk(parts), read(parts), change(parts), amend(parts), relist(parts)];
}

function list(parts: LiveParts & { readonly versions: TeamCacheVersions }): Endpoint {
  const lists = new SellerLotLists(parts);
  return endpoint({
    ...head,
    method: 'GET',
    path: '/api/v1/seller/lots',
    operationId: 'listSellerLots',
    summary: 'The team’s lots, newest first',
    codes: [...TEAM_CODES],
    query: Type.Object({
      ...pagingQuery,
      auction_id: Type.Optional(id),
      status: Type.Optional(oneOf(LOT_STATUSES.statuses)),
    }),
    responses: { 200: { description: 'A page of lots.', schema: listBody(SellerLot) } },
    async handle(request) {
      const { teamId } = await actingSeller(parts.knex, request);
      const { rows, paging, stale } = await lists.read(teamId, request.query, request.baseUrl);
      return listReply(rows, paging, stale);
    },
  });
}

function create(parts: LiveParts): Endpoint {
  return endpoint({
    ...head,
    method: 'POST',
    path: '/api/v1/seller/lots',
    operationId: 'createSellerLot',
    summary: 'Create a lot',
    description:
      'A draft, unless `status` is `scheduled`. Draft lots are scheduled when their auction is published.',
    codes: CHANGE_CODES,
    notFound: true,
    body: NewLotBody,
    responses: { 201: { description: 'The lot.', schema: bodyOf(SellerLot) } },
    async handle(request) {
      const owner = await actingSeller(parts.knex, request);
      const lotId = await createLot(parts, owner, request.body);
      return shown(parts, owner, lotId, request, (lot) => changedReply(lot, 'Lot created.', 201));
    },
  });
}

const BulkResult = Type.Object({
  index: Type.Integer(),
  status: Type.Union([Type.Literal('created'), Type.Literal('failed')]),
  lot: Type.Optional(SellerLot),
  message: Type.Optional(Type.String()),
  errors: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
});

function bulk(parts: LiveParts): Endpoint {
  const check = new SchemaCompiler().checkOf(NewLotBody, 'lot');
  return endpoint({
    ...head,
    method: 'POST',
    path: '/api/v1/seller/lots/bulk',
    operationId: 'createSellerLots',
    summary: 'Create up to 500 lots',
    codes: [...TEAM_CODES, 'overloaded', 'journal_unavailable'],
    body: BulkLotsBody,
    judgedList: 'lots',
    responses: {
      200: {
        description: 'The result for each lot, in order.',
        schema: bodyOf(Type.Object({ results: Type.Array(BulkResult) })),
      },
    },
    async handle(request) {
      const owner = await actingSeller(parts.knex, request);
      const made: (number | Refused)[] = [];
      for (const lot of request.body.lots) {
        made.push(await makeOne(parts, owner, lot, check));
        // Lots that are refused by their form alone wait for nothing.
        if (made.length % LOTS_AT_ONCE === 0) await breathe();
      }
      const lotIds = made.filter((one) => typeof one === 'number');
      const { texts } = await readSellerLots(parts, owner.teamId, lotIds, request.baseUrl);
      const results = made.map((one, index) => resultText(one, index, texts));
      return { status: 200, raw: `{"success":true,"data":{"results":[${results.join(',')}]}}` };
    },
  });
}

/** How many lots are checked before other work may run. */
const LOTS_AT_ONCE = 10;

interface Refused {
  readonly message?: string;
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

/** What became of one of many: a lot's id, or why there is none. */
function resultText(made: number | Refused, index: number, texts: SellerLotTexts['texts']): string {
  if (typeof made !== 'number') return JSON.stringify({ index, status: 'failed', ...made });
  const lot = texts.get(made);
  return `{"index":${index},"status":"created"${lot === undefined ? '' : `,"lot":${lot}`}}`;
}

/** Makes one lot of many: a refusal is this item's answer, a fault is everybody's. */
async function makeOne(
  parts: LiveParts,
  owner: Seller,
  lot: unknown,
  check: Guard<typeof NewLotBody>,
): Promise<number | Refused> {
  if (lot instanceof HostileItem) return { errors: lot.errors };
  const errors = new ValidationErrors();
  if (!check(lot, errors)) return { errors: errors.toErrors() };
  try {
    return await createLot(parts, owner, lot);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'overloaded') throw error;
    const field = error.code === 'not_found' ? 'auction_id' : 'lot';
    return { message: error.message, errors: error.errors ?? { [field]: [error.message] } };
  }
}

function read(parts: LiveParts): Endpoint {
  return endpoint({
    ...head,
    method: 'GET',
    path: '/api/v1/seller/lots/{id}',
    operationId: 'getSellerLot',
    summary: 'One of the team’s lots, in any state',
    codes: [...TEAM_CODES],
    params: Params,
    responses: { 200: { description: 'The lot.', schema: bodyOf(SellerLot) } },
    async handle(request) {
      const owner = await actingSeller(parts.knex, request);
      return shown(parts, owner, request.params.id, request, dataReply);
    },
  });
}

function change(parts: LiveParts): Endpoint {
  return endpoint({
    ...head,
    method: 'PATCH',
    path: '/api/v1/seller/lots/{id}',
    operationId: 'changeSellerLot',
    summary: 'Change a lot or its status',
    description:
      'From the first bid on the price fields are frozen, but a reserve may go down or away once; where ' +
      'the leader’s ceiling covers it, it is met at once. What the lot is said to be then changes by an amendment ' +
      'only (409 `lot_locked`).',
    codes: CHANGE_CODES,
    params: Params,
    body: LotChangeBody,
    responses: { 200: { description: 'The lot after the change.', schema: bodyOf(SellerLot) } },
    async handle(request) {
      const owner = await actingSeller(parts.knex, request);
      const prices = await changeLot(parts, owner, request.params.id, request.body);
      if (Object.keys(prices).length > 0) await recordPrices(parts.knex, request, owner, prices);
      return shown(parts, owner, request.params.id, request, (lot) => changedReply(lot, 'Lot updated.'));
    },
  });
}

/** Who changed a reserve, and from what, is asked long after: the record of the request alone does not say it. */
function recordPrices(
  knex: Knex,
  { principal, params, ip }: Pick<SignedRequest, 'principal' | 'ip'> & { readonly params: { id: number } },
  { teamId, userId }: Seller,
  prices: Readonly<Record<string, string>>,
): Promise<void> {
  return recordActivity(knex, {
    action: 'change_lot_prices',
    via: principal.via === 'token' ? 'token' : 'page',
    tokenId: principal.tokenId,
    detail: { lot: params.id, ...prices },
    userId,
    teamId,
    ip,
  });
}

function amend(parts: LiveParts): Endpoint {
  return endpoint({
    ...head,
    method: 'POST',
    path: '/api/v1/seller/lots/{id}/amendments',
    operationId: 'amendSellerLot',
    summary: 'Amend a lot that has a bid',
    description:
      'What bidders relied on is kept and shown beside what is said since; its bidders are told, and the ' +
      'lot’s journal has the hash. Once the lot is over nothing of it changes.',
    codes: [...TEAM_CODES, 'invalid_transition', 'lot_locked', 'overloaded', 'journal_unavailable'],
    params: Params,
    body: AmendmentBody,
    responses: { 201: { description: 'The amendment.', schema: bodyOf(Amendment) } },
    async handle(request) {
      const owner = await actingSeller(parts.knex, request);
      const made = await amendLot(parts, owner, request.params.id, request.body, request.principal.userId);
      return success(made, { status: 201, message: 'The lot is amended.' });
    },
  });
}

function relist(parts: LiveParts): Endpoint {
  return endpoint({
    ...head,
    method: 'POST',
    path: '/api/v1/seller/lots/{id}/relist',
    operationId: 'relistSellerLot',
    summary: 'List a lot again',
    description:
      'Creates a new draft from a passed, unsold, withdrawn or defaulted lot, which it names in ' +
      '`relisted_from`. Fields that are not given are copied; media stay with the old lot.',
    codes: [...TEAM_CODES, 'plan_limit', 'invalid_transition'],
    params: Params,
    body: RelistBody,
    responses: { 201: { description: 'The new lot.', schema: bodyOf(SellerLot) } },
    async handle(request) {
      const owner = await actingSeller(parts.knex, request);
      const lotId = await relistLot(parts, owner.teamId, request.params.id, request.body);
      return shown(parts, owner, lotId, request, (lot) => changedReply(lot, 'Lot listed again.', 201));
    },
  });
}

/** Replies with the lot's present state. */
async function shown(
  parts: LiveParts,
  { teamId }: Seller,
  lotId: number,
  { baseUrl }: Pick<HttpRequest, 'baseUrl'>,
  replyWith: (lot: string, stale: boolean) => Reply,
): Promise<Reply> {
  const { texts, stale } = await readSellerLots(parts, teamId, [lotId], baseUrl);
  const lot = texts.get(lotId);
  if (lot === undefined) throw notFound('There is no such lot.');
  return replyWith(lot, stale);
}

/** Asking for registration, and the seller's side of it: the list, and deciding. */
import { type Static, Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { listOf, success } from '../../../adapters/http/envelope.ts';
import { JournalUnavailable } from '../../../engine/actor/journal.ts';
import { type Bidder, userKey } from '../../../engine/auction/record.ts';
import { type Decimals, decimalsOf, formatCents, parseCents } from '../../../engine/money.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import { NO_AMOUNT_OF } from '../../shared/money-text.ts';
import { bodyOf, listBody, pagingQuery } from '../../shared/paging/page.schema.ts';
import { invalid } from '../../shared/refusal.ts';
import type { Decision, Registered, RegistrationOutcome } from './bidder-changes.ts';
import { inviteBidder } from './bidder-invitations.ts';
import {
  AuctionRef,
  DecisionBody,
  InvitationBody,
  OwnRegistration,
  RegistrationParams,
  RegistrationRequestBody,
  SellerAuctionParams,
  SellersRegistration,
  StatusFilter,
} from './registration.schema.ts';
import { type RegistrationRow, readRows } from './registration-rows.ts';
import {
  decideRegistration,
  type RegistrationParts,
  requestRegistration,
  requireTeamsAuction,
} from './registrations.ts';

const tags = ['Registration'];
const seller = { kind: 'ability', ability: 'seller' } as const;

export function registrationEndpoints(parts: RegistrationParts): Endpoint[] {
  return [register(parts), list(parts), invite(parts), decide(parts)];
}

function register(parts: RegistrationParts): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/api/v1/auctions/{auction}/registration',
    operationId: 'askForRegistration',
    summary: 'Register for an auction',
    description:
      'Open auctions approve at once; others wait for the seller or for a deposit. A ' +
      'private auction admits only those whom its seller has invited. A decision already made is kept. Where the ' +
      'auction has `conditions`, `conditions_version` is the version that the caller accepts: one that is missing ' +
      'or no longer the newest is 409 `conditions_changed`, with the newest in `data.conditions_version`.',
    tags,
    access: { kind: 'ability', ability: 'write' },
    params: AuctionRef,
    body: RegistrationRequestBody,
    bodyOptional: true,
    codes: ['seller_cannot_bid', 'conditions_changed', 'journal_unavailable'],
    responses: {
      201: { description: 'Registered, or waiting for a decision.', schema: bodyOf(OwnRegistration) },
      200: { description: 'The existing registration.', schema: bodyOf(OwnRegistration) },
    },
    async handle({ params, principal, body }) {
      const request = { floorPaddle: body?.floor_paddle, conditionsVersion: body?.conditions_version };
      const registration = await requestRegistration(parts, params.auction, principal, request);
      return success(presented(registration), { status: registration.isNew ? 201 : 200 });
    },
  });
}

function list(parts: RegistrationParts): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/v1/seller/auctions/{id}/registrations',
    operationId: 'listRegistrations',
    summary: 'Registrations for an auction',
    tags,
    access: seller,
    params: SellerAuctionParams,
    headers: TeamHeaders,
    query: Type.Object({ ...pagingQuery, status: StatusFilter }),
    codes: [...TEAM_CODES],
    responses: { 200: { description: 'A page of registrations.', schema: listBody(SellersRegistration) } },
    async handle(request) {
      const { params, query } = request;
      await requireTeamsAuction(parts.knex, await actingTeam(parts.knex, request), params.id);
      const { page, per_page: perPage } = query;
      const { rows, total } = await readRows(parts.knex, params.id, {
        status: query.status ?? null,
        page,
        perPage,
      });
      const { bidders, stale } = await readBidders(parts, params.id, rows);
      const userIds = rows.flatMap((row) => row.user_id ?? []);
      const numbers = await parts.deposits.numbers(parts.knex, params.id, userIds);
      const data = rows.map((row) =>
        forSeller({
          row,
          bidder: bidders.get(userKey(row.user_id ?? 0)) ?? null,
          depositInvoiceNumber: numbers.get(row.user_id ?? 0) ?? null,
        }),
      );
      return listOf(data, { page, perPage, total }, stale ? { meta: { stale } } : {});
    },
  });
}

function invite(parts: RegistrationParts): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/api/v1/seller/auctions/{id}/registrations',
    operationId: 'inviteBidder',
    summary: 'Invite somebody to bid',
    description:
      'Lets whoever has this address see a private auction and bid in it, once they have an account. The answer is ' +
      'the same whether there is one; `user` is null until they have registered or bid. Where the auction asks for ' +
      'a deposit, it must still be paid. In a draft it takes effect, and is mailed, when the auction is published ' +
      'and the team approved: one mail a day to an address from a team.',
    tags,
    access: seller,
    params: SellerAuctionParams,
    headers: TeamHeaders,
    body: InvitationBody,
    codes: [...TEAM_CODES, 'invalid_transition', 'too_many_invitations', 'journal_unavailable'],
    responses: { 201: { description: 'Invited.', schema: bodyOf(SellersRegistration) } },
    async handle(request) {
      const { params, principal, body } = request;
      const scope = { teamId: await actingTeam(parts.knex, request), auctionId: params.id };
      const decimals = await decimalsOfAuction(parts.knex, params.id);
      const { limitCents } = readDecision({ bid_limit: body.bid_limit }, decimals);
      const invitation = { email: body.email, limitCents, waiveDeposit: body.waive_deposit };
      const invited = await inviteBidder(parts, scope, invitation, principal.userId);
      return success(asInvited(invited, body.email), { status: 201 });
    },
  });
}

function decide(parts: RegistrationParts): Endpoint {
  return endpoint({
    method: 'PATCH',
    path: '/api/v1/seller/auctions/{id}/registrations/{registration}',
    operationId: 'decideRegistration',
    summary: 'Decide a registration and its limit',
    description:
      'Applies to the very next bid. `bid_limit` limits the sum of the bidder’s leading ceilings in this auction. ' +
      'Where it asks for a deposit, an approval leaves the bidder `deposit_due` until it is paid, unless ' +
      '`waive_deposit` is true.',
    tags,
    access: seller,
    params: RegistrationParams,
    headers: TeamHeaders,
    body: DecisionBody,
    codes: [...TEAM_CODES, 'journal_unavailable'],
    responses: {
      200: { description: 'The registration after the change.', schema: bodyOf(SellersRegistration) },
    },
    async handle(request) {
      const { params, principal, body } = request;
      const teamId = await actingTeam(parts.knex, request);
      const scope = { teamId, auctionId: params.id, registrationId: params.registration };
      const decision = readDecision(body, await decimalsOfAuction(parts.knex, params.id));
      const decided = decideRegistration(parts, scope, decision, principal.userId);
      return success(forSeller(await decided));
    },
  });
}

/** Those of an auction's currency; two where there is no such auction. */
async function decimalsOfAuction(knex: Knex, auctionId: number): Promise<Decimals> {
  const row = await knex('auctions')
    .where('id', auctionId)
    .first<{ currency: string } | undefined>('currency');
  return decimalsOf(row?.currency ?? '');
}

function readDecision(
  {
    status,
    bid_limit,
    reason,
    waive_deposit: waiveDeposit,
    paddle_number: paddle,
  }: Static<typeof DecisionBody>,
  decimals: Decimals,
): Decision {
  if (bid_limit === undefined || bid_limit === null)
    return { status, limitCents: bid_limit, reason, waiveDeposit, paddle };
  const limitCents = parseCents(bid_limit, decimals);
  if (limitCents === null) throw invalid({ bid_limit: [`The bid_limit ${NO_AMOUNT_OF[decimals]}.`] });
  if (limitCents === 0) throw invalid({ bid_limit: ['The bid_limit must be more than zero.'] });
  return { status, limitCents, reason, waiveDeposit, paddle };
}

/** What the journal says of these bidders; while it is unavailable, the rows have to do. */
async function readBidders(
  { journal }: RegistrationParts,
  auctionId: number,
  rows: readonly RegistrationRow[],
): Promise<{ bidders: Map<string, Bidder>; stale: boolean }> {
  const bidders = new Map<string, Bidder>();
  if (rows.length === 0) return { bidders, stale: false };
  try {
    const found = await journal.loadBidders(
      auctionId,
      rows.flatMap((row) => (row.user_id === null ? [] : [userKey(row.user_id)])),
    );
    for (const [key, { bidder }] of found) if (bidder !== null) bidders.set(key, bidder);
    return { bidders, stale: false };
  } catch (fault) {
    if (!(fault instanceof JournalUnavailable)) throw fault;
    return { bidders, stale: true };
  }
}

type Shown = Registered & Pick<RegistrationOutcome, 'depositInvoiceNumber'>;

function presented({ row, bidder, depositInvoiceNumber }: Shown) {
  const limitCents = bidder === null ? row.bid_limit_cents : bidder.limitCents;
  return {
    id: row.id,
    auction_id: row.auction_id,
    status: bidder?.status ?? row.status,
    paddle_number: bidder === null ? row.paddle_number : bidder.paddle,
    alias: bidder?.alias ?? row.alias,
    bid_limit: limitCents === null ? null : formatCents(limitCents, decimalsOf(row.currency)),
    reason: row.reason,
    floor_paddle: row.floor_paddle,
    created_at: row.created_at,
    decided_at: row.decided_at,
    deposit_invoice_number: depositInvoiceNumber,
    deposit_waived: row.deposit_waived,
    conditions_version: row.conditions_version,
    conditions_accepted_at: row.conditions_accepted_at,
  };
}

function forSeller(registered: Shown) {
  const { row } = registered;
  if (!row.is_known) return hidden(registered);
  const { user_id: id, user_name: name, user_verified: verified, invited_email: email } = row;
  const user = id === null || name === null ? null : { id, name, verified };
  return { ...presented(registered), email, user };
}

/** What an invitation answers, of whatever it was made into. */
function asInvited({ row, bidder }: Registered, email: string) {
  const shown = hidden({ row, bidder, depositInvoiceNumber: null });
  return { ...shown, status: shown.status === 'deposit_due' ? shown.status : ('approved' as const), email };
}

/** As an address without an account would be shown. */
function hidden(registered: Shown) {
  const shown = presented(registered);
  const { registration_mode: mode, auction_status, deposit_waived, invited_email: email } = registered.row;
  const owes = mode === 'deposit' && !deposit_waived && auction_status !== 'draft';
  return {
    ...shown,
    status: shown.status === 'approved' && owes ? ('deposit_due' as const) : shown.status,
    ...{ conditions_version: null, conditions_accepted_at: null },
    ...{ paddle_number: null, alias: null, floor_paddle: false, deposit_invoice_number: null },
    ...{ email, user: null },
  };
}

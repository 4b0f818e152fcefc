/**
 * Second chances over HTTP: a bidder's offers and their answers, and the seller who makes an offer to the next bidder.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { listOf, success } from '../../../adapters/http/envelope.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { Id } from '../../shared/fields.schema.ts';
import { bodyOf, listBody, pagingQuery } from '../../shared/paging/page.schema.ts';
import { notFound } from '../../shared/refusal.ts';
import { acceptHighestBid, acceptOffer, declineOffer } from './answer-offer.ts';
import { OfferStatusSchema } from './offer.model.ts';
import { OfferBody, presentOffer } from './offer-facts.ts';
import { DEFAULT_OFFER_HOURS, listOffers, MAX_OFFER_HOURS, offerSecondChance } from './offers.ts';

const tags = ['Offers'];
const BUYER_CODES = ['seller_cannot_bid', 'bidder_suspended'] as const;
const OfferParams = Type.Object({ id: Id });

export interface OfferParts {
  readonly knex: Knex;
  /** Has the journal say at once what an acceptance has changed. Never throws: what it cannot say, the clock says. */
  readonly afterAccept: () => Promise<unknown>;
}

export function offerEndpoints({ knex, afterAccept }: OfferParts): Endpoint[] {
  return [
    list(knex),
    answer(knex, 'accept', 'Accept the offer and buy the lot', async (...offer) => {
      const accepted = await acceptOffer(...offer);
      await afterAccept();
      return accepted;
    }),
    answer(knex, 'decline', 'Decline the offer', declineOffer),
    secondChance(knex),
    acceptBid(knex, afterAccept),
  ];
}

function list(knex: Knex): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/v1/me/offers',
    operationId: 'listMyOffers',
    summary: 'Offers to the caller, newest first',
    description:
      'A lot whose winner defaulted, or that has passed below its reserve, is offered to the best bidder left, for a ' +
      'limited time.',
    tags,
    access: { kind: 'ability', ability: 'read' },
    query: Type.Object({ ...pagingQuery, status: Type.Optional(OfferStatusSchema) }),
    responses: { 200: { description: 'One page of them.', schema: listBody(OfferBody) } },
    async handle({ principal, query }) {
      const { rows, paging } = await listOffers(knex, principal.userId, query);
      const nowMs = Date.now();
      return listOf(
        rows.map((offer) => presentOffer(offer, nowMs)),
        paging,
      );
    },
  });
}

function answer(
  knex: Knex,
  verb: 'accept' | 'decline',
  summary: string,
  decide: typeof acceptOffer,
): Endpoint {
  return endpoint({
    method: 'POST',
    path: `/api/v1/offers/{id}/${verb}`,
    operationId: `${verb}Offer`,
    summary,
    description:
      verb === 'accept'
        ? 'The lot is sold to the caller; `invoice_number` is their invoice. An offer that is no longer open ' +
          'is refused with `invalid_transition`.'
        : 'Nothing is owed. An offer that is no longer open is refused with `invalid_transition`.',
    tags,
    access: { kind: 'ability', ability: 'write' },
    params: OfferParams,
    bodyOptional: true,
    codes: ['invalid_transition', ...(verb === 'accept' ? BUYER_CODES : [])],
    responses: { 200: { description: 'The offer after the change.', schema: bodyOf(OfferBody) } },
    async handle({ principal, params }) {
      const offer = await decide(knex, params.id, principal.userId);
      return success(presentOffer(offer, Date.now()));
    },
  });
}

const Terms = Type.Object({
  below_reserve: Type.Optional(
    Type.Boolean({ description: 'Offer it even if the best remaining bid is below the reserve.' }),
  ),
  hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_OFFER_HOURS,
      default: DEFAULT_OFFER_HOURS,
      description: 'How long the offer is open.',
    }),
  ),
});

function secondChance(knex: Knex): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/api/v1/seller/lots/{id}/second-chance',
    operationId: 'offerSecondChance',
    summary: 'Offer a lot whose winner defaulted, or that has passed, to the best bidder who is left',
    description:
      'The price is the highest amount or ceiling that they bid. A lot has one open offer at a time; ' +
      'when it has been declined or has expired, the next bidder can get one. A lot that has passed is offered once ' +
      'its auction is over, with `below_reserve`. Of parcels the answer is 409 `no_bidder_left`: what wins was ' +
      'chosen among all bids for all tracts, and the lot is listed again.',
    tags,
    access: { kind: 'ability', ability: 'seller' },
    params: OfferParams,
    headers: TeamHeaders,
    body: Terms,
    bodyOptional: true,
    codes: [...TEAM_CODES, 'invalid_transition', 'reserve_not_reached', 'no_bidder_left'],
    responses: { 201: { description: 'The offer.', schema: bodyOf(OfferBody) } },
    async handle(request) {
      const { params } = request;
      const body = request.body ?? {};
      const teamId = await actingTeam(knex, request);
      const own = await Lot.query(knex).findOne({ id: params.id, team_id: teamId });
      if (own === undefined) throw notFound('There is no such lot.');
      const terms = {
        ...(body.below_reserve === undefined ? {} : { belowReserve: body.below_reserve }),
        ...(body.hours === undefined ? {} : { hours: body.hours }),
      };
      const offer = await offerSecondChance(knex, params.id, terms);
      return success(presentOffer(offer, Date.now()), { status: 201 });
    },
  });
}

function acceptBid(knex: Knex, afterAccept: OfferParts['afterAccept']): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/api/v1/seller/lots/{id}/accept-bid',
    operationId: 'acceptHighestBid',
    summary: 'Accept the bid at which a lot has passed, below its reserve',
    description:
      'The lot is sold to its highest bidder at that price; `invoice_number` is their invoice. Once the auction has ' +
      'ended, and within 48 hours of the lot’s close: so long the bid stands.',
    tags,
    access: { kind: 'ability', ability: 'seller' },
    params: OfferParams,
    headers: TeamHeaders,
    bodyOptional: true,
    codes: [...TEAM_CODES, 'invalid_transition', 'no_bidder_left', ...BUYER_CODES],
    responses: { 201: { description: 'The sale, as an accepted offer.', schema: bodyOf(OfferBody) } },
    async handle(request) {
      const teamId = await actingTeam(knex, request);
      const offer = await acceptHighestBid(knex, teamId, request.params.id);
      await afterAccept();
      return success(presentOffer(offer, Date.now()), { status: 201 });
    },
  });
}

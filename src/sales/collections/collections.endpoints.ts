/** Collecting by API: a sale's times, a buyer's own collections, and the seller's gate. */
import { type Static, Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import { Id, Moment, orNull, Time } from '../../shared/fields.schema.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { notFound } from '../../shared/refusal.ts';
import { markCollected, teamsCollection, teamsCollections } from './collected.ts';
import {
  bookCollection,
  type FullCollection,
  listCollectionSlots,
  listOwnCollections,
  readCollection,
} from './collections.ts';

const where = { from: Time, to: Time, place: orNull(Type.String()) };
const SlotBody = Type.Object(
  { id: Type.String(), ...where, free: Type.Boolean({ description: 'Nobody has booked it.' }) },
  { $id: 'CollectionSlot' },
);
const own = {
  id: Type.Integer(),
  code: Type.String({ example: 'K7QM3XPD', description: 'To be shown at the gate.' }),
  auction_id: Type.Integer(),
  ...where,
  lots: Type.Array(
    Type.Object({
      id: Type.Integer(),
      lot_number: Type.Integer(),
      catalog_number: orNull(Type.String(), { description: 'Shown instead of `lot_number`.' }),
      title: Type.String(),
      quantity: Type.Integer({
        description: 'How many pieces; the buyer’s own where others have bought of the lot.',
      }),
      collected_at: orNull(Time),
      is_disputed: Type.Boolean({
        description: 'Whether the buyer disputes the payment with their bank, which is not decided yet.',
      }),
    }),
    { description: 'What is paid of it.' },
  ),
};
const CollectionBody = Type.Object(own, { $id: 'Collection' });
const GateBody = Type.Object(
  { ...own, buyer: Type.Object({ name: Type.String() }) },
  { $id: 'TeamsCollection' },
);

const tags = ['Collections'];
const write = { kind: 'ability', ability: 'write' } as const;
const read = { kind: 'ability', ability: 'read' } as const;
const seller = { kind: 'ability', ability: 'seller' } as const;
const OWN = '/api/v1/me/collections';
const GATE = '/api/v1/seller/collections';
const CodeParams = Type.Object({ code: Type.String({ pattern: '^[A-Za-z0-9]{8}$' }) });

export function collectionEndpoints(knex: Knex): Endpoint[] {
  return [...buyersEndpoints(knex), ...gateEndpoints(knex)];
}

function buyersEndpoints(knex: Knex): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/auctions/{auction}/collections',
      operationId: 'listCollectionSlots',
      summary: 'When what was bought can be collected, from now on',
      tags,
      access: { kind: 'public' },
      params: Type.Object({ auction: Id }),
      responses: { 200: { description: 'In order of time.', schema: bodyOf(Type.Array(SlotBody)) } },
      async handle({ params, principal }) {
        return success(await listCollectionSlots(knex, params.auction, principal));
      },
    }),
    endpoint({
      method: 'POST',
      path: OWN,
      operationId: 'bookCollection',
      summary: 'Book a time for collecting',
      description:
        'For all lots of the sale that the caller has paid and that are still there. `from` is the beginning of one ' +
        'of the auction’s times; of a day without slots any moment. Another booking moves the one that there is.',
      tags,
      access: write,
      body: Type.Object(
        { auction_id: Id, from: Moment },
        { examples: [{ auction_id: 12, from: '2026-12-05T09:30:00Z' }] },
      ),
      codes: ['not_paid', 'slot_taken'],
      notFound: true,
      responses: { 201: { description: 'The collection.', schema: bodyOf(CollectionBody) } },
      async handle({ principal, body }) {
        const booked = await bookCollection(knex, principal.userId, body.auction_id, body.from);
        return success(shown(booked), { status: 201 });
      },
    }),
    endpoint({
      method: 'GET',
      path: OWN,
      operationId: 'listCollections',
      summary: 'The caller’s collections, the latest time first',
      tags,
      access: read,
      responses: {
        200: { description: 'The collections.', schema: bodyOf(Type.Array(CollectionBody)) },
      },
      async handle({ principal }) {
        return success((await listOwnCollections(knex, principal.userId)).map(shown));
      },
    }),
    endpoint({
      method: 'GET',
      path: `${OWN}/{collection}`,
      operationId: 'getCollection',
      summary: 'One of the caller’s collections',
      tags,
      access: read,
      params: Type.Object({ collection: Id }),
      responses: { 200: { description: 'The collection.', schema: bodyOf(CollectionBody) } },
      async handle({ principal, params }) {
        const found = await readCollection(knex, { id: params.collection });
        if (found?.row.user_id !== principal.userId) throw notFound('There is no such collection.');
        return success(shown(found));
      },
    }),
  ];
}

function gateEndpoints(knex: Knex): Endpoint[] {
  const head = { tags, access: seller, headers: TeamHeaders };
  return [
    endpoint({
      ...head,
      method: 'GET',
      path: GATE,
      operationId: 'listSellerCollections',
      summary: 'Who comes for what is still there, by time',
      description: 'At most 200.',
      codes: TEAM_CODES,
      responses: { 200: { description: 'The collections.', schema: bodyOf(Type.Array(GateBody)) } },
      async handle(request) {
        const found = await teamsCollections(knex, await actingTeam(knex, request));
        return success(found.map(shownAtGate));
      },
    }),
    endpoint({
      ...head,
      method: 'GET',
      path: `${GATE}/{code}`,
      operationId: 'getSellerCollection',
      summary: 'A collection by the code that its buyer shows',
      params: CodeParams,
      codes: TEAM_CODES,
      responses: { 200: { description: 'The collection.', schema: bodyOf(GateBody) } },
      async handle(request) {
        const teamId = await actingTeam(knex, request);
        return success(shownAtGate(await teamsCollection(knex, teamId, request.params.code)));
      },
    }),
    endpoint({
      ...head,
      method: 'POST',
      path: `${GATE}/{code}/collected`,
      operationId: 'markCollected',
      summary: 'Note that lots of a collection are gone',
      params: CodeParams,
      body: Type.Object({
        lot_ids: Type.Array(Id, { minItems: 1, maxItems: 1_000, uniqueItems: true, examples: [[31, 32]] }),
      }),
      codes: [...TEAM_CODES, 'not_paid'],
      responses: { 200: { description: 'The collection.', schema: bodyOf(GateBody) } },
      async handle(request) {
        const teamId = await actingTeam(knex, request);
        const { code } = request.params;
        return success(shownAtGate(await markCollected(knex, teamId, code, request.body.lot_ids)));
      },
    }),
  ];
}

function shown({ row, lots }: FullCollection): Static<typeof CollectionBody> {
  const { id, code, auction_id, starts_at: from, ends_at: to, place } = row;
  return { id, code, auction_id, from, to, place, lots: lots.map(({ translations, ...lot }) => lot) };
}

function shownAtGate(collection: FullCollection): Static<typeof GateBody> {
  return { ...shown(collection), buyer: { name: collection.buyer.name } };
}

/** A handful of endpoints, the tokens that reach them, and what they refuse. */
import { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { type Ability, type Endpoint, endpoint, type Principal } from '../../../adapters/http/endpoint.ts';
import { listOf, pageOf, success } from '../../../adapters/http/envelope.ts';
import {
  HTTP_ERRORS,
  HTTP_REFUSALS,
  notFound,
  Problem,
  type Refusals,
} from '../../../adapters/http/problem.ts';

export function principal(
  userId: number,
  abilities: readonly Ability[],
  more: Partial<Principal> = {},
): Principal {
  return {
    userId,
    email: `u${userId}@example.com`,
    name: `User ${userId}`,
    abilities: new Set(abilities),
    isAdmin: abilities.includes('admin'),
    suspended: false,
    verified: true,
    confirmed: true,
    teamIds: [],
    lockedTeamIds: [],
    language: null,
    leftTeamIds: [],
    via: 'token',
    tokenId: userId,
    currentTeamId: null,
    ...more,
  };
}

export const TOKENS: Readonly<Record<string, Principal>> = {
  reader: principal(1, ['read']),
  writer: principal(2, ['read', 'write']),
  admin: principal(3, ['admin']),
  nothing: principal(4, []),
};

const Amount = Type.String({
  pattern: '^[0-9]{1,12}(\\.[0-9]{1,2})?$',
  'x-message': 'The amount must have two decimals.',
});
const LotParams = Type.Object({ lot: Type.Integer({ minimum: 1 }) });
const BidBody = Type.Object({
  amount: Amount,
  confirm: Type.Optional(Type.Boolean()),
  note: Type.Optional(Type.String({ maxLength: 20 })),
  location: Type.Optional(Type.Object({ city: Type.String() })),
});
const ANY = { 200: { description: 'An answer.' } };
const PUBLIC = { access: { kind: 'public' }, tags: ['Test'], responses: ANY } as const;

const TABLE = {
  ...HTTP_ERRORS,
  bid_too_low: { status: 422, message: 'The bid is too low.' },
  lot_closed: { status: 409, message: 'The lot is closed.' },
  lot_withdrawn: { status: 409, message: 'The lot was withdrawn.' },
  overloaded: { status: 503, message: 'Try again.' },
  journal_unavailable: { status: 503, message: 'Send it again.' },
} as const;

/** Those of a service that refuses what the test's endpoints do. */
export const TEST_REFUSALS: Refusals = { ...HTTP_REFUSALS, table: TABLE };

export function refused(code: keyof typeof TABLE, data?: object): Problem {
  const { status, message } = TABLE[code];
  return new Problem(status, code, message, { data });
}

/** The endpoints; with `hot`, those that can be are. */
export function testEndpoints(hot: boolean): Endpoint[] {
  const heat = hot ? ({ hot: true } as const) : {};
  return [
    endpoint({
      ...PUBLIC,
      ...heat,
      method: 'POST',
      path: '/api/v1/lots/{lot}/bids',
      operationId: 'placeBid',
      summary: 'Places a bid',
      access: { kind: 'ability', ability: 'write' },
      params: LotParams,
      headers: Type.Object({
        'idempotency-key': Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]{1,255}$' })),
      }),
      body: BidBody,
      codes: ['bid_too_low', 'lot_closed', 'overloaded', 'journal_unavailable'],
      async handle({ params, body, principal: caller }) {
        if (params.lot === 404) throw notFound();
        if (params.lot === 409) throw refused('lot_closed', { current_bid: '1.00' });
        if (params.lot === 500) throw new Error('secret detail');
        if (params.lot === 503) throw refused('journal_unavailable');
        return success({ lot: params.lot, amount: body.amount, user: caller?.userId }, { status: 201 });
      },
    }),
    endpoint({
      ...PUBLIC,
      ...heat,
      method: 'GET',
      path: '/api/v1/lots/{lot}',
      operationId: 'getLot',
      summary: 'One lot',
      params: LotParams,
      async handle({ params, principal: caller }) {
        return success({ id: params.lot, viewer: caller?.userId ?? null });
      },
    }),
    endpoint({
      ...PUBLIC,
      ...heat,
      method: 'GET',
      path: '/api/v1/lots/geojson',
      operationId: 'getGeo',
      summary: 'A fixed path beside a parameter',
      responses: { 200: { description: 'A map.', contentType: 'application/geo+json' } },
      async handle() {
        return { status: 200, raw: '{"type":"FeatureCollection"}', contentType: 'application/geo+json' };
      },
    }),
    endpoint({
      ...PUBLIC,
      ...heat,
      method: 'GET',
      path: '/api/v1/lots',
      operationId: 'listLots',
      summary: 'Lots',
      query: Type.Object({
        page: Type.Integer({ minimum: 1, default: 1 }),
        per_page: Type.Integer({ minimum: 1, maximum: 100, default: 15 }),
        sort_by: Type.Optional(Type.Union([Type.Literal('id'), Type.Literal('title')])),
        water_access: Type.Optional(Type.Boolean()),
        min_acres: Type.Optional(Type.Number({ minimum: 0 })),
        search: Type.Optional(Type.String({ maxLength: 200 })),
      }),
      async handle(request) {
        const { page, per_page: perPage, ...rest } = request.query;
        const rows = [{ ...rest }];
        return success(pageOf(request, rows, { page, perPage, total: 40 }), { message: 'Lots.' });
      },
    }),
    endpoint({
      ...PUBLIC,
      method: 'GET',
      path: '/api/v1/me',
      operationId: 'getMe',
      summary: 'The caller',
      access: { kind: 'token' },
      async handle({ principal: caller }) {
        return listOf([{ id: caller?.userId }], { page: 1, perPage: 15, total: 1 });
      },
    }),
    ...oddEndpoints(heat),
  ];
}

function oddEndpoints(heat: { hot?: true }): Endpoint[] {
  return [
    endpoint({
      ...PUBLIC,
      ...heat,
      method: 'DELETE',
      path: '/api/v1/lots/{lot}/watchlist',
      operationId: 'unwatch',
      summary: 'No body',
      params: LotParams,
      handle: async () => success({}),
    }),
    endpoint({
      ...PUBLIC,
      method: 'POST',
      path: '/webhooks/payment',
      operationId: 'payment',
      summary: 'Raw bytes',
      body: Type.Object({}, { additionalProperties: true }),
      rawBody: true,
      handle: async ({ rawBody, ip }) => success({ bytes: rawBody?.length, ip }),
    }),
    endpoint({
      ...PUBLIC,
      ...heat,
      method: 'GET',
      path: '/api/v1/large',
      operationId: 'getLarge',
      summary: 'Worth compressing',
      handle: async () => success('x'.repeat(5000)),
    }),
    endpoint({
      ...PUBLIC,
      ...heat,
      method: 'GET',
      path: '/api/v1/stream',
      operationId: 'getStream',
      summary: 'Never ends by itself',
      async handle({ signal }) {
        const source = new Readable({ read() {} });
        source.push('data: 1\n\n');
        signal.addEventListener('abort', () => source.destroy());
        return { status: 200, raw: source, contentType: 'text/event-stream' };
      },
    }),
    endpoint({
      ...PUBLIC,
      ...heat,
      method: 'GET',
      path: '/api/v1/slow',
      operationId: 'getSlow',
      summary: 'Takes a second',
      async handle() {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        return success('done');
      },
    }),
    endpoint({
      ...PUBLIC,
      method: 'POST',
      path: '/api/v1/media',
      operationId: 'upload',
      summary: 'A file',
      body: {
        multipart: {
          fields: Type.Object({ model_id: Type.Integer({ minimum: 1 }) }),
          files: { file: { maxBytes: 2000 } },
        },
      },
      async handle({ body }) {
        return success(
          { id: body.fields.model_id, size: body.files['file']?.sizeBytes ?? null },
          { status: 201 },
        );
      },
    }),
  ];
}

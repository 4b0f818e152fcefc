import { Type } from '@sinclair/typebox';
import { expect } from 'chai';
import { endpoint } from '../../../adapters/http/endpoint.ts';
import { openApiDocument } from '../../../adapters/http/openapi.ts';
import { HTTP_ERRORS } from '../../../adapters/http/problem.ts';
import { call, type Running, serve } from './server-fixture.ts';
import { testEndpoints } from './test-endpoints.ts';

type Json = Record<string, unknown>;
interface Operation {
  operationId: string;
  security: Json[];
  parameters: { name: string; in: string; required: boolean; schema: Json }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> };
  responses: Record<string, { description: string; headers: Json; content?: Json }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Json; headers: Json; securitySchemes: Json };
}

describe('the OpenAPI document', () => {
  let server: Running;
  let document: Document;
  before(async () => {
    server = await serve(testEndpoints(true));
    document = (await call(`${server.url}/docs/api/openapi.json`)).body as Document;
  });
  after(() => server.close());

  it('lists what is mounted, and everything it lists is mounted', async () => {
    const listed = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const mounted = server.http.endpoints.map(({ method, path }) => `${method} ${path}`);
    expect(listed.sort()).to.deep.equal(mounted.sort());
    for (const location of listed) {
      const [method = '', path = ''] = location.split(' ');
      if (path === '/api/v1/stream') continue;
      const answer = await call(server.url + path.replace(/\{[^}]+\}/, '7'), { method });
      expect(answer.status, location).not.to.be.oneOf([404, 405]);
    }
  });

  it('refers only to what it contains', () => {
    const text = JSON.stringify(document);
    for (const [, reference] of text.matchAll(/"\$ref":"([^"]+)"/g)) {
      const found = reference!
        .slice(2)
        .split('/')
        .reduce<unknown>((at, key) => (at as Json)[key], document);
      expect(found, reference).to.be.an('object');
    }
    expect(text).not.to.include('"$id"');
    expect(text).not.to.include('x-message');
  });

  it('documents parameters, body, security and every refusal', () => {
    const bid = document.paths['/api/v1/lots/{lot}/bids']!['post']!;
    expect(bid.security).to.deep.equal([{ bearer: ['write'] }]);
    expect(
      bid.parameters.map(({ name, in: location, required }) => [name, location, required]),
    ).to.deep.equal([
      ['lot', 'path', true],
      ['Idempotency-Key', 'header', false],
    ]);
    expect(bid.requestBody?.content['application/json']?.schema).to.include({
      type: 'object',
      additionalProperties: false,
    });
    expect(Object.keys(bid.responses)).to.have.members([
      '200',
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '415',
      '422',
      '429',
      '503',
    ]);
    expect(bid.responses['503']!.description).to.include('overloaded').and.to.include('journal_unavailable');
    expect(bid.responses['429']!.headers).to.include.keys('Retry-After', 'X-RateLimit-Reset', 'X-Request-Id');
    const list = document.paths['/api/v1/lots']!['get']!;
    expect(list.security).to.deep.equal([{}, { bearer: [] }]);
    const page = list.parameters.find(({ name }) => name === 'page')!;
    expect([page.required, page.schema]).to.deep.equal([false, { type: 'integer', minimum: 1, default: 1 }]);
    expect(document.paths['/healthz']!['get']!.responses).not.to.have.property('429');
    expect(document.paths['/api/v1/media']!['post']!.requestBody?.content).to.have.property(
      'multipart/form-data',
    );
  });

  it('prints named schemas once, recursive ones too, and notices two of one name', () => {
    const make = (operationId: string, schema: ReturnType<typeof Type.Object>) =>
      endpoint({
        method: 'GET',
        path: `/api/v1/${operationId}`,
        operationId,
        summary: operationId,
        tags: [],
        access: { kind: 'public' },
        responses: { 200: { description: 'ok', schema } },
        handle: async () => ({ status: 200 }),
      });
    const lot = Type.Object({ id: Type.Integer() }, { $id: 'Lot' });
    const tree = Type.Recursive((self) => Type.Object({ children: Type.Array(self) }), { $id: 'Category' });
    const info = { title: 't', version: '1' };
    const rendered = openApiDocument(
      [make('a', Type.Object({ lot, tree })), make('b', lot)],
      info,
    ) as unknown as Document;
    expect(rendered.components.schemas).to.have.keys('Error', 'Lot', 'Category');
    expect(rendered.components.schemas['Category']).to.have.nested.property(
      'properties.children.items.$ref',
      '#/components/schemas/Category',
    );
    const other = Type.Object({ id: Type.String() }, { $id: 'Lot' });
    expect(() => openApiDocument([make('a', lot), make('b', other)], info)).to.throw('Lot');
    expect(() => openApiDocument([make('a', lot), make('a', lot)], info)).to.throw('two operations');
  });

  it('has a status and a message for every code', () => {
    for (const [code, { status, message }] of Object.entries(HTTP_ERRORS)) {
      expect(status, code).to.be.within(400, 503);
      expect(message, code).to.match(/^[A-Z].*\.$/);
    }
  });
});

describe('mounting', () => {
  it('refuses two endpoints for one path, and multipart on hot ones', async () => {
    const [first] = testEndpoints(true);
    let message = '';
    await serve([first!, { ...first!, operationId: 'again' }]).catch((error: Error) => {
      message = error.message;
    });
    expect(message).to.include('two endpoints for POST');
    const upload = testEndpoints(false).find(({ operationId }) => operationId === 'upload')!;
    await serve([{ ...upload, hot: true }]).catch((error: Error) => {
      message = error.message;
    });
    expect(message).to.include('multipart');
    const lot = testEndpoints(true).find(({ operationId }) => operationId === 'getLot')!;
    await serve([lot, { ...first!, method: 'GET', path: '/api/v1/lots/map', hot: undefined }]).catch(
      (error: Error) => {
        message = error.message;
      },
    );
    expect(message).to.equal('GET /api/v1/lots/map lies behind a hot endpoint');
  });
});

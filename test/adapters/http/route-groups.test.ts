/** Requests find the same endpoint whichever router it is in, for every kind of path. */
import { Type } from '@sinclair/typebox';
import { expect } from 'chai';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { call, type Running, serve } from './server-fixture.ts';

const PATHS = [
  '/',
  '/a',
  '/{one}',
  '/a/b',
  '/a/{one}',
  '/a/b/c',
  '/a/b/{one}',
  '/a/b/c/d',
  '/a/b/c/{one}',
  '/a/{one}/c',
  '/a/b/c/{one}/e',
  '/a/b/c/d/{one}',
];

function endpointAt(path: string): Endpoint {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  return endpoint({
    method: 'GET',
    path,
    operationId: `at${PATHS.indexOf(path)}`,
    summary: '',
    tags: [],
    access: { kind: 'public' },
    params: Type.Object(Object.fromEntries(names.map((name) => [name, Type.String()]))),
    responses: { 200: { description: 'where' } },
    handle: async ({ params }) => success({ path, params }),
  });
}

describe('routers by the words that paths begin with', () => {
  let server: Running;
  before(async () => {
    server = await serve(PATHS.map(endpointAt));
  });
  after(() => server.close());

  it('answer each path with its endpoint, fixed ones before those with parameters', async () => {
    for (const path of PATHS) {
      const { text } = await call(server.url + path.replace(/\{one\}/, 'x%20y'));
      const params = path.includes('{') ? { one: 'x y' } : {};
      expect(JSON.parse(text).data, path).to.deep.equal({ path, params });
    }
  });

  it('answer 405 with the methods of the path, and 404 where nothing is', async () => {
    for (const path of ['/a', '/a/b/c', '/a/b/c/x/e', '/x']) {
      const { status, headers } = await call(server.url + path, { method: 'DELETE' });
      expect([status, headers.get('allow')], path).to.deep.equal([405, 'GET, HEAD, OPTIONS']);
    }
    for (const path of ['/x/y', '/a/b/c/d/e/f', '/a/', '//']) {
      expect((await call(server.url + path)).status, path).to.equal(404);
    }
  });
});

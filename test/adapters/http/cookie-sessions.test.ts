import { Type } from '@sinclair/typebox';
import { expect } from 'chai';
import { endpoint, type Session } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { call, type Running, serve } from './server-fixture.ts';
import { principal, testEndpoints } from './test-endpoints.ts';

describe('cookie sessions', () => {
  const session: Session = {
    id: 's',
    csrfToken: 'right',
    principal: principal(9, [], { via: 'session', tokenId: null }),
  };
  const withSession = endpoint({
    method: 'POST',
    path: '/api/media/reorder',
    operationId: 'reorder',
    summary: '',
    tags: [],
    access: { kind: 'ability', ability: 'write', session: true },
    body: Type.Object({ ids: Type.Array(Type.Integer()) }),
    responses: {},
    handle: async ({ principal: caller }) => success(caller?.userId),
  });
  const form = endpoint({
    method: 'POST',
    path: '/sign-in',
    operationId: 'signIn',
    summary: '',
    tags: [],
    access: { kind: 'public', session: true },
    body: { form: Type.Object({ email: Type.String() }) },
    responses: {},
    undocumented: true,
    handle: async ({ body }) => ({
      status: 303,
      headers: { Location: `/?${body.email}`, 'Set-Cookie': ['a=1', 'b=2'] },
    }),
  });
  let server: Running;
  before(async () => {
    const load = async ({ headers }: { headers: { cookie?: string } }) =>
      headers.cookie === 'sid=1' ? session : null;
    server = await serve([withSession, form, ...testEndpoints(false)], { sessions: { load } });
  });
  after(() => server.close());

  it('are taken where an endpoint says so, with their CSRF token and without an ability', async () => {
    const send = (headers: Record<string, string>) =>
      call(`${server.url}/api/media/reorder`, { json: { ids: [1] }, headers });
    expect((await send({ Cookie: 'sid=1', 'X-CSRF-Token': 'right' })).body).to.deep.equal({
      success: true,
      data: 9,
    });
    for (const token of [undefined, 'wrong', 'righ']) {
      const answer = await send({
        Cookie: 'sid=1',
        ...(token === undefined ? {} : { 'X-CSRF-Token': token }),
      });
      expect(answer.body).to.include({ code: 'csrf_failed' });
      expect(answer.status).to.equal(403);
    }
    expect((await send({ Cookie: 'sid=2' })).status).to.equal(401);
    expect((await send({ Cookie: 'sid=1', Authorization: 'Bearer writer' })).body).to.have.property(
      'data',
      2,
    );
    expect((await send({ Cookie: 'sid=1', Authorization: 'Bearer wrong' })).status).to.equal(401);
    expect((await call(`${server.url}/api/v1/me`, { headers: { Cookie: 'sid=1' } })).status).to.equal(401);
  });

  it('guard forms by their hidden field, and can set cookies', async () => {
    const send = (text: string, cookie: string) =>
      fetch(`${server.url}/sign-in`, {
        method: 'POST',
        body: text,
        redirect: 'manual',
        headers: { Cookie: cookie, 'Content-Type': 'application/x-www-form-urlencoded' },
      });
    const good = await send('email=a%40b&_csrf=right', 'sid=1');
    expect([good.status, good.headers.get('location')]).to.deep.equal([303, '/?a@b']);
    expect(good.headers.getSetCookie()).to.deep.equal(['a=1', 'b=2']);
    expect((await send('email=a', 'sid=1')).status).to.equal(403);
    expect((await send('email=a&_csrf=right', 'sid=2')).status).to.equal(403);
    expect((await send('_csrf=right', 'sid=1')).status).to.equal(422);
  });
});

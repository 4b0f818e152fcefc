/**
 * Every writing route there is, called with an account that lacks something: its address is not confirmed, its token
 * has expired, its second factor is missing.
 */
import { expect } from 'chai';
import type { Endpoint } from '../../adapters/http/endpoint.ts';
import { createToken } from '../../src/accounts/tokens/tokens.ts';
import { BrowserLike, quickHash, signIn } from '../support/browser-like.ts';
import { aLot, aTeam, aUser } from '../support/builders.ts';
import { type Service, startService } from '../support/service.ts';

/** What an account may do before its address is confirmed, and why; a new route has to be listed here. */
const UNCONFIRMED_TOO: Readonly<Record<string, string>> = {
  watchLot: 'watching is reading',
  unwatchLot: 'watching is reading',
  watchOnPage: 'watching is reading',
  followTeam: 'following is reading',
  unfollowTeam: 'following is reading',
  followOnPage: 'following is reading',
  confirmAddressByPassword: 'this is the way out',
  confirmEmail: 'the link and the password say whose it is',
  stopEmail: 'the link proves the address',
  signIn: 'it signs in',
  signInWithPasskey: 'it signs in',
  proveWithPasskey: 'says who they are, and nothing else',
  signUp: 'it may have been the wrong address',
  signOut: 'it signs out',
  prove: 'says who they are, and nothing else',
  forgotPassword: 'asks for a mail',
  resetPassword: 'the link proves the address',
  changePassword: 'keeps its own account safe',
  endSession: 'keeps its own account safe',
  endSessions: 'keeps its own account safe',
  sendConfirmation: 'this is the way out',
};

/** Forms whose page refuses them alongside the lot, and which take no token. */
const SAYS_IT_ITSELF: ReadonlySet<string> = new Set(['bidOnPage', 'buyNowOnPage']);

const ALL = ['read', 'write', 'seller', 'admin'];
const pathOf = ({ path }: Endpoint) => path.replaceAll(/\{[^}]+\}/g, '1');

describe('An account that lacks something', () => {
  let service: Service;

  before(async () => {
    service = await startService();
    // The lot 1 of the paths: pages say what is wrong with somebody alongside the lot.
    await aLot(service.database, { id: 1 });
    await service.publish();
  });
  after(() => service.close());

  const writing = () =>
    service.web.app.endpoints.filter(
      ({ method, access }) => method !== 'GET' && (access.kind !== 'public' || access.session === true),
    );
  const person = (more: object = {}) =>
    aUser(service.database, { password_hash: quickHash('correct horse'), is_admin: true, ...more });

  it('writes nothing while its address is not confirmed, by token or session, except what resolves that', async () => {
    const user = await person({ email_confirmed_at: null });
    const token = await service.tokenFor(user, ALL);
    const browser = new BrowserLike(service.url);
    await signIn(browser, user.email, 'correct horse');
    await browser.get('/');
    const headers = { accept: 'application/json', 'x-csrf-token': browser.csrfToken };
    const [byToken, bySession]: [string[], string[]] = [[], []];
    for (const one of writing()) {
      const sent = await service.call(one.method, pathOf(one), { token });
      if (sent.status !== 403 || sent.body?.code !== 'email_unconfirmed') byToken.push(one.operationId);
      if (one.access.session !== true || UNCONFIRMED_TOO[one.operationId] !== undefined) continue;
      const seen = await browser.send(one.method, pathOf(one), headers, new URLSearchParams());
      if (seen.status !== 403 || !seen.text.includes('email_unconfirmed')) bySession.push(one.operationId);
    }
    const leadsOut = (id: string) => UNCONFIRMED_TOO[id] !== undefined || SAYS_IT_ITSELF.has(id);
    expect(byToken.filter((id) => !leadsOut(id))).to.deep.equal([]);
    expect(bySession).to.deep.equal([]);
    expect(byToken.length).to.be.above(0);
    for (const path of ['/api/v1/me', '/api/v1/me/bids', '/api/v1/lots', '/api/v1/me/watchlist']) {
      expect((await service.get(path, token)).status, path).to.equal(200);
    }
  });

  it('is anonymous on every page while it owes the second factor', async () => {
    const user = await person();
    const factor = { user_id: user.id, sealed_secret: 'sealed', enabled_at: new Date() };
    await service.backends.knex('two_factors').insert(factor);
    const [half, visitor] = [new BrowserLike(service.url), new BrowserLike(service.url)];
    expect((await signIn(half, user.email, 'correct horse')).location).to.match(/^\/sign-in\/code/);
    await half.get('/');
    await visitor.get('/');
    const differing: string[] = [];
    const sessioned = service.web.app.endpoints.filter(({ access }) => access.session === true);
    expect(sessioned.length).to.be.above(100);
    const tryOne = async (one: Endpoint) => {
      const seen = await Promise.all(
        [half, visitor].map(async (browser) => {
          const headers = { accept: 'application/json', 'x-csrf-token': browser.csrfToken };
          const form = one.method === 'GET' ? null : new URLSearchParams({ _csrf: browser.csrfToken });
          const { status, location, text } = await browser.send(one.method, pathOf(one), headers, form);
          return { status, location, named: text.includes(user.email) };
        }),
      );
      if (JSON.stringify(seen[0]) !== JSON.stringify(seen[1]) || seen[0]?.named)
        differing.push(`${one.operationId}: ${JSON.stringify(seen)}`);
    };
    const finite = sessioned.filter(({ path }) => !/^\/sign-(in|up|out)|\/stream$/.test(path));
    for (let at = 0; at < finite.length; at += 10) await Promise.all(finite.slice(at, at + 10).map(tryOne));
    expect(differing).to.deep.equal([]);
  });

  it('does nothing at all with a token that has expired', async () => {
    const { email } = await person();
    const { token, id } = await createToken(service.backends.knex, {
      email,
      abilities: ALL,
      expiresInDays: 1,
    });
    await service.backends
      .knex('tokens')
      .where({ id })
      .update({ expires_at: new Date(Date.now() - 1_000) });
    const passed: string[] = [];
    const requiring = service.web.app.endpoints.filter(
      ({ access }) => access.kind !== 'public' || access.session,
    );
    for (const one of requiring) {
      const sent = await service.call(one.method, pathOf(one), { token });
      if (sent.status !== 401 || sent.body?.code !== 'unauthenticated') passed.push(one.operationId);
    }
    expect(passed).to.deep.equal([]);
    expect(requiring.length).to.be.above(50);
  });

  it('acts for no team that asks for a second factor, on any route that takes a team', async () => {
    const { knex } = service.backends;
    const user = await person();
    const team = await aTeam(service.database, { members: [{ user, role: 'admin' }] });
    await knex('teams').where('id', team.id).update({ require_two_factor: true });
    const token = await service.tokenFor(user, ALL);
    const inContext = service.web.app.endpoints.filter(
      ({ headers }) => headers?.properties['x-team-id'] !== undefined,
    );
    expect(inContext.length).to.be.above(20);
    const passed: string[] = [];
    for (const one of inContext) {
      const headers = { 'X-Team-Id': String(team.id) };
      const sent = await service.call(one.method, pathOf(one), { token, headers });
      if (sent.status !== 403 || sent.body?.code !== 'two_factor_required') passed.push(one.operationId);
    }
    expect(passed).to.deep.equal([]);
    for (const [method, path, body] of [
      ['PATCH', `/api/v1/teams/${team.id}`, { require_two_factor: false }],
      ['POST', `/api/v1/teams/${team.id}/invitations`, { email: 'guest@example.com' }],
    ] as const) {
      expect((await service.call(method, path, { token, body })).body.code, path).to.equal(
        'two_factor_required',
      );
    }
    // Their own personal team asks for nothing.
    expect((await service.get('/api/v1/seller/auctions', token)).status).to.equal(200);
    await knex('users').where('id', user.id).update({ current_team_id: team.id });
    const other = await service.tokenFor(user, ALL);
    expect((await service.get('/api/v1/seller/auctions', other)).body.code).to.equal('two_factor_required');
  });
});

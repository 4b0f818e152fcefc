/** Signing in through a team's own OpenID Connect provider, with a real one on this machine. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Team } from '../../../../src/accounts/models/team.model.ts';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { ownerOf } from '../../../../src/accounts/teams/team-sign-in.ts';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aTeam, aUser } from '../../../support/builders.ts';
import { CLIENT, type OpenIdProvider, startOpenIdProvider } from '../../../support/openid-provider.ts';
import { type Service, startService } from '../../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('a team’s own sign-in', () => {
  let service: Service;
  let provider: OpenIdProvider;
  let owner: User;
  let member: User;
  let team: Team;
  let token: string;
  let callback: string;
  let counter = 0;

  before(async () => {
    service = await startService({ env: { TRUST_PROXY: '127.0.0.1', WEBHOOK_ALLOW_LOOPBACK: '1' } });
    [owner, member] = [await aPerson(), await aPerson()];
    team = await aTeam(service.database, { owner, members: [{ user: member }], name: 'Hollow House' });
    callback = `/sign-in/team/callback/${team.id}`;
    provider = await startOpenIdProvider(`${service.url}${callback}`);
    token = await service.tokenFor(owner, ['read', 'seller']);
  });
  after(async () => {
    await provider?.close();
    await service?.close();
  });

  const aPerson = () => aUser(service.database, { password_hash: quickHash(PASSWORD) });
  const browser = () => {
    counter += 1;
    return new BrowserLike(service.url, { 'x-forwarded-for': `198.51.100.${counter}` });
  };
  const signedIn = async ({ email }: User) => {
    const own = browser();
    expect((await signIn(own, email, PASSWORD)).status).to.equal(303);
    return own;
  };
  const path = () => `/api/v1/teams/${team.id}/identity-provider`;
  const put = (body: object, by = token) => service.call('PUT', path(), { token: by, body });
  /** From our page to the provider, through it as this person, and back. */
  const goThrough = async (who: BrowserLike, login: string, query = '') => {
    const start = await who.get(`/sign-in/team/${team.slug}/start${query}`);
    expect(start.status).to.equal(303);
    const back = new URL(await provider.signIn(start.location ?? '', login));
    expect(back.pathname).to.equal(callback);
    return who.get(`${back.pathname}${back.search}`);
  };
  const link = async (who: BrowserLike, login: string) => {
    const asked = await goThrough(who, login, '?link=yes');
    const sealed = /name="link" value="([^"]+)"/.exec(asked.text)?.[1] ?? '';
    return {
      asked,
      done: await who.post(`/account/security/team-sign-in/${team.slug}`, { link: sealed }),
      sealed,
    };
  };
  const isIn = async (who: BrowserLike) => (await who.get('/account/security')).status === 200;

  it('is set by owners and admins, and read at once', async () => {
    const set = await put({ issuer: provider.issuer, ...CLIENT });
    expect(set.status, set.text).to.equal(200);
    expect(set.body.data).to.include({
      issuer: provider.issuer,
      client_id: CLIENT.client_id,
      redirect_uri: `${service.url}${callback}`,
      sign_in_url: `${service.url}/sign-in/team?team=${team.slug}`,
    });
    expect(set.text).not.to.contain(CLIENT.client_secret);
    const row = await service.backends.knex('team_identity_providers').first();
    expect(JSON.stringify(row)).not.to.contain(CLIENT.client_secret);
    expect(
      (await put({ issuer: provider.issuer, client_id: CLIENT.client_id })).status,
      'keeps the secret',
    ).to.equal(200);
    for (const [body, field] of [
      [{ issuer: provider.issuer, client_id: 'other' }, 'client_secret'],
      [{ ...CLIENT, issuer: `${service.url}` }, 'issuer'],
      [{ ...CLIENT, issuer: 'http://10.0.0.1' }, 'issuer'],
      [{ ...CLIENT, issuer: 'http://login.example.com' }, 'issuer'],
    ] as const) {
      const refused = await put(body);
      expect([refused.status, Object.keys(refused.body.errors)], JSON.stringify(body)).to.deep.equal([
        422,
        [field],
      ]);
    }
    expect(
      (await put({ issuer: provider.issuer, ...CLIENT }, await service.tokenFor(member, ['seller']))).status,
    ).to.equal(403);
    expect(
      (await put({ issuer: provider.issuer, ...CLIENT }, await service.tokenFor(await aPerson(), ['seller'])))
        .status,
    ).to.equal(404);
    expect((await service.get(path(), token)).body.data.issuer).to.equal(provider.issuer);
  });

  it('signs in nobody who has not linked their account themselves, whatever the provider says', async () => {
    const visitor = browser();
    const seen = await goThrough(visitor, 'ada');
    expect([seen.status, seen.text.includes('Nobody has linked an account')]).to.deep.equal([403, true]);
    expect(await isIn(visitor)).to.equal(false);
  });

  it('is linked by the account’s owner, who sees with whom, and signs in from then on', async () => {
    const own = await signedIn(member);
    expect((await own.get('/account/security')).text)
      .to.contain('Hollow House')
      .and.contain('not linked');
    expect((await own.get(`/account/security/team-sign-in/${team.slug}`)).text).to.contain(
      'can then sign in to your account',
    );
    const { asked, done, sealed } = await link(own, 'ada');
    expect(asked.text).to.contain('ada@house.example').and.contain(member.email);
    expect(done.location).to.equal('/account/security');
    expect((await own.get('/account/security')).text).to.contain('linked with ada@house.example');
    const visitor = browser();
    const chosen = await visitor.get(`/sign-in/team?team=${team.slug}&next=/account/profile`);
    expect(chosen.text)
      .to.contain('Hollow House')
      .and.contain(`Continue to ${new URL(provider.issuer).host}`);
    const entered = await goThrough(visitor, 'ada', '?next=/account/profile');
    expect([entered.status, entered.location]).to.deep.equal([303, '/account/profile']);
    expect(await isIn(visitor)).to.equal(true);
    // Whoever runs the provider can be anybody at it: what would take the account over asks for more.
    const proof = async () => (await visitor.get('/account/security/passkeys')).location;
    expect(await proof()).to.match(/^\/account\/prove/);
    expect((await visitor.post('/account/security/sessions/end', {})).location).to.equal('/account/security');
    expect(await proof()).to.match(/^\/account\/prove/);
    await visitor.get('/sign-out');
    await visitor.post('/sign-out', {});
    expect(await isIn(visitor)).to.equal(false);
    // Another person's form, and one who is somebody's already.
    const other = await signedIn(owner);
    await other.get('/account/security');
    const stolen = await other.post(`/account/security/team-sign-in/${team.slug}`, { link: sealed });
    expect(stolen.status).to.equal(422);
    expect((await link(other, 'ada')).done.text).to.contain('Somebody else has linked');
    expect(await service.backends.knex('team_identities').pluck('user_id')).to.deep.equal([member.id]);
  });

  it('takes nothing of what another browser began, or what has been used', async () => {
    const [one, other] = [browser(), browser()];
    const start = await one.get(`/sign-in/team/${team.slug}/start`);
    const back = new URL(await provider.signIn(start.location ?? '', 'ada'));
    const way = `${back.pathname}${back.search}`;
    expect((await other.get(way)).text).to.contain('begun in another browser');
    await other.get(`/sign-in/team/${team.slug}/start`);
    expect((await other.get(way)).status, 'another’s state').to.equal(502);
    expect(await isIn(other)).to.equal(false);
    expect((await one.get(way)).status).to.equal(303);
    expect((await one.get(way)).status, 'a code works once').to.equal(502);
    const denied = browser();
    const begun = await denied.get(`/sign-in/team/${team.slug}/start`);
    const state = new URL(begun.location ?? '').searchParams.get('state');
    const answer = new URLSearchParams({ error: 'access_denied', state: state ?? '', iss: provider.issuer });
    expect((await denied.get(`${callback}?${answer}`)).text).to.contain('did not work, or was not finished');
    const foreign = await signedIn(member);
    const forced = await foreign.get(`/sign-in/team/${team.slug}/start?link=yes`, {
      'sec-fetch-site': 'cross-site',
    });
    expect(forced.status).to.equal(404);
  });

  it('takes no answer of a provider for that of another, which could be passed on to a third', async () => {
    // A team whose provider sends people to ours, with what somebody else has begun there.
    const taken: string[] = [];
    const thief = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      if (request.method === 'POST') taken.push(request.url ?? '');
      response.end(
        JSON.stringify({ issuer: url, authorization_endpoint: `${url}/at`, token_endpoint: `${url}/to` }),
      );
    });
    await once(thief.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(thief.address() as AddressInfo).port}`;
    const thieves = await aTeam(service.database, { owner });
    const set = await service.call('PUT', `/api/v1/teams/${thieves.id}/identity-provider`, {
      token,
      body: { issuer: url, client_id: 'x', client_secret: 'y' },
    });
    expect(set.status, set.text).to.equal(200);
    expect(set.body.data.redirect_uri).to.equal(`${service.url}/sign-in/team/callback/${thieves.id}`);
    const [victim, attacker] = [browser(), browser()];
    const begun = new URL((await attacker.get(`/sign-in/team/${team.slug}/start`)).location ?? '');
    const lured = new URL((await victim.get(`/sign-in/team/${thieves.slug}/start`)).location ?? '');
    begun.searchParams.set('state', lured.searchParams.get('state') ?? '');
    const back = new URL(await provider.signIn(begun.href, 'ada'));
    // Many providers do not name themselves in their answers.
    back.searchParams.delete('iss');
    expect((await victim.get(`${back.pathname}${back.search}`)).status).to.equal(403);
    expect(taken, 'a code for another team').to.deep.equal([]);
    thief.closeAllConnections();
    await new Promise((done) => thief.close(done));
  });

  it('tells people by what the provider never changes of them, and of its own team alone', async () => {
    const { knex } = service.backends;
    // Who is called as an account is, or by its address, and who has the same name at another team's provider.
    expect((await goThrough(browser(), owner.email)).status).to.equal(403);
    const other = await aTeam(service.database, { owner, members: [{ user: member }] });
    await knex('team_identity_providers').insert(
      (await knex('team_identity_providers').where('team_id', team.id)).map((row) => ({
        ...row,
        team_id: other.id,
      })),
    );
    const [linked] = await knex('team_identities').where({ team_id: team.id, user_id: member.id });
    expect(linked.subject).to.equal('ada');
    expect(await ownerOf(knex, other.id, 'ada')).to.equal(null);
    expect(await ownerOf(knex, team.id, 'ada')).to.equal(member.id);
    await knex('users').where('id', member.id).update({ email: 'renamed@house.example' });
    expect((await goThrough(browser(), 'ada')).status).to.equal(303);
    expect((await goThrough(browser(), 'renamed')).status).to.equal(403);
    await knex('users').where('id', member.id).update({ email: member.email });
    await knex('teams')
      .where('id', other.id)
      .delete()
      .catch(() => undefined);
  });

  it('is no way around the second factor', async () => {
    const { knex } = service.backends;
    await knex('two_factors').insert({ user_id: member.id, sealed_secret: 'sealed', enabled_at: new Date() });
    const visitor = browser();
    expect((await goThrough(visitor, 'ada')).location).to.match(/^\/sign-in\/code/);
    expect(await isIn(visitor)).to.equal(false);
    await knex('two_factors').delete();
  });

  it('ends for who leaves the team, and with another provider', async () => {
    const { knex } = service.backends;
    await knex('memberships').where({ team_id: team.id, user_id: member.id }).delete();
    expect((await goThrough(browser(), 'ada')).status).to.equal(403);
    await knex('memberships').insert({ team_id: team.id, user_id: member.id, role: 'member' });
    expect((await goThrough(browser(), 'ada')).status).to.equal(303);
    await put({ issuer: provider.issuer, client_id: 'another', client_secret: 'secret' });
    expect(await knex('team_identities')).to.deep.equal([]);
    await put({ issuer: provider.issuer, ...CLIENT });
    expect((await goThrough(browser(), 'ada')).status).to.equal(403);
    const own = await signedIn(member);
    await link(own, 'ada');
    await own.get('/account/security');
    await own.post(`/account/security/team-sign-in/${team.slug}/remove`, {});
    expect((await goThrough(browser(), 'ada')).status).to.equal(403);
    expect((await service.call('DELETE', path(), { token })).status).to.equal(204);
    expect((await service.get(path(), token)).status).to.equal(404);
    expect((await browser().get(`/sign-in/team/${team.slug}/start`)).status).to.equal(404);
    expect((await browser().get(`/sign-in/team?team=${team.slug}`)).text).to.contain('There is no team');
  });

  it('is set at the desk, after a proof', async () => {
    await service.backends.knex('users').where('id', owner.id).update({ current_team_id: team.id });
    const own = await signedIn(owner);
    const page = await own.get('/seller/team/sign-in');
    expect(page.text).to.contain(`${service.url}${callback}`);
    const refused = await own.post('/seller/team/sign-in', { ...CLIENT, issuer: 'http://10.0.0.1' });
    expect([refused.status, refused.text.includes('id="issuer-error"')]).to.deep.equal([422, true]);
    expect(refused.text).not.to.contain(CLIENT.client_secret);
    const saved = await own.post('/seller/team/sign-in', { ...CLIENT, issuer: provider.issuer });
    expect(saved.location).to.equal('/seller/team/sign-in');
    expect((await own.get('/seller/team/sign-in')).text).to.contain(
      `They sign in at <strong>${provider.issuer}`,
    );
    await own.post('/seller/team/sign-in/remove', {});
    expect((await own.get('/seller/team/sign-in')).text).not.to.contain('They sign in at');
  });
});

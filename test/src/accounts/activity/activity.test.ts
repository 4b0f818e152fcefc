/** Who did what from where: what is recorded, that it only grows, and who may read it. */
import { expect } from 'chai';
import { listActivity } from '../../../../src/accounts/activity/activity.ts';
import { UNRECORDED } from '../../../../src/accounts/activity/recorded-endpoints.ts';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aTeam, aUser } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('activity', () => {
  let service: Service;
  let [owner, member, stranger]: User[] = [];
  let teamId: number;

  before(async () => {
    service = await startService({ env: { TRUST_PROXY: '127.0.0.1' } });
    const { database: db } = service;
    const person = () => aUser(db, { password_hash: quickHash(PASSWORD) });
    [owner, member, stranger] = await Promise.all([person(), person(), person()]);
    teamId = (await aTeam(db, { owner: owner!, members: [{ user: member! }] })).id;
  });
  after(() => service.close());

  const browserOf = async (user: User, ip = '203.0.113.5') => {
    const browser = new BrowserLike(service.url, { 'x-forwarded-for': ip });
    await signIn(browser, user.email, PASSWORD);
    return browser;
  };
  const entries = (userId: number) => listActivity(service.backends.knex, { userId, limit: 100 });

  it('has sign-ins, good and bad, tokens and states, with who, from where, and for which team', async () => {
    const user = owner!;
    const wrong = new BrowserLike(service.url, { 'x-forwarded-for': '198.51.100.66' });
    await signIn(wrong, user.email, 'not the password');
    const browser = await browserOf(user);
    await browser.get('/account/developer/tokens');
    await browser.post('/account/developer/tokens', { name: 'for the shop', seller: '1' });
    const token = await service.tokenFor(user, ['seller', 'read']);
    const headers = { 'X-Team-Id': String(teamId), 'X-Forwarded-For': '192.0.2.9' };
    const body = {
      title: 'Spring',
      start_time: new Date(Date.now() + 86_400_000).toISOString(),
      end_time: new Date(Date.now() + 2 * 86_400_000).toISOString(),
    };
    const made = await service.call('POST', '/api/v1/seller/auctions', { token, headers, body });
    const path = `/api/v1/seller/auctions/${made.body.data.id}`;
    await service.call('PATCH', path, { token, headers, body: { status: 'scheduled' } });
    await service.call('PATCH', path, { token, headers, body: { status: 'nonsense' } });
    const found = (await entries(user.id)).reverse();
    const short = found.map(({ action, via, user_email, about_user_email, team_id, ip }) => ({
      action,
      via,
      by: user_email,
      about: about_user_email,
      team_id,
      ip,
    }));
    const by = user.email;
    const seller = { via: 'token', by, about: null, team_id: teamId, ip: '192.0.2.9' };
    expect(short).to.deep.equal([
      { action: 'wrong_password', via: 'page', by: null, about: by, team_id: null, ip: '198.51.100.66' },
      { action: 'sign_in', via: 'page', by, about: null, team_id: null, ip: '203.0.113.5' },
      { action: 'create_token', via: 'page', by, about: null, team_id: null, ip: '203.0.113.5' },
      { action: 'create_seller_auction', ...seller },
      { action: 'change_seller_auction', ...seller },
    ]);
    expect(found.at(-1)?.detail).to.include({ status: 'scheduled', id: made.body.data.id });
    expect(found.at(-1)?.token_id).to.be.a('number');
  });

  it('only grows', async () => {
    const { knex } = service.backends;
    const [entry] = await entries(owner!.id);
    const fails = (work: PromiseLike<unknown>) =>
      Promise.resolve(work).then(
        () => 'it worked',
        (error: Error) => error.message,
      );
    const append = /activity is append-only/;
    expect(await fails(knex('activity').where('id', entry!.id).update({ action: 'nothing' }))).to.match(
      append,
    );
    expect(await fails(knex('activity').where('id', entry!.id).delete())).to.match(append);
    expect(await fails(knex.raw('TRUNCATE activity'))).to.match(append);
  });

  it('is shown to the person, and a team’s to its owners and admins', async () => {
    const [own, mate, other] = await Promise.all([
      browserOf(owner!),
      browserOf(member!),
      browserOf(stranger!),
    ]);
    const mine = await own.get('/account/activity');
    expect(mine.text).to.contain('Create token').and.to.contain('198.51.100.66');
    expect((await other.get('/account/activity')).text).not.to.contain(owner!.email);
    const team = `/seller/activity?team=${teamId}`;
    expect((await own.get(team)).text)
      .to.contain('Change seller auction')
      .and.not.to.contain('Create token');
    expect((await mate.get(team)).status).to.equal(403);
    expect((await other.get(team)).status).to.equal(404);
    expect((await own.get('/seller/activity')).status, 'of the current team').to.equal(200);
    expect((await new BrowserLike(service.url).get(team)).location).to.match(/^\/sign-in/);
  });

  it('keeps no token, and nothing that only sent its visitor elsewhere', async () => {
    const { knex } = service.backends;
    const before = Number((await knex('activity').count('* as n').first())?.['n']);
    const browser = await browserOf(stranger!);
    const old = await knex('activity').orderBy('id', 'desc').first();
    const ownerToken = await service.tokenFor(owner!, ['seller']);
    const invited = await service.call('POST', `/api/v1/teams/${teamId}/invitations`, {
      token: ownerToken,
      body: { email: stranger!.email },
    });
    const { token } = invited.body.data;
    await browser.get(`/invitations/${token}`);
    expect((await browser.post(`/invitations/${token}`, {})).status).to.equal(303);
    const sent = await knex('activity').where('id', '>', old.id).orderBy('id').pluck('action');
    expect(sent).to.deep.equal(['invite_to_team', 'accept_invitation']);
    const accepted = await knex('activity').orderBy('id', 'desc').first();
    // A page that asks its visitor to prove first who they are has done nothing.
    const realNow = Date.now;
    try {
      Date.now = () => realNow() + 16 * 60_000;
      const sentAway = await browser.post('/account/developer/tokens', { name: 'x', read: '1' });
      expect(sentAway.location).to.match(/^\/account\/prove/);
    } finally {
      Date.now = realNow;
    }
    await new BrowserLike(service.url).post('/account/developer/tokens', { name: 'x' });
    const after = await knex('activity').where('id', '>', accepted.id);
    expect(after).to.deep.equal([]);
    expect(before).to.be.above(0);
    expect(JSON.stringify(await knex('activity'))).not.to.contain(token);
  });

  it('leaves out only what is documented as left out', () => {
    const writing = service.web.app.endpoints.filter(({ method }) => method !== 'GET');
    const names = new Set(writing.map(({ operationId }) => operationId));
    for (const name of Object.keys(UNRECORDED)) {
      if (name !== 'sandboxPay')
        expect(names.has(name), `${name} is no operation that writes`).to.equal(true);
    }
  });
});

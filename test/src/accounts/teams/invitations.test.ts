/** Invitations into teams: who may invite, who may accept, and that the new member acts for the team at once. */
import { expect } from 'chai';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aTeam, aUser } from '../../../support/builders.ts';
import { mailsTo } from '../../../support/mailbox.ts';
import { type Service, startService } from '../../../support/service.ts';

const PASSWORD = 'correct horse battery';

describe('invitations', () => {
  let service: Service;
  let owner: User;
  let teamId: number;
  let ownerToken: string;
  let memberToken: string;
  let counter = 0;

  before(async () => {
    service = await startService();
    const db = service.database;
    owner = await aUser(db);
    const member = await aUser(db);
    teamId = (await aTeam(db, { owner, members: [{ user: member }] })).id;
    ownerToken = await service.tokenFor(owner, ['seller']);
    memberToken = await service.tokenFor(member, ['seller']);
  });

  after(() => service.close());

  const invite = (body: unknown, token = ownerToken, team: number | string = teamId) =>
    service.call('POST', `/api/v1/teams/${team}/invitations`, { token, body });
  const freshEmail = () => `guest-${process.pid}-${++counter}@example.com`;
  async function guest(email: string): Promise<BrowserLike> {
    const browser = new BrowserLike(service.url);
    await aUser(service.database, { email: email.toLowerCase(), password_hash: quickHash(PASSWORD) });
    await signIn(browser, email, PASSWORD);
    return browser;
  }
  const roles = () => service.database.knex('memberships').where('team_id', teamId);

  it('lets the holder of the address and the link join, and act for the team at once', async () => {
    const email = freshEmail();
    const made = await invite({ email: email.toUpperCase(), role: 'admin' });
    expect(made.status, made.text).to.equal(201);
    expect(made.body.data).to.include({ team_id: teamId, email, role: 'admin' });
    const path = new URL(made.body.data.url).pathname;
    const [mail] = await mailsTo(service, email);
    expect(mail).to.include({ kind: 'notification' });
    expect(mail?.text).to.contain(made.body.data.url);
    const first = await new BrowserLike(service.url).get(path);
    expect([first.status, first.location]).to.deep.equal([303, `/sign-in?next=${encodeURIComponent(path)}`]);
    const browser = await guest(email);
    const { knex } = service.database;
    const user = await knex('users').where({ email }).first();
    const token = await service.tokenFor(user, ['seller']);
    const act = () =>
      service.call('GET', '/api/v1/inventory', { token, headers: { 'x-team-id': String(teamId) } });
    expect((await act()).status).to.equal(403);
    const page = await browser.get(path);
    expect(page.status).to.equal(200);
    expect(page.text).to.include('Join the team');
    expect((await browser.post(path, { _csrf: 'wrong' })).status).to.equal(403);
    expect((await browser.post(path, {})).location).to.equal(path);
    expect((await browser.get(path)).text).to.include('You have joined');
    let answer = await act();
    for (let tries = 0; answer.status !== 200 && tries < 2_000; tries += 1) {
      await new Promise((done) => setTimeout(done, 25));
      answer = await act();
    }
    expect(answer.status).to.equal(200);
    expect((await roles().where('user_id', user.id).first()).role).to.equal('admin');
    expect(await knex('team_invitations').where('token_hash', made.body.data.token).first()).to.equal(
      undefined,
    );
  });

  it('is for one address, once, for a week, and replaced by the next', async () => {
    const email = freshEmail();
    const before = (await invite({ email })).body.data;
    const { token } = (await invite({ email })).body.data;
    const stranger = await guest(freshEmail());
    const invited = await guest(email);
    expect((await invited.get(`/invitations/${before.token}`)).status).to.equal(404);
    expect((await stranger.get(`/invitations/${token}`)).status).to.equal(403);
    expect((await stranger.post(`/invitations/${token}`, {})).status).to.equal(403);
    await service.database
      .knex('team_invitations')
      .where({ email })
      .update({ expires_at: new Date(Date.now() - 1_000).toISOString() });
    expect((await invited.get(`/invitations/${token}`)).status).to.equal(404);
    expect((await invited.post(`/invitations/${token}`, {})).status).to.equal(404);
    const last = (await invite({ email, role: 'member' })).body.data.token;
    await Promise.all([1, 2, 3].map(() => invited.post(`/invitations/${last}`, {})));
    const user = await service.database.knex('users').where({ email }).first();
    expect(await roles().where('user_id', user.id)).to.have.length(1);
    expect((await stranger.get(`/invitations/${last}`)).status).to.equal(404);
    expect((await invited.get(`/invitations/${'x'.repeat(43)}`)).status).to.equal(404);
    expect((await invited.get('/invitations/short')).status).to.equal(404);
  });

  it('is for owners and admins to make, in teams of their own', async () => {
    const email = freshEmail();
    expect((await invite({ email }, memberToken)).status).to.equal(403);
    expect((await invite({ email }, ownerToken, (await aTeam(service.database)).id)).status).to.equal(404);
    expect((await invite({ email }, ownerToken, 999_999_999)).status).to.equal(404);
    expect((await invite({ email }, ownerToken, 'abc')).status).to.equal(404);
    const personal = await service.database.knex('teams').where('personal_user_id', owner.id).first();
    expect((await invite({ email }, ownerToken, personal.id)).status).to.equal(403);
    const reader = await service.tokenFor(owner, ['read', 'write']);
    expect((await invite({ email }, reader)).body.code).to.equal('missing_ability');
    for (const body of [
      { email: 'nobody' },
      { email, role: 'owner' },
      { email: owner.email },
      { email, team_id: 1 },
      { role: 'member' },
    ]) {
      expect((await invite(body)).status, JSON.stringify(body)).to.equal(422);
    }
  });
});

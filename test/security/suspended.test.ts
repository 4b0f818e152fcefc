/**
 * Every writing route there is, called by somebody who is suspended: refused by token and by session, before anything
 * else is checked.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Endpoint } from '../../adapters/http/endpoint.ts';
import type { User } from '../../src/accounts/models/user.model.ts';
import { suspendUser, unsuspendUser } from '../../src/accounts/people/accounts.ts';
import { announceAccountChange } from '../../src/accounts/tokens/account-changes.ts';
import { BrowserLike, quickHash, signIn } from '../support/browser-like.ts';
import { aLot, aUser } from '../support/builders.ts';
import { type Service, startService } from '../support/service.ts';

/** What a suspended account may still do, and why; a new route has to be listed here. */
const GO_ON: Readonly<Record<string, string>> = {
  placeBid: 'answers bidder_suspended',
  placeBidByLotId: 'answers bidder_suspended',
  buyNow: 'answers bidder_suspended',
  bidOnPage: 'answers bidder_suspended',
  buyNowOnPage: 'answers bidder_suspended',
  signIn: 'shows what the account may still read',
  signInWithPasskey: 'shows what the account may still read',
  signUp: 'makes another account',
  signOut: 'ends the session',
  confirmEmail: 'finds no link of a suspended account',
  stopEmail: 'keeps its own account safe',
  confirmAddressByPassword: 'is asked for the password first, as signing in is',
};

const pathOf = ({ path }: Endpoint) => path.replaceAll(/\{[^}]+\}/g, '1');

describe('A suspended account', () => {
  let service: Service;
  let user: User;
  let token: string;
  const browserSession = () => new BrowserLike(service.url);

  before(async () => {
    service = await startService();
    user = await aUser(service.database, {
      email: 'suspended@example.com',
      password_hash: quickHash('correct horse'),
      is_admin: true,
    });
    token = await service.tokenFor(user, ['read', 'write', 'seller', 'admin']);
    await suspendUser(service.backends.knex, user.email);
  });
  after(() => service.close());

  const writing = () =>
    service.web.app.endpoints.filter(
      ({ method, access }) => method !== 'GET' && (access.kind !== 'public' || access.session === true),
    );

  it('writes nothing with a token, on any route', async () => {
    const passed: string[] = [];
    for (const one of writing()) {
      const answer = await service.call(one.method, pathOf(one), { token });
      const refused = answer.status === 403 && answer.body?.code === 'account_suspended';
      if (!refused) passed.push(one.operationId);
    }
    expect(passed.filter((id) => GO_ON[id] === undefined)).to.deep.equal([]);
    expect(passed.length).to.be.above(0);
  });

  it('writes nothing with a session, on any page or route that takes one', async () => {
    const browser = browserSession();
    expect((await signIn(browser, user.email, 'correct horse')).status).to.equal(303);
    await browser.get('/');
    const passed: string[] = [];
    const sessioned = writing().filter(({ access }) => access.session === true);
    expect(sessioned.length).to.be.above(5);
    for (const one of sessioned) {
      if (GO_ON[one.operationId] !== undefined) continue;
      const seen = await browser.send(
        one.method,
        pathOf(one),
        { accept: 'application/json', 'x-csrf-token': browser.csrfToken },
        new URLSearchParams({ _csrf: browser.csrfToken }),
      );
      if (seen.status !== 403 || !seen.text.includes('account_suspended')) passed.push(one.operationId);
    }
    expect(passed).to.deep.equal([]);
    expect((await browser.post('/sign-out', {})).status).to.equal(303);
  });

  it('reads what needs only the read ability, and nothing of a seller’s', async () => {
    for (const path of ['/api/v1/me', '/api/v1/me/bids', '/api/v1/lots', '/api/v1/invoices']) {
      expect((await service.get(path, token)).status, path).to.equal(200);
    }
    const { status, body } = await service.get('/api/v1/seller/lots', token);
    expect([status, body.code]).to.deep.equal([403, 'account_suspended']);
    const me = await service.get('/api/v1/me', token);
    expect(me.body.data.capabilities).to.include({ can_bid: false, can_sell: false });
  });

  it('is told at a bid that bidders may be suspended, by API and page', async () => {
    const lot = await aLot(service.database);
    await service.publish();
    const { status, body } = await service.call('POST', `/api/v1/lots/${lot.id}/bids`, {
      token,
      body: { amount: '200.00' },
    });
    expect([status, body.code]).to.deep.equal([403, 'bidder_suspended']);
    const browser = browserSession();
    await signIn(browser, user.email, 'correct horse');
    await browser.get(`/lots/${lot.id}`);
    const seen = await browser.post(`/lots/${lot.id}/bid`, { amount: '200.00', key: randomUUID() });
    expect(seen.status).to.equal(403);
    expect(seen.text).to.contain('You are not allowed to bid.');
    expect((await service.get(`/api/v1/lots/${lot.id}`)).body.data.bid_count).to.equal(0);
  });

  it('may do everything again within a second of being reinstated', async () => {
    const { knex, pubSub } = service.backends;
    await unsuspendUser(knex, user.email);
    await announceAccountChange(pubSub, { userIds: [user.id] });
    await sleep(100);
    const { status } = await service.call('POST', '/api/v1/me/verification', { token });
    expect(status).to.equal(200);
  });
});

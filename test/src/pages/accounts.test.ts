/** An account's way from signing up to losing a phone, over pages, with the mails that go out. */
import { expect } from 'chai';
import { issueLink, useLink } from '../../../src/accounts/credentials/account-links.ts';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { importMarketplace } from '../../../src/tools/import/import-marketplace.ts';
import { BrowserLike, quickHash, signIn, signUp } from '../../support/browser-like.ts';
import { aLot, aUser } from '../../support/builders.ts';
import { mailsTo, newestLink } from '../../support/mailbox.ts';
import { type Service, startService } from '../../support/service.ts';
import { twoFactorSuite } from './two-factor-suite.ts';

const PASSWORD = 'a long enough password';
const NEW_PASSWORD = 'another long password';

describe('accounts', () => {
  let service: Service;
  let counter = 0;

  before(async () => {
    service = await startService({ env: { TRUST_PROXY: '127.0.0.1' } });
  });
  after(() => service.close());

  /** Each comes from an address of its own, so that nobody's guesses count against the others. */
  const browser = (headers: Record<string, string> = {}) => {
    counter += 1;
    return new BrowserLike(service.url, {
      'x-forwarded-for': `198.51.${counter >> 8}.${counter & 255}`,
      ...headers,
    });
  };
  const aPerson = (more: object = {}) =>
    aUser(service.database, { password_hash: quickHash(PASSWORD), ...more });
  const signedIn = async (user: User) => {
    const own = browser();
    await signIn(own, user.email, PASSWORD);
    return own;
  };
  const isIn = async (who: BrowserLike) => (await who.get('/account/security')).status === 200;
  const knex = () => service.backends.knex;
  /** The status once it is the one that is waited for: changes of accounts hold everywhere within a second. */
  const within = async (
    status: number,
    request: () => Promise<{ readonly status: number }>,
  ): Promise<number> => {
    const end = Date.now() + 10_000;
    for (;;) {
      const answer = await request();
      if (answer.status === status || Date.now() > end) return answer.status;
    }
  };
  const actions = async (user: User) =>
    (await knex()('activity').where('user_id', user.id).orWhere('about_user_id', user.id).orderBy('id')).map(
      ({ action }) => action,
    );

  describe('signing up', () => {
    const body = (text: string) =>
      text.replaceAll(/(?:csrf-token|server-time)" content="[^"]+"|value="[^"]{43}"/g, '');

    it('signs nobody in; the account reads and watches, and bids once its address is confirmed', async () => {
      const email = 'new.person@example.com';
      const own = browser();
      const answer = await signUp(own, 'New.Person@Example.com ', PASSWORD);
      expect(answer.status).to.equal(200);
      expect(await isIn(own)).to.equal(false);
      expect((await signIn(own, email, PASSWORD)).status).to.equal(303);
      expect((await own.get('/account/security')).text).to.contain('Confirm your address');
      const refused = await own.post('/account/developer/tokens', { name: 'one', read: '1' });
      expect(refused.status).to.equal(403);
      expect(refused.text).to.contain('Confirm your email address');

      const user = (await knex()('users').where({ email }).first()) as User;
      const lot = await aLot(service.database);
      await service.publish();
      const token = await service.tokenFor(user);
      const bid = () =>
        service.call('POST', `/api/v1/lots/${lot.id}/bids`, { token, body: { amount: '100.00' } });
      expect((await bid()).body).to.include({ success: false, code: 'email_unconfirmed' });
      expect((await service.call('POST', `/api/v1/lots/${lot.id}/watchlist`, { token })).status).to.equal(
        201,
      );
      expect((await service.get('/api/v1/me', token)).status).to.equal(200);

      const link = await newestLink(service, email, '/confirm/');
      const [mail] = await mailsTo(service, email);
      expect(mail).to.include({ kind: 'security' });
      expect(mail?.html).to.contain(link);
      expect((await browser().send('HEAD', link)).status).to.equal(200);
      expect((await own.get(link)).text).to.contain('Your address is confirmed');
      expect((await browser().get(link)).status).to.equal(404);
      expect(await within(201, bid)).to.equal(201);
      expect((await knex()('users').where({ email }).first()).email_verified_at).to.be.a('string');
      const make = () => own.post('/account/developer/tokens', { name: 'one', read: '1' });
      expect(await within(201, make)).to.equal(201);
    });

    it('answers a taken address as a free one, and mails its owner instead', async () => {
      const { email } = await aPerson();
      const taken = await signUp(browser(), email, NEW_PASSWORD);
      const free = await signUp(browser(), `free-${email}`, NEW_PASSWORD);
      expect(taken.status).to.equal(free.status);
      expect(body(taken.text).replaceAll(email, 'X')).to.equal(
        body(free.text).replaceAll(`free-${email}`, 'X'),
      );
      expect((await mailsTo(service, email)).map(({ subject }) => subject)).to.deep.equal([
        'You already have an account',
      ]);
      expect((await signIn(browser(), email, NEW_PASSWORD)).status).to.equal(401);
      expect((await signIn(browser(), email, PASSWORD)).status).to.equal(303);
    });

    it('sends a link again, a few times an hour; a new one does not revive a used one', async () => {
      const email = 'again@example.com';
      await signUp(browser(), email, PASSWORD);
      const first = await newestLink(service, email, '/confirm/');
      const own = browser();
      await signIn(own, email, PASSWORD);
      await own.get('/account/security');
      const statuses = [];
      for (let n = 0; n < 3; n++) statuses.push((await own.post('/account/security/confirm', {})).status);
      expect(statuses).to.deep.equal([200, 200, 429]);
      const last = await newestLink(service, email, '/confirm/');
      expect(last).not.to.equal(first);
      expect((await own.get(last)).text).to.contain('Your address is confirmed');
      expect((await browser().get(first)).status).to.equal(404);
    });

    it('takes no link that is over', async () => {
      const email = 'late@example.com';
      await signUp(browser(), email, PASSWORD);
      const link = await newestLink(service, email, '/confirm/');
      await knex()('account_links').update({ expires_at: knex().raw("now() - interval '1 second'") });
      expect((await browser().get(link)).status).to.equal(404);
    });
  });

  describe('a forgotten password', () => {
    const request = async (email: string) => {
      const visitor = browser();
      await visitor.get('/password/forgot');
      return visitor.post('/password/forgot', { email });
    };
    const set = async (link: string, password: string) => {
      const visitor = browser();
      await visitor.get(link);
      return visitor.post(link, { password });
    };

    it('is set anew by a mailed link, once, and ends all sessions and tokens', async () => {
      const user = await aPerson();
      const [here, there] = [await signedIn(user), await signedIn(user)];
      const token = await service.tokenFor(user);
      expect((await service.get('/api/v1/me', token)).status).to.equal(200);
      const known = await request(user.email.toUpperCase());
      const startMs = performance.now();
      const unknown = await request('nobody.here@example.com');
      expect(performance.now() - startMs, 'as long as a link takes').to.be.above(300);
      const sentence = (text: string) => /role="status">([^<]+)</.exec(text)?.[1];
      expect([known.status, sentence(known.text)]).to.deep.equal([unknown.status, sentence(unknown.text)]);
      expect(sentence(known.text)).to.match(/If there is an account/);
      expect(await mailsTo(service, 'nobody.here@example.com')).to.deep.equal([]);

      const link = await newestLink(service, user.email, '/password/reset/');
      const short = await set(link, 'short');
      expect([short.status, /8 to 128/.test(short.text)]).to.deep.equal([422, true]);
      const used = browser();
      await used.get(link);
      expect((await used.post(link, { password: NEW_PASSWORD })).status).to.equal(200);
      // From here on it does not wait among strangers; the link signs nobody in.
      expect([...used.cookies.keys()]).to.include('rostrum.known');
      expect(await isIn(used)).to.equal(false);
      expect((await browser().get(link)).status).to.equal(404);
      const until = Date.now() + 10_000;
      while (Date.now() < until && ((await isIn(here)) || (await isIn(there))));
      expect([await isIn(here), await isIn(there)]).to.deep.equal([false, false]);
      expect((await service.get('/api/v1/me', token)).status).to.equal(401);
      expect((await signIn(browser(), user.email, PASSWORD)).status).to.equal(401);
      expect((await signIn(browser(), user.email, NEW_PASSWORD)).status).to.equal(303);
      expect(await actions(user)).to.include.members(['ask_for_password_reset', 'reset_password']);
    });

    it('mails at most three valid links, and using one invalidates the others', async () => {
      const { id, email } = await aPerson();
      for (let n = 0; n < 5; n++) expect((await request(email)).status).to.equal(200);
      expect(await mailsTo(service, email)).to.have.length(3);
      // Once they are over, the owner gets another: a stranger who asks for links keeps nobody from having one.
      await knex()('account_links')
        .where({ user_id: id })
        .update({ created_at: knex().raw("now() - interval '30 minutes'"), expires_at: knex().fn.now() });
      for (let n = 0; n < 5; n++) expect((await request(email)).status).to.equal(200);
      const mails = (await mailsTo(service, email)).slice(3);
      expect(mails).to.have.length(3);
      const links = mails.map(({ text }) => new URL(/https?:\/\/\S+/.exec(text)?.[0] ?? '').pathname);
      expect((await set(links[0]!, NEW_PASSWORD)).status).to.equal(200);
      expect((await set(links[1]!, PASSWORD)).status).to.equal(404);
    });
  });

  it('a link of several that are used at once works, and uses the others up', async () => {
    const purposes = ['confirm', 'reset'] as const;
    const rounds = Array.from({ length: 16 }, async (_, round) => {
      const { id } = await aPerson();
      const purpose = purposes[round % 2] ?? 'reset';
      const issue = () => knex().transaction((trx) => issueLink(trx, id, purpose));
      const links = [await issue(), await issue(), await issue()];
      const use = links.map((link) => knex().transaction((trx) => useLink(trx, link?.token ?? '', purpose)));
      const used = await Promise.all(use.map((one) => one.catch((error: Error) => error.message)));
      expect(used).to.have.members([id, null, null]);
    });
    await Promise.all(rounds);
  });

  describe('under Security', () => {
    it('the password changes with the current one; other sessions end, and tokens where that is ticked', async () => {
      const user = await aPerson();
      const [here, there] = [await signedIn(user), await signedIn(user)];
      const token = await service.tokenFor(user);
      await here.get('/account/security');
      const change = (current_password: string, more = {}) =>
        here.post('/account/security/password', { current_password, password: NEW_PASSWORD, ...more });
      expect((await change('wrong')).status).to.equal(422);
      expect((await change(PASSWORD)).status).to.equal(303);
      expect(await isIn(here)).to.equal(true);
      expect(await isIn(there)).to.equal(false);
      expect((await service.get('/api/v1/me', token)).status).to.equal(200);
      const again = { current_password: NEW_PASSWORD, password: PASSWORD, end_tokens: '1' };
      expect((await here.post('/account/security/password', again)).status).to.equal(303);
      expect((await service.get('/api/v1/me', token)).status).to.equal(401);
      expect((await mailsTo(service, user.email)).map(({ subject }) => subject)).to.deep.equal([
        'Your account’s security has changed',
        'Your account’s security has changed',
      ]);
    });

    it('a password that an import sets ends the sessions', async () => {
      const user = await aPerson();
      const own = await signedIn(user);
      const again = (entry: object) =>
        importMarketplace(knex(), { users: [{ email: user.email, ...entry }] });
      await again({ name: 'Renamed' });
      expect(await isIn(own)).to.equal(true);
      await again({ password: NEW_PASSWORD });
      const until = Date.now() + 10_000;
      while (Date.now() < until && (await isIn(own)));
      expect(await isIn(own)).to.equal(false);
      expect((await signIn(browser(), user.email, NEW_PASSWORD)).status).to.equal(303);
    });

    it('sessions are listed with where and when, and end one by one or all but this one', async () => {
      const user = await aPerson();
      const here = await signedIn(user);
      const there = browser({ 'user-agent': 'Other Browser/1.0', 'x-forwarded-for': '203.0.113.77' });
      await signIn(there, user.email, PASSWORD);
      const page = await here.get('/account/security');
      expect(page.text).to.contain('Other Browser/1.0').and.to.contain('203.0.113.77');
      expect(page.text.match(/\(this one\)/g)).to.have.length(1);
      const row = page.text.split('<tr>').find((text) => text.includes('Other Browser')) ?? '';
      const path = /action="([^"]+\/end)"/.exec(row)?.[1] ?? '';
      const stranger = await signedIn(await aPerson());
      await stranger.get('/account/security');
      await stranger.post(path, {});
      expect(await isIn(there), 'after a stranger asked').to.equal(true);
      expect((await here.post(path, {})).status).to.equal(303);
      expect(await isIn(there)).to.equal(false);
      const third = await signedIn(user);
      await here.post('/account/security/sessions/end', {});
      expect([await isIn(here), await isIn(third)]).to.deep.equal([true, false]);
    });
  });

  twoFactorSuite({
    signedIn,
    browser,
    isIn,
    aPerson,
    knex,
    get service() {
      return service;
    },
    within,
  });
});

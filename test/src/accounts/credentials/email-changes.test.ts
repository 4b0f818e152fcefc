/** Another address for an account: who may ask for it, who confirms it, and what the old address can do about it. */
import { expect } from 'chai';
import { generateSync } from 'otplib';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { seal } from '../../../../src/shared/sealed.ts';
import { BrowserLike, quickHash, signIn, signUp } from '../../../support/browser-like.ts';
import { aUser } from '../../../support/builders.ts';
import { mailsTo, newestLink } from '../../../support/mailbox.ts';
import { type Service, startService } from '../../../support/service.ts';

const PASSWORD = 'a long enough password';
const PATH = '/api/v1/me/email';

describe('another address for an account', () => {
  let service: Service;
  let counter = 0;

  before(async () => {
    service = await startService({ env: { TRUST_PROXY: '127.0.0.1' } });
  });
  after(() => service.close());

  const knex = () => service.backends.knex;
  const next = () => {
    counter += 1;
    return counter;
  };
  const fresh = () => `new-${next()}@example.com`;
  const browser = () => new BrowserLike(service.url, { 'x-forwarded-for': `198.51.100.${next()}` });
  const aPerson = () => aUser(service.database, { password_hash: quickHash(PASSWORD) });
  const signedIn = async ({ email }: Pick<User, 'email'>) => {
    const own = browser();
    expect((await signIn(own, email, PASSWORD)).status).to.equal(303);
    await own.get('/account/security');
    return own;
  };
  const emailOf = async ({ id }: User) => (await knex()('users').where({ id }).first('email')).email;
  const request = async (user: User, email: string, more: object = {}) =>
    service.call('POST', PATH, {
      token: await service.tokenFor(user, ['read', 'write']),
      body: { email, password: PASSWORD, ...more },
      headers: { 'x-forwarded-for': `198.51.100.${next()}` },
    });
  const confirm = async (own: BrowserLike, email: string, fields: Record<string, string> = {}) => {
    const link = await newestLink(service, email, '/email/confirm/');
    await own.get(link);
    return own.post(link, fields);
  };
  const subjects = async (email: string) => (await mailsTo(service, email)).map(({ subject }) => subject);

  it('is asked for with the password, and confirmed by the new mailbox in one’s own browser', async () => {
    const user = await aPerson();
    const email = fresh();
    const [own, other] = [await signedIn(user), await signedIn(user)];
    const asked = await own.post('/account/security/email', {
      email: ` ${email.toUpperCase()}`,
      password: PASSWORD,
    });
    expect(asked.location).to.equal('/account/security');
    const page = await own.get('/account/security');
    expect(page.text).to.contain(`<strong>${email}</strong> waits`).and.contain('Keep my address');
    expect(await emailOf(user)).to.equal(user.email);
    const link = await newestLink(service, email, '/email/confirm/');
    expect((await own.get(link)).text).to.contain(email);
    expect(await emailOf(user), 'opening the link changes nothing').to.equal(user.email);
    const confirmed = await confirm(own, email);
    expect([confirmed.status, confirmed.location]).to.deep.equal([303, '/account/security']);
    expect(await emailOf(user)).to.equal(email);
    expect((await own.get('/account/security')).text).to.contain(`Your address is <strong>${email}</strong>`);
    expect((await other.get('/account/security')).status, 'other browsers are signed out').to.equal(303);
    expect((await own.get(link)).status).to.equal(404);
    expect((await signIn(browser(), user.email, PASSWORD)).status).to.equal(401);
    expect((await signIn(browser(), email, PASSWORD)).status).to.equal(303);
    expect(await subjects(user.email)).to.deep.equal([
      'Your account is to have another email address',
      'Your account has another email address now',
    ]);
    const activity = await knex()('activity').where('user_id', user.id).pluck('action');
    expect(activity).to.include.members(['change_email_address', 'change_email']);
  });

  it('answers by API, and refuses a wrong password, no address, and one’s own', async () => {
    const user = await aPerson();
    const email = fresh();
    const token = await service.tokenFor(user, ['read', 'write']);
    expect((await service.get(PATH, token)).body.data).to.deep.equal({ email: user.email, pending: null });
    for (const [body, field] of [
      [{ email, password: 'not this password' }, 'password'],
      [{ email: 'no address', password: PASSWORD }, 'email'],
      [{ email: user.email, password: PASSWORD }, 'email'],
    ] as const) {
      const refused = await service.call('POST', PATH, { token, body });
      expect(refused.status).to.equal(422);
      expect(Object.keys(refused.body.errors)).to.deep.equal([field]);
    }
    const asked = await service.call('POST', PATH, { token, body: { email, password: PASSWORD } });
    expect([asked.status, asked.body.data.email, asked.body.data.pending.email]).to.deep.equal([
      ...[202, user.email, email],
    ]);
    const reading = await service.tokenFor(user, ['read']);
    expect(
      (await service.call('POST', PATH, { token: reading, body: { email, password: PASSWORD } })).status,
    ).to.equal(403);
    const link = await newestLink(service, email, '/email/confirm/');
    expect((await service.call('DELETE', PATH, { token })).status).to.equal(200);
    expect((await browser().get(link)).status).to.equal(404);
    expect((await service.get(PATH, token)).body.data.pending).to.equal(null);
  });

  it('answers the same where the address is taken, and takes no account over', async () => {
    const [user, victim] = [await aPerson(), await aPerson()];
    const [free, taken] = [await request(user, fresh()), await request(user, victim.email)];
    const alike = ({ status, body }: typeof free) => ({
      status,
      message: body.message,
      keys: Object.keys(body.data.pending),
    });
    expect(alike(taken)).to.deep.equal(alike(free));
    expect(taken.body.data.pending.email).to.equal(victim.email);
    expect(await subjects(victim.email)).to.deep.equal(['This address already has an account']);
    expect((await mailsTo(service, victim.email)).map(({ text }) => text).join()).not.to.contain('/email/');
    // Somebody signs up with the address and confirms it while the change waits.
    const email = fresh();
    await request(user, email);
    const later = browser();
    await signUp(later, email, PASSWORD);
    expect((await later.get(await newestLink(service, email, '/confirm/'))).text).to.contain('is confirmed');
    expect((await confirm(await signedIn(user), email)).status).to.equal(404);
    expect(await emailOf(user)).to.equal(user.email);
  });

  it('is not confirmed by a stranger who is sent the link, without the password', async () => {
    const user = await aPerson();
    const email = fresh();
    await request(user, email);
    const stranger = await signedIn(await aPerson());
    expect((await confirm(stranger, email)).status).to.equal(401);
    expect((await confirm(browser(), email, { password: 'not this password' })).status).to.equal(401);
    expect(await emailOf(user)).to.equal(user.email);
    const done = await confirm(browser(), email, { password: PASSWORD });
    expect(done.text).to.contain('Your address has changed');
    expect(await emailOf(user)).to.equal(email);
  });

  it('takes the place of an account that was never confirmed', async () => {
    const user = await aPerson();
    const email = fresh();
    await signUp(browser(), email, 'what a stranger chose');
    await request(user, email);
    expect((await confirm(await signedIn(user), email)).status).to.equal(303);
    expect(await emailOf(user)).to.equal(email);
    expect((await knex()('users').where({ email })).length).to.equal(1);
  });

  it('is stopped from the old address while it waits', async () => {
    const user = await aPerson();
    const email = fresh();
    await request(user, email);
    const stop = await newestLink(service, user.email, '/email/stop/');
    const old = browser();
    expect((await old.get(stop)).text).to.contain('Stop this change');
    expect((await old.post(stop, {})).text).to.contain('The change is stopped');
    expect(
      (await (await signedIn(user)).get(await newestLink(service, email, '/email/confirm/'))).status,
    ).to.equal(404);
    expect((await old.get(stop)).status).to.equal(404);
  });

  it('is taken back from the old address for a week, with the password of before', async () => {
    const user = await aPerson();
    const email = fresh();
    await request(user, email);
    const token = await service.tokenFor(user, ['read']);
    const thief = await signedIn(user);
    await confirm(thief, email);
    const factor = { user_id: user.id, sealed_secret: 'sealed', enabled_at: new Date() };
    await knex()('two_factors').insert(factor);
    await knex()('users')
      .where('id', user.id)
      .update({ password_hash: quickHash('what a thief chose') });
    const back = await newestLink(service, user.email, '/email/stop/');
    const old = browser();
    expect((await old.get(back)).text).to.contain('Take the address back');
    expect((await old.post(back, {})).status).to.equal(401);
    expect((await old.post(back, { password: 'what a thief chose' })).status).to.equal(401);
    expect((await old.post(back, { password: PASSWORD })).text).to.contain('The address is yours again');
    expect(await emailOf(user)).to.equal(user.email);
    expect((await thief.get('/account/security')).status).to.equal(303);
    expect((await signIn(browser(), user.email, 'what a thief chose')).status).to.equal(401);
    expect((await service.get('/api/v1/me', token)).status).to.equal(401);
    expect(await knex()('two_factors').where('user_id', user.id)).to.deep.equal([]);
    const reset = await newestLink(service, user.email, '/password/reset/');
    await old.get(reset);
    expect((await old.post(reset, { password: PASSWORD })).status).to.equal(200);
    expect((await signIn(browser(), user.email, PASSWORD)).location).to.equal('/');
    await knex()('email_changes').update({
      stopped_at: null,
      confirmed_at: knex().raw("now() - interval '8 days'"),
    });
    expect((await old.get(back)).status).to.equal(404);
  });

  it('asks for the second factor, too, and a few times a day', async () => {
    const user = await aPerson();
    const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
    const factor = { user_id: user.id, enabled_at: new Date() };
    const sealed_secret = seal(secret, service.config.appSecrets);
    await knex()('two_factors').insert({ ...factor, sealed_secret });
    expect(Object.keys((await request(user, fresh())).body.errors)).to.deep.equal(['code']);
    expect(Object.keys((await request(user, fresh(), { code: '000000' })).body.errors)).to.deep.equal([
      'code',
    ]);
    expect((await request(user, fresh(), { code: generateSync({ secret }) })).status).to.equal(202);
    const other = await aPerson();
    const statuses = [];
    for (let n = 0; n < 6; n += 1) statuses.push((await request(other, fresh())).status);
    expect(statuses).to.deep.equal([202, 202, 202, 202, 202, 429]);
  });
});

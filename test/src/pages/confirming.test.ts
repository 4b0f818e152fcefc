/** Confirming an address: whose browser, whose password, and what becomes of an account that a stranger set up. */
import { expect } from 'chai';
import { BrowserLike, signIn, signUp } from '../../support/browser-like.ts';
import { aLot } from '../../support/builders.ts';
import { mailsTo, newestLink } from '../../support/mailbox.ts';
import { type Service, startService } from '../../support/service.ts';

const STRANGERS = 'what a stranger chose';
const OWN = 'a long enough password';
const CONFIRMED = 'Your address is confirmed';

describe('confirming an address', () => {
  let service: Service;
  let counter = 0;

  before(async () => {
    service = await startService({ env: { TRUST_PROXY: '127.0.0.1' } });
  });
  after(() => service.close());

  const browser = () => {
    counter += 1;
    return new BrowserLike(service.url, { 'x-forwarded-for': `198.51.100.${counter}` });
  };
  const knex = () => service.backends.knex;
  const linkTo = (email: string) => newestLink(service, email, '/confirm/');
  const rowOf = (email: string) => knex()('users').where({ email }).first();
  const signsIn = async (email: string, password: string) =>
    (await signIn(browser(), email, password)).status === 303;

  it('asks for the password in another browser, and signs nobody in', async () => {
    const email = 'two-browsers@example.com';
    await signUp(browser(), email, OWN);
    const link = await linkTo(email);
    const other = browser();
    const asked = await other.get(link);
    expect(asked.status).to.equal(200);
    expect(asked.text).to.contain('Enter the password that you chose').and.not.to.contain(CONFIRMED);
    const wrong = await other.post(link, { password: 'not this password' });
    expect([wrong.status, wrong.text.includes('is not the password')]).to.deep.equal([401, true]);
    expect((await rowOf(email)).email_confirmed_at).to.equal(null);
    expect((await other.post(link, { password: OWN })).text).to.contain(CONFIRMED);
    expect((await rowOf(email)).email_confirmed_at).to.be.a('string');
    expect((await other.get('/account/security')).status).to.equal(303);
    expect((await other.get(link)).status).to.equal(404);
  });

  it('needs no password in the browser of the sign-up, and bounds guesses at one', async () => {
    const email = 'same-browser@example.com';
    const own = browser();
    await signUp(own, email, OWN);
    const link = await linkTo(email);
    const other = browser();
    await other.get(link);
    // The counter is the link's, whoever guesses.
    const statuses = new Set<number>();
    for (let n = 0; n < 22; n += 1) statuses.add((await other.post(link, { password: '' })).status);
    expect([...statuses]).to.deep.equal([401, 429]);
    expect((await own.get(link)).text).to.contain(CONFIRMED);
  });

  it('leaves nothing of what a stranger set up with the address', async () => {
    const email = 'victim@example.com';
    const stranger = browser();
    await signUp(stranger, email, STRANGERS);
    await signIn(stranger, email, STRANGERS);
    const before = await rowOf(email);
    const lot = await aLot(service.database);
    await service.publish();
    const token = await service.tokenFor(before);
    const watched = await service.call('POST', `/api/v1/lots/${lot.id}/watchlist`, { token });
    expect(watched.status).to.equal(201);
    const strangersLink = await linkTo(email);
    expect((await browser().get(strangersLink)).text).not.to.contain(CONFIRMED);
    const own = browser();
    const answer = await signUp(own, email, OWN);
    expect(answer.status).to.equal(200);
    expect((await mailsTo(service, email)).map(({ subject }) => subject)).not.to.include(
      'You already have an account',
    );
    const link = await linkTo(email);
    expect(link).not.to.equal(strangersLink);
    // The stranger, signed in to the account, cannot confirm what somebody else has asked for.
    expect((await stranger.get(link)).text).not.to.contain(CONFIRMED);
    expect((await own.get(link)).text).to.contain(CONFIRMED);
    expect(await signsIn(email, STRANGERS)).to.equal(false);
    expect(await signsIn(email, OWN)).to.equal(true);
    const after = await rowOf(email);
    expect(after.id).not.to.equal(before.id);
    expect(await knex()('users').where('id', before.id)).to.deep.equal([]);
    expect(await knex()('watchlist').where('lot_id', lot.id)).to.deep.equal([]);
    expect((await browser().get(strangersLink)).status).to.equal(404);
    const isOut = async () => (await stranger.get('/account/security')).status === 303;
    for (let n = 0; n < 20 && !(await isOut()); n += 1) await new Promise((done) => setTimeout(done, 100));
    expect(await isOut()).to.equal(true);
    expect((await service.get('/api/v1/me', token)).status).to.equal(401);
  });

  it('keeps a name where something else hangs on the stranger’s account, with which nobody signs in', async () => {
    const email = 'kept@example.com';
    await signUp(browser(), email, STRANGERS);
    const before = await rowOf(email);
    const lot = await aLot(service.database);
    await knex()('lots').where('id', lot.id).update({ named_consignor_id: before.id });
    const own = browser();
    await signUp(own, email, OWN);
    expect((await own.get(await linkTo(email))).text).to.contain(CONFIRMED);
    const kept = await knex()('users').where('id', before.id).first();
    expect(kept).to.include({ email: `account-${before.id}@replaced.invalid`, password_hash: null });
    expect([await signsIn(email, STRANGERS), await signsIn(email, OWN)]).to.deep.equal([false, true]);
  });

  it('begins anew with a new password by mail, too', async () => {
    const email = 'forgot@example.com';
    await signUp(browser(), email, STRANGERS);
    const before = await rowOf(email);
    const own = browser();
    await own.get('/password/forgot');
    await own.post('/password/forgot', { email });
    const link = await newestLink(service, email, '/password/reset/');
    await own.get(link);
    expect((await own.post(link, { password: OWN })).status).to.equal(200);
    expect((await rowOf(email)).id).not.to.equal(before.id);
    expect([await signsIn(email, STRANGERS), await signsIn(email, OWN)]).to.deep.equal([false, true]);
  });
});

/** Passkeys: what is taken of what a browser says, and that nobody gets into an account with what is another's. */
import { expect } from 'chai';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { BrowserLike, quickHash, type Seen, signIn } from '../../../support/browser-like.ts';
import { aUser } from '../../../support/builders.ts';
import { newestLink } from '../../../support/mailbox.ts';
import { type Service, startService } from '../../../support/service.ts';
import { type Said, SoftAuthenticator } from '../../../support/soft-authenticator.ts';

const PASSWORD = 'a long enough password';
const ADD = '/account/security/passkeys';

describe('passkeys', () => {
  let service: Service;
  let origin: string;
  let counter = 0;

  before(async () => {
    service = await startService({ env: { TRUST_PROXY: '127.0.0.1' } });
    origin = service.url;
  });
  after(() => service.close());

  const browser = () => {
    counter += 1;
    return new BrowserLike(service.url, { 'x-forwarded-for': `198.51.100.${counter}` });
  };
  const knex = () => service.backends.knex;
  const aPerson = () => aUser(service.database, { password_hash: quickHash(PASSWORD) });
  const signedIn = async ({ email }: User) => {
    const own = browser();
    expect((await signIn(own, email, PASSWORD)).status).to.equal(303);
    return own;
  };
  const challengeOf = ({ text }: Seen): string => {
    const carried = /data-passkey="([^"]+)"/.exec(text)?.[1]?.replaceAll('&quot;', '"');
    if (carried === undefined) throw new Error('the page has no form for a passkey');
    return JSON.parse(carried).challenge;
  };
  const add = async (own: BrowserLike, device: SoftAuthenticator, said: Partial<Said> = {}) => {
    const challenge = challengeOf(await own.get(ADD));
    return own.post(ADD, { name: 'Key', response: device.made(challenge, { origin, ...said }) });
  };
  /** Somebody with a passkey, signed in. */
  const holder = async () => {
    const user = await aPerson();
    const own = await signedIn(user);
    const device = new SoftAuthenticator();
    expect((await add(own, device)).status).to.equal(200);
    return { user, own, device };
  };
  const use = async (
    who: BrowserLike,
    device: SoftAuthenticator,
    said: Partial<Said> = {},
    page = '/sign-in',
  ) => {
    const challenge = challengeOf(await who.get(page));
    return who.post(`${page}/passkey`, {
      response: device.used(challenge, { origin, ...said }),
      next: '/account/profile',
    });
  };
  const isTaken = ({ location }: Seen) => location === '/account/profile';
  const isIn = async (who: BrowserLike) => (await who.get('/account/security')).status === 200;

  it('sign their owner in, each challenge once, in the browser that was given it', async () => {
    const { device } = await holder();
    const visitor = browser();
    expect(isTaken(await use(visitor, device))).to.equal(true);
    expect(await isIn(visitor)).to.equal(true);
    const other = browser();
    const challenge = challengeOf(await other.get('/sign-in'));
    const response = device.used(challenge, { origin });
    const thief = browser();
    await thief.get('/sign-in');
    expect(isTaken(await thief.post('/sign-in/passkey', { response, next: '/account/profile' }))).to.equal(
      false,
    );
    expect(isTaken(await other.post('/sign-in/passkey', { response, next: '/account/profile' }))).to.equal(
      true,
    );
    // The same answer again, in the visitor's session that it was for, from a device that does not count.
    const { device: still } = await holder();
    const again = browser();
    const once = still.used(challengeOf(await again.get('/sign-in')), { origin, counter: 0 });
    const cookies = new Map(again.cookies);
    expect(
      isTaken(await again.post('/sign-in/passkey', { response: once, next: '/account/profile' })),
    ).to.equal(true);
    const copy = browser();
    for (const [name, value] of cookies) copy.cookies.set(name, value);
    await copy.get('/sign-in');
    const replayed = await copy.post('/sign-in/passkey', { response: once, next: '/account/profile' });
    expect(replayed.location).to.equal('/sign-in?next=%2Faccount%2Fprofile&passkey=unknown');
    expect((await copy.get(replayed.location ?? '')).text).to.contain('This passkey is not known here');
    expect(await isIn(copy)).to.equal(false);
  });

  it('are not taken from another site, without their owner, from a copy, or from nobody', async () => {
    const { device, user } = await holder();
    for (const said of [
      { origin: 'https://evil.example.com' },
      { rpId: 'evil.example.com' },
      { verified: false },
    ])
      expect(isTaken(await use(browser(), device, said)), JSON.stringify(said)).to.equal(false);
    expect(isTaken(await use(browser(), device, { counter: 90 }))).to.equal(true);
    expect(isTaken(await use(browser(), device, { counter: 90 })), 'a copy counts by itself').to.equal(false);
    const stranger = new SoftAuthenticator();
    expect(isTaken(await use(browser(), stranger))).to.equal(false);
    // The right name, and another key.
    expect(isTaken(await use(browser(), new SoftAuthenticator(device.id)))).to.equal(false);
    const visitor = browser();
    await visitor.get('/sign-in');
    for (const response of ['', '{', '[]', '{"id":"x"}', 'null'])
      expect(isTaken(await visitor.post('/sign-in/passkey', { response }))).to.equal(false);
    expect(await isIn(visitor)).to.equal(false);
    expect((await knex()('passkeys').where('user_id', user.id)).length).to.equal(1);
  });

  it('are a second factor: the password alone, or a mailed link, lets nobody in', async () => {
    const [{ user, device }, other] = [await holder(), await holder()];
    const half = browser();
    expect((await signIn(half, user.email, PASSWORD)).location).to.match(/^\/sign-in\/code/);
    expect(await isIn(half)).to.equal(false);
    expect(isTaken(await use(half, other.device, {}, '/sign-in/code')), 'another’s').to.equal(false);
    // A challenge for signing in is none for the second factor.
    const challenge = challengeOf(await half.get('/sign-in'));
    const response = device.used(challenge, { origin });
    await half.get('/sign-in/code');
    expect(
      isTaken(await half.post('/sign-in/code/passkey', { response, next: '/account/profile' })),
    ).to.equal(false);
    expect(isTaken(await use(half, device, {}, '/sign-in/code'))).to.equal(true);
    expect(await isIn(half)).to.equal(true);
    const reader = browser();
    await reader.get('/password/forgot');
    await reader.post('/password/forgot', { email: user.email });
    const link = await newestLink(service, user.email, '/password/reset/');
    await reader.get(link);
    await reader.post(link, { password: PASSWORD });
    expect((await signIn(reader, user.email, PASSWORD)).location).to.match(/^\/sign-in\/code/);
    expect(await isIn(reader)).to.equal(false);
  });

  it('leave a recovery code as the way in without them, and the last one takes the codes along', async () => {
    const user = await aPerson();
    const own = await signedIn(user);
    const devices = [new SoftAuthenticator(), new SoftAuthenticator()] as const;
    const first = await add(own, devices[0]);
    const [code = ''] = [...first.text.matchAll(/data-recovery-code>([^<]+)</g)].map(
      (match) => match[1] ?? '',
    );
    expect((await add(own, devices[1])).location, 'the second comes without codes').to.equal(
      '/account/security',
    );
    const half = browser();
    await signIn(half, user.email, PASSWORD);
    expect((await half.get('/sign-in/code')).text)
      .to.contain('Recovery code')
      .and.not.contain('authenticator app');
    expect((await half.post('/sign-in/code', { code })).status).to.equal(303);
    expect(await isIn(half)).to.equal(true);
    const ids = await knex()('passkeys').where('user_id', user.id).orderBy('id').pluck('id');
    const codes = async () => (await knex()('recovery_codes').where('user_id', user.id)).length;
    await own.get('/account/security');
    await own.post(`${ADD}/${ids[0]}/remove`, {});
    expect(await codes()).to.equal(10);
    await own.post(`${ADD}/${ids[1]}/remove`, {});
    expect(await codes()).to.equal(0);
    expect((await signIn(browser(), user.email, PASSWORD)).location).to.equal('/');
  });

  it('are added after a proof alone, and never to two accounts', async () => {
    const { device } = await holder();
    const user = await aPerson();
    const own = await signedIn(user);
    const known = await add(own, device);
    expect([known.status, known.text.includes('is here already')]).to.deep.equal([422, true]);
    const fresh = new SoftAuthenticator();
    expect((await add(own, fresh, { verified: false })).status).to.equal(422);
    expect((await add(own, fresh, { origin: 'https://evil.example.com' })).status).to.equal(422);
    const foreign = await signedIn(await aPerson());
    const challenge = challengeOf(await foreign.get(ADD));
    await own.get('/account/security');
    const response = fresh.made(challenge, { origin });
    expect((await own.post(ADD, { name: 'Key', response })).status, 'another’s challenge').to.equal(422);
    expect(await knex()('passkeys').where('user_id', user.id)).to.deep.equal([]);
    // A quarter of an hour later.
    const unproved = await signedIn(user);
    await unproved.get('/account/profile');
    const now = Date.now;
    Date.now = () => now() + 1_000_000;
    try {
      expect((await unproved.get(ADD)).location).to.match(/^\/account\/prove/);
      const sent = await unproved.post(ADD, { name: 'Key', response });
      expect(sent.location).to.match(/^\/account\/prove/);
    } finally {
      Date.now = now;
    }
  });

  it('are listed and renamed by API, each one’s own', async () => {
    const [{ user }, other] = [await holder(), await holder()];
    const token = await service.tokenFor(user, ['read', 'write']);
    const { body } = await service.get('/api/v1/me/passkeys', token);
    expect(body.data).to.have.length(1);
    expect(body.data[0]).to.include({ name: 'Key', synced: false, last_used_at: null });
    expect(Object.keys(body.data[0])).to.deep.equal(['id', 'name', 'synced', 'created_at', 'last_used_at']);
    const path = `/api/v1/me/passkeys/${body.data[0].id}`;
    const renamed = await service.call('PATCH', path, { token, body: { name: 'Blue key' } });
    expect([renamed.status, renamed.body.data.name]).to.deep.equal([200, 'Blue key']);
    const theirs = await knex()('passkeys').where('user_id', other.user.id).first();
    const refused = await service.call('PATCH', `/api/v1/me/passkeys/${theirs.id}`, {
      token,
      body: { name: 'Mine' },
    });
    expect(refused.status).to.equal(404);
    expect((await knex()('passkeys').where('id', theirs.id).first()).name).to.equal('Key');
  });
});

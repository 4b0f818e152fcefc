import { expect } from 'chai';
import { hashPassword } from '../../../src/accounts/people/password.ts';
import { BrowserLike, quickHash, signIn, signUp } from '../../support/browser-like.ts';
import { aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';
const COOKIE = 'rostrum.sid';

describe('signing up, in and out', () => {
  let service: Service;
  before(async () => {
    service = await startService({ env: { TRUST_PROXY: '127.0.0.1' } });
  });
  after(() => service.close());

  const browser = (headers = {}) => new BrowserLike(service.url, headers);
  const aPerson = () => aUser(service.database, { password_hash: quickHash(PASSWORD) });

  it('says what is wrong with a new account, in a page, and keeps what was typed', async () => {
    for (const [email, password, sentence] of [
      ['nobody', PASSWORD, 'not an email address'],
      ['some.one@example.com', 'short', '8 to 128 characters'],
    ] as const) {
      const answer = await signUp(browser(), email, password);
      expect(answer.status).to.equal(422);
      expect(answer.text).to.contain(sentence).and.to.contain(`value="${email}"`);
    }
  });

  it('sets cookies that scripts cannot read and other sites do not send; bound and Secure behind TLS', async () => {
    const { email } = await aPerson();
    const plain = (await signIn(browser(), email, PASSWORD)).headers.getSetCookie();
    expect(plain).to.have.length(2);
    for (const [cookie, name] of [
      [plain[0], 'rostrum.sid='],
      [plain[1], 'rostrum.known='],
    ] as const) {
      expect(cookie)
        .to.match(new RegExp(`^${name}`))
        .and.to.contain('HttpOnly')
        .and.to.contain('SameSite=Lax');
      expect(cookie).to.contain('Path=/;').and.not.to.contain('Secure').and.not.to.contain('Domain');
    }
    const behindTls = browser({ 'x-forwarded-proto': 'https' });
    const bound = (await signIn(behindTls, email, PASSWORD)).headers.getSetCookie();
    expect(bound.map((cookie) => cookie.split('=')[0])).to.deep.equal([
      '__Host-rostrum.sid',
      '__Host-rostrum.known',
    ]);
    for (const cookie of bound)
      expect(cookie)
        .to.match(/; Secure$/)
        .and.to.contain('Path=/;');
    expect((await behindTls.get('/')).text).to.contain(email);
    // A cookie that somebody planted over an open line counts for nothing over TLS.
    const planted = browser({ 'x-forwarded-proto': 'https' });
    planted.cookies.set(COOKIE, behindTls.cookies.get('__Host-rostrum.sid') ?? '');
    expect((await planted.get('/')).text).not.to.contain(email);
  });

  it('renews the id at sign-in, so that a planted session stays anonymous', async () => {
    const { email } = await aPerson();
    const victim = browser();
    const attacker = browser();
    await attacker.get('/sign-in');
    const planted = attacker.cookies.get(COOKIE)!;
    victim.cookies.set(COOKIE, planted);
    expect((await signIn(victim, email, PASSWORD)).status).to.equal(303);
    expect(victim.cookies.get(COOKIE)).not.to.equal(planted);
    expect((await attacker.get('/')).text).not.to.contain(email);
    expect((await victim.get('/')).text).to.contain(email);
    const before = victim.cookies.get(COOKIE)!;
    await signIn(victim, email, PASSWORD);
    attacker.cookies.set(COOKIE, before);
    expect((await attacker.get('/')).text, 'the session before a second sign-in').not.to.contain(email);
  });

  it('ends the session at sign-out, for copies of the cookie too', async () => {
    const { email } = await aPerson();
    const owner = browser();
    await signIn(owner, email, PASSWORD);
    const copy = browser();
    copy.cookies.set(COOKIE, owner.cookies.get(COOKIE)!);
    await owner.get('/sign-out');
    expect((await owner.post('/sign-out', {})).status).to.equal(303);
    expect((await owner.get('/')).text).not.to.contain(email);
    expect((await copy.get('/')).text).not.to.contain(email);
  });

  it('refuses forms without the right CSRF token, in a page or in the envelope', async () => {
    const { email } = await aPerson();
    const visitor = browser();
    await visitor.get('/sign-in');
    for (const token of ['', 'wrong', visitor.csrfToken.replace(/^./, (c) => (c === 'A' ? 'B' : 'A'))]) {
      const refused = await visitor.post('/sign-in', { email, password: PASSWORD, _csrf: token });
      expect(refused.status).to.equal(403);
      expect(refused.text).to.contain('<html');
    }
    const other = browser();
    await other.get('/sign-in');
    const envelope = await visitor.post(
      '/sign-in',
      { email, password: PASSWORD, _csrf: other.csrfToken },
      { accept: 'application/json' },
    );
    expect(envelope.status).to.equal(403);
    expect(JSON.parse(envelope.text)).to.include({ success: false, code: 'csrf_failed' });
    const cookieless = await fetch(`${service.url}/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ email, password: PASSWORD, _csrf: visitor.csrfToken }),
    });
    expect(cookieless.status).to.equal(403);
  });

  it('takes the CSRF token as a header too', async () => {
    const { email } = await aPerson();
    const visitor = browser();
    await visitor.get('/sign-in');
    const body = new URLSearchParams({ email, password: PASSWORD });
    const answer = await visitor.send('POST', '/sign-in', { 'x-csrf-token': visitor.csrfToken }, body);
    expect(answer.status).to.equal(303);
  });

  it('answers an unknown address as it answers a wrong password, after about the same time', async () => {
    const { email } = await aUser(service.database, { password_hash: await hashPassword(PASSWORD) });
    const timed = async (address: string) => {
      const startMs = performance.now();
      const { status, text } = await signIn(browser(), address, 'not the password');
      return { status, text, ms: performance.now() - startMs };
    };
    const address = 'who.knows@example.com';
    const [known, unknown] = [await timed(email), await timed(address)];
    const again = [await timed(email), await timed(address)] as const;
    expect(unknown.status).to.equal(401);
    expect(known.status).to.equal(401);
    const sentence = (text: string) => /role="alert">([^<]+)</.exec(text)?.[1];
    expect(sentence(unknown.text)).to.be.a('string').and.to.equal(sentence(known.text));
    // Of two tries each the quicker one: a busy machine makes one long, and none short.
    expect(Math.min(unknown.ms, again[1].ms)).to.be.greaterThan(Math.min(known.ms, again[0].ms) / 4);
  });

  it('refuses an address after thirty wrong passwords, whatever the account, and leaves others alone', async () => {
    const [mine, other] = [await aPerson(), await aPerson()];
    const from = (ip: string) => browser({ 'x-forwarded-for': ip });
    const statuses: number[] = [];
    for (let n = 0; n < 31; n += 1) {
      const guesser = from(n % 2 === 0 ? '2001:db8:7:7::1' : '2001:db8:7:7:ffff::2');
      statuses.push((await signIn(guesser, n < 20 ? mine.email : other.email, `guess ${n}`)).status);
    }
    expect(statuses).to.deep.equal([...Array(30).fill(401), 429]);
    const late = await signIn(from('2001:db8:7:7::3'), mine.email.toUpperCase(), PASSWORD);
    expect(late.status).to.equal(429);
    expect(Number(late.headers.get('retry-after'))).to.be.within(1, 600);
    expect((await signIn(from('203.0.113.9'), mine.email, PASSWORD)).status).to.equal(303);
  });

  it('does not count sign-ins that are right', async () => {
    const { email } = await aPerson();
    for (let n = 0; n < 32; n += 1) {
      expect((await signIn(browser({ 'x-forwarded-for': '192.0.2.50' }), email, PASSWORD)).status).to.equal(
        303,
      );
    }
  });

  it('returns to where the visitor came from, and never to another site', async () => {
    const { email } = await aPerson();
    for (const [next, to] of [
      ['/lots/7', '/lots/7'],
      ['//evil.example', '/'],
      ['/\\evil.example', '/'],
      ['https://evil.example', '/'],
      ['/ok\\..', '/'],
    ] as const) {
      const visitor = browser();
      await visitor.get('/sign-in');
      expect((await visitor.post('/sign-in', { email, password: PASSWORD, next })).location).to.equal(to);
    }
  });

  it('refuses the session on ordinary API routes', async () => {
    const { email } = await aPerson();
    const visitor = browser();
    await signIn(visitor, email, PASSWORD);
    const json = { accept: 'application/json' };
    expect((await visitor.get('/api/v1/me', json)).status).to.equal(401);
    const headers = { ...json, 'x-csrf-token': visitor.csrfToken };
    expect((await visitor.send('POST', '/api/v1/lots/1/bids', headers)).status).to.equal(401);
  });

  it('ignores cookies that are forged, cut short or signed under another secret', async () => {
    const { email } = await aPerson();
    const visitor = browser();
    await signIn(visitor, email, PASSWORD);
    const good = visitor.cookies.get(COOKIE)!;
    for (const bad of [
      good.slice(0, -1),
      good.replace('u', 'v'),
      `${good.split('.')[0]}.${'A'.repeat(43)}`,
      '',
    ]) {
      visitor.cookies.set(COOKIE, bad);
      expect((await visitor.get('/')).text, bad).not.to.contain(email);
    }
  });
});

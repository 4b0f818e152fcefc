/**
 * A stranger guesses an account's password from many addresses: the owner gets in all the same, and nobody gets many
 * tries.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { SignInLocations } from '../../src/accounts/credentials/sign-in-locations.ts';
import type { User } from '../../src/accounts/models/user.model.ts';
import { verifyPassword } from '../../src/accounts/people/password.ts';
import { BrowserLike, quickHash, signIn } from '../support/browser-like.ts';
import { aUser } from '../support/builders.ts';
import { type Service, startService } from '../support/service.ts';

const PASSWORD = 'a long enough password';

describe('A stranger who guesses', () => {
  let service: Service;
  let owner: User;

  before(async () => {
    service = await startService({ env: { TRUST_PROXY: '127.0.0.1' } });
    owner = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
  });
  after(() => service.close());

  const from = (ip: string) => new BrowserLike(service.url, { 'x-forwarded-for': ip });
  const guess = async (ip: string) => (await signIn(from(ip), owner.email, 'a guess')).status;

  it('keeps the owner out from nowhere, and has few tries left once the account has seen enough of them', async () => {
    const known = from('203.0.113.1');
    expect((await signIn(known, owner.email, PASSWORD)).status).to.equal(303);
    const statuses: number[] = [];
    for (let index = 0; index < 30; index++) {
      for (let n = 0; n < 4; n++) statuses.push(await guess(`198.51.100.${index}`));
    }
    expect(statuses.slice(0, 100)).to.deep.equal(Array(100).fill(401));
    // The account's own counter is spent: each further address has three tries, and none of them is the owner's loss.
    expect(statuses.slice(100)).to.deep.equal(Array(5).fill([401, 401, 401, 429]).flat());
    expect((await signIn(from('192.0.2.44'), owner.email, PASSWORD)).status, 'a new browser').to.equal(303);
    for (let n = 0; n < 31; n++) await guess('203.0.113.1');
    expect(await guess('203.0.113.1'), 'the address is spent').to.equal(429);
    expect(
      (await signIn(from('203.0.113.1'), owner.email, PASSWORD)).status,
      'a stranger’s browser',
    ).to.equal(429);
    expect((await signIn(known, owner.email, PASSWORD)).status, 'the owner’s browser, from there').to.equal(
      303,
    );
  });

  it('is not helped by a full queue: whoever is turned away has not guessed', async () => {
    const slow = quickHash(PASSWORD).replace('$4$8$1$', '$15$8$4$');
    const browsers = Array.from({ length: 3 }, () => from('198.51.100.40'));
    await Promise.all(browsers.map((browser) => browser.get('/sign-in')));
    let networks = 0;
    let isFull = false;
    // Each from a network of its own, so that nobody in the line is more suspected than the guesser.
    const fill = (hash: string) => {
      const ip = `${20 + (networks >> 8)}.${networks++ & 255}.0.1`;
      return verifyPassword('a guess', hash, { known: false, group: owner.email, ip }).catch(() => {
        isFull = true;
      });
    };
    // The line holds what is hashed in ten seconds: after a slow one it is short, and a slow one holds it up.
    await fill(slow);
    const line = [fill(slow)];
    for (; !isFull; await sleep(0)) {
      for (let n = 0; n < 50; n++) line.push(fill(quickHash('another')));
    }
    const sent = { email: owner.email, password: 'a guess' };
    const answers = await Promise.all(browsers.map((browser) => browser.post('/sign-in', sent)));
    const statuses = answers.map(({ status }) => status);
    await Promise.all(line);
    expect(statuses).to.deep.equal(Array(3).fill(503));
    // As many as an address has left once the account's own counter is spent. The queue may still rest.
    const signedIn = async () => (await signIn(from('198.51.100.40'), owner.email, PASSWORD)).status;
    let status = await signedIn();
    while (status === 503) status = await signedIn();
    expect(status).to.equal(303);
  });

  it('comes from no place that the owner signed in from, however often they tried there', async () => {
    const { knex } = service.backends;
    const other = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    expect((await signIn(from('203.0.112.9'), other.email, PASSWORD)).status).to.equal(303);
    await signIn(from('203.0.115.9'), other.email, 'a guess');
    const knows = (ip: string, { id: userId, email } = other) =>
      new SignInLocations(knex).include({ userId, email }, ip);
    expect(await knows('203.0.112.77'), 'the same house').to.equal(true);
    expect(await knows('203.0.115.9')).to.equal(false);
    expect(await knows('203.0.112.9', owner), 'another account').to.equal(false);
  });

  it('makes no unknown browser a known one', async () => {
    const known = from('203.0.113.2');
    await signIn(known, owner.email, PASSWORD);
    const other = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    const cookie = known.cookies.get('rostrum.known') ?? '';
    const statuses = new Set<number>();
    for (let n = 0; n < 32; n++) {
      const thief = from('198.51.100.200');
      // The cookie of another account, one with a wrong signature, and one of a browser invented each time.
      const madeUp = cookie.replace(/^[^~]+/, randomBytes(16).toString('base64url'));
      thief.cookies.set('rostrum.known', [cookie, cookie.replace(/.$/, '_'), madeUp][n % 3] ?? '');
      statuses.add((await signIn(thief, other.email, 'a guess')).status);
    }
    expect([...statuses]).to.deep.equal([401, 429]);
  });
});

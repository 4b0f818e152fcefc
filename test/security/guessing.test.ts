/**
 * A stranger guesses an account's password from many addresses: the owner gets in all the same, and nobody gets many
 * tries.
 */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { verifyPassword } from '../../src/accounts/people/password.ts';
import type { User } from '../../src/accounts/records/user.model.ts';
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
    for (let place = 0; place < 30; place++) {
      for (let n = 0; n < 4; n++) statuses.push(await guess(`198.51.100.${place}`));
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

  it('is not helped by a full line: whoever is sent away from it has not guessed', async () => {
    const slow = (cost: string) => quickHash(PASSWORD).replace('$4$8$1$', cost);
    const fill = (hash: string, ip: string) =>
      verifyPassword('a guess', hash, { known: false, group: owner.email, ip }).catch(() => false);
    // The length of the line is what is hashed in ten seconds, so that a slow one makes it short.
    await fill(slow('$14$8$4$'), '11.0.0.1');
    const line = [fill(slow('$15$8$4$'), '12.0.0.1')];
    for (let n = 0; n < 255; n++) line.push(fill(quickHash('another'), `13.${n}.0.1`));
    // Spent by the guesses above: three tries are left to an address.
    const statuses = await Promise.all(Array.from({ length: 5 }, () => guess('198.51.100.40')));
    await Promise.all(line);
    expect(statuses).to.deep.equal(Array(5).fill(503));
    expect((await signIn(from('198.51.100.40'), owner.email, PASSWORD)).status).to.equal(303);
  });

  it('does not make a known browser out of nothing', async () => {
    const known = from('203.0.113.2');
    await signIn(known, owner.email, PASSWORD);
    const other = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    const cookie = known.cookies.get('rostrum.known') ?? '';
    const statuses = new Set<number>();
    for (let n = 0; n < 32; n++) {
      const thief = from('198.51.100.200');
      // The cookie of another account, one with a wrong signature, and one of a browser that is made up each time.
      const madeUp = cookie.replace(/^[^~]+/, randomBytes(16).toString('base64url'));
      thief.cookies.set('rostrum.known', [cookie, cookie.replace(/.$/, '_'), madeUp][n % 3] ?? '');
      statuses.add((await signIn(thief, other.email, 'a guess')).status);
    }
    expect([...statuses]).to.deep.equal([401, 429]);
  });
});

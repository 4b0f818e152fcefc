/** The second factor of an account. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { generateSync } from 'otplib';
import { Attempts } from '../../../adapters/redis/attempts.ts';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { CODES_PER_DAY } from '../../../src/app/web/compose-accounts.ts';
import { type BrowserLike, signIn } from '../../support/browser-like.ts';
import { aTeam } from '../../support/builders.ts';
import { newestLink } from '../../support/mailbox.ts';
import type { Service } from '../../support/service.ts';

const PASSWORD = 'a long enough password';

/** What the tests have from their service. */
export interface TwoFactorWorld {
  readonly signedIn: (user: User) => Promise<BrowserLike>;
  readonly browser: (headers?: Record<string, string>) => BrowserLike;
  readonly isIn: (who: BrowserLike) => Promise<boolean>;
  readonly aPerson: (more?: object) => Promise<User>;
  readonly knex: () => Knex;
  readonly service: Service;
  readonly within: (status: number, request: () => Promise<{ readonly status: number }>) => Promise<number>;
}

/** The second factor of an account. */
export function twoFactorSuite(world: TwoFactorWorld): void {
  const { signedIn, browser, isIn, aPerson, knex, within } = world;

  describe('a second factor', () => {
    /** The code of a time step that has not been used yet; at most one ahead of now. */
    const codeFor = (secret: string, ahead = 0) =>
      generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + 30 * ahead });
    /** The code of the time step before this one, which is taken until the next begins. */
    const earlierCodeFor = async (secret: string) => {
      const leftMs = 30_000 - (Date.now() % 30_000);
      // A timer may end a little before its time: the code would be of two steps before.
      if (leftMs < 3_000) await sleep(leftMs + 50);
      return codeFor(secret, -1);
    };
    const setUp = async (user: User) => {
      const own = await signedIn(user);
      const page = await own.get('/account/security/two-factor');
      expect(page.text).to.contain('<svg');
      const secret = (/<code>([A-Z2-7 ]+)<\/code>/.exec(page.text)?.[1] ?? '').replaceAll(' ', '');
      expect(secret.length * 5).to.be.at.least(128);
      expect((await own.get('/account/security/two-factor')).text, 'the same until it is on').to.contain(
        secret.slice(0, 4),
      );
      expect((await own.post('/account/security/two-factor', { code: '000000' })).status).to.equal(422);
      const on = await own.post('/account/security/two-factor', { code: await earlierCodeFor(secret) });
      expect(on.status).to.equal(200);
      const recovery = [...on.text.matchAll(/data-recovery-code>([^<]+)</g)].map((match) => match[1]!);
      expect(recovery).to.have.length(10);
      return { own, secret, recovery };
    };
    const half = async (user: User) => {
      const visitor = browser();
      const answer = await signIn(visitor, user.email, PASSWORD);
      expect(answer.location).to.match(/^\/sign-in\/code/);
      expect(await isIn(visitor), 'with the password alone').to.equal(false);
      await visitor.get('/sign-in/code');
      return visitor;
    };

    /** A browser in which the password was set anew by a mailed link, and given: it owes the second factor. */
    const afterReset = async (user: User) => {
      const reader = browser();
      await reader.get('/password/forgot');
      await reader.post('/password/forgot', { email: user.email });
      const link = await newestLink(world.service, user.email, '/password/reset/');
      await reader.get(link);
      expect((await reader.post(link, { password: PASSWORD })).status).to.equal(200);
      expect(await isIn(reader)).to.equal(false);
      expect((await signIn(reader, user.email, PASSWORD)).location).to.match(/^\/sign-in\/code/);
      expect(await isIn(reader), 'with the new password alone').to.equal(false);
      return reader;
    };

    it('is asked at sign-in; a code works once, a recovery code too, and they are kept hashed', async () => {
      const user = await aPerson();
      const { secret, recovery } = await setUp(user);
      const visitor = await half(user);
      expect((await visitor.post('/sign-in/code', { code: '000000' })).status).to.equal(401);
      const code = codeFor(secret, 0);
      const other = await half(user);
      const both = await Promise.all([visitor, other].map((one) => one.post('/sign-in/code', { code })));
      expect(both.map(({ status }) => status).sort()).to.deep.equal([303, 401]);
      const third = await half(user);
      expect((await third.post('/sign-in/code', { code })).status).to.equal(401);
      expect((await third.post('/sign-in/code', { code: recovery[0]!.toUpperCase() })).status).to.equal(303);
      expect(await isIn(third)).to.equal(true);
      const fourth = await half(user);
      expect((await fourth.post('/sign-in/code', { code: recovery[0]! })).status).to.equal(401);
      const stored =
        JSON.stringify(await knex()('recovery_codes')) + JSON.stringify(await knex()('two_factors'));
      expect(stored).not.to.contain(secret);
      for (const one of recovery) expect(stored).not.to.contain(one.replaceAll('-', ''));
      expect((await third.get('/account/security')).text).to.contain('9 recovery codes are left');
    });

    it('has ten recovery codes, however often new ones are made at once, and none without it', async () => {
      const [user, without] = [await aPerson(), await aPerson()];
      const { own, recovery } = await setUp(user);
      const other = await signedIn(without);
      for (const who of [own, other]) await who.get('/account/security');
      const path = '/account/security/two-factor/recovery-codes';
      const made = await Promise.all([1, 2, 3].map(() => own.post(path, {})));
      expect(made.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      expect((await other.post(path, {})).location).to.equal('/account/security/two-factor');
      const left = async ({ id }: User) => (await knex()('recovery_codes').where('user_id', id)).length;
      expect([await left(user), await left(without)]).to.deep.equal([10, 0]);
      const visitor = await half(user);
      expect((await visitor.post('/sign-in/code', { code: recovery[0] ?? '' })).status).to.equal(401);
    });

    it('allows an address ten wrong codes in ten minutes, and spares a browser that was there before', async () => {
      const user = await aPerson();
      const { own, secret } = await setUp(user);
      const stranger = browser();
      await signIn(stranger, user.email, PASSWORD);
      await stranger.get('/sign-in/code');
      const statuses: number[] = [];
      for (let n = 0; n < 11; n++)
        statuses.push((await stranger.post('/sign-in/code', { code: `00000${n % 10}` })).status);
      expect(statuses).to.deep.equal([...Array(10).fill(401), 429]);
      await own.get('/sign-out');
      await own.post('/sign-out', {});
      await signIn(own, user.email, PASSWORD);
      await own.get('/sign-in/code');
      expect((await own.post('/sign-in/code', { code: codeFor(secret, 0) })).status).to.equal(303);
    });

    it('allows a hundred guesses a day from all strangers together, including readers of mails, and recovery codes after them', async () => {
      const user = await aPerson();
      const { own, secret, recovery } = await setUp(user);
      const counter = new Attempts(world.service.backends.redis.link, CODES_PER_DAY);
      for (let n = 1; n < CODES_PER_DAY.attempts; n++) await counter.take(String(user.id));
      const stranger = await half(user);
      const send = async (code: string) => (await stranger.post('/sign-in/code', { code })).status;
      expect([await send('000 000'), await send('000001')]).to.deep.equal([401, 429]);
      expect(await send(codeFor(secret, 0)), 'a right one').to.equal(429);
      await own.get('/sign-out');
      await own.post('/sign-out', {});
      await signIn(own, user.email, PASSWORD);
      await own.get('/sign-in/code');
      expect((await own.post('/sign-in/code', { code: codeFor(secret, 0) })).status, 'a known one').to.equal(
        303,
      );
      const reader = await afterReset(user);
      await reader.get('/sign-in/code');
      const read = await reader.post('/sign-in/code', { code: codeFor(secret, 1) });
      expect(read.status, 'whoever reads the mails').to.equal(429);
      const last = await half(user);
      expect((await last.post('/sign-in/code', { code: recovery[0] ?? '' })).status).to.equal(303);
    });

    it('is asked again before tokens and secrets, once a quarter of an hour has passed', async () => {
      const user = await aPerson();
      const { own, secret } = await setUp(user);
      const age = async () => {
        const link = world.service.backends.redis.link;
        const [ref] = await link.zRangeByScore(`browser-sessions:${user.id}`, '-inf', '+inf');
        const [data] = await link.hmGet(`browser-session:${ref}`, ['data']);
        const old = { ...JSON.parse(data ?? ''), provedAtMs: Date.now() - 901_000 };
        await link.hSet(`browser-session:${ref}`, { data: JSON.stringify(old) });
      };
      expect((await own.get('/account/developer/tokens')).status).to.equal(200);
      await age();
      for (const path of [
        '/account/developer/tokens',
        '/account/developer/webhooks',
        '/account/security/two-factor',
      ]) {
        const sent = await own.get(path);
        expect([sent.status, sent.location]).to.deep.equal([
          303,
          `/account/prove?next=${encodeURIComponent(path)}`,
        ]);
      }
      const made = await own.post('/account/developer/tokens', { name: 'one', read: '1' });
      expect(made.location).to.match(/^\/account\/prove/);
      expect(await knex()('tokens').where('user_id', user.id)).to.have.length(0);
      const proofPage = await own.get('/account/prove?next=/account/developer/tokens');
      expect(proofPage.text).to.contain('name="code"').and.not.to.contain('name="password"');
      expect((await own.post('/account/prove', { password: PASSWORD })).status).to.equal(401);
      const next = '/account/developer/tokens';
      expect((await own.post('/account/prove', { code: codeFor(secret, 0), next })).location).to.equal(next);
      expect((await own.post('/account/developer/tokens', { name: 'one', read: '1' })).status).to.equal(201);
      await age();
      expect((await own.post('/account/security/two-factor/disable', {})).location).to.match(
        /^\/account\/prove/,
      );
    });

    it('may be asked of its members by a team', async () => {
      const [owner, member] = [await aPerson(), await aPerson()];
      const team = await aTeam(world.service.database, { owner, members: [{ user: member }] });
      const [ownerToken, memberToken] = [
        await world.service.tokenFor(owner, ['seller']),
        await world.service.tokenFor(member, ['seller']),
      ];
      const patch = (token: string, body: unknown = { require_two_factor: true }) =>
        world.service.call('PATCH', `/api/v1/teams/${team.id}`, { token, body });
      const acting = (token: string) =>
        world.service.call('GET', '/api/v1/seller/auctions', {
          token,
          headers: { 'X-Team-Id': String(team.id) },
        });
      expect((await patch(memberToken)).status).to.equal(403);
      expect((await patch(ownerToken)).body.code).to.equal('two_factor_required');
      await setUp(owner);
      await new Promise((done) => setTimeout(done, 50));
      const changed = await patch(ownerToken);
      expect([changed.status, changed.body.data?.require_two_factor], changed.text).to.deep.equal([
        200,
        true,
      ]);
      expect(await within(200, () => acting(ownerToken))).to.equal(200);
      await within(403, () => acting(memberToken));
      const refused = await acting(memberToken);
      expect([refused.status, refused.body.code]).to.deep.equal([403, 'two_factor_required']);
      await setUp(member);
      expect(await within(200, () => acting(memberToken))).to.equal(200);
      expect((await patch(ownerToken, { require_two_factor: 'yes' })).status).to.equal(422);
    });
  });
}

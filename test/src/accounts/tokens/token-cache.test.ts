import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { RedisPubSub } from '../../../../adapters/redis/pub-sub.ts';
import { suspendUser } from '../../../../src/accounts/people/accounts.ts';
import { announceAccountChange, type PubSub } from '../../../../src/accounts/tokens/account-changes.ts';
import { BadTokens } from '../../../../src/accounts/tokens/bad-tokens.ts';
import { TokenAuthenticator } from '../../../../src/accounts/tokens/token-cache.ts';
import { createToken, revokeToken } from '../../../../src/accounts/tokens/tokens.ts';
import type { Refusal } from '../../../../src/shared/refusal.ts';
import { aTeam, aToken, aUser } from '../../../support/builders.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';
import { sharedServers } from '../../../support/servers.ts';
import { slowness } from '../../../support/slowness.ts';

/** Asks until the answer fits; how long that took. */
async function waitFor(check: () => Promise<boolean>): Promise<number> {
  const started = performance.now();
  while (!(await check())) {
    if (performance.now() - started > 60_000) throw new Error('it never came');
    await sleep(10);
  }
  return performance.now() - started;
}

const FROM = { ip: '192.0.2.1', secure: false };

describe('tokens', () => {
  let database: MigratedDatabase;
  let pubSub: RedisPubSub;
  let open: TokenAuthenticator[];
  before(async () => {
    database = await migratedDatabase();
    pubSub = await RedisPubSub.open((await sharedServers()).redisUrl, () => {});
  });
  after(async () => {
    pubSub.close();
    await database.drop();
  });
  beforeEach(() => {
    open = [];
  });
  afterEach(() => Promise.all(open.map((cache) => cache.close())));

  const cacheOn = async (port: PubSub | null): Promise<TokenAuthenticator> => {
    const cache = new TokenAuthenticator(database.db.knex);
    if (port) await cache.listen(port);
    open.push(cache);
    return cache;
  };

  it('identify their user, with everything that requests are judged by', async () => {
    const user = await aUser(database.db, { verified: true });
    const team = await aTeam(database.db, { owner: user });
    const { token, id } = await aToken(database.db, { user, abilities: ['write', 'read', 'read'] });
    const principal = await (await cacheOn(null)).authenticate(token, FROM);
    expect({ ...principal, abilities: [...principal!.abilities] }).to.deep.equal({
      userId: user.id,
      email: user.email,
      name: user.name,
      abilities: ['read', 'write'],
      isAdmin: false,
      suspended: false,
      verified: true,
      confirmed: true,
      teamIds: [user.current_team_id, team.id],
      lockedTeamIds: [],
      language: null,
      leftTeamIds: [],
      via: 'token',
      tokenId: id,
      currentTeamId: user.current_team_id,
    });
  });

  it('identify nobody when unknown, malformed, expired or revoked', async () => {
    const { knex } = database.db;
    const cache = await cacheOn(null);
    const [expired, revoked] = [await aToken(database.db), await aToken(database.db)];
    await knex('tokens').where('id', expired.id).update({ expires_at: '2020-01-01T00:00:00Z' });
    await revokeToken(knex, revoked.id);
    for (const bearer of [
      '',
      'rst_',
      `rst_${'a'.repeat(43)}`,
      'x'.repeat(5000),
      expired.token,
      revoked.token,
    ]) {
      expect(await cache.authenticate(bearer, FROM), bearer.slice(0, 20)).to.equal(null);
    }
  });

  it('answer at once the second time, and share one query when requested together the first time', async () => {
    const cache = await cacheOn(pubSub);
    const { token } = await aToken(database.db);
    let queries = 0;
    const count = (query: { sql: string }) => {
      if (query.sql.includes('token_hash')) queries++;
    };
    database.db.knex.on('query', count);
    await Promise.all(Array.from({ length: 50 }, () => cache.authenticate(token, FROM)));
    database.db.knex.removeListener('query', count);
    expect(queries).to.be.at.most(2);
    expect(cache.authenticate(token, FROM)).to.not.be.instanceOf(Promise);
  });

  it('that are revoked, and users that are suspended, are seen everywhere within a second', async () => {
    const { knex } = database.db;
    const caches = [await cacheOn(pubSub), await cacheOn(pubSub)];
    await sleep(400);
    const user = await aUser(database.db);
    const [kept, lost] = [await aToken(database.db, { user }), await aToken(database.db, { user })];
    for (const cache of caches)
      await Promise.all([cache.authenticate(kept.token, FROM), cache.authenticate(lost.token, FROM)]);
    await revokeToken(knex, lost.id);
    await announceAccountChange(pubSub, { tokenIds: [lost.id] });
    await suspendUser(knex, user.email);
    await announceAccountChange(pubSub, { userIds: [user.id] });
    for (const cache of caches) {
      const gone = async () => (await cache.authenticate(lost.token, FROM)) === null;
      const suspended = async () => (await cache.authenticate(kept.token, FROM))?.suspended === true;
      expect(await waitFor(gone)).to.be.below(500);
      expect(await waitFor(suspended)).to.be.below(500 * slowness());
    }
  });

  it('are read again within a second while announcements do not come through', async () => {
    const deaf: PubSub = { publish: async () => {}, subscribe: async () => async () => {} };
    const cache = await cacheOn(deaf);
    const { id, token } = await aToken(database.db);
    await cache.authenticate(token, FROM);
    await revokeToken(database.db.knex, id);
    expect(await waitFor(async () => (await cache.authenticate(token, FROM)) === null)).to.be.below(
      1_000 * slowness(),
    );
  });

  it('forget what was missed when a lost link is up again', async () => {
    let hear: (message: string) => void = () => {};
    let link: (up: boolean) => void = () => {};
    const flaky: PubSub = {
      publish: async () => {},
      subscribe: async (_channel, onMessage, onLink) => {
        [hear, link] = [onMessage, onLink];
        return async () => {};
      },
    };
    const cache = await cacheOn(flaky);
    hear('{}');
    const { id, token } = await aToken(database.db);
    await cache.authenticate(token, FROM);
    link(false);
    await revokeToken(database.db.knex, id);
    link(true);
    hear('{}');
    expect(await cache.authenticate(token, FROM)).to.equal(null);
  });

  it('are not announced to be unchanged while nobody uses any, and again from the next use on', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    let pings = 0;
    const cache = await cacheOn({
      async publish() {
        pings += 1;
      },
      subscribe: async () => async () => undefined,
    });
    const pingsWithin = (ms: number) => {
      const before = pings;
      mock.timers.tick(ms);
      return pings - before;
    };
    try {
      expect(pingsWithin(3_000)).to.equal(10);
      mock.timers.tick(30_000);
      expect(pingsWithin(30_000)).to.equal(0);
      const before = pings;
      await cache.authenticate('nothing', FROM);
      expect(pings - before).to.equal(1);
      expect(pingsWithin(3_000)).to.equal(10);
    } finally {
      mock.timers.reset();
    }
  });

  it('have a last use, recorded later', async () => {
    const { knex } = database.db;
    const cache = new TokenAuthenticator(knex);
    const { id, token } = await aToken(database.db);
    await cache.authenticate(token, FROM);
    expect((await knex('tokens').where('id', id).first()).last_used_at).to.equal(null);
    await cache.close();
    const used = await knex('tokens').where('id', id).first();
    expect(used.last_used_at).to.be.a('string');
    expect(used.last_used_ip).to.equal(FROM.ip);
  });

  it('stop at their time, also where they are cached', async () => {
    const { knex } = database.db;
    const { email } = await aUser(database.db);
    const made = await createToken(knex, { email, abilities: ['read'], expiresInDays: 30 });
    expect(Date.parse(made.expires_at ?? '') - Date.now()).to.be.closeTo(30 * 86_400_000, 60_000);
    expect((await createToken(knex, { email, abilities: [] })).expires_at).to.equal(null);
    const cache = await cacheOn(pubSub);
    await sleep(400);
    const soon = new Date(Date.now() + 500).toISOString();
    await knex('tokens').where('id', made.id).update({ expires_at: soon });
    expect(await cache.authenticate(made.token, FROM)).to.not.equal(null);
    const since = performance.now();
    await waitFor(async () => (await cache.authenticate(made.token, FROM)) === null);
    // Sooner than the cache reads it again.
    expect(performance.now() - since).to.be.below(10_000 * slowness());
    for (const expiresInDays of [0, 1.5, 3_651]) {
      const refusal = await createToken(knex, { email, abilities: [], expiresInDays }).catch(String);
      expect(refusal).to.match(/expires-in-days: must be a whole number/);
    }
  });

  describe('that are wrong', () => {
    const counting = async () => {
      const counted = new Map<string, number>();
      const add = (key: string, n: number) => {
        counted.set(key, (counted.get(key) ?? 0) + n);
        return counted.get(key)!;
      };
      const take = async (key: string) => (add(key, 1) > 30 ? 42 : null);
      const giveBack = async (key: string) => void add(key, -1);
      const cache = new TokenAuthenticator(database.db.knex, new BadTokens({ take, giveBack }));
      open.push(cache);
      return cache;
    };
    const codeOf = (answer: unknown) => Promise.resolve(answer).then(String, (error: Refusal) => error.code);

    it('get their sender refused after thirty, before anything is looked up, by address and /64', async () => {
      const cache = await counting();
      const good = await aToken(database.db);
      const there = { ip: '2001:db8:1:2::1', secure: false };
      const neighbour = { ip: '2001:db8:1:2::ffff', secure: false };
      for (let n = 0; n < 30; n++) expect(await cache.authenticate(`rst_wrong-${n}`, there)).to.equal(null);
      const read = database.db.knex.client.pool;
      const before = read.numUsed() + read.numPendingAcquires();
      expect(await codeOf(cache.authenticate('rst_one-more', there))).to.equal('rate_limited');
      expect(await codeOf(cache.authenticate(good.token, neighbour))).to.equal('rate_limited');
      expect(await codeOf(cache.authenticate('no token at all', neighbour))).to.equal('rate_limited');
      expect(read.numUsed() + read.numPendingAcquires()).to.equal(before);
      expect(await cache.authenticate(good.token, FROM)).to.not.equal(null);
      // Known by now: nothing has to be looked up for it.
      expect(await codeOf(cache.authenticate(good.token, there))).to.equal('[object Object]');
    });

    it('are looked up thirty at most, however many come at once, and hold no good one back', async () => {
      const cache = await counting();
      const at = (ip: string) => ({ ip, secure: false });
      const wrong = Array.from({ length: 90 }, (_, n) =>
        cache.authenticate(`rst_wrong-${n}`, at('192.0.2.9')),
      );
      const codes = await Promise.all(wrong.map(codeOf));
      expect(codes.filter((code) => code === 'null')).to.have.length(30);
      expect(codes.filter((code) => code === 'rate_limited')).to.have.length(60);
      const good = await Promise.all(Array.from({ length: 50 }, () => aToken(database.db)));
      const found = await Promise.all(
        good.map(({ token }) => codeOf(cache.authenticate(token, at('192.0.2.8')))),
      );
      expect(new Set(found)).to.deep.equal(new Set(['[object Object]']));
    });

    it('evict no valid one, however many there are', async () => {
      const cache = new TokenAuthenticator(database.db.knex, null, 100);
      await cache.listen(pubSub);
      open.push(cache);
      await sleep(400);
      const { token } = await aToken(database.db);
      await cache.authenticate(token, FROM);
      const found = cache.authenticate(token, FROM);
      expect(found).to.not.be.instanceOf(Promise);
      const unknown = Array.from({ length: 300 }, (_, n) => cache.authenticate(`rst_wrong-${n}`, FROM));
      expect(new Set(await Promise.all(unknown))).to.deep.equal(new Set([null]));
      expect(cache.authenticate(token, FROM)).to.equal(found);
    });
  });

  it('are kept as a hash; admin is for admins, and ends with it', async () => {
    const { knex } = database.db;
    const admin = await aUser(database.db, { is_admin: true });
    const made = await createToken(knex, { email: admin.email, abilities: ['admin', 'read'] });
    const stored = await knex('tokens').where('id', made.id).first();
    expect(JSON.stringify(stored)).to.not.include(made.token.slice(4));
    await knex('users').where('id', admin.id).update({ is_admin: false });
    const principal = await (await cacheOn(null)).authenticate(made.token, FROM);
    expect([...principal!.abilities]).to.deep.equal(['read']);
    const refusal = await createToken(knex, { email: admin.email, abilities: ['admin'] }).catch(
      (error: Error) => error.message,
    );
    expect(refusal).to.match(/^ability: /);
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { RedisPubSub } from '../../../../adapters/redis/pub-sub.ts';
import { suspendUser } from '../../../../src/accounts/people/accounts.ts';
import { announceAccountChange, type PubSub } from '../../../../src/accounts/tokens/account-changes.ts';
import { TokenAuthenticator } from '../../../../src/accounts/tokens/token-cache.ts';
import { createToken, revokeToken } from '../../../../src/accounts/tokens/tokens.ts';
import { aTeam, aToken, aUser } from '../../../support/builders.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';
import { sharedServers } from '../../../support/servers.ts';

/** Asks until the answer fits; how long that took. */
async function waitFor(look: () => Promise<boolean>): Promise<number> {
  const started = performance.now();
  while (!(await look())) {
    if (performance.now() - started > 5_000) throw new Error('it never came');
    await sleep(10);
  }
  return performance.now() - started;
}

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

  it('stand for their user, with what requests are judged by', async () => {
    const user = await aUser(database.db, { verified: true });
    const team = await aTeam(database.db, { owner: user });
    const { token, id } = await aToken(database.db, { user, abilities: ['write', 'read', 'read'] });
    const principal = await (await cacheOn(null)).authenticate(token);
    expect({ ...principal, abilities: [...principal!.abilities] }).to.deep.equal({
      userId: user.id,
      email: user.email,
      name: user.name,
      abilities: ['read', 'write'],
      isAdmin: false,
      suspended: false,
      verified: true,
      teamIds: [user.current_team_id, team.id],
      via: 'token',
      tokenId: id,
      currentTeamId: user.current_team_id,
    });
  });

  it('are nobody when unknown, of another shape, expired or revoked', async () => {
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
      expect(await cache.authenticate(bearer), bearer.slice(0, 20)).to.equal(null);
    }
  });

  it('answer at once the second time, and only one query is made for many at the first', async () => {
    const cache = await cacheOn(pubSub);
    const { token } = await aToken(database.db);
    let queries = 0;
    const count = (query: { sql: string }) => {
      if (query.sql.includes('token_hash')) queries++;
    };
    database.db.knex.on('query', count);
    await Promise.all(Array.from({ length: 50 }, () => cache.authenticate(token)));
    database.db.knex.removeListener('query', count);
    expect(queries).to.be.at.most(2);
    expect(cache.authenticate(token)).to.not.be.instanceOf(Promise);
  });

  it('that are revoked, and users that are suspended, are seen everywhere within a second', async () => {
    const { knex } = database.db;
    const caches = [await cacheOn(pubSub), await cacheOn(pubSub)];
    await sleep(400);
    const user = await aUser(database.db);
    const [kept, lost] = [await aToken(database.db, { user }), await aToken(database.db, { user })];
    for (const cache of caches)
      await Promise.all([cache.authenticate(kept.token), cache.authenticate(lost.token)]);
    await revokeToken(knex, lost.id);
    await announceAccountChange(pubSub, { tokenIds: [lost.id] });
    await suspendUser(knex, user.email);
    await announceAccountChange(pubSub, { userIds: [user.id] });
    for (const cache of caches) {
      const gone = async () => (await cache.authenticate(lost.token)) === null;
      const suspended = async () => (await cache.authenticate(kept.token))?.suspended === true;
      expect(await waitFor(gone)).to.be.below(500);
      expect(await waitFor(suspended)).to.be.below(500);
    }
  });

  it('are read again within a second while announcements do not come through', async () => {
    const deaf: PubSub = { publish: async () => {}, subscribe: async () => async () => {} };
    const cache = await cacheOn(deaf);
    const { id, token } = await aToken(database.db);
    await cache.authenticate(token);
    await revokeToken(database.db.knex, id);
    expect(await waitFor(async () => (await cache.authenticate(token)) === null)).to.be.below(1_000);
  });

  it('forget what was missed when a link that was lost stands again', async () => {
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
    await cache.authenticate(token);
    link(false);
    await revokeToken(database.db.knex, id);
    link(true);
    hear('{}');
    expect(await cache.authenticate(token)).to.equal(null);
  });

  it('have a last use, written down later', async () => {
    const { knex } = database.db;
    const cache = new TokenAuthenticator(knex);
    const { id, token } = await aToken(database.db);
    await cache.authenticate(token);
    expect((await knex('tokens').where('id', id).first()).last_used_at).to.equal(null);
    await cache.close();
    expect((await knex('tokens').where('id', id).first()).last_used_at).to.be.a('string');
  });

  it('are kept as a hash; admin is for admins, and ends with it', async () => {
    const { knex } = database.db;
    const admin = await aUser(database.db, { is_admin: true });
    const made = await createToken(knex, { email: admin.email, abilities: ['admin', 'read'] });
    const stored = await knex('tokens').where('id', made.id).first();
    expect(JSON.stringify(stored)).to.not.include(made.token.slice(4));
    await knex('users').where('id', admin.id).update({ is_admin: false });
    const principal = await (await cacheOn(null)).authenticate(made.token);
    expect([...principal!.abilities]).to.deep.equal(['read']);
    const refusal = await createToken(knex, { email: admin.email, abilities: ['admin'] }).catch(
      (error: Error) => error.message,
    );
    expect(refusal).to.match(/^ability: /);
  });
});

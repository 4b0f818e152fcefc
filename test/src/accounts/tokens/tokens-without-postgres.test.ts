import { mock } from 'node:test';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { TokenAuthenticator } from '../../../../src/accounts/tokens/token-cache.ts';
import { revokeToken } from '../../../../src/accounts/tokens/tokens.ts';
import { aToken } from '../../../support/builders.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';

const FROM = { ip: '192.0.2.1', secure: false };

describe('tokens while Postgres is unavailable', () => {
  let database: MigratedDatabase;
  let open: TokenAuthenticator[];
  const MINUTE_MS = 60_000;
  let isAway: boolean;
  let reads: number;
  let hear: (message: string) => void;
  let passedMs: number;

  before(async () => {
    database = await migratedDatabase();
  });
  after(() => database.drop());

  beforeEach(() => {
    open = [];
    isAway = false;
    reads = 0;
    passedMs = 0;
    const real = performance.now.bind(performance);
    mock.method(performance, 'now', () => real() + passedMs);
  });

  afterEach(async () => {
    mock.restoreAll();
    await Promise.all(open.map((cache) => cache.close()));
  });

  /** The database, which refuses every statement while it is away. */
  const fallible = (): Knex =>
    new Proxy(database.db.knex, {
      get(knex, name) {
        if (name === 'raw') reads += 1;
        if (name !== 'raw' || !isAway) return Reflect.get(knex, name);
        const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' });
        return () => Promise.reject(refused);
      },
    });
  /** A cache that has read the token, with a link that has said something a moment ago. */
  const cacheThatKnows = async (token: string): Promise<TokenAuthenticator> => {
    const cache = new TokenAuthenticator(fallible());
    open.push(cache);
    await cache.listen({
      publish: async () => {},
      subscribe: async (_channel, onMessage) => {
        hear = onMessage;
        return async () => {};
      },
    });
    hear('{}');
    expect(await cache.authenticate(token, FROM)).to.not.equal(null);
    return cache;
  };
  /** Time passes while others keep saying that nothing has changed. */
  const pass = (ms: number) => {
    for (const end = passedMs + ms; passedMs < end; ) {
      passedMs += 300;
      hear('{}');
    }
  };
  const answerOf = async (cache: TokenAuthenticator, token: string) => {
    try {
      return (await cache.authenticate(token, FROM)) === null ? 'nobody' : 'known';
    } catch {
      return 'unavailable';
    }
  };

  it('still identify their user where every announcement has come through, for an hour', async () => {
    const { token } = await aToken(database.db);
    const cache = await cacheThatKnows(token);
    isAway = true;
    for (const minutes of [1, 10, 40]) {
      pass(minutes * MINUTE_MS);
      expect([minutes, await answerOf(cache, token)]).to.deep.equal([minutes, 'known']);
    }
    pass(10 * MINUTE_MS);
    expect(await answerOf(cache, token)).to.equal('unavailable');
  });

  it('are not tried to be read at every use', async () => {
    const { token } = await aToken(database.db);
    const cache = await cacheThatKnows(token);
    isAway = true;
    pass(MINUTE_MS);
    const before = reads;
    for (let n = 0; n < 50; n++) expect(await answerOf(cache, token)).to.equal('known');
    expect(reads - before).to.equal(1);
  });

  it('identify nobody once a change of theirs was announced, or none could have been heard', async () => {
    for (const happens of [
      (id: number) => hear(JSON.stringify({ tokenIds: [id] })),
      (_id: number) => hear('not to be read'),
      (_id: number) => {
        passedMs += 1_000;
      },
    ]) {
      isAway = false;
      const { id, token } = await aToken(database.db);
      const cache = await cacheThatKnows(token);
      isAway = true;
      pass(MINUTE_MS);
      expect(await answerOf(cache, token)).to.equal('known');
      happens(id);
      expect([String(happens), await answerOf(cache, token)]).to.deep.equal([String(happens), 'unavailable']);
    }
  });

  it('are read as soon as it is back', async () => {
    const { id, token } = await aToken(database.db);
    const cache = await cacheThatKnows(token);
    isAway = true;
    pass(MINUTE_MS);
    expect(await answerOf(cache, token)).to.equal('known');
    await revokeToken(database.db.knex, id);
    isAway = false;
    pass(1_200);
    expect(await answerOf(cache, token)).to.equal('nobody');
  });
});

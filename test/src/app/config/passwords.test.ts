/** Passwords with any character in them reach Postgres and Redis as they are, encoded in an address or by themselves. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { openLink } from '../../../../adapters/redis/link.ts';
import { readRedisAddress } from '../../../../adapters/redis/redis-address.ts';
import { loadConfig } from '../../../../src/app/config/config.ts';
import type { Environment } from '../../../../src/app/config/environment-reader.ts';
import { freshRedis } from '../../../support/redis-servers.ts';

/** What means something in an address, a shell, a file of variables, SQL. */
const PASSWORD = ` p@ss:w/o?r#d %41$HOME & "it's" \\ [é]=+,;\``;
const SECRETS = {
  APP_SECRET: 'a',
  PAYMENT_WEBHOOK_SECRET: 'b',
  SIMULCAST_SECRETS: 'c=d',
  DATA_DIR: '/nowhere',
};

const load = (env: Environment) => loadConfig({ ...SECRETS, ...env });

describe('passwords with any character', () => {
  it('reach Redis', async () => {
    const redis = await freshRedis();
    const open = await openLink(redis.redisUrl);
    await open.link.send('', ['CONFIG', 'SET', 'requirepass', PASSWORD]);
    open.link.destroy();
    try {
      const { host } = new URL(redis.redisUrl);
      for (const env of [
        { REDIS_URL: `redis://${host}`, REDIS_PASSWORD: PASSWORD },
        { REDIS_URL: `redis://:${encodeURIComponent(PASSWORD)}@${host}` },
      ]) {
        const link = await openLink(load(env).redisUrl ?? '');
        expect(await link.timeUs()).to.be.greaterThan(0);
        link.link.destroy();
      }
    } finally {
      await redis.close();
    }
  });

  it('reach Postgres', () => {
    for (const env of [
      { DATABASE_URL: 'postgres://rostrum@host:5432/main', DATABASE_PASSWORD: PASSWORD },
      { DATABASE_URL: `postgres://rostrum:${encodeURIComponent(PASSWORD)}@host:5432/main` },
    ]) {
      const { user, password, database } = new pg.Client(load(env).databaseUrl ?? '');
      expect([user, password, database]).to.deep.equal(['rostrum', PASSWORD, 'main']);
    }
  });

  it('belong to each node of a cluster, to the server behind Sentinels, and to each host of Postgres', () => {
    const encoded = encodeURIComponent(PASSWORD);
    const cluster = load({ REDIS_URL: 'redis-cluster://a:1,b:2', REDIS_PASSWORD: PASSWORD }).redisUrl ?? '';
    expect(readRedisAddress(cluster)).to.deep.equal({
      kind: 'cluster',
      nodes: [`redis://:${encoded}@a:1`, `redis://:${encoded}@b:2`],
    });
    const sentinel =
      load({ REDIS_URL: 'redis-sentinel://me@a:1,b:2/main', REDIS_PASSWORD: PASSWORD }).redisUrl ?? '';
    expect(readRedisAddress(sentinel)).to.include({ credentials: `me:${encoded}@`, name: 'main' });
    const hosts = load({ DATABASE_URL: 'postgres://me@a:1,b:2/x', DATABASE_PASSWORD: PASSWORD }).databaseUrl;
    expect(hosts).to.equal(`postgres://me:${encoded}@a:1,b:2/x`);
  });

  it('are named once', () => {
    expect(() => load({ REDIS_URL: 'redis://:one@a', REDIS_PASSWORD: 'two' })).to.throw(
      /^REDIS_PASSWORD: .*REDIS_URL/,
    );
    expect(() => load({ DATABASE_PASSWORD: 'two' })).to.throw(/^DATABASE_PASSWORD: .*DATABASE_URL/);
  });

  it('are the same to a shell that reads the file of a unit', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rostrum-env-'));
    const file = join(folder, 'rostrum.env');
    writeFileSync(file, `REDIS_PASSWORD="${PASSWORD.replaceAll(/["\\$`]/g, '\\$&')}"\n`);
    const print = 'process.stdout.write(process.env.REDIS_PASSWORD)';
    const { stdout } = spawnSync('sh', ['-c', `set -a; . "${file}"; "${process.execPath}" -e '${print}'`], {
      encoding: 'utf8',
    });
    expect(stdout).to.equal(PASSWORD);
    rmSync(folder, { recursive: true });
  });
});

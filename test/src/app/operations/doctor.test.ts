/**
 * `rostrum doctor` on real servers: fine where nothing is wrong, and each thing that is wrong named with what to do.
 */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { shardKeys } from '../../../../adapters/redis/shards.ts';
import { type Config, loadConfig } from '../../../../src/app/config/config.ts';
import { skewFinding } from '../../../../src/app/doctor/clock-skew.ts';
import { examine } from '../../../../src/app/doctor/examine.ts';
import type { Check, Finding } from '../../../../src/app/doctor/finding.ts';
import { machineChecks } from '../../../../src/app/doctor/machine-checks.ts';
import { postgresChecks } from '../../../../src/app/doctor/postgres-checks.ts';
import { redisChecks } from '../../../../src/app/doctor/redis-checks.ts';
import { runCommand } from '../../../support/commands.ts';
import { redisCommand } from '../../../support/redis-replicas.ts';
import { freshDatabase } from '../../../support/servers.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('rostrum doctor', () => {
  let service: Service;
  let folder: string;

  before(async () => {
    service = await startService();
    folder = await mkdtemp(join(tmpdir(), 'rostrum-doctor-test-'));
  });
  after(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  const examineWith = (changes: Partial<Config> = {}) =>
    examine({ ...service.config, ...changes }, service.backends.addresses);
  const named = (findings: readonly Finding[], name: string) =>
    findings.find((finding) => finding.name === name) ?? expect.fail(`nobody looked at ${name}`);

  const checked = async (checks: readonly Check[], name: string) =>
    checks.find((one) => one.name === name)?.run() ?? expect.fail(`nobody checks ${name}`);

  it('finds nothing wrong with a service that is in order, except for settings that the tests’ Postgres skips', async () => {
    const findings = await examineWith({ maxConnections: 100 });
    const wrong = findings.filter(({ ok }) => !ok).map(({ name, found }) => `${name}: ${found}`);
    expect(wrong).to.have.length(1);
    expect(wrong[0]).to.match(/^postgres settings: fsync is "off", not "on": .*full_page_writes is "off"/);
    expect(named(findings, 'redis disk').found).to.match(/^a write with its fsync takes [\d.]+ ms/);
    expect(named(findings, 'redis clock').found).to.match(/^\d+ ms (behind|ahead of) this host$/);
  });

  it('says `migrate`, once, about an empty database', async () => {
    const empty = await freshDatabase();
    const { redisUrl } = service.backends.addresses;
    const findings = await examine(service.config, { databaseUrl: empty.databaseUrl, redisUrl });
    await empty.drop();
    const about = findings.filter(({ ok, todo }) => !ok && /migrate|could not run/.test(todo ?? ''));
    expect(about).to.deep.equal([
      { name: 'migrations', ok: false, found: 'the schema is not current', todo: 'Run `rostrum migrate`.' },
    ]);
    expect(
      findings.some(({ name }) => ['journal', 'projection', 'postgres indexes'].includes(name)),
    ).to.equal(false);
  });

  it('names each of the ways in which secrets, proxies, mail and disks are wrong', async () => {
    const wrong: readonly (readonly [string, Partial<Config>, RegExp])[] = [
      [
        'secrets',
        { environment: 'production', appSecrets: ['a'], paymentWebhookSecret: 'a' },
        /are the same/,
      ],
      ['proxies', { trustProxy: ['10.0.0.0/8', '0.0.0.0/0'] }, /^TRUST_PROXY=/],
      ['proxies', { environment: 'production', publicUrl: 'http://example.com' }, /^PUBLIC_URL=http:/],
      ['mail', { mail: { kind: 'off' } }, /^off$/],
      ['free disk', { dataDir: '/proc' }, /^\/proc: 0\.0 of 0\.0 GiB free$/],
    ];
    for (const [name, changes, found] of wrong) {
      const finding = await checked(machineChecks({ ...service.config, ...changes }), name);
      expect([finding.ok, finding.found], name).to.deep.equal([false, found.exec(finding.found)?.input]);
      expect(finding.todo, name).to.match(/\w+/);
    }
  });

  it('names a slow disk of Redis, a clock that differs and a schema that waits', async () => {
    const { redis, knex, database } = service.backends;
    const link = new Proxy(redis.link, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          if (name === 'send' && Array.isArray(args[1]) && args[1][0] === 'SET') await sleep(30);
          return Reflect.apply(value, target, args);
        };
      },
    });
    const slow = await checked(
      redisChecks(service.config, async () => ({ ...redis, link })),
      'redis disk',
    );
    expect([slow.ok, slow.todo]).to.deep.equal([
      false,
      'Every bid waits for it: give Redis a faster disk that nothing else writes to.',
    ]);
    for (const [offMs, where] of [
      [-2_000, 'behind'],
      [2_000, 'ahead of'],
    ] as const) {
      const skew = await skewFinding(async () => Date.now() + offMs);
      expect([skew.ok, skew.found.includes(where)]).to.deep.equal([false, true]);
      expect(skew.todo).to.match(/^Run NTP/);
    }
    const last = await knex('knex_migrations').orderBy('name', 'desc').first();
    await knex('knex_migrations').where('name', last.name).delete();
    const schema = await checked(
      postgresChecks(() => database),
      'migrations',
    );
    await knex('knex_migrations').insert(last);
    expect(schema).to.include({ ok: false, todo: 'Run `rostrum migrate`.' });
  });

  it('names servers that are too old, too full or in the wrong role, and a log that Redis could not write', async () => {
    const { redis, database } = service.backends;
    const redisThatSays = (changes: Record<string, string>) => ({
      ...redis,
      commandMasters: async (command: string[]) =>
        (await redis.commandMasters(command)).map((answer) =>
          Object.entries(changes).reduce(
            (text, [field, value]) => text.replace(new RegExp(`^${field}:.*$`, 'm'), `${field}:${value}`),
            String(answer),
          ),
        ),
    });
    const ofRedis: readonly (readonly [string, Record<string, string>, RegExp])[] = [
      ['redis', { redis_version: '6.2.14' }, /^version 6\.2\.14$/],
      ['redis settings', { aof_last_write_status: 'err' }, /^the last write to disk failed$/],
      ['redis replicas', { connected_slaves: '1' }, /^1 connected/],
    ];
    for (const [name, changes, found] of ofRedis) {
      const config: Config = { ...service.config, bidDurability: 'replicated' };
      const finding = await checked(
        redisChecks(config, async () => redisThatSays(changes)),
        name,
      );
      expect([finding.ok, finding.found], name).to.deep.equal([false, found.exec(finding.found)?.input]);
    }
    /** A query to Postgres, and the answer to substitute. */
    const postgresThatSays = (column: string, value: unknown, only = '') => {
      const knex = new Proxy(database.knex, {
        get(target, name) {
          if (name !== 'raw') return Reflect.get(target, name);
          return async (sql: string, bindings: readonly string[] = []) =>
            sql.includes(` as ${column}`) && (only === '' || bindings[0] === only)
              ? { rows: [{ [column]: value }] }
              : target.raw(sql, bindings);
        },
      });
      return postgresChecks(() => ({ ...database, knex }));
    };
    const ofPostgres: readonly (readonly [string, Check[], RegExp])[] = [
      ['postgres', postgresThatSays('value', '14.9', 'server_version'), /^version 14\.9$/],
      ['postgres', postgresThatSays('standby', true), /^version .*, a standby$/],
      ['postgres connections', postgresThatSays('value', '79', 'max_connections'), / of 79 in use$/],
      ['postgres connections', postgresThatSays('used', 1_000_000), /^1000000 of \d+ in use$/],
    ];
    for (const [name, checks, found] of ofPostgres) {
      const finding = await checked(checks, name);
      expect([finding.ok, finding.found], name).to.deep.equal([false, found.exec(finding.found)?.input]);
      expect(finding.todo, name).to.match(/\w+/);
    }
  });

  it('names what the projection has set aside, and for how long it has not caught up', async () => {
    const { knex } = service.backends.database;
    await knex('projection_failures').insert({
      shard: 0,
      subject: 'planted',
      lot_id: null,
      error: 'refused',
      attempts: 1,
      reported_at: knex.fn.now(),
    });
    const setAside = named(await examineWith(), 'projection');
    await knex('projection_failures').where({ subject: 'planted' }).delete();
    expect(setAside).to.include({ ok: false, found: '1 set aside' });
    // A message of the log that is ten seconds old and that nobody projects.
    const { link } = service.backends.redis;
    const key = shardKeys(0).log;
    const id = `${Date.now() - 10_000}-0`;
    await link.send(key, ['XADD', key, id, 'm', '']);
    const late = named(await examineWith(), 'projection');
    await link.send(key, ['XDEL', key, id]);
    expect(late.ok).to.equal(false);
    expect(late.found).to.match(/^1\d\.\d s behind$/);
  });

  it('names each thing that is wrong, and what to do about it', async () => {
    const { redis, database } = service;
    await redisCommand(redis, ['CONFIG', 'SET', 'appendfsync', 'everysec']);
    await redisCommand(redis, ['CONFIG', 'SET', 'maxmemory', '1mb']);
    await database.knex.raw('DROP INDEX lots_category');
    await database
      .knex('projection_positions')
      .insert({ shard: 1, stream_id: '99999999999999-0', messages: 1 });
    const secretsFile = join(folder, 'secrets.json');
    await writeFile(secretsFile, '{}');
    await chmod(secretsFile, 0o644);
    const findings = await examineWith({
      bidDurability: 'replicated',
      secretsFile,
      publicUrl: 'https://auctions.example.com',
      mediaStorage: { kind: 'file', folder: join(secretsFile, 'media') },
      mail: { kind: 'smtp', url: 'smtp://127.0.0.1:1', from: 'a@example.com' },
      maxConnections: 1_000_000_000,
    });
    const expected: Record<string, RegExp> = {
      'redis settings': /appendfsync is "everysec", not "always"/,
      'redis memory': /MiB/,
      'redis replicas': /^0 connected/,
      'postgres indexes': /missing or invalid: lots_category$/,
      journal: /older than what was acknowledged/,
      secrets: /has mode 644/,
      proxies: /TRUST_PROXY is off/,
      'media storage': /./,
      mail: /ECONNREFUSED/,
      'file limits': /open files/,
    };
    for (const [name, found] of Object.entries(expected)) {
      const finding = named(findings, name);
      expect(finding.ok, name).to.equal(false);
      expect(finding.found, name).to.match(found);
      expect(finding.todo, name).to.match(/\w+/);
    }
  });

  it('reports a missing standby if Postgres is named with a second host', async () => {
    const { databaseUrl, redisUrl } = service.backends.addresses;
    const { host } = new URL(databaseUrl);
    const two = { databaseUrl: databaseUrl.replace(host, `${host},${host}`), redisUrl };
    expect(named(await examine(service.config, two), 'postgres standby')).to.deep.include({
      ok: false,
      found: '0 connected, synchronous_standby_names is ""',
    });
    expect(named(await examineWith(), 'postgres standby').ok).to.equal(true);
  });

  it('names each switch of development that is on in production', async () => {
    const off = { paymentSandbox: false, webhookAllowLoopback: false, allowWeakDurability: false };
    const checkedBy = async (changes: Partial<Config>) =>
      named(await examineWith({ ...off, ...changes }), 'switches');
    for (const [key, name] of [
      ['paymentSandbox', 'PAYMENT_SANDBOX'],
      ['webhookAllowLoopback', 'WEBHOOK_ALLOW_LOOPBACK'],
      ['allowWeakDurability', 'ALLOW_WEAK_DURABILITY'],
    ] as const) {
      const found = await checkedBy({ environment: 'production', [key]: true });
      expect(found.ok, name).to.equal(false);
      expect(found.found).to.match(new RegExp(`^${name}: [^;]+$`));
    }
    expect((await checkedBy({ environment: 'production' })).ok).to.equal(true);
    expect((await checkedBy({ environment: 'development', paymentSandbox: true })).ok).to.equal(true);
  });

  it('says what it could not check if servers are unavailable', async () => {
    const addresses = { databaseUrl: 'postgres://x@127.0.0.1:1/x', redisUrl: 'redis://127.0.0.1:1' };
    const unheard: unknown[] = [];
    const hear = (fault: unknown) => unheard.push(fault);
    process.on('unhandledRejection', hear);
    const findings = await examine(service.config, addresses);
    await sleep(50);
    process.off('unhandledRejection', hear);
    expect(unheard).to.deep.equal([]);
    // One cause is one line: what needs a server is not named beside the server.
    expect(findings.filter(({ ok }) => !ok).map(({ name }) => name)).to.include.members([
      'redis',
      'postgres',
    ]);
    expect(
      findings.filter(({ name }) =>
        /^(redis|postgres) |^(migrations|journal|projection|upgrade)$/.test(name),
      ),
    ).to.deep.equal([]);
    expect(named(findings, 'media storage').ok).to.equal(true);
  });

  it('is a command with an exit code, whose first finding is the configuration', async () => {
    const variables = { PORT: 'none', DATA_DIR: join(folder, 'data') };
    const { code, out } = await runCommand(['doctor', '--json'], variables);
    expect(code).to.equal(1);
    const { ok, findings } = JSON.parse(out);
    expect([ok, findings[0].name, findings[0].found]).to.deep.equal([
      false,
      'configuration',
      'PORT: got "none", but it takes a whole number from 0 to 65535',
    ]);
    expect(loadConfig({ DATA_DIR: join(folder, 'data') }).port).to.equal(8080);
  });
});

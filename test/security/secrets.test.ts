/**
 * A run of the whole service with everything that is secret in it: what it logged, what lies in Postgres and Redis,
 * and what was mailed hold none of it in the clear, but for the one-time links in the mails themselves.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { generateSync } from 'otplib';
import PostalMime from 'postal-mime';
import { openDatabase } from '../../adapters/postgres/database.ts';
import { newClient } from '../../adapters/redis/clients.ts';
import { BrowserLike, signIn, signUp } from '../support/browser-like.ts';
import { programToRun } from '../support/program.ts';
import { type FreshRedis, freshRedis } from '../support/redis-servers.ts';
import { type FreshDatabase, freshDatabase } from '../support/servers.ts';

describe('Secrets', function () {
  this.timeout(120_000);
  let folder: string;
  let child: ChildProcess | null = null;
  let redis: FreshRedis;
  let database: FreshDatabase;
  let said = '';
  let url = '';

  before(async () => {
    [folder, redis, database] = await Promise.all([
      mkdtemp(join(tmpdir(), 'rostrum-secrets-')),
      freshRedis(),
      freshDatabase(),
    ]);
    child = spawn(process.execPath, [...programToRun(), 'start'], {
      env: {
        ...process.env,
        NODE_ENV: '',
        DATA_DIR: folder,
        PORT: '0',
        LOG_LEVEL: 'trace',
        DATABASE_URL: database.databaseUrl,
        REDIS_URL: redis.redisUrl,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    }
    await until('the service listens', () => /Rostrum listens on (http:\S+)/.test(said));
    url = /Rostrum listens on (http:\S+)/.exec(said)?.[1] ?? '';
  });
  after(async () => {
    if (child !== null && child.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await redis.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    const end = Date.now() + 60_000;
    while (!(await isSo())) {
      if (Date.now() > end) throw new Error(`never: ${what}\n${said.slice(-2_000)}`);
      await sleep(50);
    }
  }

  const mails = async () => {
    const names = await readdir(join(folder, 'mail')).catch((): string[] => []);
    const texts = names.filter((name) => name.endsWith('.eml')).sort();
    return Promise.all(
      texts.map(async (name) => {
        const { subject, text, html } = await PostalMime.parse(await readFile(join(folder, 'mail', name)));
        return `${subject}\n${text}\n${html}`;
      }),
    );
  };
  const link = async (beginning: string): Promise<string> => {
    const found = async () =>
      (await mails()).join('\n').match(new RegExp(`${beginning}[A-Za-z0-9_-]{43}`))?.[0];
    await until(`a mail leads to ${beginning}`, async () => (await found()) !== undefined);
    return (await found()) ?? '';
  };

  /** Does everything that has a secret in it; what the secrets are, and which may stand in mails. */
  async function play(): Promise<{ never: Map<string, string>; onlyInMails: Map<string, string> }> {
    const [first, second] = ['first quiet secret', 'second quiet secret'];
    const email = 'keeper@example.com';
    const browser = new BrowserLike(url);
    await signUp(browser, email, first);
    const confirm = await link('/confirm/');
    expect((await browser.get(confirm)).status).to.equal(200);
    await signIn(browser, email, 'a wrong quiet secret');
    expect((await signIn(browser, email, first)).status).to.equal(303);
    const session = browser.cookies.get('rostrum.sid') ?? '';
    await browser.get('/account/developer/tokens');
    const made = await browser.post('/account/developer/tokens', {
      name: 'all',
      read: '1',
      write: '1',
      seller: '1',
    });
    const token = /data-token>([^<]+)</.exec(made.text)?.[1] ?? '';
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const hook = await fetch(`${url}/api/v1/webhook-subscriptions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ url: 'https://example.com/hook', events: ['*'] }),
    });
    const { secret: webhook } = ((await hook.json()) as { data: { secret: string } }).data;
    await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${token}x` } });
    const setUp = await browser.get('/account/security/two-factor');
    const totp = (/<code>([A-Z2-7 ]+)<\/code>/.exec(setUp.text)?.[1] ?? '').replaceAll(' ', '');
    const on = await browser.post('/account/security/two-factor', { code: generateSync({ secret: totp }) });
    const recovery = /data-recovery-code>([^<]+)</.exec(on.text)?.[1] ?? '';
    await browser.get('/password/forgot');
    await browser.post('/password/forgot', { email });
    const reset = await link('/password/reset/');
    await browser.get(reset);
    expect((await browser.post(reset, { password: second })).status).to.equal(200);
    const never = new Map(
      Object.entries({ first, second, session: session.split('.')[0]!, token, webhook, totp, recovery }),
    );
    for (const [name, secret] of never) expect(secret.length, name).to.be.above(14);
    const tokenOf = (path: string) => path.split('/').at(-1) ?? '';
    return {
      never,
      onlyInMails: new Map(Object.entries({ confirm: tokenOf(confirm), reset: tokenOf(reset) })),
    };
  }

  /** Every row of every table, as text. */
  async function postgresDump(): Promise<string> {
    const { knex, close } = openDatabase(database.databaseUrl, { max: 1 });
    const { rows } = await knex.raw<{ rows: { name: string }[] }>(
      "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'",
    );
    const texts: string[] = [];
    for (const { name } of rows) {
      const found = await knex.raw<{ rows: { text: string }[] }>(`select t::text as text from ${name} t`);
      texts.push(...found.rows.map(({ text }) => text));
    }
    await close();
    return texts.join('\n');
  }

  /** Every key with all that is in it. */
  async function redisDump(): Promise<string> {
    const client = newClient({ url: redis.redisUrl });
    client.on('error', () => undefined);
    await client.connect();
    const read: Readonly<Record<string, (key: string) => string[]>> = {
      string: (key) => ['GET', key],
      hash: (key) => ['HGETALL', key],
      list: (key) => ['LRANGE', key, '0', '-1'],
      set: (key) => ['SMEMBERS', key],
      zset: (key) => ['ZRANGE', key, '0', '-1'],
      stream: (key) => ['XRANGE', key, '-', '+'],
    };
    const texts: string[] = [];
    for (const key of (await client.sendCommand(['KEYS', '*'])) as unknown as string[]) {
      const type = String(await client.sendCommand(['TYPE', key]));
      // Gone since it was listed.
      if (type === 'none') continue;
      const command = read[type];
      if (command === undefined) throw new Error(`nothing reads a ${type}`);
      texts.push(key, JSON.stringify(await client.sendCommand(command(key))));
    }
    client.destroy();
    return texts.join('\n');
  }

  it('are in no log, no row, no key and no mail in the clear', async () => {
    const { never, onlyInMails } = await play();
    const stored = { Postgres: await postgresDump(), Redis: await redisDump(), 'the log': said };
    const mailed = (await mails()).join('\n');
    // The dumps are dumps: what is no secret is in them.
    expect(stored.Postgres).to.contain('keeper@example.com').and.to.contain('create_token');
    expect(stored.Redis).to.contain('browser-session:');
    const found: string[] = [];
    for (const [where, text] of Object.entries(stored)) {
      for (const [name, secret] of [...never, ...onlyInMails])
        if (text.includes(secret)) found.push(`${name} in ${where}`);
    }
    for (const [name, secret] of never) if (mailed.includes(secret)) found.push(`${name} in a mail`);
    for (const [name, secret] of onlyInMails) expect(mailed, name).to.contain(secret);
    expect(found).to.deep.equal([]);
  });
});

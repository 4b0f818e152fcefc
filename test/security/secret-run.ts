/**
 * A run of the whole service in which every kind of secret is used: what an operator sets, what people type, what is
 * made for them, and what is sent and lets nobody in. Used by `secrets.test.ts`, which looks for them afterwards.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { newClient } from '../../adapters/redis/clients.ts';
import { programToRun } from '../support/program.ts';
import { type FreshRedis, freshRedis } from '../support/redis-servers.ts';
import { type FreshDatabase, freshDatabase } from '../support/servers.ts';

/** What an operator sets. None of it is shown again, by the service or by a command. */
export const SET = {
  APP_SECRET: 'newest-app-secret-of-all,older-app-secret-of-all',
  PAYMENT_WEBHOOK_SECRET: 'payment-secret-of-all',
  SIMULCAST_SECRETS: 'floor=simulcast-secret-of-all',
  METRICS_TOKEN: 'metrics-token-of-all',
  CHECKPOINT_WEBHOOK_SECRET: 'witness-secret-of-all',
  AWS_ACCESS_KEY_ID: 'storage-key-id-of-all',
  AWS_SECRET_ACCESS_KEY: 'storage-secret-of-all',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-secret-of-all',
  CHECKPOINT_WEBHOOK: 'https://witness:witness-password-of-all@127.0.0.1:1/',
};
/** For commands alone: the service itself keeps mails and media as files, and plays payments. */
const SET_FOR_COMMANDS = {
  MEDIA_STORAGE: 's3://bucket?endpoint=http://127.0.0.1:1',
  SMTP_URL: 'smtp://mailer:mailer-password-of-all@127.0.0.1:1',
  STRIPE_SECRET_KEY: 'sk_test_provider-key-of-all',
  STRIPE_API_URL: 'http://127.0.0.1:1',
};
const REDIS_PASSWORD = 'redis-password-of-all';

/** Each of an operator's secrets by its variable. */
function operatorsSecrets(databaseUrl: string): Map<string, string> {
  const secrets = new Map([
    ['DATABASE_URL', decodeURIComponent(new URL(databaseUrl).password)],
    ['REDIS_URL', REDIS_PASSWORD],
  ]);
  for (const [name, values] of Object.entries({ ...SET, ...SET_FOR_COMMANDS })) {
    for (const [secret] of values.matchAll(/[a-z-]+-of-all/g)) secrets.set(`${secret} (${name})`, secret);
  }
  return secrets;
}

export interface SecretRun {
  readonly url: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** What the operator has set, by name. */
  readonly secrets: ReadonlyMap<string, string>;
  /** The texts of all mails so far. */
  mails(): Promise<string[]>;
  /** The first link in a mail that begins so and ends in a token. */
  link(beginning: string): Promise<string>;
  until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void>;
  /** All that has been logged and printed. */
  said(): string;
  /** What commands say that look at the whole of it, and fail on the way. */
  commands(): Promise<string>;
  close(): Promise<void>;
}

export async function startSecretRun(): Promise<SecretRun> {
  const [folder, redis, database] = await Promise.all([
    mkdtemp(join(tmpdir(), 'rostrum-secrets-')),
    freshRedis(),
    freshDatabase(),
  ]);
  const { databaseUrl } = database;
  const redisUrl = await lockRedis(redis);
  const environment = {
    ...process.env,
    ...SET,
    ...{ NODE_ENV: '', DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'trace' },
    ...{ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl },
  };
  let said = '';
  const child = spawn(process.execPath, [...programToRun(), 'start'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      said += piece;
    });
  }
  const until: SecretRun['until'] = async (what, isSo) => {
    const end = Date.now() + 120_000;
    while (!(await isSo())) {
      if (Date.now() > end || child.exitCode !== null)
        throw new Error(`never: ${what}\n${said.slice(-2_000)}`);
      await sleep(50);
    }
  };
  const mails = () => mailsIn(join(folder, 'mail'));
  await until('the service listens', () => /Rostrum listens on (http:\S+)/.test(said));
  return {
    ...{ databaseUrl, redisUrl, mails, until },
    secrets: operatorsSecrets(databaseUrl),
    url: /Rostrum listens on (http:\S+)/.exec(said)?.[1] ?? '',
    said: () => said,
    async link(beginning) {
      const sought = new RegExp(`${beginning}[A-Za-z0-9_-]{43}`);
      let found: string | undefined;
      await until(`a mail leads to ${beginning}`, async () => {
        found = (await mails()).join('\n').match(sought)?.[0];
        return found !== undefined;
      });
      return found ?? '';
    },
    commands: async () => {
      const broken = { ...SET_FOR_COMMANDS, DATABASE_URL: `${databaseUrl}_gone` };
      const runs = [
        ['doctor', SET_FOR_COMMANDS],
        ['info', broken],
      ] as const;
      return (await Promise.all(runs.map(([name, more]) => wordsOf(name, { ...environment, ...more })))).join(
        '\n',
      );
    },
    close: () => endAll(child, redis, database, folder),
  };
}

async function endAll(child: ChildProcess, redis: FreshRedis, database: FreshDatabase, folder: string) {
  if (child.exitCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await redis.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
}

async function lockRedis(redis: FreshRedis): Promise<string> {
  const client = newClient({ url: redis.redisUrl });
  await client.connect();
  await client.sendCommand(['CONFIG', 'SET', 'requirepass', REDIS_PASSWORD]);
  client.destroy();
  const url = new URL(redis.redisUrl);
  url.password = REDIS_PASSWORD;
  return url.href;
}

async function mailsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  const letters = names.filter((name) => name.endsWith('.eml')).sort();
  return Promise.all(
    letters.map(async (name) => {
      const { subject, text: plain, html } = await PostalMime.parse(await readFile(join(folder, name)));
      return `${subject}\n${plain}\n${html}`;
    }),
  );
}

async function wordsOf(command: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, [...programToRun(), command], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return out + errors;
}

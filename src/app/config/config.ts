/**
 * The configuration: the only reader of the environment. Every entry point calls `loadConfig` before anything else; a bad
 * value is one sentence that names the variable, what it got and what it takes. Secrets that development does not set are
 * made up once and kept under the data folder (`made-up-secrets.ts`).
 */
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { LOG_LEVELS, type LogLevel } from '../../shared/log.ts';
import { type Environment, EnvironmentReader } from './environment-reader.ts';
import { madeUpSecrets } from './made-up-secrets.ts';
import { type MailSettings, readMail } from './mail-settings.ts';

export type MediaStorage =
  | { readonly kind: 'file'; readonly folder: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      readonly prefix: string;
      readonly endpoint: string | null;
      readonly region: string;
    };

export interface Config {
  readonly environment: 'development' | 'test' | 'production';
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Whether `PORT` was set: a worker serves its probes only then. */
  readonly portGiven: boolean;
  /** Null: the embedded one. */
  readonly databaseUrl: string | null;
  /** Null: the embedded one. `redis-cluster://host:port,host:port` is a cluster. */
  readonly redisUrl: string | null;
  /** Absolute. */
  readonly dataDir: string;
  /** 0: no limit. */
  readonly rateLimitPerMinute: number;
  /** Connections of one address to one process at once; 0: no limit. */
  readonly maxConnectionsPerAddress: number;
  /** Connections to one process at once. */
  readonly maxConnections: number;
  /** The first signs and encrypts; the others are still believed. */
  readonly appSecrets: readonly [string, ...string[]];
  readonly paymentWebhookSecret: string;
  /** Stripe's API, where there is a key for it; null: payments are asked for some other way. */
  readonly stripe: { readonly secretKey: string; readonly apiUrl: string } | null;
  /** A page of ours pays invoices with play money. */
  readonly paymentSandbox: boolean;
  /** Platform slug → secret. */
  readonly simulcastSecrets: ReadonlyMap<string, string>;
  /** Where the secrets that nobody set are kept; null when all were set. */
  readonly secretsFile: string | null;
  readonly mediaStorage: MediaStorage;
  readonly mail: MailSettings;
  /** Addresses and ranges of proxies whose `X-Forwarded-For` is believed. */
  readonly trustProxy: readonly string[];
  /** `https://auctions.example.com`, where it cannot be taken from the requests. */
  readonly publicUrl: string | null;
  /** Whom `security.txt` names: a `mailto:`, `https:` or `tel:` address; null: `security@` at the site's own name. */
  readonly securityContact: string | null;
  /** Seconds to wait before each try of a delivery. */
  readonly webhookRetrySchedule: readonly number[];
  readonly webhookAllowLoopback: boolean;
  readonly allowWeakDurability: boolean;
  readonly logLevel: LogLevel;
}

const RETRY_SCHEDULE = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** Reads the whole environment. Throws `ConfigError` for the first variable that does not fit. */
export function loadConfig(env: Environment = process.env): Config {
  const read = new EnvironmentReader(env);
  const environment = read.oneOf('NODE_ENV', ['development', 'test', 'production'], 'development');
  const dataDir = resolve(read.text('DATA_DIR') ?? '.data');
  const secrets = readSecrets(read, environment === 'production', dataDir);
  const publicUrl = readPublicUrl(read, environment === 'production');
  return {
    environment,
    host: read.text('HOST') ?? '127.0.0.1',
    port: read.integer('PORT', 8080, 0, 65_535),
    portGiven: read.text('PORT') !== null,
    databaseUrl: read.address(
      'DATABASE_URL',
      ['postgres:', 'postgresql:'],
      'postgres://user:password@host:5432/database',
    ),
    redisUrl: readRedisUrl(read),
    dataDir,
    rateLimitPerMinute: read.integer('RATE_LIMIT_PER_MINUTE', 60, 0, 1_000_000_000),
    maxConnectionsPerAddress: read.integer('MAX_CONNECTIONS_PER_ADDRESS', 256, 0, 1_000_000),
    maxConnections: read.integer('MAX_CONNECTIONS', 10_000, 1, 1_000_000),
    ...secrets,
    ...readPayments(read, environment === 'production'),
    mediaStorage: readMediaStorage(read, dataDir),
    trustProxy: readProxies(read),
    publicUrl,
    mail: readMail(read, { production: environment === 'production', dataDir, publicUrl }),
    securityContact: readContact(read),
    webhookRetrySchedule: readSchedule(read),
    webhookAllowLoopback: read.flag('WEBHOOK_ALLOW_LOOPBACK'),
    allowWeakDurability: read.flag('ALLOW_WEAK_DURABILITY'),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  };
}

const EXAMPLE_URL = 'https://auctions.example.com';

/** Without it links would begin with whatever `Host` somebody sends: fit for a machine of one's own, not for production. */
function readPublicUrl(read: EnvironmentReader, production: boolean): string | null {
  const url = read.address('PUBLIC_URL', ['http:', 'https:'], EXAMPLE_URL);
  if (url === null && production) {
    read.failHidden(
      'PUBLIC_URL',
      'nothing',
      `the site's address such as ${EXAMPLE_URL}: it is required when NODE_ENV is production`,
    );
  }
  return url?.replace(/\/+$/, '') ?? null;
}

const REDIS_CLUSTER = /^redis-cluster:\/\/[^\s,/]+:\d+(,[^\s,/]+:\d+)*$/;

function readRedisUrl(read: EnvironmentReader): string | null {
  const text = read.text('REDIS_URL');
  if (text !== null && REDIS_CLUSTER.test(text)) return text;
  return read.address(
    'REDIS_URL',
    ['redis:', 'rediss:'],
    'redis://:password@host:6379 or redis-cluster://host:port,host:port',
  );
}

const MAIL_ADDRESS = /^[^\s@:]+@[^\s@:]+$/;

function readContact(read: EnvironmentReader): string | null {
  const text = read.text('SECURITY_CONTACT');
  if (text === null) return null;
  const address = MAIL_ADDRESS.test(text) ? `mailto:${text}` : text;
  if (/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:[+0-9-]+)$/.test(address) && URL.canParse(address))
    return address;
  return read.fail('SECURITY_CONTACT', 'an email address, or one that begins with https: or tel:');
}

type Secrets = Pick<Config, 'appSecrets' | 'paymentWebhookSecret' | 'simulcastSecrets' | 'secretsFile'>;

const SECRET_NAMES = ['APP_SECRET', 'PAYMENT_WEBHOOK_SECRET', 'SIMULCAST_SECRETS'] as const;

function readSecrets(read: EnvironmentReader, production: boolean, dataDir: string): Secrets {
  const missing = SECRET_NAMES.filter((name) => read.text(name) === null);
  if (production && missing[0]) {
    read.failHidden(
      missing[0],
      'nothing',
      `a secret: it is required when NODE_ENV is production${takesMore(missing[0])}`,
    );
  }
  const appSecrets = readAppSecrets(read);
  const simulcast = readSimulcastSecrets(read);
  const payment = read.text('PAYMENT_WEBHOOK_SECRET');
  if (production) {
    refuseShort(read, 'APP_SECRET', appSecrets ?? []);
    refuseShort(read, 'PAYMENT_WEBHOOK_SECRET', payment === null ? [] : [payment]);
    refuseShort(read, 'SIMULCAST_SECRETS', [...(simulcast?.values() ?? [])]);
  }
  if (appSecrets && payment !== null && simulcast) {
    return { appSecrets, paymentWebhookSecret: payment, simulcastSecrets: simulcast, secretsFile: null };
  }
  const made = madeUpSecrets(dataDir);
  return {
    appSecrets: appSecrets ?? [made.appSecret],
    paymentWebhookSecret: payment ?? made.paymentWebhookSecret,
    simulcastSecrets: simulcast ?? new Map(Object.entries(made.simulcastSecrets)),
    secretsFile: made.file,
  };
}

function takesMore(name: string): string {
  return name === 'SIMULCAST_SECRETS' ? ' (platform=secret,…)' : '';
}

const SHORTEST_SECRET = 16;

/** Secrets that somebody could guess are no secrets; those that APP_SECRET is rotated away from count too. */
function refuseShort(read: EnvironmentReader, name: string, secrets: readonly string[]): void {
  const short = secrets.find((secret) => secret.length < SHORTEST_SECRET);
  if (short === undefined) return;
  const takes = `secrets of at least ${SHORTEST_SECRET} characters in production`;
  read.failHidden(name, `one of ${short.length} characters`, takes);
}

function readAppSecrets(read: EnvironmentReader): [string, ...string[]] | null {
  const text = read.text('APP_SECRET');
  if (text === null) return null;
  const [first = '', ...rest] = text.split(',').map((secret) => secret.trim());
  if ([first, ...rest].includes(''))
    read.failHidden('APP_SECRET', 'an empty part', 'a secret, or "new,old" to rotate it');
  return [first, ...rest];
}

function readSimulcastSecrets(read: EnvironmentReader): Map<string, string> | null {
  const text = read.text('SIMULCAST_SECRETS');
  if (text === null) return null;
  const secrets = new Map<string, string>();
  for (const part of text.split(',')) {
    const at = part.indexOf('=');
    const platform = part.slice(0, Math.max(at, 0)).trim();
    const secret = part.slice(at + 1).trim();
    const bad =
      at < 1 || secret === '' || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(platform) || secrets.has(platform);
    if (bad) {
      const got = at < 1 ? 'a part without "="' : `a part for the platform "${platform}"`;
      read.failHidden(
        'SIMULCAST_SECRETS',
        got,
        'platform=secret,… with each platform once, in small letters, digits and "-"',
      );
    }
    secrets.set(platform, secret);
  }
  return secrets;
}

const MEDIA_TAKES = '"file:FOLDER" or "s3://bucket/prefix?endpoint=https://…&region=…"';

/** `STRIPE_SECRET_KEY` (and `STRIPE_API_URL`, for what imitates Stripe), and `PAYMENT_SANDBOX`: on by default without a key outside production. */
function readPayments(
  read: EnvironmentReader,
  production: boolean,
): Pick<Config, 'stripe' | 'paymentSandbox'> {
  const secretKey = read.text('STRIPE_SECRET_KEY');
  const apiUrl = read.address('STRIPE_API_URL', ['http:', 'https:'], 'https://api.stripe.com');
  const stripe =
    secretKey === null
      ? null
      : { secretKey, apiUrl: (apiUrl ?? 'https://api.stripe.com').replace(/\/+$/, '') };
  const asked = read.text('PAYMENT_SANDBOX') !== null;
  const paymentSandbox = asked ? read.flag('PAYMENT_SANDBOX') : !production && stripe === null;
  return { stripe, paymentSandbox };
}

function readMediaStorage(read: EnvironmentReader, dataDir: string): MediaStorage {
  const text = read.text('MEDIA_STORAGE');
  if (text === null) return { kind: 'file', folder: resolve(dataDir, 'media') };
  if (text.startsWith('file:')) {
    const folder = text.slice('file:'.length).replace(/^\/\/(?=\/)/, '');
    // A bare name lies under the data folder, as the default does.
    return folder === ''
      ? read.fail('MEDIA_STORAGE', MEDIA_TAKES)
      : { kind: 'file', folder: resolve(dataDir, folder) };
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 's3:' || url.hostname === '') return read.fail('MEDIA_STORAGE', MEDIA_TAKES);
  const endpoint = url.searchParams.get('endpoint');
  if (endpoint !== null && !/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : '')) {
    read.fail('MEDIA_STORAGE', MEDIA_TAKES);
  }
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
  return {
    kind: 's3',
    bucket: url.hostname,
    prefix,
    endpoint,
    region: url.searchParams.get('region') ?? 'us-east-1',
  };
}

function readProxies(read: EnvironmentReader): string[] {
  const text = read.text('TRUST_PROXY');
  if (text === null || text === 'off') return [];
  const proxies = text.split(',').map((proxy) => proxy.trim());
  if (!proxies.every((proxy) => ipaddr.isValid(proxy) || ipaddr.isValidCIDR(proxy))) {
    read.fail('TRUST_PROXY', 'addresses or ranges of proxies such as "10.0.0.1,10.1.0.0/16"');
  }
  return proxies;
}

function readSchedule(read: EnvironmentReader): readonly number[] {
  const text = read.text('WEBHOOK_RETRY_SCHEDULE');
  if (text === null) return RETRY_SCHEDULE;
  const waits = text.split(',').map((wait) => wait.trim());
  if (waits.length > 50 || !waits.every((wait) => /^[0-9]{1,7}(\.[0-9]{1,3})?$/.test(wait))) {
    read.fail('WEBHOOK_RETRY_SCHEDULE', 'up to 50 waits in seconds such as "0,5,300"');
  }
  return waits.map(Number);
}

/** This process's environment with some variables set anew, for a child process. */
export function environmentWith(overrides: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, ...overrides };
}

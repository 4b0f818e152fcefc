/**
 * The secrets of the configuration, for signing, sealing and access. Production has to set them, and none that could be
 * guessed; development generates missing ones. No secret is ever shown in an error about it.
 */
import type { EnvironmentReader } from './environment-reader.ts';
import { madeUpSealKeys, madeUpSecrets } from './made-up-secrets.ts';

export interface Secrets {
  /** The first signs and encrypts; the others are still believed. */
  readonly appSecrets: readonly [string, ...string[]];
  readonly paymentWebhookSecret: string;
  /** Platform slug → secret. */
  readonly simulcastSecrets: ReadonlyMap<string, string>;
  /** Where the secrets that nobody set are kept; null when all were set. */
  readonly secretsFile: string | null;
  /** What the keys of sealed bids are sealed with, the newest first; none: no lot can have them. */
  readonly sealKeys: readonly string[];
  /** The bearer token that `/metrics` requires; null: nothing. */
  readonly metricsToken: string | null;
}

const SECRET_NAMES = ['APP_SECRET', 'PAYMENT_WEBHOOK_SECRET', 'SIMULCAST_SECRETS'] as const;

/** One secret each, of which all that are set have to be long enough. */
const SINGLE_SECRETS = [
  'PAYMENT_WEBHOOK_SECRET',
  'METRICS_TOKEN',
  'CHECKPOINT_WEBHOOK_SECRET',
  'TEST_SERVICE_SECRET',
] as const;

/** Whatever holds a secret: one that is as an example had it is known to everybody. */
const HOLDING_SECRETS = [
  'APP_SECRET',
  'SIMULCAST_SECRETS',
  'SEAL_KEY',
  ...SINGLE_SECRETS,
  'DATABASE_URL',
  'DATABASE_PASSWORD',
  'REDIS_URL',
  'REDIS_PASSWORD',
  'SMTP_URL',
  'STRIPE_SECRET_KEY',
] as const;

/** What examples, ours among them, have in the place of a secret. */
const PLACEHOLDER = /(change|replace)[-_ ]?(me|this)(?![a-z])|placeholder|your[-_ ](secret|password)/i;

/** Throws `ConfigError` for what is missing, malformed, too short or only a placeholder. */
export function readSecrets(read: EnvironmentReader, production: boolean, dataDir: string): Secrets {
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
  const sealKeys = readSealKeys(read) ?? (production ? [] : madeUpSealKeys(dataDir));
  const metricsToken = read.text('METRICS_TOKEN');
  if (production) refuseGuessable(read, appSecrets ?? [], [...(simulcast?.values() ?? [])]);
  if (appSecrets && payment !== null && simulcast) {
    return {
      appSecrets,
      paymentWebhookSecret: payment,
      simulcastSecrets: simulcast,
      secretsFile: null,
      sealKeys,
      metricsToken,
    };
  }
  const made = madeUpSecrets(dataDir);
  return {
    appSecrets: appSecrets ?? [made.appSecret],
    paymentWebhookSecret: payment ?? made.paymentWebhookSecret,
    simulcastSecrets: simulcast ?? new Map(Object.entries(made.simulcastSecrets)),
    secretsFile: made.file,
    sealKeys,
    metricsToken,
  };
}

function takesMore(name: string): string {
  return name === 'SIMULCAST_SECRETS' ? ' (platform=secret,…)' : '';
}

/** Secrets that somebody could guess are no secrets; those that APP_SECRET is rotated away from count too. */
function refuseGuessable(
  read: EnvironmentReader,
  app: readonly string[],
  simulcast: readonly string[],
): void {
  for (const name of HOLDING_SECRETS) refusePlaceholder(read, name);
  refuseShort(read, 'APP_SECRET', app);
  refuseShort(read, 'SIMULCAST_SECRETS', simulcast);
  for (const name of SINGLE_SECRETS) {
    const secret = read.text(name);
    refuseShort(read, name, secret === null ? [] : [secret]);
  }
}

const SHORTEST_SECRET = 16;

function refuseShort(read: EnvironmentReader, name: string, secrets: readonly string[]): void {
  const short = secrets.find((secret) => secret.length < SHORTEST_SECRET);
  if (short === undefined) return;
  const takes = `secrets of at least ${SHORTEST_SECRET} characters in production`;
  read.failHidden(name, `one of ${short.length} characters`, takes);
}

function refusePlaceholder(read: EnvironmentReader, name: string): void {
  const text = read.password(name);
  if (text !== null && PLACEHOLDER.test(text))
    read.failHidden(name, 'the placeholder of an example', 'a value of your own in production');
}

function readAppSecrets(read: EnvironmentReader): [string, ...string[]] | null {
  const text = read.text('APP_SECRET');
  if (text === null) return null;
  const [first = '', ...rest] = text.split(',').map((secret) => secret.trim());
  if ([first, ...rest].includes(''))
    read.failHidden('APP_SECRET', 'an empty part', 'a secret, or "new,old" to rotate it');
  return [first, ...rest];
}

function readSealKeys(read: EnvironmentReader): string[] | null {
  const text = read.text('SEAL_KEY');
  if (text === null) return null;
  const keys = text.split(',').map((key) => key.trim().toLowerCase());
  if (!keys.every((key) => /^[0-9a-f]{64}$/.test(key)))
    read.failHidden('SEAL_KEY', 'something else', '64 hexadecimal digits, or "new,old" to rotate them');
  return keys;
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

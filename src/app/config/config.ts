/**
 * The configuration: the only reader of the environment. Every entry point calls `loadConfig` before anything else; a
 * bad value is one sentence that names the variable, what it got and what it takes. Secrets that development does not
 * set are generated once and kept under the data folder (`made-up-secrets.ts`).
 */
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { type Witness, witnessSecretFrom } from '../../bidding/fairness/send-checkpoints.ts';
import {
  type PaymentSettings,
  readPaymentSettings,
  withPlayMoney,
} from '../../billing/providers/payment-settings.ts';
import { LOG_LEVELS, type LogLevel } from '../../shared/log.ts';
import type { OperatorSettings } from '../../shared/operator.ts';
import { STREAM_HOST } from '../../shared/saleroom-streams.ts';
import { type Environment, EnvironmentReader } from './environment-reader.ts';
import { type MailSettings, readMail } from './mail-settings.ts';
import { readOperator } from './operator-settings.ts';
import { readSecrets, type Secrets } from './secrets.ts';
import { readServerAddresses, type ServerAddresses } from './server-addresses.ts';
import { readTestService, type TestService } from './test-service.ts';

export type MediaStorage =
  | { readonly kind: 'file'; readonly folder: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      readonly prefix: string;
      readonly endpoint: string | null;
      readonly region: string;
    };

export interface Config extends ServerAddresses, Secrets, PaymentSettings {
  readonly environment: 'development' | 'test' | 'production';
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Whether `PORT` was set: a worker serves its probes only then. */
  readonly portGiven: boolean;
  /** Absolute. */
  readonly dataDir: string;
  /** 0: no limit. */
  readonly rateLimitPerMinute: number;
  /** Connections of one address to one process at once; 0: no limit. */
  readonly maxConnectionsPerAddress: number;
  /** Connections to one process at once. */
  readonly maxConnections: number;
  readonly mediaStorage: MediaStorage;
  readonly mail: MailSettings;
  /** Addresses and ranges of proxies whose `X-Forwarded-For` is believed. */
  readonly trustProxy: readonly string[];
  /** `https://auctions.example.com`, where it cannot be taken from the requests. */
  readonly publicUrl: string | null;
  /** Whom `security.txt` names: a `mailto:`, `https:` or `tel:` address; null: `security@` at the site's own name. */
  readonly securityContact: string | null;
  /** Where the map's tiles come from; null: the bundled outline alone. */
  readonly mapTileUrl: string | null;
  /** Where the picture and sound of salerooms may come from. */
  readonly streamHosts: readonly string[];
  /** Seconds to wait before each attempt of a delivery. */
  readonly webhookRetrySchedule: readonly number[];
  readonly webhookAllowLoopback: boolean;
  /** Who gets every checkpoint; null: nobody. */
  readonly witness: Witness | null;
  readonly allowWeakDurability: boolean;
  readonly bidDurability: 'local' | 'replicated';
  readonly operator: OperatorSettings;
  readonly testService: TestService;
  readonly logLevel: LogLevel;
  /** Whether traces are made and sent; where to and how many is for the standard's variables to say. */
  readonly tracing: boolean;
}

const RETRY_SCHEDULE = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** Reads the whole environment. Throws `ConfigError` for the first variable that does not fit. */
export function loadConfig(env: Environment = process.env): Config {
  const read = new EnvironmentReader(env);
  const environment = read.oneOf('NODE_ENV', ['development', 'test', 'production'], 'development');
  const dataDir = resolve(read.text('DATA_DIR') ?? '.data');
  const secrets = readSecrets(read, environment === 'production', dataDir);
  const publicUrl = readPublicUrl(read, environment === 'production');
  const operator = readOperator(read);
  return {
    environment,
    host: read.text('HOST') ?? '127.0.0.1',
    port: read.integer('PORT', 8080, 0, 65_535),
    portGiven: read.text('PORT') !== null,
    ...readServerAddresses(read),
    dataDir,
    rateLimitPerMinute: read.integer('RATE_LIMIT_PER_MINUTE', 60, 0, 1_000_000_000),
    maxConnectionsPerAddress: read.integer('MAX_CONNECTIONS_PER_ADDRESS', 256, 0, 1_000_000),
    maxConnections: read.integer('MAX_CONNECTIONS', 10_000, 1, 1_000_000),
    ...secrets,
    ...readPaymentSettings(read),
    mediaStorage: readMediaStorage(read, dataDir),
    trustProxy: readProxies(read),
    publicUrl,
    operator,
    testService: readTestService(read),
    mail: readMail(read, {
      production: environment === 'production',
      dataDir,
      publicUrl,
      sender: operator.name ?? 'Rostrum',
    }),
    securityContact: readContact(read),
    mapTileUrl: readTileUrl(read),
    streamHosts: readStreamHosts(read),
    webhookRetrySchedule: readSchedule(read),
    webhookAllowLoopback: read.flag('WEBHOOK_ALLOW_LOOPBACK'),
    witness: readWitness(read, secrets.appSecrets),
    allowWeakDurability: read.flag('ALLOW_WEAK_DURABILITY'),
    bidDurability: read.oneOf('BID_DURABILITY', ['local', 'replicated'], 'local'),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    tracing: readTracing(read),
  };
}

function readWitness(read: EnvironmentReader, [appSecret]: Config['appSecrets']): Witness | null {
  const schemes = read.flag('WEBHOOK_ALLOW_LOOPBACK') ? ['https:', 'http:'] : ['https:'];
  const url = read.address('CHECKPOINT_WEBHOOK', schemes, 'https://witness.example.com/checkpoints');
  if (url === null) return null;
  return { url, secret: read.text('CHECKPOINT_WEBHOOK_SECRET') ?? witnessSecretFrom(appSecret) };
}

/** As Leaflet takes it, with the places of zoom and tile in braces. */
function readTileUrl(read: EnvironmentReader): string | null {
  const text = read.text('MAP_TILE_URL');
  if (text === null) return null;
  const isOne =
    URL.canParse(text.replaceAll(/[{}]/g, '')) && ['{z}', '{x}', '{y}'].every((part) => text.includes(part));
  if (!isOne) {
    const takes = 'an address such as https://tiles.example.com/{z}/{x}/{y}.png';
    read.failHidden('MAP_TILE_URL', 'something else', takes);
  }
  return text;
}

function readStreamHosts(read: EnvironmentReader): string[] {
  const hosts = (read.text('STREAM_HOSTS') ?? '').split(',').map((host) => host.trim().toLowerCase());
  const named = hosts.filter((host) => host !== '');
  if (!named.every((host) => STREAM_HOST.test(host)))
    read.fail('STREAM_HOSTS', 'hosts such as "player.vimeo.com,*.example.com"');
  return named;
}

const EXAMPLE_URL = 'https://auctions.example.com';

/**
 * Without it links would begin with whatever `Host` somebody sends: fit for a machine of one's own, not for
 * production.
 */
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

const MAIL_ADDRESS = /^[^\s@:]+@[^\s@:]+$/;

function readContact(read: EnvironmentReader): string | null {
  const text = read.text('SECURITY_CONTACT');
  if (text === null) return null;
  const address = MAIL_ADDRESS.test(text) ? `mailto:${text}` : text;
  if (/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:[+0-9-]+)$/.test(address) && URL.canParse(address))
    return address;
  return read.fail('SECURITY_CONTACT', 'an email address, or a URL that begins with https: or tel:');
}

const MEDIA_TAKES = '"file:FOLDER" or "s3://bucket/prefix?endpoint=https://…&region=…"';

/** Says how it begins; the rest may hold keys. */
function refuseMediaStorage(read: EnvironmentReader, text: string): never {
  const [scheme] = /^[a-z][a-z0-9+.-]{0,20}:/i.exec(text) ?? [];
  const got =
    scheme === undefined ? 'something that is not an address' : `an address that begins with "${scheme}"`;
  return read.failHidden('MEDIA_STORAGE', got, MEDIA_TAKES);
}

function readMediaStorage(read: EnvironmentReader, dataDir: string): MediaStorage {
  const text = read.text('MEDIA_STORAGE');
  if (text === null) return { kind: 'file', folder: resolve(dataDir, 'media') };
  if (text.startsWith('file:')) {
    const folder = text.slice('file:'.length).replace(/^\/\/(?=\/)/, '');
    // A bare name is under the data folder, as the default does.
    return folder === ''
      ? refuseMediaStorage(read, text)
      : { kind: 'file', folder: resolve(dataDir, folder) };
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 's3:' || url.hostname === '') return refuseMediaStorage(read, text);
  const endpoint = url.searchParams.get('endpoint');
  if (endpoint !== null && !/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : '')) {
    refuseMediaStorage(read, text);
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

/** The packages read the same variables themselves; here they are only validated. */
function readTracing(read: EnvironmentReader): boolean {
  const url = read.address('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:'], 'http://collector:4318');
  read.oneOf('OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on');
  const share = read.text('OTEL_TRACES_SAMPLER_ARG');
  if (share !== null && !(Number(share) >= 0 && Number(share) <= 1))
    read.fail('OTEL_TRACES_SAMPLER_ARG', 'a number from 0 to 1');
  const isDisabled = read.flag('OTEL_SDK_DISABLED');
  return url !== null && !isDisabled;
}

const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`]);

/** The environment of a demo: payments are play money unless something else is said, and never in production. */
export function demoEnvironment(env: Environment = process.env): Environment {
  return env['NODE_ENV'] === 'production' ? env : withPlayMoney(env);
}

/** This process's environment with some variables changed, for a child process. */
export function environmentWith(overrides: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, ...overrides };
}

/** Names the process that started this one as its child. */
const PARENT = 'ROSTRUM_PARENT';

/** What the environment of a child has more. */
export const childEnvironment = (): Readonly<Record<string, string>> => ({ [PARENT]: String(process.pid) });

/** Whether the process above this one says that it started it as its child. */
export const wasStartedAsChild = (env: Environment = process.env): boolean =>
  env[PARENT] === String(process.ppid);

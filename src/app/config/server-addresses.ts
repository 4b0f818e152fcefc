/**
 * Where Postgres and Redis are: `DATABASE_URL` and `REDIS_URL`, with the passwords of `DATABASE_PASSWORD` and
 * `REDIS_PASSWORD` in them, so that a password may hold any character without somebody encoding it.
 */
import type { EnvironmentReader } from './environment-reader.ts';

export interface ServerAddresses {
  /** Null: the embedded one. */
  readonly databaseUrl: string | null;
  /** Null: the embedded one. `redis-cluster://…` is a cluster, `redis-sentinel://…/name` one that Sentinels name. */
  readonly redisUrl: string | null;
}

/** Throws `ConfigError` for an address that is none, and for a second password. */
export function readServerAddresses(read: EnvironmentReader): ServerAddresses {
  return {
    databaseUrl: withPassword(read, 'DATABASE_URL', 'DATABASE_PASSWORD', readDatabaseUrl(read)),
    redisUrl: withPassword(read, 'REDIS_URL', 'REDIS_PASSWORD', readRedisUrl(read)),
  };
}

const POSTGRES_HOSTS = /^postgres(ql)?:\/\/([^\s@/]*@)?[^\s,/@]+(,[^\s,/@]+)+\/[^\s/]+$/;

function readDatabaseUrl(read: EnvironmentReader): string | null {
  const text = read.text('DATABASE_URL');
  if (text !== null && POSTGRES_HOSTS.test(text)) return text;
  const example = 'postgres://user:password@host:5432/database or …@host:5432,host:5432/database';
  return read.address('DATABASE_URL', ['postgres:', 'postgresql:'], example);
}

const REDIS_CLUSTER = /^redis-cluster:\/\/[^\s,/]+:\d+(,[^\s,/]+:\d+)*$/;
const REDIS_SENTINEL = /^redis-sentinel:\/\/([^\s@/]*@)?[^\s,/@]+:\d+(,[^\s,/@]+:\d+)*\/[\w.-]+$/;

function readRedisUrl(read: EnvironmentReader): string | null {
  const text = read.text('REDIS_URL');
  if (text !== null && (REDIS_CLUSTER.test(text) || REDIS_SENTINEL.test(text))) return text;
  return read.address(
    'REDIS_URL',
    ['redis:', 'rediss:'],
    'redis://:password@host:6379, redis-cluster://host:port,host:port or redis-sentinel://host:port,host:port/name',
  );
}

/** Nodes of a cluster each carry their password, as they each may carry their own. */
function withPassword(
  read: EnvironmentReader,
  urlName: string,
  passwordName: string,
  url: string | null,
): string | null {
  const password = read.password(passwordName);
  if (password === null) return url;
  if (url === null) read.failHidden(passwordName, 'a password', `${urlName} beside it`);
  const [, scheme = '', rest = ''] = /^([\w-]+:\/\/)(.*)$/s.exec(url) ?? [];
  const hosts = scheme === 'redis-cluster://' ? rest.split(',') : [rest];
  return (
    scheme +
    hosts.map((address) => hostWithPassword(address, password, passwordName, urlName, read)).join(',')
  );
}

function hostWithPassword(
  address: string,
  password: string,
  passwordName: string,
  urlName: string,
  read: EnvironmentReader,
): string {
  const [, user = '', inAddress = '', host = ''] = /^(?:([^@/:]*)(:[^@/]*)?@)?(.*)$/s.exec(address) ?? [];
  if (inAddress.length > 1)
    read.failHidden(passwordName, `a password beside that in ${urlName}`, 'only one of them');
  return `${user}:${encodeURIComponent(password)}@${host}`;
}

/** What a `REDIS_URL` means: one server, a cluster, or a server that Sentinels name. */

export type RedisAddress =
  | { readonly kind: 'server'; readonly url: string }
  /** The address of each node that is known. */
  | { readonly kind: 'cluster'; readonly nodes: readonly string[] }
  | ({ readonly kind: 'sentinel' } & SentinelAddress);

export interface SentinelAddress {
  /** The address of each Sentinel. */
  readonly sentinels: readonly string[];
  /** What the Sentinels call the server. */
  readonly name: string;
  /** `user:password@` for the server, or nothing. */
  readonly credentials: string;
}

const SENTINEL = /^redis-sentinel:\/\/(?:([^@/]*)@)?([^@/]+)\/([\w.-]+)$/;

/** Reads an address that the configuration has let through. */
export function readRedisAddress(url: string): RedisAddress {
  const sentinel = SENTINEL.exec(url);
  if (sentinel !== null) {
    const [, credentials, nodes = '', name = ''] = sentinel;
    return {
      kind: 'sentinel',
      sentinels: nodes.split(',').map((node) => `redis://${node}`),
      name,
      credentials: credentials === undefined ? '' : `${credentials}@`,
    };
  }
  if (!url.includes(',')) return { kind: 'server', url };
  // `redis://a:1,b:2` or `redis://a:1,redis://b:2`.
  const nodes = url
    .split(',')
    .map((node) =>
      /^\w+(-cluster)?:\/\//.test(node) ? node.replace(/^redis-cluster:/, 'redis:') : `redis://${node}`,
    );
  return { kind: 'cluster', nodes };
}

/**
 * BullMQ on node-redis, alone or as a cluster. Importing this module sets BullMQ's client factory once; queues and
 * workers then open connections of their own from an address, which is what BullMQ wants (a worker blocks one of
 * them).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createNodeRedisClient, RedisConnection } from 'bullmq';
import { createCluster, RedisClient } from 'redis';

/** Where the queues are, and the prefix of all their keys: one hash tag, so that a cluster keeps them in one slot. */
export interface QueueAddress {
  /** `redis://host:port`; `redis-cluster://host:port,host:port` is a cluster. */
  readonly redisUrl: string;
  /** Makes a client that is not connected, where the address alone does not say how; it looks like node-redis'. */
  readonly newClient?: () => QueueClient;
  /** As `queuePrefix` gives it. */
  readonly prefix: string;
}

/** The keys' prefix for an environment: production and development may share a server without meeting. */
export function queuePrefix(environment: string): string {
  return environment === 'production' ? '{rostrum}' : `{rostrum-${environment}}`;
}

/** What BullMQ's connections are opened with; the factory below reads it. */
export function connectionTo({ redisUrl, newClient }: QueueAddress): { readonly url: string } {
  return newClient === undefined ? { url: redisUrl } : Object.assign({ url: redisUrl }, { newClient });
}

const RECONNECT_MS = 250;

/** What is used here of a client; the queue's own adapter, which takes anything, uses more of it. */
interface QueueClient {
  info(): Promise<unknown>;
  readonly isOpen?: boolean;
}

RedisConnection.clientFactory = (options) => {
  if (!isAddress(options)) throw new TypeError('a queue is opened with connectionTo(…)');
  const { url, newClient } = options;
  return createNodeRedisClient(patient(newClient === undefined ? clientAt(url) : newClient()));
};

function isAddress(options: object): options is Pick<QueueAddress, 'newClient'> & { readonly url: string } {
  return 'url' in options;
}

const clientAt = (url: string) => (url.includes(',') ? clusterClient(url) : singleClient(url));

/**
 * BullMQ reads the server's version once, as it connects. Cut off just then it keeps the refusal for good: the queue
 * never works, and a worker retries again and again without ever letting the event loop turn. So the version is read
 * until it is answered, or the client closed.
 */
function patient(client: QueueClient): QueueClient {
  const info = client.info.bind(client);
  client.info = async () => {
    for (;;) {
      try {
        return await info();
      } catch (error) {
        if (client.isOpen === false) throw error;
        await sleep(RECONNECT_MS);
      }
    }
  };
  return client;
}

// The library's `createClient` makes a new class with every command for each client, which takes longer than to
// connect.
const newServerClient: (options: object) => QueueClient = RedisClient.factory();

function singleClient(url: string): QueueClient {
  const socket = { connectTimeout: 2_000, reconnectStrategy: () => RECONNECT_MS };
  return newServerClient({ url, socket });
}

/**
 * A cluster dressed as one server, which it is for keys of one slot: BullMQ's adapter expects a client's events and
 * calls.
 */
function clusterClient(url: string): QueueClient {
  const rootNodes = url
    .replace(/^redis(-cluster)?:\/\//, '')
    .split(',')
    .map((node) => ({ url: node.includes('://') ? node : `redis://${node}` }));
  const cluster: Cluster = createCluster({
    rootNodes,
    defaults: { socket: { connectTimeout: 2_000, reconnectStrategy: () => RECONNECT_MS } },
  });
  return dressed(cluster);
}

/** What is used of a cluster. The library's own type is so large that comparing with it takes the compiler a minute. */
interface Cluster {
  readonly masters: readonly unknown[];
  nodeClient(master: unknown): Promise<{ sendCommand(command: string[]): Promise<unknown> }>;
  sendCommand(key: undefined, readonly: boolean, command: string[]): Promise<unknown>;
  duplicate(): Cluster;
  close(): Promise<unknown>;
  on(event: string, listener: (...args: unknown[]) => void): unknown;
}

function dressed(cluster: Cluster): QueueClient {
  const own = {
    options: {},
    duplicate: () => dressed(cluster.duplicate()),
    clientSetName: async () => 'OK',
    info: () => cluster.sendCommand(undefined, true, ['INFO']),
    quit: () => cluster.close(),
    scriptLoad: (text: string) => loadEverywhere(cluster, text),
    on: (event: string, listener: (...args: unknown[]) => void) =>
      cluster.on(event === 'ready' ? 'connect' : event, listener),
  };
  return new Proxy(own, {
    get(target, name) {
      const owner = name in target ? target : cluster;
      const value: unknown = Reflect.get(owner, name, owner);
      return typeof value === 'function' ? value.bind(owner) : value;
    },
  });
}

async function loadEverywhere(cluster: Cluster, text: string): Promise<void> {
  await Promise.all(
    cluster.masters.map(async (master) => {
      const client = await cluster.nodeClient(master);
      await client.sendCommand(['SCRIPT', 'LOAD', text]);
    }),
  );
}

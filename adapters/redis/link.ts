/**
 * The connection to Redis, alone or as a cluster: one thin type over node-redis, so that everything above works on
 * either. A command that was sent is never sent again by the client: after a cut connection only the journal's own
 * checks may decide.
 */
import { createHash } from 'node:crypto';
import { createCluster, RedisClient } from 'redis';

/** The commands that the adapters use; node-redis' client and cluster both have them. */
export interface RedisLink {
  readonly isReady: boolean;
  /**
   * Sends a command as it is to whoever has `key`. The library's own methods pass arguments on the stack, which ends
   * near 100,000 of them; this takes any number.
   */
  send(key: string, command: string[]): Promise<unknown>;
  hmGet(key: string, fields: string[]): Promise<(string | null)[]>;
  hGet(key: string, field: string): Promise<string | null>;
  hLen(key: string): Promise<number>;
  hSetNX(key: string, field: string, value: string): Promise<unknown>;
  hSet(key: string, values: Record<string, string>): Promise<unknown>;
  hDel(key: string, fields: string[]): Promise<unknown>;
  del(key: string): Promise<unknown>;
  hIncrBy(key: string, field: string, by: number): Promise<unknown>;
  zRangeByScore(
    key: string,
    min: number | string,
    max: number | string,
    options?: { LIMIT: { offset: number; count: number } },
  ): Promise<string[]>;
  xRange(key: string, start: string, end: string, options?: { COUNT: number }): Promise<StreamMessage[]>;
  xRevRange(key: string, start: string, end: string, options?: { COUNT: number }): Promise<StreamMessage[]>;
  xTrim(key: string, strategy: 'MINID', threshold: string): Promise<number>;
  xLen(key: string): Promise<number>;
  xInfoStream(key: string): Promise<{ 'last-generated-id': string }>;
  close(): Promise<void>;
  destroy(): void;
}

export interface StreamMessage {
  readonly id: string;
  readonly message: Record<string, string>;
}

export interface OpenLink {
  readonly link: RedisLink;
  /** How many servers share the keys out among themselves. */
  readonly masters: number;
  /**
   * A connection for calls that fill one by themselves. Redis reads every connection once between two fsyncs, so that
   * large calls on several of them share one, and on a single one have one each. The usual link where it is not
   * connected (yet), and in a cluster.
   */
  wide(shard: number): RedisLink;
  /** The server's own clock, in microseconds. */
  timeUs(): Promise<number>;
  /** One server's settings, for the durability check. */
  config(name: string): Promise<string>;
}

const RECONNECT_MS = 250;

/** Connections for large calls, opened as they are asked for. */
const WIDE = 8;

/**
 * The library's own timer for each command watches only what was not sent yet, and nothing waits to be sent for long
 * here; a timer and an error object for each command cost a twentieth of a bid. Who waits for a reply has a bound of
 * its own.
 */
const UNTIMED = { timeout: 0 };

/**
 * Opens a link. `redis://host:port` is one server, several separated by commas a cluster. Throws when it is out of
 * reach.
 */
export async function openLink(url: string, onError: (error: Error) => void = () => {}): Promise<OpenLink> {
  return url.includes(',') ? openCluster(url, onError) : openServer(url, onError);
}

/**
 * The library's `createClient` makes a class with every command for each client anew, which takes longer than to
 * connect.
 */
export const newClient = RedisClient.factory();

async function openServer(url: string, onError: (error: Error) => void): Promise<OpenLink> {
  let opened = false;
  const client = newClient({
    url,
    disableOfflineQueue: true,
    commandOptions: UNTIMED,
    socket: { connectTimeout: 2_000, reconnectStrategy: () => (opened ? RECONNECT_MS : false) },
  });
  client.on('error', onError);
  await client.connect();
  opened = true;
  const link = linkOf(client);
  const beside: (RedisLink | undefined)[] = new Array(WIDE).fill(undefined);
  client.on('end', () => {
    for (const one of beside) one?.destroy();
  });
  const openBeside = () => {
    const one = client.duplicate();
    one.on('error', onError);
    one.connect().catch(onError);
    return linkOf(one);
  };
  return {
    link,
    masters: 1,
    wide(shard) {
      beside[shard % WIDE] ??= openBeside();
      const one = beside[shard % WIDE]!;
      return one.isReady && client.isOpen ? one : link;
    },
    timeUs: async () => timeUsOf((await client.sendCommand(['TIME'])) as unknown as string[]),
    config: async (name) => settingOf(name, await client.sendCommand(['CONFIG', 'GET', name])),
  };
}

function linkOf(client: ReturnType<typeof newClient>): RedisLink {
  const send = (_key: string, command: string[]) => client.sendCommand(command);
  return Object.assign(client, { send }) as unknown as RedisLink;
}

async function openCluster(url: string, onError: (error: Error) => void): Promise<OpenLink> {
  const rootNodes = clusterNodes(url).map((node) => ({ url: node }));
  const cluster = createCluster({
    rootNodes,
    commandOptions: UNTIMED,
    defaults: {
      disableOfflineQueue: true,
      socket: { reconnectStrategy: () => RECONNECT_MS },
    },
  });
  cluster.on('error', onError);
  await cluster.connect();
  const sendAnywhere = (command: string[]) =>
    cluster.sendCommand(undefined, true, command) as Promise<unknown>;
  const send = (key: string, command: string[]) => cluster.sendCommand(key, false, command);
  const link = Object.assign(cluster, { send }) as unknown as RedisLink & { isReady: boolean };
  Object.defineProperty(link, 'isReady', { get: () => cluster.isOpen });
  return {
    link,
    masters: cluster.masters.length,
    wide: () => link,
    timeUs: async () => timeUsOf((await sendAnywhere(['TIME'])) as string[]),
    config: async (name) => settingOf(name, await sendAnywhere(['CONFIG', 'GET', name])),
  };
}

/** `redis://a:1,b:2` or `redis://a:1,redis://b:2` → one address for each node. */
export function clusterNodes(url: string): string[] {
  return url
    .split(',')
    .map((node) =>
      /^\w+(-cluster)?:\/\//.test(node) ? node.replace(/^redis-cluster:/, 'redis:') : `redis://${node}`,
    );
}

/** `CONFIG GET` answers with a flat list in RESP2 and with a map in RESP3. */
function settingOf(name: string, reply: unknown): string {
  if (Array.isArray(reply)) return String(reply[1] ?? '');
  if (reply instanceof Map) return String(reply.get(name) ?? '');
  return String((reply as Record<string, unknown>)[name] ?? '');
}

function timeUsOf(reply: readonly string[]): number {
  return Number(reply[0]) * 1_000_000 + Number(reply[1]);
}

/** A Lua script, called by its hash and sent whole only where a server does not know it yet. */
export class Script {
  readonly #text: string;
  readonly #sha: string;

  constructor(text: string) {
    this.#text = text;
    this.#sha = createHash('sha1').update(text).digest('hex');
  }

  /** Runs on whoever has the first key, with any number of arguments. Rejects with what the link rejects with. */
  async run(link: RedisLink, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const command = ['EVALSHA', this.#sha, String(keys.length), ...keys, ...args];
    try {
      return await link.send(keys[0]!, command);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return link.send(keys[0]!, ['EVAL', this.#text, ...command.slice(2)]);
    }
  }
}

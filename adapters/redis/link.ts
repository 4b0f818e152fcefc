/**
 * The connection to Redis, alone, as a cluster, or behind Sentinels: one thin type over node-redis, so that everything
 * above works on any of them. A command that was sent is never sent again by the client: after a cut connection only
 * the journal's own checks may decide.
 */
import { createHash } from 'node:crypto';
import { createCluster, RESP_TYPES } from 'redis';
import { firstOf } from '../../engine/first-of.ts';
import { objectIn } from '../../engine/objects.ts';
import { CONNECT_TIMEOUT_MS, newClient, RECONNECT_MS, type ServerClient, UNTIMED } from './clients.ts';
import { clientBySentinels } from './following-client.ts';
import type { OpenLink, RedisLink, SingleServer } from './link-types.ts';
import { readRedisAddress } from './redis-address.ts';
import { masterBySentinels } from './server-address.ts';
import { timelyLink } from './timely-link.ts';

export type { OpenLink, RedisLink, StreamMessage } from './link-types.ts';

/** Connections for large calls, opened as they are needed. */
const WIDE = 8;

const AS_BYTES = { ...UNTIMED, typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } };

/**
 * Opens a link to what a `REDIS_URL` means. Throws when it is out of reach. `onError` is called whenever a connection
 * is lost, and while it cannot be made again.
 */
export async function openLink(url: string, onError: (error: Error) => void = () => {}): Promise<OpenLink> {
  const address = readRedisAddress(url);
  if (address.kind === 'cluster') return openCluster(address.nodes, onError);
  if (address.kind === 'server') return openServer(address.url, onError);
  const client = clientBySentinels(address, { commandOptions: UNTIMED });
  client.on('error', onError);
  await client.connect();
  const locate = masterBySentinels(address);
  return linkWithBeside(client, onError, async () => {
    const master = await locate(null);
    if (master === null) throw new Error('no Sentinel says where the master is');
    return [await connectOnce(master)];
  });
}

/** A connection that ends with its server. */
async function connectOnce(url: string): Promise<SingleServer> {
  const client: ServerClient = newClient({
    url,
    disableOfflineQueue: true,
    commandOptions: UNTIMED,
    socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false },
  });
  client.on('error', () => undefined);
  await client.connect();
  return {
    send: <Answer>(command: string[]) => client.sendCommand<Answer>(command),
    close: () => {
      if (client.isOpen) client.destroy();
    },
  };
}

async function openServer(url: string, onError: (error: Error) => void): Promise<OpenLink> {
  let opened = false;
  const client = newClient({
    url,
    disableOfflineQueue: true,
    commandOptions: UNTIMED,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: () => (opened ? RECONNECT_MS : false),
    },
  });
  client.on('error', onError);
  await client.connect();
  opened = true;
  return linkWithBeside(client, onError, async () => [await connectOnce(url)]);
}

function linkWithBeside(
  client: ServerClient,
  onError: (error: Error) => void,
  openServers: OpenLink['openServers'],
): OpenLink {
  const link = linkOf(client);
  let reopened = 0;
  const noteReopened = () => {
    reopened += 1;
  };
  client.on('ready', noteReopened);
  const beside: (RedisLink | undefined)[] = new Array(WIDE).fill(undefined);
  client.on('end', () => {
    for (const one of beside) one?.destroy();
  });
  const openBeside = () => {
    const one = client.duplicate();
    one.on('error', onError);
    one.once('ready', () => one.on('ready', noteReopened));
    one.connect().catch(onError);
    return linkOf(one);
  };
  const send = <Answer>(command: string[]) => client.sendCommand<Answer>(command);
  return {
    link,
    timely: timelyLink(link),
    masters: 1,
    get reopened() {
      return reopened;
    },
    wide(shard) {
      const one = beside[shard % WIDE] ?? openBeside();
      beside[shard % WIDE] = one;
      return one.isReady && client.isReady ? one : link;
    },
    timeUs: async () => timeUsOf(await send(['TIME'])),
    config: async (name) => settingOf(name, await send(['CONFIG', 'GET', name])),
    sendForBytes: <Answer>(_key: string, command: (string | Buffer)[]) =>
      client.sendCommand<Answer>(command, AS_BYTES),
    commandMasters: async (command) => [await send(command)],
    openServers,
  };
}

function linkOf(client: ServerClient): RedisLink {
  const send = (_key: string, command: string[]) => client.sendCommand(command);
  // Cast: the commands' own types are made from their modules, which takes the compiler a minute to compare.
  return Object.assign(client, { send }) as unknown as RedisLink;
}

async function openCluster(nodes: readonly string[], onError: (error: Error) => void): Promise<OpenLink> {
  const cluster = createCluster({
    rootNodes: nodes.map((node) => ({ url: node })),
    commandOptions: UNTIMED,
    defaults: {
      disableOfflineQueue: true,
      socket: { reconnectStrategy: () => RECONNECT_MS },
    },
  });
  cluster.on('error', onError);
  // That of one of its servers.
  cluster.on('node-error', onError);
  await cluster.connect();
  let reopened = 0;
  cluster.on('node-ready', () => {
    reopened += 1;
  });
  const sendAnywhere = <Answer>(command: string[]) => cluster.sendCommand<Answer>(undefined, true, command);
  const send = (key: string, command: string[]) => cluster.sendCommand(key, false, command);
  // Cast: as for one server, and `isReady` comes with the next line.
  const link = Object.assign(cluster, { send }) as unknown as RedisLink & { isReady: boolean };
  Object.defineProperty(link, 'isReady', { get: () => cluster.isOpen });
  const run = async (master: (typeof cluster.masters)[number], command: string[]) =>
    (await cluster.nodeClient(master)).sendCommand<unknown>(command);
  return {
    link,
    timely: timelyLink(link),
    masters: cluster.masters.length,
    get reopened() {
      return reopened;
    },
    wide: () => link,
    timeUs: async () => timeUsOf(await sendAnywhere(['TIME'])),
    config: async (name) => settingOf(name, await sendAnywhere(['CONFIG', 'GET', name])),
    sendForBytes: <Answer>(key: string, command: (string | Buffer)[]) =>
      cluster.sendCommand<Answer>(key, false, command, AS_BYTES),
    commandMasters: (command) => Promise.all(cluster.masters.map((master) => run(master, command))),
    openServers: () =>
      openAll(cluster.masters.map(({ host, port }) => addressLike(firstOf(nodes), host, port))),
  };
}

/** Connections to all of them, or to none. */
async function openAll(urls: readonly string[]): Promise<SingleServer[]> {
  const opened = await Promise.allSettled(urls.map(connectOnce));
  const failed = opened.find((one) => one.status === 'rejected');
  const servers = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (failed === undefined) return servers;
  for (const server of servers) server.close();
  throw failed.reason;
}

/** Another server's address, with the same credentials. */
function addressLike(url: string, host: string, port: number): string {
  const address = new URL(url);
  address.hostname = host.includes(':') ? `[${host}]` : host;
  address.port = String(port);
  return address.href;
}

/** `CONFIG GET` answers with a flat list in RESP2 and with a map in RESP3. */
function settingOf(name: string, answer: unknown): string {
  if (Array.isArray(answer)) return String(answer[1] ?? '');
  if (answer instanceof Map) return String(answer.get(name) ?? '');
  return String(objectIn(answer)[name] ?? '');
}

function timeUsOf(answer: readonly string[]): number {
  return Number(answer[0]) * 1_000_000 + Number(answer[1]);
}

/**
 * A Lua script, called by its hash and sent whole only where a server does not know it yet. Its author says what it
 * answers.
 */
export class Script<Answer = unknown> {
  readonly #text: string;
  readonly #sha: string;

  constructor(text: string) {
    this.#text = text;
    this.#sha = createHash('sha1').update(text).digest('hex');
  }

  /**
   * Runs on the server that has the first key, with any number of arguments. Rejects with what the link rejects with.
   */
  async run(link: RedisLink, keys: readonly string[], args: readonly string[]): Promise<Answer> {
    const command = ['EVALSHA', this.#sha, String(keys.length), ...keys, ...args];
    try {
      return await link.send<Answer>(firstOf(keys), command);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return link.send<Answer>(firstOf(keys), ['EVAL', this.#text, ...command.slice(2)]);
    }
  }
}

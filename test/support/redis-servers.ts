/**
 * Further Redis servers for tests that kill one or need a cluster, from the same program and with the same durable
 * settings as the embedded one. Each is a process of its own under a temporary folder; close() ends it, and a
 * guardian does if the tests are killed.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import { type Guardian, startGuardian } from '../../adapters/embedded/guardian.ts';
import { freePort } from '../../adapters/embedded/ports.ts';
import { describeRedis } from '../../adapters/embedded/redis.ts';
import { findRedis } from '../../adapters/embedded/redis-binary.ts';
import type { RedisBinary } from '../../adapters/embedded/redis-download.ts';
import { launch } from '../../adapters/embedded/supervise.ts';

/** A Redis of one's own. */
export interface FreshRedis {
  readonly redisUrl: string;
  readonly port: number;
  /** The current process' id. */
  readonly pid: number;
  /** Where its data is. */
  readonly folder: string;
  /** Sends a signal, by default SIGKILL; resolves when the process is gone, at once for SIGSTOP and SIGCONT. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same port and data; resolves when it answers. Ends the running one first. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

// One of each in a process: to look for the program and to start a guardian takes longer than to start a Redis.
let found: Promise<RedisBinary> | undefined;
let guardian: Guardian | undefined;
let started = 0;

/**
 * Starts a Redis; `extra` are lines for its configuration, such as `maxmemory 10mb`, `options` words for its command
 * line.
 */
export async function freshRedis(
  extra: readonly string[] = [],
  options: readonly string[] = [],
): Promise<FreshRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'rostrum-redis-'));
  found ??= find();
  const binary = await found;
  const files = { folder: join(folder, 'redis'), logFile: join(folder, 'redis.log'), extra };
  const described = await describeRedis(binary, files);
  const program = { ...described, args: [...described.args, ...options] };
  started += 1;
  const name = `redis-${started}`;
  guardian ??= startGuardian();
  const watch = (pid: number | undefined) => guardian!.watch(name, pid);
  const hooks = { onPid: (_name: string, pid: number | undefined) => watch(pid) };
  let child: ChildProcess = await launch(program, hooks);
  const isGone = () => child.exitCode !== null || child.signalCode !== null;
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (isGone()) return;
    // Nothing else may keep this process: it waits for the end of the other one.
    child.ref();
    child.kill(signal);
    if (signal === 'SIGSTOP' || signal === 'SIGCONT') return;
    await once(child, 'exit');
    watch(undefined);
  };
  return {
    redisUrl: `redis://127.0.0.1:${program.port}`,
    port: program.port,
    folder: files.folder,
    get pid() {
      return child.pid ?? 0;
    },
    kill,
    async restart() {
      await kill('SIGKILL');
      child = await launch(program, hooks);
    },
    async close() {
      await kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function find(): Promise<RedisBinary> {
  // A program that had to be fetched is in here, as long as this process runs.
  const dataDir = await mkdtemp(join(tmpdir(), 'rostrum-programs-'));
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  return findRedis({ dataDir, onProgress: () => undefined, guard: () => undefined });
}

/** Three masters that hold all slots between them. */
export interface RedisCluster {
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  /** The processes behind the nodes, for tests that kill one. */
  readonly servers: readonly FreshRedis[];
  close(): Promise<void>;
}

const slotRanges = [
  [0, 5460],
  [5461, 10922],
  [10923, 16383],
] as const;

/** Starts the cluster and resolves when every node reports that it is complete. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const buses = await Promise.all(slotRanges.map(() => freePort()));
  const started = await Promise.all(
    buses.map(async (bus) => {
      const lines = ['cluster-enabled yes', `cluster-port ${bus}`, 'cluster-node-timeout 5000'];
      return { bus, server: await freshRedis([...lines, 'cluster-config-file nodes.conf']) };
    }),
  );
  const servers = started.map(({ server }) => server);
  const first = started[0]!;
  for (const [index, { server }] of started.entries()) {
    const [from, to] = slotRanges[index]!;
    await command(server, ['CLUSTER', 'ADDSLOTSRANGE', String(from), String(to)]);
    await command(server, ['CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1)]);
    if (index === 0) continue;
    await command(server, ['CLUSTER', 'MEET', '127.0.0.1', String(first.server.port), String(first.bus)]);
  }
  for (const server of servers) await untilWhole(server);
  return {
    nodes: servers.map(({ port }) => ({ host: '127.0.0.1', port })),
    servers,
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

async function untilWhole(server: FreshRedis): Promise<void> {
  const until = performance.now() + 60_000;
  for (;;) {
    const info = await command(server, ['CLUSTER', 'INFO']);
    if (info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3')) return;
    if (performance.now() > until) throw new Error(`the cluster did not come up: ${info}`);
    await sleep(50);
  }
}

async function command(server: FreshRedis, parts: string[]): Promise<string> {
  const client = createClient({ url: server.redisUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return String(await client.sendCommand(parts));
  } finally {
    client.destroy();
  }
}

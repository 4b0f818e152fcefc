/**
 * The servers of a run in which Redis comes back older: one alone, one with a replica behind Sentinel, or a cluster.
 * Each can be made to return with an earlier copy of its disk, or, behind Sentinel, as the replica that had not
 * received the newest commits.
 */
import { cp, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { redisCommand, startWatchedRedis } from '../support/redis-replicas.ts';
import { type FreshRedis, freshRedis, startRedisCluster } from '../support/redis-servers.ts';

/** `one`: without the newest commit; `many`: without those of a while; `life`: from before the last rebuild. */
export type Age = 'one' | 'many' | 'life';

export interface OlderServers {
  readonly redisUrl: string;
  /** The one that comes back older, where that is always the same. */
  readonly server: FreshRedis;
  readonly ages: readonly Age[];
  /** Keeps a copy of what is there now under a name; behind Sentinel nothing newer reaches the replica from now on. */
  keep(name: string): Promise<void>;
  /** Takes the server away. */
  end(): Promise<void>;
  /** Brings it back as it was kept under this name, or `as it is`; null: without its newest commit. */
  comeBack(name: string | null): Promise<void>;
  close(): Promise<void>;
}

/** One server alone. */
export async function aloneServer(): Promise<OlderServers> {
  const server = await freshRedis();
  return withCopies(server, server.redisUrl, () => server.close());
}

/** The first of three masters comes back older; the lots are all over them. */
export async function clusterServers(): Promise<OlderServers> {
  const cluster = await startRedisCluster();
  const [first] = cluster.servers;
  const nodes = cluster.nodes.map(({ host, port }) => `${host}:${port}`).join(',');
  return withCopies(first!, `redis-cluster://${nodes}`, () => cluster.close());
}

function withCopies(server: FreshRedis, redisUrl: string, close: () => Promise<void>): OlderServers {
  const log = join(server.folder, 'appendonlydir');
  const copy = (name: string) => join(server.folder, '..', `copy-${name}`);
  return {
    redisUrl,
    server,
    ages: ['one', 'many', 'life'],
    async keep(name) {
      await rm(copy(name), { recursive: true, force: true });
      await cp(log, copy(name), { recursive: true });
    },
    end: () => server.kill(),
    async comeBack(name) {
      if (name === null) await withoutNewestCommit(log);
      else if (name !== AS_IT_IS) {
        await rm(log, { recursive: true, force: true });
        await cp(copy(name), log, { recursive: true });
      }
      await server.restart();
    },
    close,
  };
}

/** What its own disk is called. */
const AS_IT_IS = 'as it is';
const BEGIN = '*1\r\n$5\r\nMULTI\r\n';
/** A message of a shard; the queues write streams of their own. */
const MESSAGE = /\r\n\$4\r\nXADD\r\n\$\d+\r\n[^\r]*:log\r\n/g;

/** Cuts the log before the newest transaction that has written a message of a shard. */
async function withoutNewestCommit(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.incr.aof')).sort();
  const file = join(folder, names.at(-1)!);
  const text = await readFile(file, 'latin1');
  const at = text.lastIndexOf(BEGIN, [...text.matchAll(MESSAGE)].at(-1)?.index ?? 0);
  if (at < 0) throw new Error('the log has no commit');
  await truncate(file, at);
}

/** The replica takes over without what it has not received. */
export async function sentinelServers(): Promise<OlderServers> {
  const { redisUrl, master, replica, untilMaster, close } = await startWatchedRedis();
  let [here, other] = [master, replica];
  return {
    redisUrl,
    server: master,
    ages: ['one', 'many'],
    async keep() {
      await other.kill('SIGSTOP');
      // It would still read what it has been sent already.
      await redisCommand(here, ['CLIENT', 'KILL', 'TYPE', 'replica']);
    },
    end: () => here.kill(),
    async comeBack() {
      await other.kill('SIGCONT');
      await untilMaster(other);
      [here, other] = [other, here];
      await other.restart();
      await redisCommand(other, ['REPLICAOF', '127.0.0.1', String(here.port)]);
      for (let tries = 0; tries < 200; tries += 1) {
        if ((await redisCommand(other, ['INFO', 'replication'])).includes('master_link_status:up')) return;
        await sleep(50);
      }
    },
    close,
  };
}

/**
 * The servers of a run in which Redis comes back older: one alone, one with a replica behind Sentinel, or a cluster.
 * Each can be made to return with an earlier copy of its disk, or, behind Sentinel, as the replica that had not
 * received the newest commits.
 */
import { cp, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstOf, itemAt } from '../../engine/first-of.ts';
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
  return withCopies([server], server.redisUrl, () => server.close());
}

/** Of three masters one that holds lots comes back older. */
export async function clusterServers(): Promise<OlderServers> {
  const cluster = await startRedisCluster();
  const nodes = cluster.nodes.map(({ host, port }) => `${host}:${port}`).join(',');
  return withCopies(cluster.servers, `redis-cluster://${nodes}`, () => cluster.close());
}

function withCopies(
  servers: readonly FreshRedis[],
  redisUrl: string,
  close: () => Promise<void>,
): OlderServers {
  let chosen = firstOf(servers);
  const logOf = ({ folder }: FreshRedis) => join(folder, 'appendonlydir');
  const copyOf = ({ folder }: FreshRedis, name: string) => join(folder, '..', `copy-${name}`);
  return {
    redisUrl,
    get server() {
      return chosen;
    },
    ages: ['one', 'many', 'life'],
    async keep(name) {
      for (const server of servers) {
        await rm(copyOf(server, name), { recursive: true, force: true });
        await cp(logOf(server), copyOf(server, name), { recursive: true });
      }
    },
    async end() {
      for (const server of servers) if ((await newestCommit(logOf(server))) !== null) chosen = server;
      await chosen.kill();
    },
    async comeBack(name) {
      const log = logOf(chosen);
      if (name === null) await withoutNewestCommit(log);
      else if (name !== AS_IT_IS) {
        await rm(log, { recursive: true, force: true });
        await cp(copyOf(chosen, name), log, { recursive: true });
      }
      await chosen.restart();
    },
    close,
  };
}

/** What its own disk is called. */
const AS_IT_IS = 'as it is';
const BEGIN = '*1\r\n$5\r\nMULTI\r\n';
/** A message of a shard; the queues write streams of their own. */
const MESSAGE = /\r\n\$4\r\nXADD\r\n\$\d+\r\n[^\r]*:log\r\n/g;

/** Where the newest transaction that has written a message of a shard begins, in which file; null: there is none. */
async function newestCommit(folder: string): Promise<{ file: string; at: number } | null> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.incr.aof')).sort();
  const file = join(folder, itemAt(names, names.length - 1));
  const text = await readFile(file, 'latin1');
  const message = [...text.matchAll(MESSAGE)].at(-1);
  const at = message === undefined ? -1 : text.lastIndexOf(BEGIN, message.index);
  return at < 0 ? null : { file, at };
}

/** Cuts the log before its newest commit. */
async function withoutNewestCommit(folder: string): Promise<void> {
  const newest = await newestCommit(folder);
  if (newest === null) throw new Error('the log has no commit');
  await truncate(newest.file, newest.at);
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

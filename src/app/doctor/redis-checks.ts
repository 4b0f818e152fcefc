/** What a deployment gets wrong about Redis: settings that lose bids, a slow disk, no room, no replica, its clock. */
import { weakDurability } from '../../../adapters/redis/durability.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { shardKeys } from '../../../adapters/redis/shards.ts';
import type { Config } from '../config/config.ts';
import { skewFinding } from './clock-skew.ts';
import { type Check, type Finding, fine, wrong } from './finding.ts';

const WRITES = 20;
const SLOW_FSYNC_MS = 20;
const SUPPORTED_MAJOR = 7;

export function redisChecks(config: Config, open: () => Promise<OpenLink>): Check[] {
  return [
    { name: 'redis', run: async () => checkServer(await open()) },
    { name: 'redis settings', needs: ['redis'], run: async () => checkSettings(await open()) },
    { name: 'redis disk', needs: ['redis'], run: async () => checkFsync(await open()) },
    { name: 'redis memory', needs: ['redis'], run: async () => checkMemory(await open()) },
    { name: 'redis replicas', needs: ['redis'], run: async () => checkReplicas(config, await open()) },
    {
      name: 'redis clock',
      needs: ['redis'],
      run: async () => skewFinding(async () => (await (await open()).timeUs()) / 1_000),
    },
  ];
}

type Found = Omit<Finding, 'name'>;

async function infoOf(open: OpenLink, section: string): Promise<((name: string) => string)[]> {
  return (await open.commandMasters(['INFO', section])).map((answer) => {
    const text = String(answer);
    return (name) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(text)?.[1] ?? '';
  });
}

async function checkServer(open: OpenLink): Promise<Found> {
  const servers = await infoOf(open, 'server');
  const versions = servers.map((info) => info('valkey_version') || info('redis_version'));
  const old = versions.filter((version) => Number(version.split('.')[0]) < SUPPORTED_MAJOR);
  if (old.length > 0) return wrong(`version ${old.join(', ')}`, `Use Redis ${SUPPORTED_MAJOR}.0 or later.`);
  return fine(`version ${versions.join(', ')}`);
}

async function checkSettings(open: OpenLink): Promise<Found> {
  const weak = await weakDurability(open);
  const stopped = (await infoOf(open, 'persistence')).some((info) => info('aof_last_write_status') === 'err');
  if (stopped)
    return wrong(
      'the last write to disk failed',
      'Free space on the disk of Redis, or repair it: no bids are accepted.',
    );
  if (weak.length === 0) return fine('every acknowledged write is on disk');
  return wrong(weak.join('; '), 'Change redis.conf: with these settings Redis can lose acknowledged bids.');
}

/** A write returns after its fsync; what the way there takes is left out. */
async function checkFsync(open: OpenLink): Promise<Found> {
  const key = `${shardKeys(0).meta}:doctor`;
  const pings: number[] = [];
  const writes: number[] = [];
  for (let at = 0; at < WRITES; at += 1) {
    pings.push(await timeOf(open.link.send(key, ['EXISTS', key])));
    writes.push(await timeOf(open.link.send(key, ['SET', key, String(at)])));
  }
  await open.link.del(key);
  const [wayMs, writeMs] = [median(pings), median(writes)];
  const found = `a write with its fsync takes ${Math.max(0, writeMs - wayMs).toFixed(2)} ms, the round trip ${wayMs.toFixed(2)} ms`;
  if (writeMs - wayMs <= SLOW_FSYNC_MS) return fine(found);
  return wrong(found, 'Every bid waits for it: give Redis a faster disk that nothing else writes to.');
}

async function timeOf(work: Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work;
  return performance.now() - startMs;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

async function checkMemory(open: OpenLink): Promise<Found> {
  const shares = (await infoOf(open, 'memory')).map((info) => {
    const limit = Number(info('maxmemory')) || Number(info('total_system_memory'));
    return { used: Number(info('used_memory')), limit };
  });
  const worst = shares.reduce((worst, one) =>
    one.used / one.limit > worst.used / worst.limit ? one : worst,
  );
  const found = `${mib(worst.used)} of ${mib(worst.limit)} MiB`;
  if (worst.used / worst.limit < 0.8) return fine(found);
  return wrong(found, 'Give Redis more memory: when it is full, no bids are accepted.');
}

function mib(bytes: number): string {
  return (bytes / 1_048_576).toFixed(0);
}

async function checkReplicas({ bidDurability }: Config, open: OpenLink): Promise<Found> {
  const counts = (await infoOf(open, 'replication')).map((info) => Number(info('connected_slaves')));
  const least = Math.min(...counts);
  const found = `${counts.join(', ')} connected, BID_DURABILITY=${bidDurability}`;
  if (bidDurability === 'local' || least >= 2) return fine(found);
  return least === 0
    ? wrong(found, 'Start a replica: without one, no bid is confirmed.')
    : wrong(found, 'Start a second replica: when the only one is lost, no bid is confirmed.');
}

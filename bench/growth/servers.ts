/**
 * The servers that the growth bench runs on, every commit on disk, and the processor time of them and of this process.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { startEmbedded } from '../../adapters/embedded/servers.ts';
import { cpuOfProcessUs, ownCpuUs } from '../support/cpu.ts';

export interface BenchServers {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Processor time of this process and of Redis so far, in µs. */
  cpuUs(): number;
  /** Empties Redis. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

export async function startServers(): Promise<BenchServers> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rostrum-bench-growth-'));
  const servers = await startEmbedded({ dataDir });
  const client = createClient({ url: servers.redisUrl });
  await client.connect();
  const pid = Number(/process_id:(\d+)/.exec(String(await client.sendCommand(['INFO', 'server'])))?.[1]);
  return {
    databaseUrl: servers.databaseUrl,
    redisUrl: servers.redisUrl,
    cpuUs: () => ownCpuUs() + cpuOfProcessUs(pid),
    async empty() {
      await client.flushAll();
    },
    async close() {
      client.destroy();
      await servers.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Starts Postgres and Redis side by side for one data folder, and stops them in order.
 * Called by `servers.ts`, which holds the folder's lock, so that nobody else starts the same data at the same time.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startGuardian } from './guardian.ts';
import { isPortFree } from './ports.ts';
import { ensureDatabase, postgresFolder, preparePostgres } from './postgres.ts';
import { stopProcess, worksIn } from './processes.ts';
import { prepareRedis, redisFolder } from './redis.ts';
import { type ServerProgram, type SupervisedServer, type SupervisorHooks, supervise } from './supervise.ts';

/** A running pair. */
export interface Pair {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Postgres' fast shutdown, then Redis; safe to call twice, done within 7 s. */
  close(): Promise<void>;
}

/** What the caller is notified of while the pair starts and runs. */
export interface PairReports {
  readonly onProgress: (line: string) => void;
  readonly onServerDied?: SupervisorHooks['onServerDied'];
}

/** Starts both servers; whatever an earlier, killed start left running on this data is stopped first. */
export async function startPair(dataDir: string, reports: PairReports): Promise<Pair> {
  const { onProgress } = reports;
  await stopLeftovers(dataDir, onProgress);
  const guardian = startGuardian();
  const hooks: SupervisorHooks = {
    onPid: (name, pid) => guardian.watch(name, pid),
    ...(reports.onServerDied === undefined ? {} : { onServerDied: reports.onServerDied }),
  };
  const started: SupervisedServer[] = [];
  const preparation = { dataDir, onProgress, guard: guardian.watch };
  const startPostgres = async () => {
    const { server, prepared } = await onFreePort(() => preparePostgres(preparation), hooks);
    started.unshift(server);
    await ensureDatabase(prepared.databaseUrl);
    onProgress(`Postgres: ready on port ${server.port}`);
    return prepared.databaseUrl;
  };
  const startRedis = async () => {
    const { server, prepared } = await onFreePort(() => prepareRedis(preparation), hooks);
    started.push(server);
    onProgress(`Redis: ready on port ${server.port}`);
    return prepared.redisUrl;
  };
  const close = async () => {
    for (const server of started) await server.close();
    guardian.release();
  };
  const [postgres, redis] = await Promise.allSettled([startPostgres(), startRedis()]);
  const failed = [postgres, redis].find((start) => start.status === 'rejected');
  if (postgres.status === 'rejected' || redis.status === 'rejected') {
    await close();
    throw failed?.reason;
  }
  let closed: Promise<void> | undefined;
  return {
    databaseUrl: postgres.value,
    redisUrl: redis.value,
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** A port may be taken between the choice and the launch: then another one is chosen. */
async function onFreePort<T extends { readonly program: ServerProgram }>(
  prepare: () => Promise<T>,
  hooks: SupervisorHooks,
): Promise<{ server: SupervisedServer; prepared: T }> {
  for (let attempt = 1; ; attempt += 1) {
    const prepared = await prepare();
    try {
      return { server: await supervise(prepared.program, hooks), prepared };
    } catch (error) {
      if (attempt === 3 || (await isPortFree(prepared.program.port))) throw error;
    }
  }
}

async function stopLeftovers(dataDir: string, onProgress: (line: string) => void): Promise<void> {
  const servers = [
    { folder: postgresFolder(dataDir), file: 'postmaster.pid', signal: 'SIGINT' },
    { folder: redisFolder(dataDir), file: 'redis.pid', signal: 'SIGTERM' },
  ] as const;
  await Promise.all(
    servers.map(async ({ folder, file, signal }) => {
      const pid = Number((await readFile(join(folder, file), 'utf8').catch(() => '')).split('\n')[0]);
      if (!(pid > 0) || !worksIn(pid, folder)) return;
      onProgress('Stopping the servers that a killed start left behind');
      const steps = [
        { signal, graceMs: 4_000 },
        { signal: 'SIGKILL', graceMs: 2_000 },
      ] as const;
      await stopProcess(pid, steps, () => !worksIn(pid, folder));
    }),
  );
}

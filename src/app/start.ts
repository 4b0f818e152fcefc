/**
 * Everything on one machine: the two servers where none are given, the schema, web and worker processes, and on request the
 * demo. It stays as their parent: a child that dies is started again, and all end with it, in order.
 */

import { type ChildProcess, fork } from 'node:child_process';
import cluster from 'node:cluster';
import { startEmbedded } from '../../adapters/embedded/servers.ts';
import { openDatabase } from '../../adapters/postgres/database.ts';
import { migrateToLatest } from '../../adapters/postgres/migrate.ts';
import { InputError } from '../shared/input-error.ts';
import { type Log, openLog } from '../shared/log.ts';
import { type Config, environmentWith } from './config/config.ts';
import { noteAddress } from './config/running-address.ts';
import { requireFreePort } from './process/listening.ts';
import type { Addresses, Servers } from './process/platform.ts';
import { type ChildMessage, endWith } from './process/process-life.ts';
import { requirePostgres } from './process/reachable.ts';

export interface StartOptions {
  /** Loads the demo marketplace into an empty database, and says how to use it. */
  readonly demo: boolean;
  /** Web processes on the one port. */
  readonly processes: number;
}

const RESTART_MS = 500;

/** Runs until asked to end, which it may be at any moment. Rejects, with everything stopped, when it cannot come up. */
export async function runStart(config: Config, options: StartOptions): Promise<void> {
  const log = openLog(config.logLevel, 'start');
  const opened: (() => Promise<void>)[] = [];
  let ending = false;
  const stop = async () => {
    ending = true;
    while (opened.length > 0) await opened.pop()!();
  };
  endWith(stop, log);
  try {
    await requireFreePort(config);
    const servers = await openServers(config, log);
    opened.push(servers.close);
    await migrate(servers.databaseUrl);
    const family = new Family(config, servers, log);
    opened.push(() => family.close());
    await Promise.all([
      family.start(options.processes),
      options.demo ? demoOf(config, servers, log) : null,
    ]).then(async ([url, demo]) => {
      opened.push(await noteAddress(config.dataDir, url));
      console.log(`Rostrum listens on ${url}`);
      if (config.mail.kind === 'folder')
        console.log(`Mail is written to ${config.mail.folder} (set SMTP_URL to send it)`);
      demo?.present(url);
    });
  } catch (error) {
    // What breaks because everything is being stopped is no failure.
    if (ending) return;
    await stop();
    throw error;
  }
}

/** Loads the demo, or finds it, while the processes come up. */
async function demoOf(config: Config, addresses: Addresses, log: Log) {
  const [{ openPlatform }, { prepareDemo, presentDemo }] = await Promise.all([
    import('./process/platform.ts'),
    import('../tools/demo/present.ts'),
  ]);
  const platform = await openPlatform(addresses, log, { connections: 6 });
  const demo = await prepareDemo(platform, config.dataDir).finally(() => platform.close());
  return demo === null ? null : { present: (url: string) => presentDemo(demo, url) };
}

/** The addresses given, or the embedded pair in their place. */
async function openServers(config: Config, log: Log): Promise<Servers> {
  const { databaseUrl, redisUrl } = config;
  if (databaseUrl !== null && redisUrl !== null) return { databaseUrl, redisUrl, close: async () => {} };
  const pair = await startEmbedded({
    dataDir: config.dataDir,
    onProgress: (line) => console.error(`  ${line}`),
    onServerDied: (name, restarted) => log.warn({ name, restarted }, 'an embedded server died'),
  });
  return {
    databaseUrl: databaseUrl ?? pair.databaseUrl,
    redisUrl: redisUrl ?? pair.redisUrl,
    close: () => pair.close(),
  };
}

async function migrate(databaseUrl: string): Promise<void> {
  const database = openDatabase(databaseUrl, { max: 2 });
  try {
    await requirePostgres(database);
    await migrateToLatest(database);
  } finally {
    await database.close();
  }
}

/**
 * Node's youngest generation, in MiB: its default of 16 holds on to some 100 MiB in a worker for nothing. A web process keeps it,
 * because each request leaves garbage behind, and a smaller one has it collected more often.
 */
const SEMI_SPACE = { web: 16, worker: 4 } as const;

function execArgvOf(role: 'web' | 'worker'): string[] {
  return [...process.execArgv, `--max-semi-space-size=${SEMI_SPACE[role]}`];
}

/** The child processes. */
class Family {
  readonly #entry = process.argv[1]!;
  readonly #addresses: Addresses;
  readonly #log: Log;
  readonly #children = new Map<ChildProcess, 'web' | 'worker'>();
  #closing = false;
  /** Before that a child that ends has something wrong with it that a restart does not mend. */
  #up = false;
  #port: number;

  constructor(config: Config, addresses: Addresses, log: Log) {
    this.#addresses = addresses;
    this.#port = config.port;
    this.#log = log;
  }

  /** Resolves with the address when all of them are ready. */
  async start(processes: number): Promise<string> {
    if (processes > 1)
      cluster.setupPrimary({ exec: this.#entry, args: ['web'], execArgv: execArgvOf('web') });
    const [url] = await Promise.all([
      this.#ready(this.#spawn('web', processes > 1)),
      this.#ready(this.#spawn('worker', false)),
    ]);
    // With PORT=0 the first one picked it; the others, and any that is started again, take the same.
    this.#port = Number(new URL(url).port);
    const others = Array.from({ length: processes - 1 }, () => this.#spawn('web', true));
    await Promise.all(others.map((child) => this.#ready(child)));
    this.#up = true;
    return url;
  }

  /** Web first, so that every bid taken in is answered while everything still runs; then the workers. */
  async close(): Promise<void> {
    this.#closing = true;
    for (const role of ['web', 'worker'] as const) {
      const ending = [...this.#children].filter(([, its]) => its === role).map(([child]) => end(child));
      await Promise.all(ending);
    }
  }

  #spawn(role: 'web' | 'worker', shared: boolean): ChildProcess {
    const { databaseUrl, redisUrl } = this.#addresses;
    const env = environmentWith({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, PORT: String(this.#port) });
    const child = shared
      ? cluster.fork(env).process
      : fork(this.#entry, [role], {
          env,
          execArgv: execArgvOf(role),
          stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        });
    this.#children.set(child as ChildProcess, role);
    child.once('exit', (code, signal) => {
      this.#children.delete(child as ChildProcess);
      if (this.#closing || !this.#up) return;
      this.#log.warn({ role, code, signal }, 'a process ended; it is started again');
      setTimeout(() => {
        if (!this.#closing) this.#spawn(role, shared);
      }, RESTART_MS);
    });
    return child as ChildProcess;
  }

  #ready(child: ChildProcess): Promise<string> {
    return new Promise((resolve, reject) => {
      child.on('message', (message: ChildMessage) => {
        if ('ready' in message) resolve(message.ready === 'web' ? message.url : '');
      });
      child.once('exit', () =>
        reject(new InputError('a process ended before it was ready; it says why above')),
      );
    });
  }
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

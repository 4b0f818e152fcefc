/**
 * The processes that `start` runs: web processes on one port and a worker. One that dies is started again; they end
 * together, the web ones first. Each may request the metrics of all.
 */
import { type ChildProcess, fork } from 'node:child_process';
import cluster from 'node:cluster';
import { InputError } from '../../shared/input-error.ts';
import type { Log } from '../../shared/log.ts';
import { type Config, childEnvironment, environmentWith } from '../config/config.ts';
import type { Addresses } from './backends.ts';
import { MetricsOfChildren } from './family-metrics.ts';
import type { ChildMessage } from './process-life.ts';
import { COLLECTED_ALONE, YOUNG_GENERATION } from './young-generation.ts';

const RESTART_MS = 500;

const EXEC_ARGV = [...process.execArgv, ...YOUNG_GENERATION];

export interface FamilyParts {
  readonly config: Pick<Config, 'paymentSandbox'>;
  readonly addresses: Addresses;
  /** Where all web processes listen. */
  readonly port: number;
  /** What they have in their environment besides. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Log;
}

/** The child processes. */
export class Family {
  readonly #entry = process.argv[1] ?? '';
  readonly #environment: Readonly<Record<string, string>>;
  readonly #log: Log;
  readonly #children = new Map<ChildProcess, 'web' | 'worker'>();
  readonly #metrics = new MetricsOfChildren(() => this.#children.keys());
  #closing = false;
  /** Before that a child that ends has something wrong with it that a restart does not mend. */
  #up = false;

  constructor({ config, addresses, port, environment, log }: FamilyParts) {
    this.#log = log;
    this.#environment = {
      DATABASE_URL: addresses.databaseUrl,
      REDIS_URL: addresses.redisUrl,
      // They are in the addresses.
      DATABASE_PASSWORD: '',
      REDIS_PASSWORD: '',
      PORT: String(port),
      PAYMENT_SANDBOX: config.paymentSandbox ? '1' : '0',
      ...environment,
      ...childEnvironment(),
    };
  }

  /** Resolves with the address when all of them are ready. */
  async start(processes: number): Promise<string> {
    if (processes > 1) cluster.setupPrimary({ exec: this.#entry, args: ['web'], execArgv: EXEC_ARGV });
    const webs = Array.from({ length: processes }, () => this.#ready(this.#spawn('web', processes > 1)));
    const [[url = '']] = await Promise.all([Promise.all(webs), this.#ready(this.#spawn('worker', false))]);
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
    const env = environmentWith(this.#environment);
    const child: ChildProcess = shared
      ? cluster.fork(env).process
      : fork(this.#entry, [role], {
          env,
          execArgv: role === 'worker' ? [...EXEC_ARGV, COLLECTED_ALONE] : EXEC_ARGV,
          stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        });
    this.#children.set(child, role);
    child.on('message', (message: ChildMessage) => this.#metrics.hear(child, message));
    child.once('exit', (code, signal) => {
      this.#children.delete(child);
      this.#metrics.ended(child);
      if (this.#closing || !this.#up) return;
      this.#log.warn({ child: role, code, signal }, 'a process ended; it is started again');
      setTimeout(() => {
        if (!this.#closing) this.#spawn(role, shared);
      }, RESTART_MS);
    });
    return child;
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

/**
 * Processes of the HTTP benches: pinned so that the compared server has one core and everything else the other, if the
 * machine has more than one. Starts web processes as they are deployed, from `dist`, and the servers compared with.
 */
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { environmentWith } from '../../src/app/config/config.ts';
import { COLLECTED_ALONE, YOUNG_GENERATION } from '../../src/app/process/young-generation.ts';
import { cpuOfProcessUs } from '../support/cpu.ts';
import type { FixedAnswer } from './bare.ts';
import type { Load, Loaded, LoadMessage } from './load.ts';

export const SERVER_CORE = 0;
export const OTHER_CORE = 1;

export interface Server {
  readonly child: ChildProcess;
  readonly url: string;
}

/** A process's servers and files. */
export type Addresses = Readonly<Record<'databaseUrl' | 'redisUrl' | 'dataDir', string>>;

export interface WebOptions {
  /** Not pinned when null. */
  readonly core: number | null;
  readonly environment?: Readonly<Record<string, string>>;
  /** Options for Node, as `--cpu-prof`. */
  readonly node?: readonly string[];
  /** Another build than this folder's. */
  readonly cli?: string;
}

/** This folder's build. */
export const CLI = fileURLToPath(new URL('../../dist/src/cli.js', import.meta.url));

/** This folder's sources, for benches that do not build first. */
export const SOURCES = {
  node: process.execArgv,
  cli: fileURLToPath(new URL('../../src/cli.ts', import.meta.url)),
} as const;

/** A web process as the Procfile has it, without a limit on requests unless the environment says so. */
export async function startWeb(addresses: Addresses, options: WebOptions): Promise<Server> {
  const { core, node = [], cli = CLI, environment } = options;
  const args = [...YOUNG_GENERATION, ...node, cli, 'web'];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environmentOf(addresses, { PORT: '0', RATE_LIMIT_PER_MINUTE: '0', ...environment }),
  });
  if (core !== null) pin(child.pid!, core);
  let said = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    said += String(chunk);
    const url = /http:\/\/[^\s]+/.exec(said)?.[0];
    if (url !== undefined) return { child, url: url.replace(/\/+$/, '') };
  }
  throw new Error(`the web process ended: ${said}`);
}

/** A worker as the Procfile has it. */
export function startWorker(addresses: Addresses, cli = CLI): ChildProcess {
  const args = [...YOUNG_GENERATION, COLLECTED_ALONE, cli, 'worker'];
  return spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: environmentOf(addresses, {}),
  });
}

function environmentOf(
  { databaseUrl, redisUrl, dataDir }: Addresses,
  more: Readonly<Record<string, string>>,
) {
  return environmentWith({
    NODE_ENV: 'test',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    ...more,
  });
}

/** One of the servers in this folder, which reports its address when it listens. */
export async function startOther(
  file: './bare.ts' | './koa-service.ts',
  core: number | null,
): Promise<Server> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), { execArgv: process.execArgv });
  if (core !== null) pin(child.pid!, core);
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return { child, url };
}

/** Tells a server how to answer, and waits for its confirmation. */
export async function instruct({ child }: Server, message: object): Promise<void> {
  child.send(message);
  await once(child, 'message');
}

/** Ends it as in production, and waits. */
export async function stop({ child }: Server): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (child.connected) child.disconnect();
  else child.kill('SIGTERM');
  await ended;
}

/** Pins a process, its threads and its children to one core. */
export function pin(pid: number, core: number): void {
  execFileSync('taskset', ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore' });
}

export interface Measured {
  readonly loaded: Loaded;
  /** Processor time of the watched processes for the measured time, in µs: all together, and each in their order. */
  readonly cpuUs: number;
  readonly eachUs: readonly number[];
}

/** The result of a load of bids. Throws if any was answered otherwise than 201 or 422. */
export function bidsOf({ loaded, cpuUs }: Pick<Measured, 'loaded' | 'cpuUs'>, kind: string) {
  const { 201: recorded = 0, 422: refused = 0, ...others } = loaded.statuses;
  if (recorded === 0 || Object.keys(others).length > 0)
    throw new Error(`${kind}: ${JSON.stringify(loaded.statuses)}`);
  return {
    perSecond: recorded / loaded.seconds,
    cpuUs: cpuUs / recorded,
    refused: refused / (recorded + refused),
    p99Ms: loaded.p99Ms,
  };
}

/** The process that generates the load. */
export class Generator {
  readonly #child: ChildProcess;
  /** Rejects when the process ends. */
  readonly #gone: Promise<never>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#gone = once(child, 'exit').then(() => {
      throw new Error('the process that puts the load on has ended');
    });
    this.#gone.catch(() => undefined);
  }

  static async start(core: number | null): Promise<Generator> {
    const child = fork(fileURLToPath(new URL('./load.ts', import.meta.url)), { execArgv: process.execArgv });
    if (core !== null) pin(child.pid!, core);
    await once(child, 'message');
    return new Generator(child);
  }

  /** Runs a load and measures the processor time of the processes `pids` meanwhile. */
  async put(load: Load, pids: readonly number[]): Promise<Measured> {
    this.#child.send(load);
    await this.#hears('begin');
    const before = pids.map(cpuOfProcessUs);
    const { loaded } = (await this.#hears('end')) as { loaded: Loaded };
    const eachUs = pids.map((pid, at) => cpuOfProcessUs(pid) - before[at]!);
    return { loaded, cpuUs: eachUs.reduce((sum, us) => sum + us, 0), eachUs };
  }

  async #hears(at: LoadMessage['at']): Promise<LoadMessage> {
    const [message] = (await Promise.race([once(this.#child, 'message'), this.#gone])) as [LoadMessage];
    if (message.at !== at) throw new Error(`the load said ${message.at} where ${at} was due`);
    return message;
  }

  close(): void {
    this.#child.disconnect();
  }
}

/** One bid's answer, byte for byte, except for what `node:http` adds. */
export function sampleAnswer({ url }: Server, token: string, lot: number): Promise<FixedAnswer> {
  const own = new Set(['date', 'connection', 'keep-alive']);
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const posted = request(`${url}/api/v1/lots/${lot}/bids`, { method: 'POST', headers }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      answer.on('end', () => {
        const kept: string[] = [];
        const { rawHeaders: raw, statusCode: status = 0 } = answer;
        for (let at = 0; at < raw.length; at += 2) {
          if (!own.has(raw[at]!.toLowerCase())) kept.push(raw[at]!, raw[at + 1]!);
        }
        if (status === 201) resolve({ status, headers: kept, body });
        else reject(new Error(`the first bid was answered ${status}: ${body}`));
      });
    });
    posted.on('error', reject);
    posted.end('{"amount":"200.00","currency":"usd"}');
  });
}

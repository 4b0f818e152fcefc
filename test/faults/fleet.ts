/**
 * The web and worker processes of a fault run, each started again whenever it ends, as a service manager would. Its
 * output goes into a file; the guardian ends it if the run itself is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Guardian } from '../../adapters/embedded/guardian.ts';
import { freePort } from '../../adapters/embedded/ports.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const SHIFT = new URL('./shifted-clock.mjs', import.meta.url).href;

export interface Member {
  readonly name: string;
  readonly role: 'web' | 'worker';
  /** Where a web process listens, in every life of it. */
  readonly port: number;
  /** Of the life that runs now. */
  readonly pid: number | undefined;
  readonly lives: number;
  /** Ends that nobody requested, with their codes. */
  readonly surprises: readonly string[];
  /** The first errors that it logged, which are bugs: a part that is briefly unavailable is a warning. */
  readonly errors: readonly string[];
  ready(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Kills it and resolves when the next life is ready; from then on its clock is off by so much. */
  kill(shiftMs?: number): Promise<void>;
  /**
   * Asks it to end, as a deployment does, and resolves when the next life is ready: of another release where `next`
   * says so. Ending otherwise than by exit code 0 is a surprise.
   */
  replace(next?: Pick<FleetSettings, 'program' | 'env'>): Promise<void>;
  close(): Promise<void>;
}

export interface FleetSettings {
  readonly base: string;
  readonly guardian: Guardian;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** What follows `node`: the built program, or the sources through tsx. */
  readonly program: readonly string[];
  /** Further variables. */
  readonly env?: Readonly<Record<string, string>>;
}

const READY = { web: 'listens on', worker: 'worker ready' } as const;
const READY_WITHIN_MS = 120_000;
/** pino's level of errors. */
const LOGGED_ERROR = 50;
const KEPT_ERRORS = 3;
/** How much of a process's last output to keep, in characters: it explains why one ended by itself. */
const KEPT_WORDS = 4_000;

/** Starts one process; `ready()` says when it is. */
export async function startMember(
  settings: FleetSettings,
  role: 'web' | 'worker',
  slot: number,
): Promise<Member> {
  return new KeptProcess(settings, role, `${role}-${slot}`, role === 'web' ? await freePort() : 0);
}

class KeptProcess implements Member {
  readonly name: string;
  readonly role: 'web' | 'worker';
  readonly port: number;
  readonly surprises: string[] = [];
  readonly errors: string[] = [];
  lives = 0;
  #settings: FleetSettings;
  readonly #out: WriteStream;
  readonly #keeping: Promise<void>;
  #child: ChildProcess | null = null;
  #said = '';
  #isReady = false;
  #wanted = true;
  #killed = false;
  #replaced = false;
  #shiftMs = 0;

  constructor(settings: FleetSettings, role: 'web' | 'worker', name: string, port: number) {
    this.#settings = settings;
    this.role = role;
    this.name = name;
    this.port = port;
    this.#out = createWriteStream(join(settings.base, `${name}.log`), { flags: 'a' });
    this.#keeping = this.#keep();
  }

  async #keep(): Promise<void> {
    while (this.#wanted) {
      const child = this.#spawn();
      this.#child = child;
      this.#killed = false;
      this.#replaced = false;
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      this.#isReady = false;
      const expected = this.#killed || (this.#replaced && child.exitCode === 0);
      if (!expected && this.#wanted)
        this.surprises.push(`${this.name} ended with ${child.exitCode ?? child.signalCode}: ${this.#said}`);
      if (this.#wanted) await sleep(100);
    }
  }

  #spawn(): ChildProcess {
    const { program, databaseUrl, redisUrl, base, guardian } = this.#settings;
    const child = spawn(process.execPath, ['--import', SHIFT, ...program, this.role], {
      cwd: PROJECT,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: process.env['HOME'] ?? '',
        NODE_ENV: 'test',
        LOG_LEVEL: 'warn',
        HOST: '127.0.0.1',
        ...(this.role === 'web' ? { PORT: String(this.port) } : {}),
        DATABASE_URL: databaseUrl,
        REDIS_URL: redisUrl,
        DATA_DIR: join(base, 'data'),
        RATE_LIMIT_PER_MINUTE: '0',
        APP_SECRET: 'only-for-tests',
        PAYMENT_WEBHOOK_SECRET: 'only-for-tests',
        SIMULCAST_SECRETS: 'floor=only-for-tests',
        CLOCK_SHIFT_MS: String(this.#shiftMs),
        ...this.#settings.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.lives += 1;
    this.#said = '';
    guardian.watch(this.name, child.pid);
    let said = '';
    child.stdout.on('data', (text: Buffer) => {
      if (this.#isReady) return;
      said += String(text);
      if (said.includes(READY[this.role])) this.#isReady = true;
    });
    child.stderr.on('data', (text: Buffer) => {
      this.#said = (this.#said + String(text)).slice(-KEPT_WORDS);
      this.#out.write(text);
    });
    createInterface({ input: child.stderr }).on('line', (line) => {
      const isError = line.startsWith(`{"level":${LOGGED_ERROR},`);
      if (isError && this.errors.length < KEPT_ERRORS) this.errors.push(`${this.name} logged ${line}`);
    });
    return child;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async ready(): Promise<void> {
    const until = performance.now() + READY_WITHIN_MS;
    while (!this.#isReady) {
      if (performance.now() > until)
        throw new Error(
          `${this.name} was not ready in time; ended ${this.surprises.length} times: ${this.#said}`,
        );
      await sleep(20);
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async kill(shiftMs = 0): Promise<void> {
    this.#shiftMs = shiftMs;
    this.#killed = true;
    const life = this.lives;
    this.#child?.kill('SIGKILL');
    while (this.lives === life) await sleep(10);
    await this.ready();
  }

  async replace(next: Pick<FleetSettings, 'program' | 'env'> = this.#settings): Promise<void> {
    this.#settings = { ...this.#settings, ...next };
    this.#replaced = true;
    const life = this.lives;
    this.#child?.kill('SIGTERM');
    while (this.lives === life) await sleep(10);
    await this.ready();
  }

  async close(): Promise<void> {
    this.#wanted = false;
    this.#killed = true;
    this.#child?.kill('SIGCONT');
    this.#child?.kill('SIGTERM');
    const force = setTimeout(() => this.#child?.kill('SIGKILL'), 8_000);
    await this.#keeping;
    clearTimeout(force);
    this.#settings.guardian.watch(this.name, undefined);
    this.#out.end();
  }
}

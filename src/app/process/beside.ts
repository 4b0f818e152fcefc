/**
 * The test service that `start --test-service` runs beside the real one: the same program on servers, secrets and a
 * data folder of its own, of which only the front knows where it listens. It may begin later than the real service and
 * be started again; until it answers, test tokens are answered 503.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../shared/log.ts';
import { type Config, childEnvironment, environmentWith } from '../config/config.ts';
import { freePort } from './listening.ts';

export interface Beside {
  /** What the front's processes have to know, as their environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Starts it and does not wait for it. */
  start(): void;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const RESTART_MS = 5_000;

/** Chooses where it will listen. */
export async function prepareBeside(config: Config, log: Log): Promise<Beside> {
  const port = await freePort({ host: HOST, port: 0 });
  const dataDir = join(config.dataDir, 'test-service');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const front = { TEST_SERVICE_SECRET: secretFor(config, 'front') };
  const env = environmentWith({ ...ownEnvironment(config), ...front, DATA_DIR: dataDir, PORT: String(port) });
  let closing = false;
  let child: ChildProcess | null = null;
  // Its own file, so that nobody takes what it says for what the real service says; one for all of its starts, so that
  // what it ended with is still there to read.
  const file = join(dataDir, 'output.log');
  const output = openSync(file, 'w', 0o600);
  const start = (): void => {
    child = fork(process.argv[1] ?? '', ['start'], { env, stdio: ['ignore', output, output, 'ipc'] });
    child.once('exit', (code, signal) => {
      if (closing) return;
      log.warn({ code, signal, output: file }, 'the test service ended; it is started again');
      setTimeout(() => closing || start(), RESTART_MS).unref();
    });
  };
  return {
    start,
    environment: { ...front, TEST_SERVICE_URL: `http://${HOST}:${port}` },
    async close() {
      closing = true;
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Nothing that leads to what is real: no servers, mail, payments or files of the real service, and other secrets. */
function ownEnvironment(config: Config): Record<string, string> {
  const none = [
    ...['DATABASE_URL', 'DATABASE_PASSWORD', 'REDIS_URL', 'REDIS_PASSWORD', 'SMTP_URL', 'MEDIA_STORAGE'],
    ...['STRIPE_SECRET_KEY', 'STRIPE_API_URL', 'CHECKPOINT_WEBHOOK', 'CHECKPOINT_WEBHOOK_SECRET'],
    ...['TEST_SERVICE_URL', 'METRICS_TOKEN', 'BID_DURABILITY'],
  ];
  return {
    ...Object.fromEntries(none.map((name) => [name, ''])),
    HOST,
    TRUST_PROXY: HOST,
    PAYMENT_SANDBOX: '1',
    OTEL_SDK_DISABLED: '1',
    APP_SECRET: secretFor(config, 'app'),
    SEAL_KEY: secretFor(config, 'seals'),
    PAYMENT_WEBHOOK_SECRET: secretFor(config, 'payments'),
    SIMULCAST_SECRETS: `test=${secretFor(config, 'simulcast')}`,
    ...childEnvironment(),
  };
}

/** The same at each start. */
function secretFor({ appSecrets: [secret] }: Config, use: string): string {
  return createHmac('sha256', secret).update(`test service: ${use}`).digest('hex');
}

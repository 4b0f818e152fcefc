/**
 * The embedded Redis: writes its configuration and describes how it is launched. Called by the pair's start and by
 * tests that need their own Redis. Every write is on disk before it is answered; it listens on loopback only,
 * with its own password.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from './ports.ts';
import type { Preparation } from './preparation.ts';
import { findRedis, redisEnvironment } from './redis-binary.ts';
import type { RedisBinary } from './redis-download.ts';
import type { ServerProgram } from './supervise.ts';

/** A prepared Redis and its address. */
export interface PreparedRedis {
  readonly program: ServerProgram;
  readonly redisUrl: string;
}

/** Where Redis keeps its data under `dataDir`. */
export function redisFolder(dataDir: string): string {
  return join(dataDir, 'redis');
}

/**
 * Finds the program and describes the server for `dataDir` on a port that is free now.
 * @throws EmbeddedError when this machine has no Redis and none can be fetched.
 */
export async function prepareRedis(preparation: Preparation): Promise<PreparedRedis> {
  const { dataDir } = preparation;
  const binary = await findRedis(preparation);
  const password = randomBytes(24).toString('hex');
  const logFile = join(dataDir, 'logs', 'redis.log');
  const program = await describeRedis(binary, { folder: redisFolder(dataDir), logFile, password });
  return { program, redisUrl: `redis://:${password}@127.0.0.1:${program.port}` };
}

/** What one Redis server is given; `extra` are further lines of its configuration. */
export interface RedisFolder {
  readonly folder: string;
  readonly logFile: string;
  readonly password?: string;
  readonly extra?: readonly string[];
}

/** Writes the configuration into the folder and describes the launch. */
export async function describeRedis(binary: RedisBinary, home: RedisFolder): Promise<ServerProgram> {
  const { folder, logFile, password } = home;
  const port = await freePort();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'redis.conf');
  const secret = password === undefined ? [] : [`requirepass ${password}`];
  const lines = [`port ${port}`, ...durable, ...secret, ...(home.extra ?? [])];
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  return {
    name: 'redis',
    command: binary.path,
    args: [file],
    env: redisEnvironment(binary),
    folder,
    logFile,
    port,
    isReady: () => answersPing(port, password),
    stopSteps: [
      { signal: 'SIGTERM', graceMs: 2_000 },
      { signal: 'SIGKILL', graceMs: 500 },
    ],
  };
}

const durable = [
  'bind 127.0.0.1',
  'protected-mode yes',
  'daemonize no',
  'dir ./',
  'pidfile ./redis.pid',
  // The command line must continue naming the folder: leftovers are recognized by it.
  'set-proc-title no',
  'save ""',
  'appendonly yes',
  'appendfsync always',
  'no-appendfsync-on-rewrite no',
  'maxmemory-policy noeviction',
  // Bids write so much that, from 64 MiB on as usual, the file would be rewritten again and again in the busiest hour.
  'auto-aof-rewrite-min-size 512mb',
  // A day's idempotency records expire together: in the background, since bids wait for whatever Redis does itself.
  'lazyfree-lazy-expire yes',
];

function answersPing(port: number, password: string | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1');
    const finish = (ready: boolean) => {
      socket.destroy();
      resolve(ready);
    };
    socket.setTimeout(1_000, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
    socket.write(`${password === undefined ? '' : `AUTH ${password}\r\n`}PING\r\n`);
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (answer.includes('+PONG')) finish(true);
      else if (answer.includes('-LOADING') || answer.includes('-ERR')) finish(false);
    });
  });
}

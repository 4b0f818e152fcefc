/**
 * The Redis of a fault run: a process that is started again whenever it dies, as a service manager would, unless the
 * run holds it down. Its fsync can be slowed and its disk filled where this machine allows that.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Guardian } from '../../adapters/embedded/guardian.ts';
import { describeRedis } from '../../adapters/embedded/redis.ts';
import { findRedis } from '../../adapters/embedded/redis-binary.ts';
import { launch } from '../../adapters/embedded/supervise.ts';

export interface RedisPart {
  readonly port: number;
  readonly redisUrl: string;
  readonly starts: number;
  signal(signal: NodeJS.Signals): void;
  /** Kills it and holds it down until `release`. */
  holdDown(): Promise<void>;
  /** Lets it come back; resolves when it answers. */
  release(): Promise<void>;
  /** Resolves when it answers. */
  untilUp(): Promise<void>;
  /** Resolves when the process that runs now is gone, or after `mostMs`. */
  untilGone(maxMs: number): Promise<boolean>;
  /** Every fsync takes this much longer until the process ends. Resolves when that is in force. */
  slowFsync(delayUs: number): Promise<void>;
  /** Leaves no byte free where its data is. */
  fillDisk(): Promise<void>;
  makeRoom(): Promise<void>;
  close(): Promise<void>;
}

export interface RedisFolder {
  /** Where its data goes; a small file system of its own where `fillDisk` is wanted. */
  readonly folder: string;
  readonly base: string;
  readonly guardian: Guardian;
  readonly extra: readonly string[];
}

export async function startRedisPart({ folder, base, guardian, extra }: RedisFolder): Promise<RedisPart> {
  const binary = await findRedis({ dataDir: base, onProgress: () => undefined, guard: () => undefined });
  const program = await describeRedis(binary, { folder, logFile: join(base, 'redis.log'), extra });
  const hooks = { onPid: (_name: string, pid: number | undefined) => guardian.watch('redis', pid) };
  const filler = join(folder, 'filler');
  let child: ChildProcess | null = null;
  let wanted = true;
  let starts = 0;
  let tracer: ChildProcess | null = null;

  /** Keeps it running while it is wanted. */
  const keep = async () => {
    for (;;) {
      if (!wanted) return;
      try {
        const started = await launch(program, hooks);
        // The launch lets the loop end without it; here somebody waits for its end.
        started.ref();
        child = started;
        starts += 1;
        if (started.exitCode === null && started.signalCode === null) await once(started, 'exit');
      } catch {
        // A disk that is still full: tried again.
      }
      child = null;
      await sleep(100);
    }
  };
  let keeping = keep();
  const untilUp = async () => {
    const until = performance.now() + 30_000;
    while (child === null || !(await program.isReady(child.pid ?? 0))) {
      if (performance.now() > until) throw new Error('Redis did not come back within 30 s');
      await sleep(10);
    }
  };
  const untilGone = async (maxMs: number) => {
    const until = performance.now() + maxMs;
    const here = child;
    while (here !== null && child === here) {
      if (performance.now() > until) return false;
      await sleep(10);
    }
    return true;
  };
  await untilUp();
  return {
    port: program.port,
    redisUrl: `redis://127.0.0.1:${program.port}`,
    get starts() {
      return starts;
    },
    signal: (signal) => void child?.kill(signal),
    async holdDown() {
      wanted = false;
      child?.kill('SIGKILL');
      await keeping;
    },
    async release() {
      if (wanted) return;
      wanted = true;
      keeping = keep();
      await untilUp();
    },
    untilUp,
    untilGone,
    async slowFsync(delayUs) {
      const inject = `inject=fdatasync,fsync:delay_enter=${delayUs}`;
      const args = ['-f', '-qq', '-p', String(child?.pid), '-e', 'trace=fdatasync,fsync', '-e', inject];
      tracer = spawn('strace', [...args, '-o', '/dev/null'], { stdio: 'ignore' });
      guardian.watch('strace', tracer.pid);
      tracer.once('exit', () => guardian.watch('strace', undefined));
      await sleep(300);
      if (tracer.exitCode !== null) throw new Error(`strace ended with ${tracer.exitCode}`);
    },
    fillDisk: () => fill(folder, filler),
    makeRoom: () => rm(filler, { force: true }),
    async close() {
      wanted = false;
      child?.kill('SIGCONT');
      child?.kill('SIGKILL');
      await keeping;
      tracer?.kill('SIGKILL');
      guardian.watch('redis', undefined);
    },
  };
}

const MARGIN_BYTES = 1024 * 1024;
const MOST_MARGIN_BYTES = 256 * MARGIN_BYTES;

/** Takes all but the last of the room at once, as writing it would take long, and then the rest byte by byte. */
export async function fill(folder: string, filler: string): Promise<void> {
  // A server that writes meanwhile may use what was just freed.
  for (let margin = MARGIN_BYTES; ; margin *= 4) {
    const { bavail, bsize } = await statfs(folder);
    const size = Math.max(4_096, bavail * bsize - margin);
    const done = await promisify(execFile)('fallocate', ['-l', String(size), filler]).catch((error) => {
      if (margin >= MOST_MARGIN_BYTES) throw error;
      return null;
    });
    if (done !== null) break;
    await rm(filler, { force: true });
  }
  const file = await open(filler, 'a');
  try {
    for (let size = MARGIN_BYTES / 4; size >= 512; ) {
      const written = await file.write(Buffer.alloc(size, 1)).catch(() => null);
      if (written === null || written.bytesWritten < size) size >>= 1;
    }
  } finally {
    await file.close();
  }
}

/** What all deployments of a run share: a folder, a Postgres, and who ends everything should the run be killed. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Guardian, startGuardian } from '../../adapters/embedded/guardian.ts';
import { PostgresHost } from '../faults/postgres-host.ts';

/** What follows `node`. */
export const PROGRAM = ['dist/src/cli.js'];

/** Where a command finds its servers. */
export interface Stores {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/** What a command answered. */
export interface Answered {
  readonly code: number;
  readonly said: string;
}

/** Runs a command to its end. */
export function runProgram(env: NodeJS.ProcessEnv, words: readonly string[]): Promise<Answered> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...PROGRAM, ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, said: `${stdout}${stderr}`.trim() }),
    );
  });
}

export interface Machine {
  readonly base: string;
  readonly guardian: Guardian;
  readonly postgres: PostgresHost;
  close(): Promise<void>;
}

export async function startMachine(): Promise<Machine> {
  const base = await mkdtemp(join(tmpdir(), 'rostrum-restores-'));
  const guardian = startGuardian();
  await mkdir(join(base, 'postgres'));
  const postgres = await PostgresHost.prepare(join(base, 'postgres'), 'postgres', guardian);
  await postgres.start();
  return {
    base,
    guardian,
    postgres,
    async close() {
      await postgres.end('SIGQUIT');
      guardian.release();
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** What all deployments of a run share: a folder, a Postgres, and who ends everything should the run be killed. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Guardian, startGuardian } from '../../adapters/embedded/guardian.ts';
import { PostgresHost } from '../faults/postgres-host.ts';

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

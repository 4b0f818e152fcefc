/**
 * `npm run test:restores -- --kills N`: kills `rostrum backup` and `rostrum restore` at moments of chance, N times each.
 * What is half done is taken for whole by nobody, and the next try ends whole and equal.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../adapters/postgres/database.ts';
import { readManifest } from '../../src/app/backup/manifest.ts';
import { freshRedis } from '../support/redis-servers.ts';
import type { Deployment } from './deployment.ts';
import { PROGRAM, type Stores } from './machine.ts';

export interface Kills {
  readonly killed: number;
  /** Ends that came before the kill. */
  readonly finished: number;
  readonly faults: readonly string[];
}

/** Starts a command and kills it after so long; gives whether it was killed before its end. */
async function killAfter(deployment: Deployment, stores: Stores, words: readonly string[], ms: number) {
  const child: ChildProcess = spawn(process.execPath, [...PROGRAM, ...words], {
    env: deployment.environment(stores),
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  await Promise.race([ended, sleep(ms)]);
  child.kill('SIGKILL');
  const [code] = await ended;
  return code === null;
}

/** How long the command takes when nobody kills it. */
async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  await work();
  return performance.now() - beganMs;
}

/** Backups that are killed, up to `times`; each is finished by a second try. */
export async function killBackups(deployment: Deployment, times: number): Promise<Kills> {
  const faults: string[] = [];
  let killed = 0;
  const folder = join(deployment.backupFolder, '..', 'killed-backup');
  const backUp = () => deployment.must('backup', folder, '--copy-media');
  const wholeMs = await timeOf(backUp);
  for (let at = 0; at < times; at += 1) {
    await rm(folder, { recursive: true, force: true });
    const wasKilled = await killAfter(
      deployment,
      deployment.stores,
      ['backup', folder, '--copy-media'],
      wholeMs * (0.2 + Math.random() * 0.8),
    );
    if (!wasKilled) continue;
    killed += 1;
    const half = await readManifest(folder).catch((error: Error) => error);
    if (half instanceof Error) faults.push(`a manifest that cannot be read: ${half.message}`);
    // Its last act is the manifest: killed behind that, it is whole.
    else if (half?.finishedAt) continue;
    else {
      const refused = await deployment.type('restore', folder);
      if (refused.code === 0 || !/no complete backup|is not complete/.test(refused.said))
        faults.push(`half a backup was restored: ${refused.said}`);
    }
    await backUp();
    const whole = await readManifest(folder);
    if (!whole?.finishedAt || whole.tables?.['users'] === undefined)
      faults.push('the second try is not whole');
  }
  return { killed, finished: times - killed, faults };
}

/** Restores of a whole backup into empty servers that are killed; the next try has to end as the first would have. */
export async function killRestores(deployment: Deployment, times: number): Promise<Kills> {
  const faults: string[] = [];
  let killed = 0;
  let wholeMs = 0;
  let wanted = '';
  for (let at = 0; at <= times; at += 1) {
    const redis = await freshRedis();
    const stores = {
      databaseUrl: await deployment.emptyDatabase(`restored_${at}`),
      redisUrl: redis.redisUrl,
    };
    const restore = async () => {
      // The one that was killed holds its lock for as long as Postgres takes to notice.
      for (let tries = 0; tries < 20; tries += 1) {
        const { code, said } = await deployment.typeWith(stores, 'restore', deployment.backupFolder);
        if (code === 0) return said;
        if (!/already running/.test(said)) throw new Error(said);
        await sleep(500);
      }
      throw new Error('the lock is held for ever');
    };
    try {
      if (at === 0) {
        wholeMs = await timeOf(restore);
        wanted = await sumOf(stores);
        continue;
      }
      const words = ['restore', deployment.backupFolder];
      const wasKilled = await killAfter(deployment, stores, words, wholeMs * (0.1 + Math.random() * 0.9));
      if (!wasKilled) continue;
      killed += 1;
      if (/holds a marketplace/.test(await restore().catch((error: Error) => error.message)))
        faults.push(`trial ${at}: Postgres is full, and the restore does not know it is done`);
      const sum = await sumOf(stores);
      if (sum !== wanted) faults.push(`trial ${at}: ${sum} instead of ${wanted}`);
      const verified = await deployment.typeWith(stores, 'journal', 'verify');
      if (verified.code !== 0) faults.push(`trial ${at}: ${verified.said}`);
    } catch (error) {
      faults.push(`trial ${at}: ${error}`);
    } finally {
      await redis.close();
      await deployment.dropDatabase(`restored_${at}`);
    }
  }
  return { killed, finished: times - killed, faults };
}

/** Rows by table, and how far each lot's journal goes. */
async function sumOf({ databaseUrl }: Stores): Promise<string> {
  const { knex, close } = openDatabase(databaseUrl, { max: 1 });
  try {
    const counts: string[] = [];
    for (const table of [
      'users',
      'auctions',
      'lots',
      'bids',
      'journal_entries',
      'events',
      'idempotency_records',
    ])
      counts.push(`${table} ${(await knex(table).count('* as n').first())?.['n']}`);
    const { rows } = await knex.raw(
      'SELECT md5(string_agg(hash, chr(44) ORDER BY lot_id, sequence)) AS sum FROM journal_entries',
    );
    return [...counts, rows[0].sum].join(', ');
  } finally {
    await close();
  }
}

/**
 * A backup that is taken while bids come in, and restored into servers of its own: the journals verify there, and every
 * bid that Postgres knew of before is in it.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase } from '../../adapters/postgres/database.ts';
import { freshRedis } from '../support/redis-servers.ts';
import type { Setting } from './setting.ts';

const run = promisify(execFile);

/** Throws if the restored deployment is not as expected. */
export async function backUpAndRestore(setting: Setting, number: number): Promise<void> {
  const { db, redis, program, base } = setting;
  const folder = join(base, `backup-${number}`);
  const name = `restored_${number}`;
  // It may name two hosts, which is no URL.
  const url = db.url.replace(/\/[^/]*$/, `/${name}`);
  const command = (databaseUrl: string, redisUrl: string, ...words: string[]) =>
    run(process.execPath, [...program, ...words, '--json'], {
      env: {
        ...process.env,
        DATABASE_URL: databaseUrl,
        REDIS_URL: redisUrl,
        NODE_ENV: 'test',
        DATA_DIR: folder,
      },
    }).catch((error: { readonly stdout?: string }) => {
      // What a command with --json says of its failure is there.
      throw new Error(`rostrum ${words.join(' ')}: ${error.stdout ?? ''}`, { cause: error });
    });
  const known: string[] = await db.knex('bids').pluck('bid_id');
  await command(db.url, redis.redisUrl, 'backup', folder);
  await db.knex.raw(`CREATE DATABASE ${name}`);
  const fresh = await freshRedis();
  const restored = openDatabase(url, { max: 2 });
  try {
    await command(url, fresh.redisUrl, 'migrate');
    await command(url, fresh.redisUrl, 'restore', folder);
    const { stdout } = await command(url, fresh.redisUrl, 'journal', 'verify');
    if (!/"ok": ?true/.test(stdout)) throw new Error(`the restored journal: ${stdout}`);
    const there = new Set(await restored.knex('bids').pluck('bid_id'));
    const lost = known.filter((id) => !there.has(id));
    if (lost.length > 0) throw new Error(`${lost.length} of ${known.length} bids are not in the backup`);
  } finally {
    await restored.close();
    await fresh.close();
    await db.knex.raw(`DROP DATABASE ${name} WITH (FORCE)`);
  }
}

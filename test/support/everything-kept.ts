/** All that a service under test keeps, wherever it keeps it, for tests that search it. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from 'redis';
import type { FreshRedis } from './redis-servers.ts';
import type { Service } from './service.ts';

/** All that is kept, as one text: each key of Redis and its files, each row of Postgres, each file of the data folder. */
export async function everythingKept(redis: FreshRedis, service: Service): Promise<string> {
  const parts: string[] = [];
  const client = createClient({ url: redis.redisUrl });
  await client.connect();
  for await (const keys of client.scanIterator())
    for (const key of keys) {
      const type = await client.type(key);
      const value = {
        string: () => client.get(key),
        hash: () => client.hGetAll(key),
        list: () => client.lRange(key, 0, -1),
        set: () => client.sMembers(key),
        zset: () => client.zRangeWithScores(key, 0, -1),
        stream: () => client.xRange(key, '-', '+'),
      }[type];
      parts.push(`${key} ${JSON.stringify(await value?.())}`);
    }
  client.destroy();
  const { knex } = service.backends;
  const tables: { name: string }[] = await knex('pg_tables')
    .where('schemaname', 'public')
    .select('tablename as name');
  for (const { name } of tables) {
    const { rows } = await knex.raw<{ rows: { row: string }[] }>(`SELECT t::text AS row FROM "${name}" t`);
    parts.push(...rows.map(({ row }) => row));
  }
  for (const folder of [service.config.dataDir, redis.folder])
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []))
      if (entry.isFile()) parts.push(await readFile(join(entry.parentPath, entry.name), 'latin1'));
  return parts.join('\n');
}

/** All that is in Postgres and Redis, as text in which a secret would be found. */
import { openDatabase } from '../../adapters/postgres/database.ts';
import { newClient } from '../../adapters/redis/clients.ts';

/** Every row of every table, as text. */
export async function postgresDump(databaseUrl: string): Promise<string> {
  const { knex, close } = openDatabase(databaseUrl, { max: 1 });
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'",
  );
  const texts: string[] = [];
  for (const { name } of rows) {
    const found = await knex.raw<{ rows: { text: string }[] }>(`select t::text as text from ${name} t`);
    texts.push(...found.rows.map(({ text }) => text));
  }
  await close();
  return texts.join('\n');
}

/** Every key with all that is in it. */
export async function redisDump(redisUrl: string): Promise<string> {
  const client = newClient({ url: redisUrl });
  client.on('error', () => undefined);
  await client.connect();
  const read: Readonly<Record<string, (key: string) => string[]>> = {
    string: (key) => ['GET', key],
    hash: (key) => ['HGETALL', key],
    list: (key) => ['LRANGE', key, '0', '-1'],
    set: (key) => ['SMEMBERS', key],
    zset: (key) => ['ZRANGE', key, '0', '-1'],
    stream: (key) => ['XRANGE', key, '-', '+'],
  };
  const texts: string[] = [];
  for (const key of (await client.sendCommand(['KEYS', '*'])) as unknown as string[]) {
    const type = String(await client.sendCommand(['TYPE', key]));
    // Gone since it was listed.
    if (type === 'none') continue;
    const command = read[type];
    if (command === undefined) throw new Error(`nothing reads a ${type}`);
    texts.push(key, JSON.stringify(await client.sendCommand(command(key))));
  }
  client.destroy();
  return texts.join('\n');
}

/** What waits in queues: its keys, each with the line after it. */
export function queued(dump: string): string {
  const lines = dump.split('\n');
  return lines.filter((line, n) => line.startsWith('bull:') || lines[n - 1]?.startsWith('bull:')).join('\n');
}

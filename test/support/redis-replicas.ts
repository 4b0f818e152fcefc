/**
 * A Redis with a replica and a Sentinel that watches them, for tests of failovers. The Sentinel is quick: a second and
 * a half of silence is enough for it. It pings every second, so less would depose a server that was just promoted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import { type FreshRedis, freshRedis } from './redis-servers.ts';

export interface WatchedRedis {
  /** `redis-sentinel://…`, as `REDIS_URL` takes it. */
  readonly redisUrl: string;
  readonly master: FreshRedis;
  readonly replica: FreshRedis;
  readonly sentinel: FreshRedis;
  /** Resolves when the Sentinel calls this server master. */
  untilMaster(server: FreshRedis): Promise<void>;
  close(): Promise<void>;
}

const NAME = 'rostrum';

/** Starts the three; resolves when the replica follows and the Sentinel knows it. */
export async function startWatchedRedis(): Promise<WatchedRedis> {
  const master = await freshRedis(['repl-diskless-sync-delay 0']);
  const replica = await freshRedis([`replicaof 127.0.0.1 ${master.port}`, 'repl-diskless-sync-delay 0']);
  // A Sentinel asks for replicas at its start, and then only every ten seconds.
  await until(async () =>
    (await redisCommand(replica, ['INFO', 'replication'])).includes('master_link_status:up'),
  );
  const sentinel = await freshRedis(
    [
      `sentinel monitor ${NAME} 127.0.0.1 ${master.port} 1`,
      `sentinel down-after-milliseconds ${NAME} 1500`,
      `sentinel failover-timeout ${NAME} 3000`,
    ],
    ['--sentinel'],
  );
  await until(async () =>
    (await redisCommand(sentinel, ['SENTINEL', 'REPLICAS', NAME])).includes(String(replica.port)),
  );
  return {
    redisUrl: `redis-sentinel://127.0.0.1:${sentinel.port}/${NAME}`,
    master,
    replica,
    sentinel,
    untilMaster: ({ port }) =>
      until(async () =>
        (await redisCommand(sentinel, ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME])).includes(`"${port}"`),
      ),
    async close() {
      for (const server of [sentinel, replica, master]) await server.close();
    },
  };
}

/** The reply of a server as text. */
export async function redisCommand(server: FreshRedis, command: string[]): Promise<string> {
  const client = createClient({ url: server.redisUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const answer: unknown = await client.sendCommand(command);
    return typeof answer === 'string' ? answer : JSON.stringify(answer);
  } finally {
    client.destroy();
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + 60_000;
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > deadlineMs) throw new Error('it did not come to be so within 60 s');
    await sleep(50);
  }
}

/**
 * The projection as a worker runs it, in a process of its own. Takes the addresses of Postgres and Redis; ends with
 * its parent.
 */
import { openDatabase } from '../../adapters/postgres/database.ts';
import { unguarded } from '../../adapters/redis/guarded-script.ts';
import { openLink } from '../../adapters/redis/link.ts';
import { RedisPubSub } from '../../adapters/redis/pub-sub.ts';
import { startProjection } from '../../src/bidding/projection/projection.ts';
import { REDIS_SCRIPTS } from '../../src/shared/project-root.ts';

const [databaseUrl, redisUrl, maxLogBytes] = process.argv.slice(2) as [string, string, string];
const projection = await startProjection({
  database: openDatabase(databaseUrl),
  redis: await openLink(redisUrl),
  pubSub: await RedisPubSub.open(redisUrl),
  guard: unguarded(''),
  scripts: REDIS_SCRIPTS,
  maxLogBytes: Number(maxLogBytes),
  keepMs: 1_000,
  claimEveryMs: 100,
  onError: (error) => console.error(String(error)),
});
process.send?.('ready');
process.on('disconnect', () => {
  void projection.close().finally(() => process.exit(0));
});

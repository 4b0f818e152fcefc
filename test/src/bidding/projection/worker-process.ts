/**
 * A worker that only projects, as a process of its own, for tests that kill it. Takes the addresses of Postgres and
 * Redis.
 */
import { openDatabase } from '../../../../adapters/postgres/database.ts';
import { unguarded } from '../../../../adapters/redis/guarded-script.ts';
import { openLink } from '../../../../adapters/redis/link.ts';
import { RedisPubSub } from '../../../../adapters/redis/pub-sub.ts';
import { startProjection } from '../../../../src/bidding/projection/projection.ts';
import { REDIS_SCRIPTS } from '../../../../src/shared/project-root.ts';

const [databaseUrl, redisUrl] = process.argv.slice(2) as [string, string];
const pubSub = await RedisPubSub.open(redisUrl);
const redis = await openLink(redisUrl);
await startProjection({
  database: openDatabase(databaseUrl),
  redis,
  pubSub,
  guard: unguarded(''),
  scripts: REDIS_SCRIPTS,
  claimEveryMs: 100,
});
console.log('projecting');

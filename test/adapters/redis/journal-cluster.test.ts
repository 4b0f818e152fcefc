/** The journal on a Redis Cluster of three masters, held to the contract of every journal. */
import { shardsFor } from '../../../adapters/redis/shards.ts';
import { describeJournal } from '../../contracts/journal.contract.ts';
import { redisStore } from '../../contracts/redis-store.ts';
import { startRedisCluster } from '../../support/redis-servers.ts';

describeJournal('the journal on a Redis Cluster', async () => {
  const cluster = await startRedisCluster();
  const store = await redisStore(
    `redis-cluster://${cluster.nodes.map(({ host, port }) => `${host}:${port}`)}`,
    shardsFor(cluster.nodes.length),
  );
  return {
    ...store,
    async close() {
      await store.close();
      await cluster.close();
    },
  };
});

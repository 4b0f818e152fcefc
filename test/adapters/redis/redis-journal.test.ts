/** The journal on one Redis server, held to the contract of every journal. */
import { describeJournal } from '../../contracts/journal.contract.ts';
import { redisStore } from '../../contracts/redis-store.ts';
import { freshRedis } from '../../support/redis-servers.ts';

describeJournal('the journal on Redis', async () => {
  const server = await freshRedis();
  const store = await redisStore(server.redisUrl);
  return {
    ...store,
    async close() {
      await store.close();
      await server.close();
    },
  };
});

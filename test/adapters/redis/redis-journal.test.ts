/** The journal on one Redis server, held to the contract of every journal, with few shards and with many. */
import { describeJournal } from '../../contracts/journal.contract.ts';
import { redisStore } from '../../contracts/redis-store.ts';
import { freshRedis } from '../../support/redis-servers.ts';

for (const shards of [1, 64]) {
  describeJournal(`the journal on Redis, in ${shards} of its shards`, async () => {
    const server = await freshRedis();
    const store = await redisStore(server.redisUrl, shards);
    return {
      ...store,
      async close() {
        await store.close();
        await server.close();
      },
    };
  });
}

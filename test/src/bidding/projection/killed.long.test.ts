/** A projection that is killed at any point, or that two workers do at once, writes everything once and in order. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { openDatabase } from '../../../../adapters/postgres/database.ts';
import { shardOf } from '../../../../adapters/redis/shards.ts';
import { type AuctionHouse, openHouse } from '../../../support/auction-house.ts';
import { playAuction } from '../../../support/bidding-play.ts';
import { databaseCutAt } from '../../../support/cut-connection.ts';
import { type ProjectedRows, projectedRows, takeBack } from '../../../support/projected-rows.ts';
import { type FreshRedis, freshRedis, startRedisCluster } from '../../../support/redis-servers.ts';
import { ShardProjector } from '../../../support/shard-projector.ts';

const servers = [
  { name: 'one Redis', start: () => freshRedis() },
  {
    name: 'a Redis Cluster',
    start: async () => {
      const cluster = await startRedisCluster();
      const redisUrl = `redis://${cluster.nodes.map(({ host, port }) => `${host}:${port}`).join(',')}`;
      return { redisUrl, close: () => cluster.close() } as FreshRedis;
    },
  },
];

for (const { name, start } of servers) {
  describe(`a projection that is killed, on ${name}`, () => {
    let server: FreshRedis;
    let house: AuctionHouse;

    before(async () => {
      server = await start();
      house = await openHouse(server.redisUrl);
    });

    after(async () => {
      await house?.close();
      await server?.close();
    });

    /** What the same log comes to when nothing disturbs it. */
    async function undisturbed(auctionId: number): Promise<ProjectedRows> {
      await takeBack(house.db.knex, auctionId, shardOf(auctionId, null));
      const parts = { database: house.db, redis: house.redis, onLotClosed: [] };
      const projector = new ShardProjector(shardOf(auctionId, null), parts);
      while ((await projector.step()).messages > 0);
      return projectedRows(house.db.knex, auctionId);
    }

    it('loses and duplicates nothing, interrupted before and after every statement', async () => {
      const { auctionId } = await playAuction(house, { rounds: 60, seed: 7, close: true });
      const points: string[] = [];
      for (const when of ['before', 'after'] as const) {
        for (let statement = 0; statement < 20; statement += 1) {
          const database = databaseCutAt(house.databaseUrl, { statement, when });
          const parts = { database, redis: house.redis, onLotClosed: [], segmentChars: 1 };
          const error = await new ShardProjector(shardOf(auctionId, null), parts).step().then(
            () => null,
            (reason: unknown) => reason,
          );
          const at = database.cutAt();
          if (at !== null) points.push(`${when} ${at}`);
          expect(error === null, `${when} statement ${statement}: ${at}`).to.equal(at === null);
          await database.close();
        }
      }
      expect(points.length, points.join('\n')).to.be.at.least(20);
      expect(points.join('\n'))
        .to.match(/after COMMIT/i)
        .and.match(/before COMMIT/i);
      const parts = { database: house.db, redis: house.redis, onLotClosed: [], segmentChars: 1 };
      const projector = new ShardProjector(shardOf(auctionId, null), parts);
      while ((await projector.step()).messages > 0);
      const disturbed = await projectedRows(house.db.knex, auctionId);
      expect(disturbed.bids).to.have.length.above(20);
      expect(disturbed.events.at(-1)?.['type']).to.equal('auction.ended');
      expect(disturbed).to.deep.equal(await undisturbed(auctionId));
    });

    it('keeps the order when two workers project one shard', async () => {
      const databases = [openDatabase(house.databaseUrl), openDatabase(house.databaseUrl)];
      let playing = true;
      const moved: string[] = [];
      let auctionId = 0;
      const workers = databases.map(async (database, index) => {
        while (auctionId === 0) await sleep(1);
        const parts = { database, redis: house.redis, onLotClosed: [], segmentChars: 1 };
        const projector = new ShardProjector(shardOf(auctionId, null), parts);
        for (;;) {
          const step = await projector.step();
          if (step.messages > 0) {
            moved.push(`${index} ${step.position?.streamId}`);
            // The other one's turn: on a busy machine one alone could be through before.
            if (new Set(moved.map((line) => line[0])).size < 2) await sleep(20);
          } else if (!playing && !step.more) return;
        }
      });
      const onPublished = (id: number) => {
        auctionId = id;
      };
      const play = await playAuction(house, { rounds: 80, seed: 11, atOnce: 3, close: true, onPublished });
      playing = false;
      await Promise.all(workers);
      await Promise.all(databases.map((database) => database.close()));
      const ids = moved.map((line) => line.split(' ')[1]);
      expect(new Set(ids).size, 'each segment once').to.equal(ids.length);
      expect(new Set(moved.map((line) => line[0])).size, 'both took part').to.equal(2);
      const disturbed = await projectedRows(house.db.knex, play.auctionId);
      expect(disturbed).to.deep.equal(await undisturbed(play.auctionId));
    });
  });
}

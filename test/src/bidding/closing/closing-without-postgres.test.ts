import { expect } from 'chai';
import { RedisJournal } from '../../../../adapters/redis/redis-journal.ts';
import { ShardDirectory } from '../../../../adapters/redis/shard-directory.ts';
import { ALL_SHARDS } from '../../../../adapters/redis/shards.ts';
import { Engine } from '../../../../engine/actor/engine.ts';
import { isoFromUs } from '../../../../engine/time.ts';
import { sweepShards } from '../../../../src/bidding/closing/sweep.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { nodeDigest, nodeRandomness } from '../../../../src/shared/node-crypto.ts';
import { REDIS_SCRIPTS } from '../../../../src/shared/project-root.ts';
import { aLot, anAuction } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { startService } from '../../../support/service.ts';

describe('a worker that has not met an auction', () => {
  it('closes its lots while Postgres is away', async () => {
    const service = await startService();
    const { redis, epoch, lotLookup, seals, journal } = service.backends;
    const endsAtUs = journal.nowUs() + 1_000_000;
    const auction = await anAuction(service.database, { end_time: isoFromUs(endsAtUs) });
    const { id } = await aLot(service.database, { auction_id: auction.id });
    await service.publish();
    const shards = new ShardDirectory(() => Promise.reject(new Error('Postgres is away')));
    const kept = await new RedisJournal(redis, { guard: epoch, shards, scripts: REDIS_SCRIPTS }).start();
    const engine = new Engine(
      { journal: kept, digest: nodeDigest, random: nodeRandomness, seals },
      lotLookup,
    );
    const parts = { redis, journal: kept, engine, shards, log: openLog('silent', 'test') };
    await eventually(async () => (await sweepShards(parts, ALL_SHARDS)) === 1);
    expect(await journal.load(auction.id, id)).to.include({ status: 'unsold' });
    kept.stop();
    await service.close();
  });
});

/**
 * A Redis that has nothing of an auction whose lots are open, as one that was emptied, or rebuilt before the auction was
 * projected: what it lacks is no answer. Every bid gets 503 until the auction is published again, and then 201.
 */
import { expect } from 'chai';
import { rebuildJournal } from '../../../../src/bidding/journal/rebuild.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { redisCommand } from '../../../support/redis-replicas.ts';
import { type Service, startService } from '../../../support/service.ts';

const BIDDERS = 4;

describe('a Redis that has nothing of an auction', () => {
  let busy: Service;
  let idle: Service;

  before(async () => {
    busy = await startService();
    idle = await startService({
      redis: busy.redis,
      database: { db: busy.database, databaseUrl: busy.databaseUrl },
    });
  });
  after(async () => {
    await idle.close();
    await busy.close();
  });

  it('takes no bid and refuses none before the auction is published again', async () => {
    const token = await busy.tokenFor(await aUser(busy.database));
    const auction = await anAuction(busy.database);
    const lots: { readonly id: number }[] = [];
    for (const lot_number of [1, 2, 3])
      lots.push(await aLot(busy.database, { auction_id: auction.id, lot_number }));
    await busy.publish();
    let cents = 10_000;
    const bid = async (service: Service, { id }: { readonly id: number }) => {
      cents += 100_000;
      const body = { amount: (cents / 100).toFixed(2) };
      const answer = await service.call('POST', `/api/v1/lots/${id}/bids`, { token, body });
      return `${answer.status} ${answer.body.code ?? ''}`;
    };
    // One lot is in memory where the others are not.
    expect(await bid(busy, lots[0]!)).to.equal('201 ');

    const answers = new Set<string>();
    let bidding = true;
    const bidder = async () => {
      while (bidding)
        for (const service of [busy, idle]) for (const lot of lots) answers.add(await bid(service, lot));
    };
    await redisCommand(busy.redis, ['FLUSHALL']);
    const bidders = Array.from({ length: BIDDERS }, bidder);
    await eventually(
      async () => busy.backends.epoch.trouble !== null && idle.backends.epoch.trouble !== null,
    );
    await rebuildJournal({ ...busy.backends, onLotClosed: [] });
    await eventually(
      async () => busy.backends.epoch.trouble === null && idle.backends.epoch.trouble === null,
    );
    for (const service of [busy, idle]) for (const lot of lots) answers.add(await bid(service, lot));
    bidding = false;
    await Promise.all(bidders);
    expect([...answers]).to.deep.equal(['503 journal_unavailable']);

    await busy.publish();
    for (const service of [busy, idle])
      for (const lot of lots) expect(await bid(service, lot)).to.equal('201 ');
  });
});

/** Bid groups with two workers, one of which is killed again and again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { userKey } from '../../../../engine/auction/record.ts';
import { leads } from '../../../../engine/formats/formats.ts';
import { loadConfig } from '../../../../src/app/config/config.ts';
import { groupParts } from '../../../../src/app/process/group-parts.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { bidsOfGroups, openGroupSale, rivalBids, wrongOf } from '../../../support/bid-group-play.ts';
import { randomOf } from '../../../support/bidding-play.ts';
import { eventually, type Market, openMarket } from '../../../support/market.ts';
import { slowness } from '../../../support/slowness.ts';

const BIDS = 80;
const KILL_EVERY = 40;

describe('bid groups under workers that are killed', () => {
  let market: Market;

  before(async () => {
    market = await openMarket();
  });
  after(() => market.close());

  it('never lead more than is wanted, and go on with what is left', async () => {
    const random = randomOf(7);
    const config = loadConfig({ NODE_ENV: 'test', APP_SECRET: 'only-for-tests' });
    const note = { note: () => {}, noteRefused: () => {} };
    const parts = groupParts(config, market, note, openLog('silent', 'test'));
    const [, first] = await Promise.all([market.worker(), market.worker()]);
    const publish = (auctionId: number) => market.publish(auctionId);
    const sale = await openGroupSale(market.db, publish, parts, random, { lots: 8, groups: 6 });
    let killed = first;
    for (let bids = 1; bids <= BIDS; bids += 1) {
      await rivalBids(market, sale, random);
      await sleep(random() * 60);
      if (bids % KILL_EVERY !== 0) continue;
      await killed.kill('SIGKILL');
      killed = await market.worker();
    }
    const isCalm = async () => (await wrongOf(market, sale)).length === 0;
    await eventually(isCalm, 20_000).catch(() => undefined);
    expect(await wrongOf(market, sale)).to.deep.equal([]);
    expect(await bidsOfGroups(market, sale)).to.be.above(12);
  });

  it('are on the next lot within 2 seconds', async () => {
    const random = randomOf(3);
    const config = loadConfig({ NODE_ENV: 'test', APP_SECRET: 'only-for-tests' });
    const note = { note: () => {}, noteRefused: () => {} };
    const parts = groupParts(config, market, note, openLog('silent', 'test'));
    const publish = (auctionId: number) => market.publish(auctionId);
    const sale = await openGroupSale(market.db, publish, parts, random, { lots: 3, groups: 1 });
    const [group] = sale.groups;
    const led = async () => {
      const states = await Promise.all(
        sale.lotIds.map((lotId) => market.journal.load(sale.auctionId, lotId)),
      );
      return sale.lotIds.filter((_, at) => {
        const state = states[at];
        return state && group && leads(state, userKey(group.userId));
      });
    };
    const [before] = await led();
    const limit = 2_000 * slowness();
    await market.bid(before!, sale.rivals[0]!, 400_000);
    const began = performance.now();
    await eventually(async () => (await led()).some((lotId) => lotId !== before), 30_000);
    expect(performance.now() - began).to.be.below(limit);
  });
});

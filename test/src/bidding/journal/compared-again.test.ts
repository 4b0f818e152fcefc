/** Comparing Redis again beneath processes that go on committing: it is never taken for an older one. */
import { expect } from 'chai';
import { aLot, aUser } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';

const COMPARED = 60;

describe('a Redis that is compared again', () => {
  let first: Service;
  let second: Service;

  before(async () => {
    first = await startService();
    second = await startService({
      redis: first.redis,
      database: { db: first.database, databaseUrl: first.databaseUrl },
    });
  });
  after(async () => {
    await second.close();
    await first.close();
  });

  it('is not taken for older while others commit', async () => {
    const lot = await aLot(first.database);
    await first.publish();
    const token = await first.tokenFor(await aUser(first.database));
    let comparing = true;
    const statuses: number[] = [];
    const bidding = async (at: number) => {
      for (let n = 0; comparing; n += 1) {
        const body = { max_amount: `${1_000 + n * 4 + at}.00` };
        statuses.push((await first.call('POST', `/api/v1/lots/${lot.id}/bids`, { token, body })).status);
      }
    };
    const bidders = [0, 1, 2, 3].map(bidding);
    const troubles: (string | null)[] = [];
    for (let n = 0; n < COMPARED; n += 1) {
      await second.backends.epoch.recheck();
      troubles.push(second.backends.epoch.trouble);
    }
    comparing = false;
    await Promise.all(bidders);
    expect(new Set(troubles)).to.deep.equal(new Set([null]));
    expect(statuses.filter((status) => status >= 500)).to.deep.equal([]);
    expect(statuses.length).to.be.above(COMPARED);
  });
});

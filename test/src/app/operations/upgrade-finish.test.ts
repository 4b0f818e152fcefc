/**
 * A marketplace of an older release writes each bid's event in a row of its own, as the previous release reads it,
 * until the upgrade is finished; one that starts with this release never does.
 */
import { expect } from 'chai';
import { examine } from '../../../../src/app/doctor/examine.ts';
import type { Projection } from '../../../../src/bidding/projection/projection.ts';
import { mayShareRows } from '../../../../src/bidding/projection/shared-rows.ts';
import { aLot, aUser } from '../../../support/builders.ts';
import { runCommand } from '../../../support/commands.ts';
import { eventually } from '../../../support/market.ts';
import { projectionOf } from '../../../support/projection.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('an upgrade', () => {
  let service: Service;
  let projection: Projection;

  before(async () => {
    service = await startService();
    projection = await projectionOf(service.backends);
  });
  after(async () => {
    await projection.close();
    await service.close();
  });

  it('that is not finished writes nothing that the previous release would misread', async () => {
    const { knex } = service.backends;
    expect(await mayShareRows(knex)).to.equal(true);
    await knex('journal_meta').update({ bids_share_rows: false });
    const token = await service.tokenFor(await aUser(service.database));
    const lot = await aLot(service.database);
    await service.publish();
    let cents = 100_000;
    const bid = async () => {
      cents += 100_000;
      const body = { amount: `${cents / 100}.00` };
      const answer = await service.call('POST', `/api/v1/lots/${lot.id}/bids`, { token, body });
      expect(answer.status).to.equal(201);
      await eventually(async () => (await projection.lag()).entries === 0);
      return knex('events').where('type', 'lot.bid_placed').orderBy('id', 'desc').first('bids', 'data');
    };
    const reminder = async () => {
      const addresses = { databaseUrl: service.databaseUrl, redisUrl: service.redis.redisUrl };
      return (await examine(service.config, addresses)).find(({ name }) => name === 'upgrade');
    };
    const alone = await bid();
    expect([alone.bids, alone.data.amount]).to.deep.equal([null, `${cents / 100}.00`]);
    expect((await reminder())?.todo).to.match(/rostrum migrate --finish/);

    const variables = { DATABASE_URL: service.databaseUrl, REDIS_URL: service.redis.redisUrl };
    const { code, out } = await runCommand(['migrate', '--finish', '--json'], variables);
    expect([code, JSON.parse(out)]).to.deep.equal([0, { migrated: [], finished: true }]);
    expect((await bid()).bids).to.be.a('string');
    expect((await reminder())?.ok).to.equal(true);
  });
});

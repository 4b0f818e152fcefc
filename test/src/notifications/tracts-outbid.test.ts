/** Who no longer leads on tracts that are sold in any combination is told so, without the price of one alone. */
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { type RunningJobs, startWorkerJobs } from '../../../src/app/jobs/worker-jobs.ts';
import { openLog } from '../../../src/shared/log.ts';
import { writtenMails } from '../../support/mailbox.ts';
import { eventually } from '../../support/market.ts';
import { ParcelsSales } from '../../support/parcels-sales.ts';
import { type Service, startService } from '../../support/service.ts';

describe('being outbid on tracts', () => {
  let service: Service;
  let jobs: RunningJobs;
  let sales: ParcelsSales;

  before(async () => {
    service = await startService();
    sales = await ParcelsSales.of(service);
    jobs = await startWorkerJobs(service.config, service.backends, new Registry(), openLog('silent', 'test'));
  });
  after(async () => {
    await jobs?.close();
    await service?.close();
  });

  it('says that other bids lead, on the page and by mail', async () => {
    const sale = await sales.open([{ title: 'North' }, { title: 'South' }]);
    const [ann, bob] = [await sales.bidder(), await sales.bidder()];
    expect((await sales.bid(ann, sale.lots, '300.00')).status).to.equal(201);
    await eventually(async () => {
      const row = await service.backends.knex('lots').where('id', sale.lots[1]).first('leader_user_id');
      return row.leader_user_id === ann.user.id;
    });
    expect((await sales.bid(bob, sale.lots, '400.00')).status).to.equal(201);
    const notices = await eventually(async () => {
      const { data } = (await service.get('/api/v1/me/notifications', ann.token)).body;
      return data.length === 2 ? data : null;
    });
    const said = ['North', 'South'].map(
      (name) => `Other bids lead on ${name} now, alone or with other tracts.`,
    );
    expect(notices.map(({ body }: { body: string }) => body)).to.have.members(said);
    const [mail = ''] = await eventually(async () => {
      const mails = writtenMails(service).filter((text) => text.includes(ann.user.email));
      return mails.length > 0 ? mails : null;
    });
    for (const one of said) expect(mail).to.include(one);
    expect(mail, 'no price of a tract alone').to.not.include('$');
  }).timeout(60_000);
});

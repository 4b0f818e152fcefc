/** What follows on a sale of tracts: mails and invoices that speak of the set, and no second buyer of one of its lots. */
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { startWorkerJobs } from '../../../../src/app/jobs/worker-jobs.ts';
import { setSentences } from '../../../../src/notifications/kinds/bidding-kinds.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { staffOf } from '../../../support/billing.ts';
import type { Sale } from '../../../support/format-sales.ts';
import { eventually } from '../../../support/market.ts';
import { projectAuction } from '../../../support/money.ts';
import { ParcelsSales } from '../../../support/parcels-sales.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('tracts that were bought together', () => {
  let service: Service;
  let sales: ParcelsSales;

  before(async () => {
    service = await startService();
    sales = await ParcelsSales.of(service);
  });
  after(() => service.close());

  async function sold(): Promise<{ sale: Sale; token: string }> {
    const sale = await sales.open([{ title: 'North' }, { title: 'South' }, { title: 'House' }]);
    const [one, , three] = sale.lots;
    const [ann, bob] = [await sales.bidder(), await sales.bidder()];
    expect((await sales.bid(ann, [one, three], '500.00')).status).to.equal(201);
    expect((await sales.bid(bob, sale.lots, '300.00', { standing: true })).status).to.equal(201);
    await sales.end(sale);
    await projectAuction(service.database, service.backends.redis, sale.id);
    return { sale, token: ann.token };
  }

  it('are billed each with its share of the set', async () => {
    const { token } = await sold();
    const bills = (await service.get('/api/v1/invoices', token)).body.data;
    const lines = bills.flatMap((bill: { lines: { description: string }[] }) => bill.lines);
    expect(lines.map(({ description }: { description: string }) => description)).to.include.members([
      'Lot 1: North, its share of lots 1, 3 as one set for 500.00',
      'Lot 3: House, its share of lots 1, 3 as one set for 500.00',
    ]);
  });

  it('are won in one sentence of a mail, and each for its share', async () => {
    const { sale } = await sold();
    const log = openLog('silent', 'test');
    const jobs = await startWorkerJobs(service.config, service.backends, new Registry(), log);
    try {
      const won = await eventually(async () => {
        const rows = await service.backends
          .knex('notifications')
          .whereIn('lot_id', [...sale.lots])
          .where({ kind: 'won' });
        return rows.length === 2 ? rows : null;
      });
      for (const { data } of won) {
        expect(data).to.deep.include({ set: { amount: '500.00', numbers: [1, 3] } });
        expect(setSentences(data)).to.deep.equal(['Tracts 1, 3 as one set for $500.00.']);
      }
    } finally {
      await jobs.close();
    }
  }).timeout(60_000);

  it('find no second buyer: bids on sets are for none of them alone', async () => {
    const { sale } = await sold();
    const [one = 0] = sale.lots;
    await staffOf(service).defaultLot(one);
    const refused = await sales.sell('POST', `lots/${one}/second-chance`, {});
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'no_bidder_left']);
    expect(refused.body.message).to.include('sold in combinations');
    const { to_decide: rows } = (await sales.sell('GET', `auctions/${sale.id}/after`)).body.data;
    const own = rows.find(({ lot_id, id }: { lot_id?: number; id?: number }) => (lot_id ?? id) === one);
    expect(own.options).to.deep.equal(['relist']);
  });
});

/** What follows on a sale of tracts: mails and invoices that speak of the set, and no second buyer of one of its lots. */
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { startWorkerJobs } from '../../../../src/app/jobs/worker-jobs.ts';
import { setSentences } from '../../../../src/notifications/kinds/bidding-kinds.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { staffOf } from '../../../support/billing.ts';
import { BrowserLike, signIn } from '../../../support/browser-like.ts';
import { PASSWORD, type Sale } from '../../../support/format-sales.ts';
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

  it('have no last bid where nobody has bid on them alone', async () => {
    const { sale } = await sold();
    const browser = new BrowserLike(service.url);
    expect((await signIn(browser, sales.owner.email, PASSWORD)).status).to.equal(303);
    const file = await browser.get(`/seller/auctions/${sale.id}/results.csv`);
    expect(file.status).to.equal(200);
    const rows = file.text.split('\r\n').map((line) => line.split(','));
    const at = rows[0]!.indexOf('last_bid');
    // A tract that is sold shows its share, and one that was bid on only with others nothing: not 0.00.
    expect(rows.slice(1, 4).map((row) => [row[3], row[at], row[at + 1]])).to.deep.equal([
      ['sold', '250.00', '250.00'],
      ['passed', '', ''],
      ['sold', '250.00', '250.00'],
    ]);
    const shown = await Promise.all(sale.lots.map((lot) => sales.lot(lot)));
    expect(shown.map(({ current_bid: current }) => current)).to.deep.equal(['250.00', '0.00', '250.00']);
    const page = (await browser.get(`/seller/lots?auction=${sale.id}`)).text;
    expect(page).to.include('$250.00').and.not.include('$0.00');
    const { to_decide: rest } = (await sales.sell('GET', `auctions/${sale.id}/after`)).body.data;
    expect(rest.map((row: { highest_bid: unknown }) => row.highest_bid)).to.deep.equal([null]);
  });

  it('find no second buyer: bids on sets are for none of them alone', async () => {
    const { sale } = await sold();
    const [one = 0] = sale.lots;
    await staffOf(service).defaultLot(one);
    const refused = await sales.sell('POST', `lots/${one}/second-chance`, {});
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'no_bidder_left']);
    expect(refused.body.message).to.include('for any combination').and.include('list it again');
    const { to_decide: rows } = (await sales.sell('GET', `auctions/${sale.id}/after`)).body.data;
    const own = rows.find(({ lot_id, id }: { lot_id?: number; id?: number }) => (lot_id ?? id) === one);
    expect(own.options).to.deep.equal(['relist']);
  });
});

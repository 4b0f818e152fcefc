/** How a tender is set up: on the auction, on its lots, and where there is nothing to seal bids with. */
import { expect } from 'chai';
import { importMarketplace } from '../../../../src/tools/import/import-marketplace.ts';
import { type Service, startService } from '../../../support/service.ts';
import { SEAL_KEY, TenderSales } from '../../../support/tender-sales.ts';

describe('the settings of a tender', () => {
  let service: Service;
  let sales: TenderSales;

  before(async () => {
    service = await startService({ env: { SEAL_KEY } });
    sales = await TenderSales.of(service);
  });

  after(() => service.close());

  it('are the auction’s, unless a lot says otherwise, and stand in the journal’s first entry', async () => {
    const settings = { tender_may_withdraw: true, tender_pays: 'second', tender_final_round: 3 };
    const { id, lots } = await sales.open([{}, { tender_pays: 'own', tender_may_withdraw: false }], settings);
    const shown = (await sales.sell('GET', `auctions/${id}`)).body.data;
    expect(shown).to.include({ ...settings, tender_may_lower: null, tender_final_seconds: null });
    const common = { tender_may_lower: false, tender_final_round: 3, tender_final_seconds: 86_400 };
    const first = { ...common, tender_may_withdraw: true, tender_pays: 'second' };
    const second = { ...common, tender_may_withdraw: false, tender_pays: 'own' };
    for (const [index, wanted] of [first, second].entries()) {
      expect(await sales.lot(lots[index])).to.include(wanted);
      const [entry, ...others] = (await service.get(`/api/v1/lots/${lots[index]}/journal`)).body.data;
      expect(entry.events[0]).to.include({ ...wanted, format: 'tender' });
      expect(others).to.deep.equal([]);
    }
    const locked = await sales.sell('PATCH', `auctions/${id}`, { tender_pays: 'own' });
    expect([locked.status, locked.body.code]).to.deep.equal([409, 'auction_locked']);
    const fixed = await sales.sell('PATCH', `lots/${lots[0]}`, { tender_pays: 'own' });
    expect([fixed.status, fixed.body.code]).to.deep.equal([409, 'lot_locked']);
    const same = await sales.sell('PATCH', `lots/${lots[1]}`, { tender_pays: 'own' });
    expect(same.status, same.text).to.equal(200);
  });

  it('are refused where the format has no use for them', async () => {
    const times = {
      start_time: new Date().toISOString(),
      end_time: new Date(Date.now() + 3_600_000).toISOString(),
    };
    const timed = await sales.sell('POST', 'auctions', { title: 'T', ...times, tender_pays: 'second' });
    expect([timed.status, Object.keys(timed.body.errors)]).to.deep.equal([422, ['tender_pays']]);
    for (const unused of [
      { soft_close: { window_seconds: 60 } },
      { type: 'simulcast' },
      { confirm_factor: 3 },
    ]) {
      const tender = await sales.sell('POST', 'auctions', {
        title: 'T',
        format: 'tender',
        ...times,
        ...unused,
      });
      expect([tender.status, Object.keys(tender.body.errors)]).to.deep.equal([422, Object.keys(unused)]);
    }
    const made = await sales.sell('POST', 'auctions', { title: 'T', format: 'tender', ...times });
    const lot = { auction_id: made.body.data.id, title: 'L', starting_bid: '1.00' };
    for (const unused of [{ buy_now_price: '9.00' }, { start_price: '9.00' }, { tender_final_round: 1 }]) {
      const refused = await sales.sell('POST', 'lots', { ...lot, ...unused });
      expect([refused.status, Object.keys(refused.body.errors)]).to.deep.equal([422, Object.keys(unused)]);
    }
  });

  it('need something to seal bids with', async () => {
    const bare = await startService();
    try {
      const poor = await TenderSales.of(bare);
      expect(String(await poor.open([{}]).catch((error: Error) => error))).to.include('sealing_unavailable');
      const document = {
        teams: [{ name: 'Fields', owner: 'o@example.com' }],
        users: [{ email: 'o@example.com' }],
        auctions: [
          {
            ...{ title: 'T', team: 'Fields', format: 'tender', status: 'active' },
            ...{ start_time: '2026-01-01T00:00:00Z', end_time: '2036-01-01T00:00:00Z' },
            lots: [{ title: 'L', starting_bid: '1.00', tender_pays: 'second' }],
          },
        ],
      };
      const fault = await importMarketplace(bare.backends.knex, document).catch((error: Error) => error);
      expect(String(fault)).to.include('auctions[0].format: needs SEAL_KEY');
      const loaded = await importMarketplace(bare.backends.knex, document, { canSeal: true });
      expect(Object.keys(loaded.auctions)).to.have.length(1);
    } finally {
      await bare.close();
    }
  });
});

/** A settlement statement, as its seller reads and prints it. */
import { expect } from 'chai';
import { aLot, anAuction } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk } from './seller-at-desk.ts';

const NUMBER = 'SET-2026-90001';

describe('a settlement statement', () => {
  let service: Service;
  let seller: AtDesk;

  before(async () => {
    service = await startService();
    seller = await aSellerAtDesk(service);
    await service.backends.knex('teams').where('id', seller.team.id).update({ tax_number: 'US-77' });
  });
  after(() => service.close());

  it('says whose it is and at which rate, has no column of nothing, and knows no buyer of an adjustment', async () => {
    const { knex } = service.backends;
    const auction = await anAuction(service.database, { team_id: seller.team.id });
    const whose = { auction_id: auction.id, team_id: seller.team.id };
    const [made] = await knex('settlements')
      .insert({
        ...{ ...whose, statement_number: NUMBER, kind: 'auction', currency: 'usd', commission_bps: 1_000 },
      })
      .returning('id');
    const page = async () => (await seller.browser.get(`/seller/settlements/${NUMBER}`)).text;
    expect(await page())
      .to.contain('Nothing was sold.')
      .and.not.contain('<table');
    const lot = await aLot(service.database, { auction_id: auction.id });
    const of = { settlement_id: made.id, lot_id: lot.id };
    await knex('settlement_lines').insert({
      ...{ ...of, settled_by: 'platform', lot_number: 1, title: 'Anvil', fees: '[]' },
      ...{ hammer_cents: 10_000, commission_cents: 1_000, adjustment_cents: 0, net_cents: 9_000 },
    });
    const sold = await page();
    expect(sold)
      .to.contain('<p class="kicker" translate="no">Rostrum</p>')
      .and.contain('Tax number US-77')
      .and.contain('Commission 10%')
      .and.contain('pays the platform');
    for (const column of ['Fees', 'Adjustment']) expect(sold, column).not.to.contain(`>${column}<`);
    await knex('settlement_adjustments').insert({
      ...{ ...of, auction_id: auction.id, kind: 'sale', description: 'Milk churn' },
      ...{ commission_cents: 0, amount_cents: -500 },
    });
    expect(await page())
      .to.contain('>Adjustment<')
      .and.contain('-$5.00')
      .and.not.contain('has paid');
  });
});

/** The lots of a campaign on its form. */
import { expect } from 'chai';
import { aLot, anAuction } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk, formOf } from './seller-at-desk.ts';

describe('the lots of a campaign', () => {
  let service: Service;
  let seller: AtDesk;
  const knex = () => service.backends.knex;

  before(async () => {
    service = await startService();
    seller = await aSellerAtDesk(service);
  });
  after(() => service.close());

  it('are ticked by number and title, and stay when they are over', async () => {
    const columns = { team_id: seller.team.id, title: 'Spring sale', status: 'draft' } as const;
    const auction = await anAuction(service.database, columns);
    const titles = ['Walnut desk', 'Oak chair', 'Brass lamp'];
    const ids: number[] = [];
    for (const title of titles)
      ids.push((await aLot(service.database, { auction_id: auction.id, title, status: 'draft' })).id);
    const [desk, chair] = ids;
    const others = await aLot(service.database);
    const fresh = await seller.browser.get('/seller/campaigns/new');
    for (const title of titles)
      expect(fresh.text).to.match(new RegExp(`Lot \\d+: ${title} \\(Spring sale\\)`));
    expect(fresh.text).not.to.contain(`lot_ids.${others.id}"`);
    const days = { start_date: '2027-01-01', end_date: '2027-01-10' };
    const made = await seller.browser.post('/seller/campaigns', {
      ...{ name: 'Ticked', placement: 'search', pricing_model: 'cpc', budget_cents: '50', ...days },
      ...{ [`lot_ids.${desk}`]: 'true', [`lot_ids.${chair}`]: 'true', [`lot_ids.${others.id}`]: 'true' },
    });
    const path = made.location?.split('?')[0] ?? '';
    const shown = async () =>
      knex()('ad_campaign_lots')
        .where('campaign_id', path.split('/').at(-1))
        .orderBy('lot_id')
        .pluck('lot_id');
    expect(await shown(), made.text).to.deep.equal([desk, chair]);
    await knex()('lots').where({ id: desk }).update({ status: 'withdrawn' });
    const form = formOf(await seller.browser.get(path), path);
    expect(form[`lot_ids.${desk}`]).to.equal('true');
    const { [`lot_ids.${chair}`]: _, ...fewer } = form;
    expect((await seller.browser.post(path, fewer)).status).to.equal(303);
    expect(await shown()).to.deep.equal([desk]);
    const none = await seller.browser.get('/seller/campaigns/new');
    expect(none.text).not.to.contain('Walnut desk');
  });
});

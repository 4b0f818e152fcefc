/** Somebody in two teams at the desk: the choice holds at once, and what is the other team's says so. */
import { expect } from 'chai';
import { BrowserLike } from '../../../support/browser-like.ts';
import { aLot, anAuction, aTeam } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk, formOf } from './seller-at-desk.ts';

describe('somebody in two teams, at the desk', () => {
  let service: Service;
  let second: Service;
  let seller: AtDesk;
  let otherTeamId: number;
  const knex = () => service.backends.knex;

  before(async () => {
    const env = { APP_SECRET: 'only-for-tests' };
    service = await startService({ env });
    const database = { db: service.database, databaseUrl: service.databaseUrl };
    second = await startService({ env, redis: service.redis, database });
    seller = await aSellerAtDesk(service);
    otherTeamId = (await aTeam(service.database, { name: 'Hollow & Sons' })).id;
    await knex()('memberships').insert({ team_id: otherTeamId, user_id: seller.user.id, role: 'admin' });
  });
  after(async () => {
    await second.close();
    await service.close();
  });

  it('says whose a page is, and leads there once the team is chosen', async () => {
    const auction = await anAuction(service.database, { team_id: otherTeamId, status: 'draft' });
    const lot = await aLot(service.database, { auction_id: auction.id, status: 'draft' });
    for (const path of [`/seller/auctions/${auction.id}`, `/seller/lots/${lot.id}`]) {
      const page = await seller.browser.get(path);
      expect(page.status, path).to.equal(403);
      expect(page.text).to.contain('Hollow &amp; Sons').and.to.contain('Switch to Hollow &amp; Sons');
    }
    const path = `/seller/auctions/${auction.id}/edit`;
    const page = await seller.browser.get(path);
    const start = page.text.indexOf('name="page"');
    const fields = { team: String(otherTeamId), page: path };
    expect(page.text.slice(start, start + 80)).to.contain(`value="${path}"`);
    expect((await seller.browser.post('/seller/team', fields)).location).to.equal(path);
    expect((await seller.browser.get(path)).status).to.equal(200);
    const back = formOf(await seller.browser.get('/seller/lots'), '/seller/team');
    await seller.browser.post('/seller/team', { ...back, team: String(seller.team.id) });
    const elsewhere = { ...fields, page: '//example.com/', team: String(seller.team.id) };
    expect((await seller.browser.post('/seller/team', elsewhere)).location).to.equal('/seller');
    const stranger = await aSellerAtDesk(service);
    expect((await stranger.browser.get(path)).status).to.equal(404);
  });

  it('knows the choice in the very next request, on every process', async () => {
    const other = new BrowserLike(second.url);
    for (let n = 0; n < 6; n += 1) {
      const chosen = n % 2 === 0 ? otherTeamId : seller.team.id;
      for (const browser of [other, seller.browser]) {
        for (const [name, value] of seller.browser.cookies) other.cookies.set(name, value);
        expect((await browser.get('/seller')).status).to.equal(200);
      }
      await seller.browser.post('/seller/team', { team: String(chosen) });
      for (const browser of [other, seller.browser])
        expect((await browser.get('/seller')).text).to.contain(`<option value="${chosen}" selected>`);
    }
  });
});

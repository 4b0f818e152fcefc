/** A tender's page, as a browser without scripts uses it: bid, replace, take back, the final round, and the set-up form. */
import { expect } from 'chai';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aUser } from '../../support/builders.ts';
import { type Bidder, PASSWORD } from '../../support/format-sales.ts';
import { projectAuction } from '../../support/money.ts';
import { type Service, startService } from '../../support/service.ts';
import { SEAL_KEY, TenderSales } from '../../support/tender-sales.ts';

describe('the page of a lot that is sold by tender', () => {
  let service: Service;
  let sales: TenderSales;

  before(async () => {
    service = await startService({ env: { SEAL_KEY } });
    sales = await TenderSales.of(service);
  });

  after(() => service.close());

  const browserOf = async ({ user }: Pick<Bidder, 'user'>) => {
    const browser = new BrowserLike(service.url);
    expect((await signIn(browser, user.email, PASSWORD)).status).to.equal(303);
    return browser;
  };

  /** Staff are told no more of sealed bids than anybody. */
  const officeShowsNothing = async (path: string) => {
    const user = await aUser(service.database, { is_admin: true, password_hash: quickHash(PASSWORD) });
    const browser = await browserOf({ user });
    for (const page of [`/office/lots?q=${path.split('/')[2]}`, `/office${path}`]) {
      const { text } = await browser.get(page);
      expect(text, page).to.include('>sealed<').and.not.include('$0.00').and.not.include('$1,300.00');
    }
  };

  it('takes a bid, shows it to its bidder, replaces it and takes it back', async () => {
    const tender = await sales.open([{ tender_may_withdraw: true, reserve_price: '150.00' }]);
    const path = `/lots/${tender.lots[0]}`;
    const anybody = await new BrowserLike(service.url).get(path);
    expect(anybody.text)
      .to.include('Sealed bids from')
      .and.include('Has a reserve')
      .and.include('Sign in to bid');
    const sale = await new BrowserLike(service.url).get(`/auctions/${tender.slug}`);
    expect(sale.text, 'its auction').to.include('Tender: sealed bids, opened at the end');
    expect(sale.text).to.not.include('Bid increments').and.not.include('late bids');
    const stranger = await browserOf(await sales.bidder());
    await stranger.get(path);
    const refused = await stranger.post(`${path}/bid`, { amount: '200.00' });
    expect(refused.status).to.equal(403);
    expect(refused.text).to.include('Register to bid');
    const browser = await browserOf(await sales.registered(tender));
    expect((await browser.get(path)).text)
      .to.include('Place bid')
      .and.include('What it would cost');
    const asked = await browser.post(`${path}/bid`, { amount: '1,234.50' });
    expect([asked.status, asked.text.includes('<h1>Confirm your bid</h1>')]).to.deep.equal([200, true]);
    expect(asked.text, 'with the premium of 10 percent').to.include('$1,357.95');
    const placed = await browser.post(`${path}/bid`, { amount: '1,234.50', confirmed: 'yes' });
    expect([placed.status, placed.location?.startsWith(`${path}?bid=sealed`)]).to.deep.equal([303, true]);
    const seen = await browser.get(placed.location ?? '');
    expect(seen.text).to.include('Your bid is sealed').and.include('Your sealed bid: <strong>$1,234.50');
    expect(seen.text, 'what it would cost').to.include('$1,357.95');
    expect(seen.text).to.include('Replace bid').and.include('Withdraw bid');
    const low = await browser.post(`${path}/bid`, { amount: '1000', confirmed: 'yes' });
    expect(low.status).to.equal(422);
    expect(low.text).to.include('The bid must be at least 1234.51.');
    expect((await browser.post(`${path}/bid`, { amount: '1300', confirmed: 'yes' })).status).to.equal(303);
    await officeShowsNothing(path);
    const page = await browser.get(path);
    expect(page.text).to.include('$1,300.00');
    const bid = /name="bid" value="([0-9a-f]+)"/.exec(page.text)?.[1] ?? '';
    const gone = await browser.post(`${path}/withdraw-bid`, { bid });
    expect([gone.status, gone.location]).to.deep.equal([303, `${path}?bid=withdrawn`]);
    const without = await browser.get(gone.location ?? '');
    expect(without.text).to.include('Your bid no longer stands').and.not.include('Your sealed bid');
    expect((await browser.post(`${path}/withdraw-bid`, { bid })).status).to.equal(404);
  });

  it('says who may bid in the final round, to each of them alone', async () => {
    const tender = await sales.open([{ tender_final_round: 2 }]);
    const [lot] = tender.lots;
    const people = await Promise.all([1, 2, 3].map(() => sales.registered(tender)));
    for (const [index, one] of people.entries()) await sales.bid(one, lot, `${200 + index}.00`);
    await sales.end(tender);
    const [last, , first] = people;
    const shown = async (who: Bidder | undefined) => (await (await browserOf(who!)).get(`/lots/${lot}`)).text;
    expect(await shown(first))
      .to.include('You may bid once more')
      .and.include('Replace bid');
    expect(await shown(last))
      .to.include('Only the highest bidders')
      .and.not.include('Replace bid');
    await sales.end(tender);
    await projectAuction(service.database, service.backends.redis, tender.id);
    expect(await shown(first))
      .to.include('You won')
      .and.include('Sold for')
      .and.include('Buyer’s premium</dt><dd data-part="premium">$20.20');
    expect(await shown(last))
      .to.include('You did not win')
      .and.include('$202.00');
  });

  it('is set up in the seller’s forms', async () => {
    await service.backends
      .knex('users')
      .where('id', sales.owner.id)
      .update({ current_team_id: sales.team.id });
    const seller = await browserOf({ user: sales.owner });
    const form = await seller.get('/seller/auctions/new');
    expect(form.text).to.include('Tender: sealed bids, opened at the end');
    const typed = { title: 'Fields by tender', format: 'tender', type: 'timed', step: 'fields' };
    const { status, text: asked } = await seller.post('/seller/auctions', typed);
    expect(status).to.equal(200);
    expect(asked, 'what a tender has of its own, before it is saved')
      .to.include('name="tender_final_round"')
      .and.include('value="Fields by tender"')
      .and.not.include('name="soft_close.window_seconds"');
    const tender = await sales.open([{}]);
    const live = await seller.get(`/seller/auctions/${tender.id}/live`);
    expect(live.text, 'what nobody knows')
      .to.include('data-part="bids">–<')
      .and.include('data-part="price">–<');
    const lots = await seller.get(`/seller/lots/new?auction_id=${tender.id}`);
    for (const name of ['tender_may_lower', 'tender_may_withdraw', 'tender_pays', 'tender_final_round'])
      expect(lots.text).to.include(`name="${name}"`);
    expect(lots.text).to.not.include('name="start_price"').and.not.include('name="buy_now_price"');
  });
});

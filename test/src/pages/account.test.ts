import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { type RunningJobs, startWorkerJobs } from '../../../src/app/jobs/worker-jobs.ts';
import { voidBid } from '../../../src/bidding/staff/void-bid.ts';
import { offerSecondChance } from '../../../src/sales/offers/offers.ts';
import { openLog } from '../../../src/shared/log.ts';
import { placeBid } from '../../support/auction-house.ts';
import { staffOf } from '../../support/billing.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { eventually } from '../../support/market.ts';
import { sell } from '../../support/money.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('account pages, without JavaScript', () => {
  let service: Service;
  let jobs: RunningJobs;
  let user: User;
  let browser: BrowserLike;
  let slug: string;
  const lots: Record<string, number> = {};

  before(async () => {
    service = await startService({ env: { PAYMENT_SANDBOX: '1' } });
    const { database } = service;
    user = await aUser(database, { password_hash: quickHash(PASSWORD), verified: true });
    const owner = await aUser(database, { name: 'Sam Prairie' });
    const team = await aTeam(database, { owner, name: 'Prairie Gate' });
    const auction = await anAuction(database, { team_id: team.id, title: 'Farm tools' });
    slug = auction.slug;
    for (const [title, columns] of [
      ['Plough', {}],
      ['Harrow', { buy_now_price_cents: 40_000 }],
      ['Scythe', {}],
    ] as const) {
      lots[title] = (await aLot(database, { auction_id: auction.id, title, ...columns })).id;
    }
    await service.publish();
    const log = openLog('silent', 'test');
    jobs = await startWorkerJobs(service.config, service.backends, new Registry(), log);
    browser = new BrowserLike(service.url);
    await signIn(browser, user.email, PASSWORD);
  });
  after(async () => {
    await jobs.close();
    await service.close();
  });

  const follow = async (page: { location: string | null }) => browser.get(page.location ?? '/');

  it('are for people who are signed in', async () => {
    const visitor = new BrowserLike(service.url);
    for (const path of [
      '/board',
      '/offers',
      '/invoices',
      '/registrations',
      '/saved-searches',
      '/notifications',
      '/profile',
    ]) {
      const page = await visitor.get(`/account${path}`);
      expect(page.location, path).to.equal(`/sign-in?next=${encodeURIComponent(`/account${path}`)}`);
      expect((await browser.get(`/account${path}`)).status, path).to.equal(200);
    }
    for (const former of ['', '/bids', '/watchlist'])
      expect((await browser.get(`/account${former}`)).location, former).to.equal('/account/board');
  });

  it('show the caller’s lots with their standing, and mark own rows after a reload', async () => {
    await browser.get(`/lots/${lots['Plough']}`);
    const placed = await browser.post(`/lots/${lots['Plough']}/bid`, { amount: '100' });
    expect(placed.status, placed.text).to.equal(303);
    const page = await browser.get(`/lots/${lots['Plough']}`);
    expect(page.text).to.contain('<span class="you">you</span>').and.to.contain('You lead, up to $100.00');
    const mine = () => browser.get('/account/board');
    await eventually(async () => (await mine()).text.includes('Plough'));
    expect((await mine()).text).to.contain('data-live="standing">Leading');
    const rival = await service.tokenFor(await aUser(service.database));
    const path = `/api/v1/lots/${lots['Plough']}/bids`;
    await service.call('POST', path, { token: rival, body: { amount: '150.00' } });
    for (const query of ['', '?bid=leading', '?bid=max_raised']) {
      const reloaded = await browser.get(`/lots/${lots['Plough']}${query}`);
      expect(reloaded.text, query).to.contain('You have been outbid.').and.not.contain('high bidder');
    }
    await eventually(async () => (await mine()).text.includes('data-live="standing">Outbid'));
    const bell = () => browser.get('/account/notifications');
    await eventually(async () => (await bell()).text.includes('The price is $150.00 now: Plough.'));
    // The list is the page: the choices are folded up, but after a choice.
    expect((await bell()).text).to.contain('id="preferences"><summary>');
    expect((await browser.get('/account/notifications?saved=1')).text).to.contain('id="preferences" open>');
    await new Promise((done) => setTimeout(done, 600));
    expect((await browser.get('/')).text).to.contain('aria-label="1 unread notification"');
    await browser.post('/account/notifications/read', {});
    await new Promise((done) => setTimeout(done, 600));
    expect((await browser.get('/')).text).to.contain('aria-label="No unread notifications"');
  });

  it('offer the least that leads, the next amounts, and after being outbid one tap; say whose bid was voided', async () => {
    const { database, backends } = service;
    const auction = await anAuction(database, { buyer_premium_bps: 1_000, sales_tax_ppm: 50_000 });
    const { id } = await aLot(database, { auction_id: auction.id, title: 'Churn' });
    await service.publish();
    const lot = `/lots/${id}`;
    const filled = async (query = '') =>
      /name="max_amount" inputmode[^>]*value="([^"]*)"/.exec((await browser.get(lot + query)).text)?.[1];
    expect(await filled()).to.equal('100.00');
    expect(await filled('?amount=250.00')).to.equal('250.00');
    const page = (await browser.get(lot)).text;
    const offered = [...page.matchAll(/form="next-amounts"[^>]*>([^<]+)</g)].map(([, text]) => text);
    expect(offered).to.deep.equal(['$110.00', '$120.00', '$130.00']);
    expect(page).to.contain('data-sum-total>$115.50<');
    await browser.post(`${lot}/bid`, { max_amount: '200' });
    expect(await filled()).to.equal('210.00');
    const rival = await service.tokenFor(await aUser(database));
    const rivalBids = (amount: string) =>
      service.call('POST', `/api/v1${lot}/bids`, { token: rival, body: { amount } });
    await rivalBids('150.00');
    const answered = (await browser.get(lot)).text;
    const rows = answered.slice(answered.indexOf('data-bids>')).replaceAll(/<[^>]+>|\s+/g, ' ');
    expect(rows).to.match(/you +automatic +\$160\.00 .* outbid at once +\$150\.00 .* you +Why\? +\$100\.00/);
    expect(answered).to.contain('data-raise-button hidden>');
    await rivalBids('300.00');
    await eventually(async () => (await browser.get(lot)).text.includes('data-raise-button>Bid $310.00<'));
    const raised = await browser.post(`${lot}/bid`, { max_amount: '310.00' });
    expect(raised.location).to.match(/bid=leading&id=/);
    const ownBid = (columns: object) =>
      eventually<string>(async () => {
        const found = await backends
          .knex('bids')
          .where({ lot_id: id, user_id: user.id, ...columns })
          .first();
        return found?.bid_id;
      });
    await voidBid(backends, await ownBid({ amount_cents: 31_000 }), 'a slip');
    await eventually(async () => {
      const text = (await browser.get(lot)).text;
      return text.includes('after a void') && text.includes('You have been outbid.');
    });
    await voidBid(backends, await ownBid({ voided: false }), 'a slip too');
    await eventually(async () => {
      const text = (await browser.get(lot)).text;
      return text.includes('voided: a slip.') && !text.includes('You have been outbid.');
    });
  });

  it('offer a lot whose winner did not pay, by mail too, and buy or decline it there', async () => {
    const { database, backends } = service;
    const { knex } = backends;
    const winner = await aUser(database);
    const auction = await anAuction(database, { buyer_premium_bps: 1_000 });
    const offered: number[] = [];
    for (const title of ['Anvil', 'Bellows']) {
      const lot = await aLot(database, { auction_id: auction.id, title });
      offered.push(lot.id);
      await service.publish();
      await backends.engine.submit(lot.id, placeBid(user.id, null, 30_000));
      await sell(backends.engine, lot.id, winner, 50_000);
      await eventually(() => knex('invoices').where('lot_id', lot.id).first('id'));
      await staffOf(service).defaultLot(lot.id);
      await offerSecondChance(knex, lot.id);
    }
    const offers = () => browser.get('/account/offers');
    const page = (await offers()).text;
    expect(page).to.contain('Buy Anvil for $330.00').and.to.contain('premium $30.00');
    const actions = [...page.matchAll(/action="(\/account\/offers\/\d+)"/g)].map(([, path]) => path!);
    expect(actions).to.have.length(2);
    expect((await browser.post(actions[0]!, { answer: 'decline' })).location).to.equal('/account/offers');
    expect((await browser.post(actions[1]!, { answer: 'accept' })).location).to.equal('/account/offers');
    expect((await browser.post(actions[1]!, { answer: 'accept' })).status).to.equal(409);
    expect((await browser.post('/account/offers/999999', { answer: 'accept' })).status).to.equal(404);
    expect((await offers()).text)
      .to.match(/Accepted[\s\S]*INV-/)
      .and.to.contain('Declined');
    const sold = (await service.get(`/api/v1/lots/${offered[0]}`)).body.data;
    expect(sold).to.include({ hammer_price: '300.00', current_bid: '300.00' });
    const notices = () =>
      knex('notifications').where({ user_id: user.id, kind: 'offer' }).whereNotNull('mailed_at');
    // By now the person has had as many mails as one gets in an hour.
    await knex('mails').update('created_at', knex.raw(`created_at - interval '61 minutes'`));
    await knex('mail_recipients').update('wakes_at', knex.fn.now());
    await eventually(async () => (await notices()).length === 2);
  });

  it('keep a watchlist and saved searches', async () => {
    await browser.get(`/lots/${lots['Scythe']}`);
    await browser.post(`/lots/${lots['Scythe']}/watch`, { watch: 'yes' });
    expect((await browser.get(`/lots/${lots['Scythe']}`)).text).to.contain('>Stop watching<');
    expect((await browser.get('/account/board')).text).to.contain('Scythe');
    await browser.post(`/lots/${lots['Scythe']}/watch`, { watch: 'no', next: '/account/board' });
    expect((await browser.get('/account/board')).text).not.to.contain('Scythe');
    expect((await browser.get('/lots?search=scythe')).text).to.contain('>Save this search<');
    await browser.post('/account/saved-searches', { query: 'search=scythe' });
    await browser.post('/account/saved-searches', { query: 'search=scythe' });
    const saved = await browser.get('/account/saved-searches');
    expect(saved.text.match(/href="\/lots\?search=scythe"/g)).to.have.length(1);
    const remove = /action="([^"]+\/remove)"/.exec(saved.text)?.[1] ?? '';
    await browser.post(remove, {});
    expect((await browser.get('/account/saved-searches')).text).to.contain('You have no saved searches');
    // It is called what the page calls it, not by the names of fields.
    const near = (await browser.get('/lots?near=39.7,-104.9&place=Denver,+CO&within_km=50&min_acres=5')).text;
    const [, form = ''] = /action="\/account\/saved-searches">(.*?)<\/form>/s.exec(near) ?? [];
    const [, query = ''] = /name="query" value="([^"]*)"/.exec(form) ?? [];
    const [, name = ''] = /name="name" value="([^"]*)"/.exec(form) ?? [];
    await browser.post('/account/saved-searches', { query: query.replaceAll('&amp;', '&'), name });
    const called = (await browser.get('/account/saved-searches')).text;
    expect(called)
      .to.contain('<h2>Within 50 km of Denver, CO, 5 acres or more</h2>')
      .and.not.contain('within km');
    await browser.post(/action="([^"]+\/remove)"/.exec(called)?.[1] ?? '', {});
  });

  it('lead from buying now over the invoice to its payment', async () => {
    const lot = `/lots/${lots['Harrow']}`;
    const requested = await (async () => {
      await browser.get(lot);
      return browser.post(`${lot}/buy-now`, { key: 'k1' });
    })();
    expect(requested.text).to.contain('<h1>Confirm your purchase</h1>').and.to.contain('$400.00');
    const bought = await browser.post(`${lot}/buy-now`, { key: 'k1', confirmed: 'yes' });
    expect(bought.location).to.match(new RegExp(`^${lot}\\?bid=won&id=`));
    const won = await eventually(async () => {
      const page = await follow(bought);
      return page.text.includes('Pay now') ? page : null;
    });
    expect(won.text).to.contain('You won').and.to.contain('Sold for').and.not.to.contain('Place bid');
    const number = /\/account\/invoices\/(INV-[0-9-]+)\/pay/.exec(won.text)?.[1] ?? '';
    const invoice = await browser.get(`/account/invoices/${number}`);
    expect(invoice.text).to.contain('Prairie Gate').and.to.contain(user.email).and.to.contain('Harrow');
    const pay = await browser.get(`/account/invoices/${number}/pay`);
    expect(pay.status).to.equal(303);
    expect(pay.location).to.contain('/sandbox/pay/');
    const stranger = new BrowserLike(service.url);
    const other = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    await signIn(stranger, other.email, PASSWORD);
    expect((await stranger.get(`/account/invoices/${number}`)).status).to.equal(404);
  });

  it('keep the profile, its zone and its address', async () => {
    await browser.get('/account/profile');
    const fields = { name: 'Rita Reader', phone: '+1 555 0100', postal_address: '1 Main St\nEmporia, KS' };
    expect((await browser.post('/account/profile', { ...fields, timezone: 'Nowhere/Else' })).status).to.equal(
      422,
    );
    await browser.post('/account/profile', { ...fields, timezone: 'America/Chicago' });
    const page = await browser.get('/account/profile');
    expect(page.text).to.contain('Rita Reader').and.to.contain('1 Main St\nEmporia, KS');
    expect((await browser.get(`/auctions/${slug}`)).text).to.match(/[AP]M C[SD]T</);
  });
});

/**
 * The board on the evening of a sale, in a real browser on a phone: rows that move, one tap that raises, a tap while
 * the network is away; and the same list without JavaScript.
 */
import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { Registry } from 'prom-client';
import type { User } from '../../src/accounts/models/user.model.ts';
import { type RunningJobs, startWorkerJobs } from '../../src/app/jobs/worker-jobs.ts';
import { openLog } from '../../src/shared/log.ts';
import { quickHash } from '../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../support/builders.ts';
import { collectProblems, openChromium } from '../support/chromium.ts';
import { eventually } from '../support/market.ts';
import { type JsonValue, type Service, startService } from '../support/service.ts';

const PASSWORD = 'a long enough password';
const PHONE = { viewport: { width: 390, height: 844 } };

describe('the board of a bidder’s evening, in a real browser', () => {
  let service: Service;
  let jobs: RunningJobs;
  let browser: Browser;
  let user: User;
  let rival: string;
  const lots: Record<string, number> = {};
  /** Neither watched nor bid on at first. */
  let dibber = 0;

  before(async () => {
    [service, browser] = await Promise.all([startService({ env: { PAYMENT_SANDBOX: '1' } }), openChromium()]);
    const { database } = service;
    user = await aUser(database, { password_hash: quickHash(PASSWORD), verified: true });
    rival = await service.tokenFor(await aUser(database));
    const terms = { buyer_premium_bps: 1_000, sales_tax_ppm: 50_000 };
    const auction = await anAuction(database, { ...terms, title: 'Tools tonight' });
    const moving = { soft_close_window_seconds: 3_600, soft_close_extension_seconds: 3_600 };
    const short = await anAuction(database, { ...terms, ...moving, end_time: later(10) });
    const fixed = await anAuction(database, { ...terms, end_time: later(20) });
    lots['Anvil'] = (
      await aLot(database, { auction_id: fixed.id, title: 'Anvil', buy_now_price_cents: 20_000 })
    ).id;
    for (const title of ['Plough', 'Harrow', 'Scythe'])
      lots[title] = (await aLot(database, { auction_id: auction.id, title })).id;
    lots['Baler'] = (
      await aLot(database, { auction_id: auction.id, title: 'Baler', reserve_price_cents: 90_000 })
    ).id;
    dibber = (await aLot(database, { auction_id: auction.id, title: 'Dibber' })).id;
    lots['Churn'] = (await aLot(database, { auction_id: short.id, title: 'Churn' })).id;
    await service.publish();
    jobs = await startWorkerJobs(service.config, service.backends, new Registry(), openLog('silent', 'test'));
    const own = await service.tokenFor(user);
    for (const title of Object.keys(lots)) {
      const watched = await service.call('POST', `/api/v1/lots/${lots[title]}/watchlist`, { token: own });
      expect(watched.status, watched.text).to.equal(201);
    }
  });
  after(async () => {
    await browser?.close();
    await jobs?.close();
    await service?.close();
  });

  const later = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const rivalBids = async (title: string, amount: string) => {
    const path = `/api/v1/lots/${lots[title]}/bids`;
    const answer = await service.call('POST', path, { token: rival, body: { amount } });
    expect(answer.status, answer.text).to.equal(201);
  };
  const row = (page: Page, title: string) => page.getByRole('listitem').filter({ hasText: title });

  async function openBoard(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(`${service.url}/sign-in?next=/account/board`);
    await page.getByLabel('Email address').fill(user.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'My bids and watchlist' }).waitFor();
    return page;
  }

  it('has a lot that is first bid on while it is open, and follows it', async () => {
    const context = await browser.newContext(PHONE);
    const page = await openBoard(context);
    await row(page, 'Plough').waitFor();
    expect(await row(page, 'Dibber').count()).to.equal(0);
    const token = await service.tokenFor(user);
    const bid = (body: object, of = token) =>
      service.call('POST', `/api/v1/lots/${dibber}/bids`, { token: of, body });
    expect((await bid({ amount: '100.00' })).status).to.equal(201);
    await row(page, 'Dibber').getByText('Leading').waitFor();
    expect((await bid({ amount: '150.00' }, rival)).status).to.equal(201);
    await row(page, 'Dibber').getByText('Outbid').waitFor();
    await context.close();
  });

  it('leads from watching to leading by one tap, and back again, without a reload', async () => {
    const context = await browser.newContext(PHONE);
    const page = await openBoard(context);
    const problems = collectProblems(page);
    const titles = () => page.locator('[data-my-board] h3').allTextContents();
    expect((await titles())[0]).to.equal('Churn');
    await row(page, 'Plough').getByText('Watching').waitFor();
    await page.evaluate(() => Object.assign(globalThis, { same: true }));
    await row(page, 'Plough').getByRole('button', { name: 'Bid $100.00' }).click();
    await row(page, 'Plough').getByText('Leading').waitFor();
    // Hammer 100.00, premium 10.00, tax 5.50.
    await page.getByText('If it ended now: $115.50').waitFor();
    await rivalBids('Plough', '150.00');
    await row(page, 'Plough').getByText('Outbid').waitFor();
    await row(page, 'Plough').getByRole('button', { name: 'Bid $160.00' }).click();
    await row(page, 'Plough').getByText('my maximum $160.00').waitFor();
    await row(page, 'Baler').getByRole('button', { name: 'Bid $100.00' }).click();
    await row(page, 'Baler').getByText('Reserve not met').waitFor();
    // On a leading row the button raises the maximum, and asks.
    await row(page, 'Plough').getByRole('button', { name: 'Bid $170.00' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm your bid' });
    await dialog.getByText('This raises your maximum.').waitFor();
    await dialog.getByRole('button', { name: 'Confirm bid' }).click();
    await row(page, 'Plough').getByText('my maximum $170.00').waitFor();
    // 160.00 leads now; at most 170.00 and, for the baler, 100.00: each with a tenth and then a twentieth on it.
    await page.getByText('If it ended now: $184.80').waitFor();
    await page.getByText('At most: $311.85').waitFor();
    // A lot whose end moves beyond the others' leaves the first place.
    await service.database
      .knex('auctions')
      .where('title', 'Tools soon')
      .update({ end_time: later(1_000) });
    // A bid moves the churn's end beyond the anvil's.
    await rivalBids('Churn', '100.00');
    await eventually(async () => (await titles())[0] === 'Anvil');
    expect(await page.evaluate(() => 'same' in globalThis)).to.equal(true);
    // The confirmation is an answer that browsers write down as an error.
    expect(problems.filter((text) => !text.includes('409 (Conflict)'))).to.deep.equal([]);
    await context.close();
  });

  it('says that it is not up to date, and sends a tap of a dead zone if it still leads', async () => {
    const context = await browser.newContext(PHONE);
    const page = await openBoard(context);
    const harrow = row(page, 'Harrow');
    const scythe = row(page, 'Scythe');
    await context.setOffline(true);
    await page.getByText(/Not up to date since \d/).waitFor();
    await harrow.getByRole('button', { name: 'Bid $100.00' }).click();
    await harrow.getByText('is kept, and sent when the network is back').waitFor();
    await scythe.getByRole('button', { name: 'Bid $100.00' }).click();
    await scythe.getByText('is kept').waitFor();
    await rivalBids('Scythe', '130.00');
    await context.setOffline(false);
    await harrow.getByText('Leading').waitFor();
    await scythe.getByText('Your bid of $100.00 was not sent: it would no longer lead.').waitFor();
    await scythe.getByRole('button', { name: 'Bid $140.00' }).waitFor();
    await page.getByText('Not up to date since').waitFor({ state: 'hidden' });
    const rows = () => service.backends.knex('bids').where({ lot_id: lots['Harrow'], user_id: user.id });
    await eventually(async () => (await rows()).length > 0);
    expect(await rows()).to.have.length(1);
    await context.close();
  });

  it('shows a page of its own while the network is away', async () => {
    const context = await browser.newContext(PHONE);
    const page = await openBoard(context);
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
    await context.setOffline(true);
    await page.goto(`${service.url}/lots`);
    await page.getByRole('heading', { name: 'No connection' }).waitFor();
    await context.setOffline(false);
    await page.getByRole('link', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'My bids and watchlist' }).waitFor();
    await context.close();
  });

  it('does the same without JavaScript, and keeps what has ended below', async () => {
    const context = await browser.newContext({ ...PHONE, javaScriptEnabled: false });
    const page = await openBoard(context);
    await row(page, 'Scythe').getByRole('button', { name: 'Bid $140.00' }).click();
    await page.getByText('You lead: Scythe.').waitFor();
    await row(page, 'Scythe').getByText('Leading').waitFor();
    await row(page, 'Scythe').getByRole('button', { name: 'Bid $150.00' }).click();
    await page.getByRole('heading', { name: 'Confirm your bid' }).waitFor();
    await page.getByRole('button', { name: 'Confirm bid' }).click();
    await page.getByText('Your maximum was raised: Scythe.').waitFor();
    await rivalBids('Plough', '400.00');
    await eventually(async () => {
      await page.reload();
      return (await row(page, 'Plough').textContent())?.includes('Outbid') === true;
    });
    const ended = page.locator('[data-board] > .items').last();
    const token = await service.tokenFor(user);
    const path = `/api/v1/lots/${lots['Anvil']}/buy-now`;
    const bought = await service.call('POST', path, { token, body: { currency: 'usd' } });
    expect(bought.status, bought.text).to.equal(201);
    await eventually(async () => {
      await page.reload();
      return (await ended.textContent())?.includes('Pay now') === true;
    });
    const anvil = ended.getByRole('listitem').filter({ hasText: 'Anvil' });
    expect(await anvil.textContent()).to.match(/Won[\s\S]*Hammer price[\s\S]*\$200\.00/);
    await page.getByRole('heading', { name: 'Ended' }).waitFor();
    const board = (await service.call('GET', '/api/v1/me/board', { token })).body;
    expect(board.data.ended.map((one: JsonValue) => [one.title, one.standing])).to.deep.equal([
      ['Anvil', 'won'],
    ]);
    const open = Object.fromEntries(board.data.open.map((one: JsonValue) => [one.title, one]));
    expect(open.Plough).to.include({ standing: 'outbid', next_amount: '410.00', max_amount: '170.00' });
    expect(open.Baler).to.include({ standing: 'reserve_not_met', max_amount: '100.00', total_now: '0.00' });
    // Scythe 140.00 and Harrow 100.00; at most 150.00, 100.00 and the baler's 100.00.
    expect(board.data.totals).to.deep.equal([{ currency: 'usd', now: '277.20', at_most: '404.25' }]);
    await context.close();
  });
});

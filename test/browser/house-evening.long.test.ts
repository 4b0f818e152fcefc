/**
 * The house's evening and the morning after, in a real browser: bids of the room, absentee and telephone bids, a wrong
 * `Sold` taken back, papers, what was not sold, and the money.
 */
import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openSite, PASSWORD, type Site } from '../journeys/site.ts';
import { quickHash } from '../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../support/builders.ts';
import { collectProblems, openChromium } from '../support/chromium.ts';
import { eventually } from '../support/market.ts';
import { pdfText } from '../support/pdf-text.ts';

const LOTS = ['Plough', 'Harrow', 'Scythe', 'Anvil', 'Bellows'];
const STARTS_AT_CENTS = 10_000;

describe('a house’s evening, in a real browser', () => {
  let site: Site;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let auctionId: number;
  let lots: number[];
  const problems: string[] = [];
  const knex = () => site.service.backends.knex;
  const desk = (path = '') => `${site.url}/seller/auctions/${auctionId}${path}`;
  const board = () => page.locator('[data-board]');

  before(async () => {
    [site, browser] = await Promise.all([openSite(), openChromium()]);
    const { database } = site.service;
    const owner = await site.person();
    const team = await aTeam(database, { owner, name: 'The Hall' });
    await knex()('users').where('id', owner.id).update({ current_team_id: team.id });
    const auction = await anAuction(database, { team_id: team.id, title: 'In the hall', type: 'simulcast' });
    auctionId = auction.id;
    lots = [];
    for (const title of LOTS) {
      const reserve = title === 'Anvil' ? { reserve_price_cents: 9 * STARTS_AT_CENTS } : {};
      lots.push((await aLot(database, { auction_id: auctionId, title, ...reserve })).id);
    }
    await anAuction(database, { team_id: team.id, title: 'The next sale', status: 'draft' });
    await site.service.publish();
    context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
    context.setDefaultTimeout(30_000);
    page = await site.signIn(context, owner.email);
    problems.push(...collectProblems(page));
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  /** A key of the console, and what it then shows. */
  async function press(key: string, shows: RegExp): Promise<void> {
    await page.keyboard.press(key);
    await board().filter({ hasText: shows }).waitFor();
  }

  /** A key that calls a bid: the price, and whose paddle it is. */
  async function call(key: string, price: string, paddle: string): Promise<void> {
    await page.keyboard.press(key);
    await page.locator('[data-price]', { hasText: price }).waitFor();
    await page.locator('[data-leader]', { hasText: paddle }).waitFor();
  }

  /** The console names who is next of those who left a bid, and what for. */
  async function absentee(price: string): Promise<void> {
    await page.getByRole('button', { name: `Absentee bid of paddle 88: ${price}` }).waitFor();
    await call('a', price, '88');
  }

  async function nextLot(title: string): Promise<void> {
    await page.locator('[data-open="no"]').waitFor();
    await page.keyboard.press('n');
    await page.getByRole('heading', { name: title }).waitFor();
    await page.locator('[data-open="yes"]').waitFor();
  }

  async function online(lotId: number | undefined, amount: string) {
    const bidder = await site.person();
    const token = await site.service.tokenFor(bidder);
    const { status, text } = await site.service.call('POST', `/api/v1/lots/${lotId}/bids`, {
      ...{ token, body: { amount } },
    });
    expect(status, text).to.equal(201);
    return bidder;
  }

  it('hands out paddles and enters the bids that were left', async () => {
    await page.goto(desk('/saleroom'));
    for (const [name, paddle] of [
      ['Ann Miller', '88'],
      ['Bo Reed', '77'],
    ] as const) {
      await page.getByText('Hand out a paddle').click();
      await page.getByLabel('Name').fill(name);
      await page.getByRole('region', { name: 'Paddles' }).getByLabel('Paddle').fill(paddle);
      await page.getByRole('button', { name: 'Hand out paddle' }).click();
      const handedOut = page.getByRole('list', { name: 'Handed out last' });
      await handedOut.getByRole('listitem').filter({ hasText: name }).waitFor();
    }
    await page.getByRole('link', { name: 'Absentee and telephone bids' }).click();
    await page.getByLabel('Absentee bids').fill('88, 1, 300');
    await page.getByLabel('Telephone bids').fill('77, 2, +1 555 0100, Spanish, Ana');
    await page.getByRole('button', { name: 'Enter the bids' }).click();
    const left = page.getByRole('region', { name: 'Left bids' });
    await left.getByRole('row', { name: /Lot 1.*Paddle 88.*\$300\.00/ }).waitFor();
    await left.getByRole('row', { name: /Lot 2.*Paddle 77.*\+1 555 0100/ }).waitFor();
  }).timeout(120_000);

  it('sells by the room, by what was left and by telephone, and takes a wrong Sold back', async () => {
    await page.goto(desk('/saleroom'));
    await board()
      .filter({ hasText: /the next lot.*77.*\+1 555 0100/s })
      .waitFor();
    await page.keyboard.type('77');
    await call('q', '$100.00', '77');
    await absentee('$110.00');
    await press('s', /Sold for \$110\.00/);
    await press('b', /Fair warning/);
    await page.getByRole('button', { name: 'Sold' }).waitFor();
    await page.keyboard.type('77');
    await call('q', '$120.00', '77');
    await absentee('$130.00');
    await press('s', /Sold for \$130\.00/);

    await nextLot('Harrow');
    await board()
      .filter({ hasText: /On the block.*77.*\+1 555 0100/s })
      .waitFor();
    await page.keyboard.type('77');
    await call('q', '$100.00', '77');
    await press('s', /Sold for \$100\.00/);

    await nextLot('Scythe');
    await online(lots[2], '200.00');
    await board()
      .filter({ hasText: /\$200\.00/ })
      .waitFor();
    await press('s', /Sold for \$200\.00/);

    await nextLot('Anvil');
    await online(lots[3], '400.00');
    await board()
      .filter({ hasText: /\$400\.00/ })
      .waitFor();
    await press('p', /Passed/);
    await nextLot('Bellows');
    await press('p', /Passed/);
    await eventually(async () => {
      const rows = await knex()('lots').where('auction_id', auctionId).orderBy('lot_number').pluck('status');
      return rows.join() === 'sold,sold,sold,passed,unsold';
    });
  }).timeout(180_000);

  it('prints catalog, labels and picking lists', async () => {
    await page.goto(desk('/papers'));
    for (const [name, holds] of [
      ['Catalog', 'Plough'],
      ['Lot labels', 'Harrow'],
      ['Picking lists', 'Scythe'],
    ] as const) {
      await page.getByRole('button', { name: `${name}: PDF` }).click();
      const made = page.locator('.paper-files li').filter({ hasText: name });
      await made.getByRole('link', { name: 'Download' }).waitFor({ timeout: 60_000 });
      const href = await made.getByRole('link', { name: 'Download' }).getAttribute('href');
      const file = await page.request.get(`${site.url}${href}`);
      expect(file.headers()['content-type']).to.include('application/pdf');
      expect(pdfText(await file.body()), name).to.include(holds);
    }
  }).timeout(180_000);

  it('decides what was not sold: accepts the bid below the reserve, lists the other again', async () => {
    await page.goto(desk('/after'));
    await page.getByRole('button', { name: /^Accept .* for lot 4$/ }).click();
    await page.getByRole('button', { name: /^Accept .* for lot 4$/ }).waitFor({ state: 'detached' });
    await page.getByLabel('List again in').selectOption({ label: 'The next sale' });
    await page.getByRole('button', { name: 'Relist lot 5' }).click();
    await page.getByText('Every lot has a buyer, or is listed again.').waitFor();
    const next = await knex()('auctions').where('title', 'The next sale').first('id');
    expect(await knex()('lots').where('auction_id', next.id).pluck('title')).to.deep.equal(['Bellows']);
  }).timeout(120_000);

  it('is paid: the buyers pay, staff approve and pay out, and the house reads it', async () => {
    const owed = async () => knex()('invoices').where({ auction_id: auctionId, kind: 'winner' });
    await eventually(async () => (await owed()).length === 2);
    for (const { user_id } of await owed()) {
      const { email } = await knex()('users').where('id', user_id).first('email');
      const theirs = await browser.newContext();
      const buyer = await site.signIn(theirs, email);
      await buyer.goto(`${site.url}/account/invoices`);
      await buyer.getByRole('link', { name: /^INV-/ }).first().click();
      await buyer.getByRole('link', { name: 'Pay now' }).click();
      await buyer.getByRole('button', { name: 'Pay', exact: true }).click();
      await buyer.getByText('paid', { exact: true }).first().waitFor();
      await theirs.close();
    }
    await eventually(
      async () => (await knex()('settlements').where('auction_id', auctionId).first())?.status === 'pending',
    );
    const admin = await aUser(site.service.database, { password_hash: quickHash(PASSWORD), is_admin: true });
    const staff = await site.signIn(await browser.newContext(), admin.email);
    const { statement_number: number } = await knex()('settlements').where('auction_id', auctionId).first();
    for (const action of ['Approve', 'Pay']) {
      await staff.goto(`${site.url}/office/queue`);
      const row = staff.getByRole('row').filter({ hasText: number });
      await row.getByRole('button', { name: `${action} settlement: ${number}`, exact: true }).click();
      await staff.getByRole('status').first().waitFor();
    }
    await page.goto(desk('/after'));
    await page.getByText(/Paid out/).waitFor();
    expect(problems).to.deep.equal([]);
  }).timeout(180_000);
});

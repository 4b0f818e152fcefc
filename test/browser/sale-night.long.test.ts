/** A bidder's evening on a phone: forty lots, a group of three, the saleroom from the sofa, and one payment for all. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { openSite, type Site } from '../journeys/site.ts';
import { aLot, anAuction, aTeam } from '../support/builders.ts';
import { openChromium } from '../support/chromium.ts';
import { eventually } from '../support/market.ts';
import { reportDispute } from '../support/money.ts';
import { bothWays, comes, mustFit } from '../support/on-a-phone.ts';

const LOTS = 40;
const TIMES_OUTBID = 15;
const MAX_MS = 300;
/** The first lot ends in a minute, the fortieth within twenty. */
const FIRST_END_MS = 60_000;
const STAGGER_SECONDS = 29;
/** The first of those that are bid on: its end is too far away to be moved. */
const FIRST_BID_ON = 14;

describe('a bidder’s evening, on a phone', () => {
  let site: Site;
  let browser: Browser;

  before(async () => {
    [site, browser] = await Promise.all([openSite(), openChromium()]);
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  /** A sale with lots of these titles, and what its seller can do. */
  async function aSale(titles: readonly string[], columns: object = {}, lotColumns: object = {}) {
    const { database, backends } = site.service;
    const owner = await site.person();
    const team = await aTeam(database, { owner });
    await backends.knex('users').where('id', owner.id).update({ current_team_id: team.id });
    const auction = await anAuction(database, { team_id: team.id, title: `Sale ${team.id}`, ...columns });
    const lots: number[] = [];
    for (const title of titles)
      lots.push((await aLot(database, { auction_id: auction.id, title, ...lotColumns })).id);
    await site.service.publish();
    return { owner, auction, lots };
  }

  async function aRival() {
    const token = await site.service.tokenFor(await site.person());
    return async (lotId: number, amount: string) => {
      const path = `/api/v1/lots/${lotId}/bids`;
      const answer = await site.service.call('POST', path, { token, body: { amount, confirm: true } });
      expect(answer.status, answer.text).to.equal(201);
    };
  }

  const row = (page: Page, title: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('link', { name: title, exact: true }) });

  it('raises fifteen times by one tap each while forty lots close within twenty minutes', async () => {
    const tookMs: number[] = [];
    await bothWays(browser, async (context, hasScript) => {
      const titles = Array.from({ length: LOTS }, (_, n) => `Tool ${n + 1}`);
      const firstEndMs = Date.now() + FIRST_END_MS;
      const end_time = new Date(firstEndMs).toISOString();
      const sale = await aSale(titles, { end_time, stagger_seconds: STAGGER_SECONDS });
      const user = await site.person();
      const token = await site.service.tokenFor(user);
      for (const id of sale.lots) await site.service.call('POST', `/api/v1/lots/${id}/watchlist`, { token });
      const rival = await aRival();
      const page = await site.signIn(context, user.email);
      await page.goto(`${site.url}/account/board`);
      const open = page.locator('[data-my-board] > li');
      expect(await open.locator('h3').allTextContents()).to.deep.equal(titles);
      await mustFit(page);
      for (let n = FIRST_BID_ON; n < FIRST_BID_ON + TIMES_OUTBID; n += 1) {
        const one = row(page, titles[n] ?? '');
        // The first tap bids; the rival's answer makes it the one who was outbid.
        await one.getByRole('button', { name: 'Bid $100.00' }).click();
        await comes(page, hasScript, one.getByText('Leading'));
        await rival(sale.lots[n] ?? 0, '150.00');
        await comes(page, hasScript, one.getByText('Outbid'));
        const raise = one.getByRole('button', { name: 'Bid $160.00' });
        await raise.waitFor();
        const answered = page.waitForResponse((response) => response.request().method() === 'POST');
        await raise.click();
        const { requestStart, responseStart } = (await answered).request().timing();
        tookMs.push(responseStart - requestStart);
        await one.getByText('Leading').waitFor();
      }
      expect(await page.getByText('Leading', { exact: true }).count()).to.equal(TIMES_OUTBID);
      // What ended meanwhile left the top for the list below, and what ends next is on top.
      await page.waitForTimeout(Math.max(0, firstEndMs - Date.now()));
      const ended = page.locator('#ended ~ .items');
      await comes(page, hasScript, ended.getByText('Not sold'));
      await ended.getByRole('link', { name: 'Tool 1', exact: true }).waitFor();
      const left = await open.locator('h3').allTextContents();
      expect(left).to.deep.equal(titles.slice(-left.length)).and.not.include('Tool 1');
    });
    const middle = tookMs.toSorted((a, b) => a - b)[TIMES_OUTBID] ?? 0;
    expect(middle, `until a tap was answered: ${tookMs.map(Math.round)} ms`).to.be.below(MAX_MS);
  });

  it('bids on one of three by a group, and on the next where it is outbid', async () => {
    await bothWays(browser, async (context, hasScript) => {
      const sale = await aSale(['Anvil', 'Bellows', 'Chisel']);
      const rival = await aRival();
      const page = await site.signIn(context, (await site.person()).email);
      await page.goto(`${site.url}/auctions/${sale.auction.slug}`);
      await page.getByRole('link', { name: 'Set up a bid group' }).click();
      await page.getByLabel('How many do you want?').fill('1');
      for (const number of [1, 2, 3]) await page.getByLabel(`Your maximum for lot ${number}`).fill('300');
      await mustFit(page);
      await page.getByRole('button', { name: 'Set up the group' }).click();
      const standing = (n: number, word: string) =>
        comes(page, hasScript, page.locator('.group-lots li').nth(n).getByText(word, { exact: true }));
      await standing(0, 'Leading');
      await rival(sale.lots[0] ?? 0, '500.00');
      await standing(0, 'Lost');
      await standing(1, 'Leading');
      await standing(2, 'Waiting');
      await mustFit(page);
      await page.getByRole('button', { name: /^Stop the group/ }).click();
      await page.getByText('Stopped', { exact: true }).waitFor();
      await page.goto(`${site.url}/account/board`);
      await row(page, 'Bellows').getByText('Leading').waitFor();
    });
  });

  it('follows the saleroom from the sofa, bids by one tap, and wins', async () => {
    await bothWays(browser, async (context, hasScript) => {
      const sale = await aSale(['Plough', 'Quern'], { type: 'simulcast' }, { starting_bid_cents: 400_000 });
      const wide = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
      const clerk = await site.signIn(wide, sale.owner.email);
      await clerk.goto(`${site.url}/seller/auctions/${sale.auction.id}/saleroom`);
      const page = await site.signIn(context, (await site.person()).email);
      await page.goto(`${site.url}/auctions/${sale.auction.slug}`);
      const block = page.getByRole('region', { name: 'On the block' });
      await block.getByRole('link', { name: 'Plough' }).waitFor();
      await page.getByRole('region', { name: 'Next lots' }).getByRole('link', { name: /Quern/ }).waitFor();
      await mustFit(page);
      await block.getByRole('button', { name: 'Bid 4,000', exact: true }).click();
      await comes(page, hasScript, block.getByText('Leading', { exact: true }));
      await clerk.locator('[data-bids] li').first().waitFor();
      await clerk.keyboard.press('f');
      await comes(page, hasScript, block.getByText('Fair warning:'));
      await clerk.keyboard.press('s');
      await comes(page, hasScript, block.getByText('You won'));
      await clerk.locator('[data-open="no"]').waitFor();
      await clerk.keyboard.press('n');
      await comes(page, hasScript, block.getByRole('link', { name: 'Quern' }));
      await wide.close();
    });
  });

  it('pays all that was won at once, and disputes one of the lots', async () => {
    await bothWays(browser, async (context) => {
      const sale = await aSale(['Rake', 'Scythe', 'Trough'], {}, { buy_now_price_cents: 20_000 });
      const user = await site.person();
      const token = await site.service.tokenFor(user);
      for (const id of sale.lots) {
        const bought = await site.service.call('POST', `/api/v1/lots/${id}/buy-now`, {
          ...{ token, body: { currency: 'usd' } },
        });
        expect(bought.status, bought.text).to.equal(201);
      }
      const { knex } = site.service.backends;
      await eventually(async () => (await knex('invoices').where('user_id', user.id)).length === 3);
      const page = await site.signIn(context, user.email);
      await page.goto(`${site.url}/account/board`);
      await page.getByText('$600.00 for 3 open invoices').waitFor();
      await page.getByRole('button', { name: 'Pay all' }).click();
      await mustFit(page);
      await page.getByRole('link', { name: 'Pay now' }).click();
      await page.getByRole('button', { name: 'Pay', exact: true }).click();
      await page.goto(`${site.url}/account/invoices`);
      expect(await page.getByText('paid', { exact: true }).count()).to.equal(3);
      const payment = await knex('payments as p')
        .join('payment_shares as s', 's.payment_id', 'p.id')
        .join('invoices as i', 'i.id', 's.invoice_id')
        .where('i.user_id', user.id)
        .first('p.payment_id as id');
      await reportDispute(site.service, payment, 'created', { amount: 20_000 });
      const after = await site.signIn(await browser.newContext(), sale.owner.email);
      await after.goto(`${site.url}/seller/auctions/${sale.auction.id}/after`);
      await after
        .getByText(/Once paid|disput/i)
        .first()
        .waitFor();
      await after.context().close();
    });
  });
});

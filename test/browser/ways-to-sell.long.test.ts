/**
 * Each way to sell as strangers go through it on a phone of 390 px: a seller sets a sale up in the forms and publishes
 * it, bidders find it, register and bid, it ends, its winner sees what to pay, and anybody checks its journal.
 */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { openSite, type Site } from '../journeys/site.ts';
import { openChromium } from '../support/chromium.ts';
import { comes } from '../support/on-a-phone.ts';
import { SEAL_KEY } from '../support/tender-sales.ts';
import { WaysToSell } from '../support/ways-to-sell.ts';

describe('each way to sell, on a phone', () => {
  let site: Site;
  let browser: Browser;
  let ways: WaysToSell;

  before(async () => {
    [site, browser] = await Promise.all([openSite({ SEAL_KEY }), openChromium()]);
    ways = new WaysToSell(site, browser);
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  /** Brings the end forward to now: whoever waits at the pages sees it come. */
  async function end({ auctionId, lots }: { readonly auctionId: number; readonly lots: readonly number[] }) {
    const { journal, engine } = site.service.backends;
    const record = (await journal.loadRecord(auctionId))!;
    const state = (await journal.load(auctionId, lots[0] ?? 0))!;
    const endsAtUs = record.endsAtUs - (state.endsAtUs - journal.nowUs()) - 1_000;
    await journal.saveRecord({ ...record, endsAtUs, version: record.version + 1 });
    for (const lot of lots) await engine.submit(lot, { type: 'advance' });
  }

  const register = async (page: Page, slug: string) => {
    await page.goto(`${site.url}/auctions/${slug}`);
    await page.getByRole('button', { name: 'Register to bid' }).click();
    await page.getByText('Approved').first().waitFor();
  };

  it('by tender: sealed bids, and what was bid once they are opened', async () => {
    const price = { 'Starting bid': '100', 'Reserve price': '150' };
    const sale = await ways.setUp('Meadow by tender', /^Tender/, { 'Final round for the highest': '2' }, [
      price,
    ]);
    await ways.opens(sale);
    const [lot] = sale.lots;
    const [ann, bob] = [await ways.bidder(), await ways.bidder()];
    for (const [page, amount] of [
      [ann, '400'],
      [bob, '300'],
    ] as const) {
      await page.goto(`${site.url}/lots/${lot}`);
      await ways.shot(page, 'meadow-by-tender-5-lot');
      await register(page, sale.slug);
      await page.goto(`${site.url}/lots/${lot}`);
      await page.getByLabel(/^Your bid/).fill(amount);
      await page.getByRole('button', { name: 'Place bid' }).click();
      const confirm = page.getByRole('button', { name: /^Confirm/ });
      await confirm
        .or(page.getByText(/Your sealed bid/))
        .first()
        .waitFor();
      if (await confirm.isVisible()) await confirm.click();
      await page.getByText(/Your sealed bid/).waitFor();
      await ways.shot(page, 'meadow-by-tender-6-sealed');
    }
    await end(sale);
    await comes(bob, true, bob.getByText('You may bid once more'));
    await ways.shot(bob, 'meadow-by-tender-6-final');
    await end(sale);
    await comes(ann, true, ann.getByText('You won'));
    await comes(bob, true, bob.getByText('You did not win'));
    await ways.shot(bob, 'meadow-by-tender-7-lost');
    await comes(ann, false, ann.getByRole('link', { name: 'Pay now' }));
    await ways.shot(ann, 'meadow-by-tender-8-won');
    await ways.checks(lot, 'meadow-by-tender-9-checked');
  }).timeout(180_000);

  it('on a falling clock: the first to bid buys, and the rest runs on', async () => {
    const clock = { 'Start price': '300', 'Falls by': '50', Every: '3600', 'Down to': '100' };
    const lot = { ...clock, 'Stays there for': '600', Quantity: '3' };
    const sale = await ways.setUp('Tulips by clock', /^A falling clock/, {}, [lot]);
    await ways.opens(sale);
    const ann = await ways.bidder();
    await ann.goto(`${site.url}/lots/${sale.lots[0]}`);
    await ways.shot(ann, 'tulips-by-clock-5-lot');
    await ann.getByLabel('How many pieces').fill('2');
    await ann.getByRole('button', { name: 'Buy at $300.00' }).click();
    const confirm = ann.getByRole('button', { name: /^Confirm|^Buy now|^Yes/ });
    await confirm
      .or(ann.getByText(/You have bought here/))
      .first()
      .waitFor();
    if (await confirm.isVisible()) await confirm.click();
    await ann.getByText(/You have bought here/).waitFor();
    await ann.getByText('1 of 3 left').waitFor();
    await ways.shot(ann, 'tulips-by-clock-6-bought');
    const bob = await ways.bidder();
    await bob.goto(`${site.url}/lots/${sale.lots[0]}`);
    await bob.getByRole('button', { name: 'Buy at $300.00' }).click();
    await bob.getByText('You won').waitFor();
    await comes(ann, true, ann.getByText('You won'));
    await comes(ann, false, ann.getByRole('link', { name: 'Pay now' }));
    await ways.shot(ann, 'tulips-by-clock-8-won');
    await ways.checks(sale.lots[0], 'tulips-by-clock-9-checked');
  }).timeout(180_000);

  it('in parcels: two tracts together, beside one alone', async () => {
    const acres = { 'Starting bid': '100', 'Number of units': '10', 'What a unit is called': 'acre' };
    const sale = await ways.setUp('Farm in parcels', /^Parcels/, { 'Reserve of the whole': '200' }, [
      acres,
      acres,
      acres,
    ]);
    await ways.opens(sale);
    const [ann, bob] = [await ways.bidder(), await ways.bidder()];
    const board = `${site.url}/auctions/${sale.slug}/parcels`;
    await ann.goto(`${site.url}/auctions/${sale.slug}`);
    await ways.shot(ann, 'farm-in-parcels-5-sale');
    await ann.getByRole('link', { name: 'Board of the tracts' }).click();
    for (const n of [0, 1]) await ann.getByRole('checkbox').nth(n).check();
    await ann.getByRole('heading', { name: 'Tracts 1, 2' }).waitFor();
    await ways.shot(ann, 'farm-in-parcels-6-ticked');
    await ann.getByRole('button', { name: 'Place bid' }).click();
    await comes(ann, true, ann.getByText('Your bid leads.'));
    await bob.goto(`${board}?set=${sale.lots[2]}`);
    await bob.getByRole('textbox', { name: 'Your bid' }).fill('150');
    await bob.getByRole('button', { name: 'Place bid' }).click();
    await comes(bob, true, bob.getByText('Your bid leads.'));
    await ways.shot(bob, 'farm-in-parcels-7-leads');
    await end(sale);
    await comes(ann, true, ann.getByText('The sale is over.'));
    await ways.shot(ann, 'farm-in-parcels-8-over');
    await ann.goto(`${site.url}/lots/${sale.lots[1]}`);
    await comes(ann, false, ann.getByRole('link', { name: 'Pay now' }));
    await ways.shot(ann, 'farm-in-parcels-8-won');
    for (const lot of sale.lots) await ways.checks(lot, 'farm-in-parcels-9-checked');
  }).timeout(180_000);

  it('by the acre, in a group that closes together', async () => {
    const acres = {
      'Number of units': '12.5',
      'What a unit is called': 'acre',
      'Closes with the group': 'A',
    };
    const lot = { 'Starting bid': '100', 'Amounts are for': { option: /^One unit/ }, ...acres };
    const sale = await ways.setUp('Land by the acre', /^Rising bids/, {}, [lot, lot]);
    await ways.opens(sale);
    const ann = await ways.bidder();
    await ann.goto(`${site.url}/lots/${sale.lots[0]}`);
    await ways.shot(ann, 'land-by-the-acre-5-lot');
    await ann.getByRole('button', { name: 'Place bid' }).first().click();
    const confirm = ann.getByRole('button', { name: /^Confirm/ });
    await confirm.or(ann.getByText('You are the high bidder.')).first().waitFor();
    if (await confirm.isVisible()) await confirm.click();
    await ann.getByText('You are the high bidder.').waitFor();
    await ways.shot(ann, 'land-by-the-acre-6-bid');
    await end(sale);
    await comes(ann, true, ann.getByText('You won'));
    await comes(ann, false, ann.getByRole('link', { name: 'Pay now' }));
    expect(await ann.locator('main').innerText()).to.include('$1,250.00');
    await ways.shot(ann, 'land-by-the-acre-8-won');
    await ways.checks(sale.lots[0], 'land-by-the-acre-9-checked');
  }).timeout(180_000);
});

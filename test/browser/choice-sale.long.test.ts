/**
 * A sale by choice as strangers go through it on a phone: set up in the forms, bid on from the sofa, hammered in the
 * saleroom, its lots chosen by the winner, and billed.
 */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { openSite, type Site } from '../journeys/site.ts';
import { openChromium } from '../support/chromium.ts';
import { comes, openPhone } from '../support/on-a-phone.ts';
import { CHOOSES_WITHIN, WaysToSell } from '../support/ways-to-sell.ts';

describe('a sale by choice, on a phone', () => {
  let site: Site;
  let browser: Browser;
  let ways: WaysToSell;

  before(async () => {
    [site, browser] = await Promise.all([openSite(), openChromium()]);
    ways = new WaysToSell(site, browser);
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  it('by choice in the saleroom: the winner takes two of three, the last goes to another', async () => {
    const lot = { 'Starting bid': '100', 'Offered with the group': 'Tractors' };
    const sale = await ways.setUp('Tractors by choice', /^Rising bids/, { [CHOOSES_WITHIN]: '300' }, [
      lot,
      lot,
      lot,
    ]);
    await ways.opens(sale);
    const [first, second, third] = sale.lots;
    const room = await site.signIn(await openPhone(browser), sale.email);
    await room.goto(`${site.url}/seller/auctions/${sale.auctionId}`);
    await room.getByRole('link', { name: 'Saleroom' }).first().click();
    await ways.shot(room, 'tractors-by-choice-5-room');
    const bids = async (page: Page, lotId: number | undefined, amount: string) => {
      await page.goto(`${site.url}/lots/${lotId}`);
      await page.getByLabel(/^Your maximum/).fill(amount);
      await page.getByRole('button', { name: 'Place bid' }).first().click();
      const confirm = page.getByRole('button', { name: /^Confirm/ });
      const leads = page.getByText('You are the high bidder.');
      await confirm.or(leads).first().waitFor();
      if (await confirm.isVisible()) await confirm.click();
      await leads.waitFor();
    };
    const [ann, bob] = [await ways.bidder(), await ways.bidder()];
    await bids(ann, third, '100');
    await ways.shot(ann, 'tractors-by-choice-6-bid');
    await room.locator('[data-leader]').getByText('Paddle').waitFor();
    await room.getByRole('button', { name: /^Sold/ }).click();
    await room.getByText('is choosing').first().waitFor();
    await comes(ann, true, ann.getByText('You have won: choose your lots'));
    // Whichever of the lots the bids are kept with, each shows them.
    await comes(ann, false, ann.locator('[data-bids]').getByText('$100.00'));
    await ways.shot(ann, 'tractors-by-choice-7-choose');
    for (const id of [second, third]) await ann.locator(`input[name="lot-${id}"]`).check();
    await ann.getByRole('button', { name: 'Take these lots' }).click();
    await comes(ann, false, ann.getByRole('link', { name: 'Pay now' }));
    await ann.goto(`${site.url}/account/invoices`);
    for (const n of [2, 3]) await ann.getByText(`Tractors by choice ${n}`).first().waitFor();
    expect(await ann.getByText('Tractors by choice 1').count()).to.equal(0);
    await ways.shot(ann, 'tractors-by-choice-8-invoices');
    // What is left is offered again, as if nobody had bid.
    await comes(room, true, room.getByText('No bid yet'));
    await bids(bob, first, '150');
    await room.locator('[data-leader]').getByText('Paddle').waitFor();
    await room.getByRole('button', { name: /^Sold/ }).click();
    await comes(bob, true, bob.getByText('You won'));
    await comes(bob, false, bob.getByRole('link', { name: 'Pay now' }));
    await ways.shot(bob, 'tractors-by-choice-9-won');
    for (const id of sale.lots) await ways.checks(id, 'tractors-by-choice-9-checked');
  }).timeout(180_000);
});

/**
 * Each way to sell as strangers go through it on a phone of 390 px: a seller sets a sale up in the forms and publishes
 * it, bidders find it, register and bid, it ends, its winner sees what to pay, and anybody checks its journal.
 */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { openSite, type Site } from '../journeys/site.ts';
import { aTeam } from '../support/builders.ts';
import { openChromium } from '../support/chromium.ts';
import { comes, mustFit, openPhone } from '../support/on-a-phone.ts';
import { SEAL_KEY } from '../support/tender-sales.ts';

const MINUTE_MS = 60_000;

/** As a field of date and time has it. */
const inField = (ms: number) => new Date(ms).toISOString().slice(0, 16);

/** Labels as the forms have them; `true` ticks a box, a choice is by its text. */
type Filled = Readonly<Record<string, string | true | { readonly option: RegExp }>>;

async function fillIn(page: Page, fields: Filled): Promise<void> {
  for (const [label, value] of Object.entries(fields)) {
    const field = page.getByLabel(new RegExp(`^\\s*${label}`)).first();
    // What not every sale needs is folded away.
    if (!(await field.isVisible()))
      await page.locator('details:not([open])').filter({ has: field }).locator('> summary').first().click();
    if (value === true) await field.check();
    else if (typeof value === 'string') await field.fill(value);
    else {
      const texts = await field.locator('option').allTextContents();
      const text = texts.find((one) => value.option.test(one)) ?? '';
      await field.selectOption({ label: text.trim() });
    }
  }
}

describe('each way to sell, on a phone', () => {
  let site: Site;
  let browser: Browser;

  before(async () => {
    [site, browser] = await Promise.all([openSite({ SEAL_KEY }), openChromium()]);
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  const shot = async (page: Page, name: string) => {
    await mustFit(page);
    const folder = process.env['SHOTS'];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  };

  async function seller(): Promise<Page> {
    const owner = await site.person();
    const team = await aTeam(site.service.database, { owner });
    await site.service.backends.knex('users').where('id', owner.id).update({ current_team_id: team.id });
    return site.signIn(await openPhone(browser), owner.email);
  }

  const bidder = async () => site.signIn(await openPhone(browser), (await site.person()).email);

  /** Sets a sale up from the empty form to its publication, and gives its public address and its lots. */
  async function setUp(title: string, how: RegExp, terms: Filled, lots: readonly Filled[]) {
    const page = await seller();
    await page.goto(`${site.url}/seller/auctions/new`);
    const kind = title.toLowerCase().replaceAll(' ', '-');
    const times = {
      'Start time': inField(Date.now() - MINUTE_MS),
      'End time': inField(Date.now() + 60 * MINUTE_MS),
    };
    await fillIn(page, { Title: title, 'How it is sold': { option: how } });
    // The form comes again, with the fields of this way to sell, and what was typed.
    await page.waitForURL(/\/seller\/auctions$/);
    expect(await page.getByLabel('Title').first().inputValue()).to.equal(title);
    await fillIn(page, { ...times, ...terms });
    await shot(page, `${kind}-1-form`);
    await page.getByRole('button', { name: 'Save auction' }).first().click();
    await page.getByText('The auction has been created.').waitFor();
    await shot(page, `${kind}-2-auction`);
    const auctionId = Number(/auctions\/(\d+)/.exec(page.url())?.[1]);
    for (const [at, lot] of lots.entries()) {
      await page.goto(`${site.url}/seller/lots/new?auction_id=${auctionId}`);
      await fillIn(page, { Title: `${title} ${at + 1}`, ...lot });
      if (at === 0) await shot(page, `${kind}-3-lot`);
      await page.getByRole('button', { name: 'Save lot' }).first().click();
      await page.getByText(/lot has been created/i).waitFor();
    }
    await page.goto(`${site.url}/seller/auctions/${auctionId}`);
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    const anyway = page.getByRole('button', { name: /^Publish (without pictures|as it is)$/ });
    await anyway.or(page.getByText('The auction is published.')).first().waitFor();
    await shot(page, `${kind}-4-publish`);
    if (await anyway.isVisible()) await anyway.click();
    await page.getByText('The auction is published.').waitFor();
    const { knex } = site.service.backends;
    const { slug } = await knex('auctions').where('id', auctionId).first('slug');
    const rows = await knex('lots').where('auction_id', auctionId).orderBy('lot_number').select('id');
    await page.context().close();
    return { auctionId, slug, lots: rows.map(({ id }) => Number(id)) };
  }

  async function opens({ lots }: { readonly lots: readonly number[] }): Promise<void> {
    const page = await (await openPhone(browser)).newPage();
    await page.goto(`${site.url}/lots/${lots[0]}`);
    await comes(page, false, page.getByText('Live', { exact: true }));
    await page.context().close();
  }

  /** Brings the end forward to now: whoever waits at the pages sees it come. */
  async function end({ auctionId, lots }: { readonly auctionId: number; readonly lots: readonly number[] }) {
    const { journal, engine } = site.service.backends;
    const record = (await journal.loadRecord(auctionId))!;
    const state = (await journal.load(auctionId, lots[0] ?? 0))!;
    const endsAtUs = record.endsAtUs - (state.endsAtUs - journal.nowUs()) - 1_000;
    await journal.saveRecord({ ...record, endsAtUs, version: record.version + 1 });
    for (const lot of lots) await engine.submit(lot, { type: 'advance' });
  }

  /** What anybody can do once it is over. */
  async function checks(lotId: number | undefined, name: string): Promise<void> {
    const page = await (await openPhone(browser)).newPage();
    await page.goto(`${site.url}/lots/${lotId}`);
    await page.getByRole('link', { name: 'Check this lot’s journal' }).click();
    await page.getByText('All checks passed.').waitFor();
    await shot(page, name);
    await page.context().close();
  }

  const register = async (page: Page, slug: string) => {
    await page.goto(`${site.url}/auctions/${slug}`);
    await page.getByRole('button', { name: 'Register to bid' }).click();
    await page.getByText('Approved').first().waitFor();
  };

  it('by tender: sealed bids, and what was bid once they are opened', async () => {
    const price = { 'Starting bid': '100', 'Reserve price': '150' };
    const sale = await setUp('Meadow by tender', /^Tender/, { 'Final round for the highest': '2' }, [price]);
    await opens(sale);
    const [lot] = sale.lots;
    const [ann, bob] = [await bidder(), await bidder()];
    for (const [page, amount] of [
      [ann, '400'],
      [bob, '300'],
    ] as const) {
      await page.goto(`${site.url}/lots/${lot}`);
      await shot(page, 'meadow-by-tender-5-lot');
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
      await shot(page, 'meadow-by-tender-6-sealed');
    }
    await end(sale);
    await comes(bob, true, bob.getByText('You may bid once more'));
    await shot(bob, 'meadow-by-tender-6-final');
    await end(sale);
    await comes(ann, true, ann.getByText('You won'));
    await comes(bob, true, bob.getByText('You did not win'));
    await shot(bob, 'meadow-by-tender-7-lost');
    await comes(ann, false, ann.getByRole('link', { name: 'Pay now' }));
    await shot(ann, 'meadow-by-tender-8-won');
    await checks(lot, 'meadow-by-tender-9-checked');
  }).timeout(180_000);

  it('on a falling clock: the first to bid buys, and the rest runs on', async () => {
    const clock = { 'Start price': '300', 'Falls by': '50', Every: '3600', 'Down to': '100' };
    const lot = { ...clock, 'Stays there for': '600', Quantity: '3' };
    const sale = await setUp('Tulips by clock', /^A falling clock/, {}, [lot]);
    await opens(sale);
    const ann = await bidder();
    await ann.goto(`${site.url}/lots/${sale.lots[0]}`);
    await shot(ann, 'tulips-by-clock-5-lot');
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
    await shot(ann, 'tulips-by-clock-6-bought');
    const bob = await bidder();
    await bob.goto(`${site.url}/lots/${sale.lots[0]}`);
    await bob.getByRole('button', { name: 'Buy at $300.00' }).click();
    await bob.getByText('You won').waitFor();
    await comes(ann, true, ann.getByText('You won'));
    await comes(ann, false, ann.getByRole('link', { name: 'Pay now' }));
    await shot(ann, 'tulips-by-clock-8-won');
    await checks(sale.lots[0], 'tulips-by-clock-9-checked');
  }).timeout(180_000);

  it('in parcels: two tracts together, beside one alone', async () => {
    const acres = { 'Starting bid': '100', 'Number of units': '10', 'What a unit is called': 'acre' };
    const sale = await setUp('Farm in parcels', /^Parcels/, { 'Reserve of the whole': '200' }, [
      acres,
      acres,
      acres,
    ]);
    await opens(sale);
    const [ann, bob] = [await bidder(), await bidder()];
    const board = `${site.url}/auctions/${sale.slug}/parcels`;
    await ann.goto(`${site.url}/auctions/${sale.slug}`);
    await shot(ann, 'farm-in-parcels-5-sale');
    await ann.getByRole('link', { name: 'Board of the tracts' }).click();
    for (const n of [0, 1]) await ann.getByRole('checkbox').nth(n).check();
    await ann.getByRole('heading', { name: 'Tracts 1, 2' }).waitFor();
    await shot(ann, 'farm-in-parcels-6-ticked');
    await ann.getByRole('button', { name: 'Place bid' }).click();
    await comes(ann, true, ann.getByText('Your bid leads.'));
    await bob.goto(`${board}?set=${sale.lots[2]}`);
    await bob.getByRole('textbox', { name: 'Your bid' }).fill('150');
    await bob.getByRole('button', { name: 'Place bid' }).click();
    await comes(bob, true, bob.getByText('Your bid leads.'));
    await shot(bob, 'farm-in-parcels-7-leads');
    await end(sale);
    await comes(ann, true, ann.getByText('The sale is over.'));
    await shot(ann, 'farm-in-parcels-8-over');
    await ann.goto(`${site.url}/lots/${sale.lots[1]}`);
    await comes(ann, false, ann.getByRole('link', { name: 'Pay now' }));
    await shot(ann, 'farm-in-parcels-8-won');
    for (const lot of sale.lots) await checks(lot, 'farm-in-parcels-9-checked');
  }).timeout(180_000);

  it('by the acre, in a group that closes together', async () => {
    const acres = {
      'Number of units': '12.5',
      'What a unit is called': 'acre',
      'Closes with the group': 'A',
    };
    const lot = { 'Starting bid': '100', 'Amounts are for': { option: /^One unit/ }, ...acres };
    const sale = await setUp('Land by the acre', /^Rising bids/, {}, [lot, lot]);
    await opens(sale);
    const ann = await bidder();
    await ann.goto(`${site.url}/lots/${sale.lots[0]}`);
    await shot(ann, 'land-by-the-acre-5-lot');
    await ann.getByRole('button', { name: 'Place bid' }).first().click();
    const confirm = ann.getByRole('button', { name: /^Confirm/ });
    await confirm.or(ann.getByText('You are the high bidder.')).first().waitFor();
    if (await confirm.isVisible()) await confirm.click();
    await ann.getByText('You are the high bidder.').waitFor();
    await shot(ann, 'land-by-the-acre-6-bid');
    await end(sale);
    await comes(ann, true, ann.getByText('You won'));
    await comes(ann, false, ann.getByRole('link', { name: 'Pay now' }));
    expect(await ann.locator('main').innerText()).to.include('$1,250.00');
    await shot(ann, 'land-by-the-acre-8-won');
    await checks(sale.lots[0], 'land-by-the-acre-9-checked');
  }).timeout(180_000);
});

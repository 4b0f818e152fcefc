/** Sales as strangers set them up on a phone, from the empty form to the publication, and what anybody does with them. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import type { Site } from '../journeys/site.ts';
import { aTeam } from './builders.ts';
import { comes, mustFit, openPhone } from './on-a-phone.ts';

const MINUTE_MS = 60_000;

/** What is asked for of a sale in the saleroom alone. */
export const CHOOSES_WITHIN = 'An online winner chooses within';

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

export class WaysToSell {
  readonly #site: Site;
  readonly #browser: Browser;

  constructor(site: Site, browser: Browser) {
    this.#site = site;
    this.#browser = browser;
  }

  async shot(page: Page, name: string): Promise<void> {
    await mustFit(page);
    const folder = process.env['SHOTS'];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  }

  async #seller(): Promise<{ page: Page; email: string }> {
    const owner = await this.#site.person();
    const team = await aTeam(this.#site.service.database, { owner });
    await this.#site.service.backends
      .knex('users')
      .where('id', owner.id)
      .update({ current_team_id: team.id });
    return { page: await this.#site.signIn(await openPhone(this.#browser), owner.email), email: owner.email };
  }

  async bidder(): Promise<Page> {
    return this.#site.signIn(await openPhone(this.#browser), (await this.#site.person()).email);
  }

  /** Sets a sale up from the empty form to its publication, and gives its public address and its lots. */
  async setUp(title: string, how: RegExp, terms: Filled, lots: readonly Filled[]) {
    const { page, email } = await this.#seller();
    await page.goto(`${this.#site.url}/seller/auctions/new`);
    const kind = title.toLowerCase().replaceAll(' ', '-');
    const times = {
      'Start time': inField(Date.now() - MINUTE_MS),
      'End time': inField(Date.now() + 60 * MINUTE_MS),
    };
    await fillIn(page, { Title: title, 'How it is sold': { option: how } });
    // The form comes again, with the fields of this way to sell, and what was typed.
    await page.waitForURL(/\/seller\/auctions$/);
    expect(await page.getByLabel('Title').first().inputValue()).to.equal(title);
    if (CHOOSES_WITHIN in terms) {
      await fillIn(page, { Type: { option: /^Simulcast/ } });
      await page.getByLabel(CHOOSES_WITHIN).waitFor({ state: 'attached' });
    }
    await fillIn(page, { ...times, ...terms });
    expect(await page.getByText('Input that you typed here earlier').count()).to.equal(0);
    await this.shot(page, `${kind}-1-form`);
    await page.getByRole('button', { name: 'Save auction' }).first().click();
    await page.getByText('The auction has been created.').waitFor();
    await this.shot(page, `${kind}-2-auction`);
    const auctionId = Number(/auctions\/(\d+)/.exec(page.url())?.[1]);
    for (const [at, lot] of lots.entries()) {
      await page.goto(`${this.#site.url}/seller/lots/new?auction_id=${auctionId}`);
      await fillIn(page, { Title: `${title} ${at + 1}`, ...lot });
      if (at === 0) await this.shot(page, `${kind}-3-lot`);
      await page.getByRole('button', { name: 'Save lot' }).first().click();
      await page.getByText(/lot has been created/i).waitFor();
    }
    await page.goto(`${this.#site.url}/seller/auctions/${auctionId}`);
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    const anyway = page.getByRole('button', { name: /^Publish (without pictures|as it is)$/ });
    await anyway.or(page.getByText('The auction is published.')).first().waitFor();
    await this.shot(page, `${kind}-4-publish`);
    if (await anyway.isVisible()) await anyway.click();
    await page.getByText('The auction is published.').waitFor();
    const { knex } = this.#site.service.backends;
    const { slug } = await knex('auctions').where('id', auctionId).first('slug');
    const rows = await knex('lots').where('auction_id', auctionId).orderBy('lot_number').select('id');
    await page.context().close();
    return { auctionId, slug, email, lots: rows.map(({ id }) => Number(id)) };
  }

  async opens({ lots }: { readonly lots: readonly number[] }): Promise<void> {
    const page = await (await openPhone(this.#browser)).newPage();
    await page.goto(`${this.#site.url}/lots/${lots[0]}`);
    await comes(page, false, page.getByText('Live', { exact: true }));
    await page.context().close();
  }

  /** What anybody can do once it is over. */
  async checks(lotId: number | undefined, name: string): Promise<void> {
    const page = await (await openPhone(this.#browser)).newPage();
    await page.goto(`${this.#site.url}/lots/${lotId}`);
    await page.getByRole('link', { name: 'Check this lot’s journal' }).click();
    await page.getByText('All checks passed.').waitFor();
    await this.shot(page, name);
    await page.context().close();
  }
}

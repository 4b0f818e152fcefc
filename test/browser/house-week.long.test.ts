/**
 * The house's week, counted: from an account of one's own to a published sale of thirty lots with sixty photographs, in
 * a real browser. Every click and every page that is loaded counts, the staff's approval apart; docs/testing.md says
 * what they came to.
 */
import { expect } from 'chai';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { PASSWORD } from '../src/pages/seller/seller-at-desk.ts';
import { quickHash } from '../support/browser-like.ts';
import { aUser } from '../support/builders.ts';
import { collectProblems, openChromium } from '../support/chromium.ts';
import { newestLink } from '../support/mailbox.ts';
import { aPicture } from '../support/media.ts';
import { type Service, startService } from '../support/service.ts';

const LOTS = 30;
const PHOTOS = 60;
const EMAIL = 'house@example.com';

/** What a walk took. */
class Walk {
  clicks = 0;
  pages = 0;
  fields = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    page.on('domcontentloaded', () => {
      this.pages += 1;
    });
  }

  async click(target: Locator): Promise<void> {
    await target.click();
    this.clicks += 1;
  }

  async press(name: string | RegExp): Promise<void> {
    await this.click(this.page.getByRole('button', { name, exact: typeof name === 'string' }).first());
  }

  async follow(name: string | RegExp): Promise<void> {
    await this.click(this.page.getByRole('link', { name, exact: typeof name === 'string' }).first());
  }

  async fill(label: string, text: string): Promise<void> {
    await this.page
      .getByLabel(new RegExp(`^\\s*${label}`))
      .first()
      .fill(text);
    this.fields += 1;
  }

  get count() {
    return { clicks: this.clicks, pages: this.pages, fields: this.fields };
  }
}

describe('the house’s week, in a real browser', () => {
  let service: Service;
  let browser: Browser;
  let walk: Walk;
  let staff: Walk;
  const problems: string[] = [];

  async function aWalk(): Promise<Walk> {
    const context: BrowserContext = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    problems.push(...collectProblems(page));
    return new Walk(page);
  }

  before(async () => {
    [service, browser] = await Promise.all([startService(), openChromium()]);
    await aUser(service.database, {
      ...{ email: 'staff@example.com', password_hash: quickHash(PASSWORD), is_admin: true },
    });
    walk = await aWalk();
    staff = await aWalk();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  it('begins at the start page: an account, a house of its own, the staff’s word', async () => {
    await walk.page.goto(`${service.url}/`);
    await walk.follow('Sell with us');
    await walk.follow('Create account');
    await walk.fill('Name', 'Hanna House');
    await walk.fill('Email', EMAIL);
    await walk.fill('Password', PASSWORD);
    await walk.press('Create account');
    await walk.page.getByText(/mail/i).first().waitFor();
    await walk.page.goto(service.url + (await newestLink(service, EMAIL, '/confirm/')));
    walk.clicks += 1;
    await walk.page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
    walk.clicks += 1;
    await walk.fill('Email', EMAIL);
    await walk.fill('Password', PASSWORD);
    await walk.click(walk.page.getByRole('main').getByRole('button', { name: 'Sign in', exact: true }));
    await walk.fill('Name of your auction house', 'House of Hanna');
    await walk.fill('Legal name', 'Hanna House Ltd');
    await walk.fill('Address', '1 Main Street, Austin, TX');
    await walk.fill('What you sell', 'Farm machines');
    await walk.fill('Phone', '+1 512 555 0100');
    await walk.page.getByLabel('Sales a year').selectOption({ index: 1 });
    await walk.press('Send application');
    await walk.page.getByText('Your application is with our staff.').waitFor();

    await staff.page.goto(`${service.url}/sign-in?next=/office`);
    await staff.fill('Email', 'staff@example.com');
    await staff.fill('Password', PASSWORD);
    await staff.press('Sign in');
    await staff.press(/^Approve/);
    await staff.page.getByText('House of Hanna').waitFor({ state: 'detached' });
  }).timeout(120_000);

  it('ends with a published sale of thirty lots with sixty photographs', async () => {
    const { page } = walk;
    await walk.follow('Seller’s desk');
    await walk.follow(/^New auction/);
    await walk.fill('Title', 'Spring farm sale');
    await walk.fill('Start time', '2027-03-01T10:00');
    await walk.fill('End time', '2027-03-05T18:00');
    await walk.fill('Between the ends of two lots', '1');
    await walk.fill('Buyer’s premium', '15');
    await walk.press('Save auction');
    await page.getByText('The auction has been created.').waitFor();
    await walk.follow(/table/i);
    const text = Array.from({ length: LOTS }, (_, n) => `Farm machine ${n + 1}\t${(n + 1) * 10}`).join('\n');
    await walk.click(page.getByLabel('Title, a new lot', { exact: true }));
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await page.keyboard.press('Control+v');
    await page.getByLabel(`Title, lot ${LOTS}`, { exact: true }).waitFor({ timeout: 60_000 });
    await walk.follow('Photographs');
    const buffer = await aPicture('jpeg', 640, 480);
    const files = Array.from({ length: PHOTOS }, (_, n) => ({
      ...{ name: `${(n % LOTS) + 1}-${Math.floor(n / LOTS) + 1}.jpg`, mimeType: 'image/jpeg', buffer },
    }));
    await page.getByLabel(/^Pictures, or a ZIP/).setInputFiles(files);
    walk.clicks += 1;
    await page
      .getByText(`${PHOTOS} of ${PHOTOS} files are done.`)
      .waitFor({ state: 'attached', timeout: 120_000 });
    await walk.follow('Spring farm sale');
    await walk.press('Publish');
    await page.getByText('The auction is published.').waitFor({ timeout: 60_000 });

    const { knex } = service.backends;
    const auction = await knex('auctions').where('title', 'Spring farm sale').first('id', 'status');
    expect(auction.status).not.to.equal('draft');
    const lots = await knex('lots').where('auction_id', auction.id).whereNot('status', 'draft');
    expect(lots.length).to.equal(LOTS);
    const photos = await knex('media').whereIn(
      'lot_id',
      lots.map(({ id }) => id),
    );
    expect(photos.length).to.equal(PHOTOS);
    expect(problems).to.deep.equal([]);
    expect(walk.count.clicks, 'clicks').to.be.at.most(16);
    expect(walk.count.pages, 'pages').to.be.at.most(15);
    expect(walk.count.fields, 'fields that are filled in').to.be.at.most(15);
    expect(staff.count.clicks, 'the staff’s clicks').to.be.at.most(2);
  }).timeout(240_000);
});

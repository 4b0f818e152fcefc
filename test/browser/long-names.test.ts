/** However long names and forms are, what is decided stays in sight; and paper is light, with nothing to press on it. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { quickHash } from '../support/browser-like.ts';
import { aCategory, anAuction, aTeam, aUser } from '../support/builders.ts';
import { openChromium } from '../support/chromium.ts';
import { aSale } from '../support/money.ts';
import { mustFit, openPhone } from '../support/on-a-phone.ts';
import { type Service, startService } from '../support/service.ts';

const PASSWORD = 'a long enough password';
const NAMES = [
  'Maximiliana Alexandra Wolfeschlegelsteinhausenbergerdorff-Featherstonehaugh',
  'Bartholomew Cholmondeley of Wimbledon, Kensington and the Isles beyond',
  'Ann Lee',
];
/** Fields of a category, and how high its whole form may be on a phone: four screens. */
const FIELDS = ['make', 'year', 'weight', 'drive', 'serviced', 'colour', 'hours', 'tyres'];
const HIGHEST = 4 * 844;
/** How much of the table one has to scroll to. */
const HIDDEN_WIDTH = `(() => {
  const { scrollWidth, clientWidth } = document.querySelector('[role="region"]');
  return scrollWidth - clientWidth;
})()`;

/** Of a paper: its ground, and its words. */
const COLORS = `(() => {
  const { backgroundColor, color } = getComputedStyle(document.querySelector('.paper'));
  return backgroundColor + ' ' + color;
})()`;

describe('long names, long forms and paper in a browser', function () {
  this.timeout(120_000);
  let service: Service;
  let browser: Browser;
  before(async () => {
    [service, browser] = await Promise.all([startService(), openChromium()]);
  });
  after(() => Promise.all([service.close(), browser.close()]));

  async function signInAt(page: Page, email: string): Promise<void> {
    await page.goto(`${service.url}/sign-in`);
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('main').getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL((url) => url.pathname !== '/sign-in');
  }

  it('leave the decision on a registration in sight, at 1280 pixels and on a phone', async () => {
    const { database } = service;
    const owner = await aUser(database, { password_hash: quickHash(PASSWORD), verified: true });
    const team = await aTeam(database, { owner });
    await service.backends.knex('users').where('id', owner.id).update({ current_team_id: team.id });
    const auction = await anAuction(database, { team_id: team.id, registration_mode: 'approval' });
    for (const [n, name] of NAMES.entries())
      await service.backends.knex('registrations').insert({
        auction_id: auction.id,
        user_id: (await aUser(database, { name })).id,
        status: n === 2 ? 'approved' : 'pending',
      });
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await signInAt(page, owner.email);
    for (const path of ['/seller/registrations', `/seller/auctions/${auction.id}/registrations`]) {
      await page.goto(`${service.url}${path}`);
      await page.waitForLoadState('load');
      expect(Number(await page.evaluate(HIDDEN_WIDTH)), path).to.be.at.most(0);
      await page.setViewportSize({ width: 390, height: 844 });
      await mustFit(page);
      await page.setViewportSize({ width: 1280, height: 900 });
    }
    await page.close();
  });

  it('keep the form of a category to a few screens of a phone', async () => {
    const { database } = service;
    const admin = await aUser(database, { password_hash: quickHash(PASSWORD), is_admin: true });
    const properties = Object.fromEntries(FIELDS.map((name) => [name, { type: 'string', title: name }]));
    const { id } = await aCategory(database, { schema: { type: 'object', properties } });
    const phone = await openPhone(browser);
    const page = await phone.newPage();
    await signInAt(page, admin.email);
    await page.goto(`${service.url}/office/catalog/categories/${id}`);
    await mustFit(page);
    const form = page.locator('form', { has: page.getByLabel('Position') }).first();
    expect((await form.boundingBox())?.height).to.be.lessThan(HIGHEST);
    await form.getByText('drive', { exact: true }).click();
    await form.locator('details[open] input[name$=".name"][value="drive"]').waitFor();
    await phone.close();
  });

  it('print black on white and without buttons, in the dark scheme too', async () => {
    const { buyer, invoice } = await aSale(service, 50_000);
    await service.backends
      .knex('users')
      .where('id', buyer.id)
      .update({ password_hash: quickHash(PASSWORD) });
    const page = await browser.newPage({ colorScheme: 'dark' });
    await signInAt(page, buyer.email);
    await page.goto(`${service.url}/account/invoices/${invoice.invoice_number}`);
    const print = page.getByRole('button', { name: 'Print' });
    await print.waitFor();
    expect(await page.evaluate(COLORS)).not.to.contain('rgb(255, 255, 255)');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.evaluate(COLORS)).to.equal('rgb(255, 255, 255) rgb(0, 0, 0)');
    expect(await print.isVisible()).to.equal(false);
    await page.close();
  });
});

/** The table of lots as a spreadsheet and photographs dropped for many lots, in a real browser. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { type AtDesk, aSellerAtDesk, PASSWORD } from '../src/pages/seller/seller-at-desk.ts';
import { anAuction } from '../support/builders.ts';
import { collectProblems, openChromium } from '../support/chromium.ts';
import { eventually } from '../support/market.ts';
import { aPicture } from '../support/media.ts';
import { type Service, startService } from '../support/service.ts';

describe('filling a sale, in a real browser', () => {
  let service: Service;
  let browser: Browser;
  let seller: AtDesk;
  let page: Page;
  let auctionId: number;
  let axe: string;

  before(async () => {
    [service, browser] = await Promise.all([startService(), openChromium()]);
    seller = await aSellerAtDesk(service);
    auctionId = (await anAuction(service.database, { team_id: seller.team.id, status: 'draft' })).id;
    axe = await readFile(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
    const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    page = await context.newPage();
    await page.goto(`${service.url}/sign-in`);
    await page.getByLabel('Email').fill(seller.user.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/account|\/$/);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const rows = () =>
    service.backends
      .knex('lots')
      .where('auction_id', auctionId)
      .orderBy('lot_number')
      .select('title', 'starting_bid_cents', 'condition') as Promise<
      { title: string; starting_bid_cents: number; condition: string | null }[]
    >;
  const conditions = async () =>
    (await rows())
      .slice(0, 3)
      .map(({ condition }) => condition)
      .join();
  const said = (text: string | RegExp) => page.locator('[data-table-said]').getByText(text).waitFor();
  async function serious(): Promise<string[]> {
    await page.evaluate(axe);
    const { violations } = (await page.evaluate('axe.run()')) as {
      violations: { id: string; impact: string; nodes: { html: string }[] }[];
    };
    const wide = (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) as boolean;
    const bad = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    return [...bad.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`), ...(wide ? ['too wide'] : [])];
  }

  async function paste(label: string, text: string): Promise<void> {
    await page.getByLabel(label, { exact: true }).focus();
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await page.keyboard.press('Control+v');
  }

  it('pastes rows of a spreadsheet, undoes, moves by keys, and says what is wrong at its cell', async () => {
    const problems = collectProblems(page);
    await page.goto(`${service.url}/seller/auctions/${auctionId}/table`);
    const text = Array.from({ length: 30 }, (_, n) => `Lot of tools ${n + 1}\t${(n + 1) * 10}`).join('\n');
    await paste('Title, a new lot', text);
    await page.getByLabel('Title, lot 30', { exact: true }).waitFor();
    expect((await rows()).map(({ title }) => title)).to.have.length(30);
    expect((await rows())[29]).to.include({ title: 'Lot of tools 30', starting_bid_cents: 30_000 });
    await paste('Condition, lot 1', 'good\nfair\n"as\nit is"');
    await eventually(async () => (await conditions()) === 'good,fair,as it is', 10_000);
    await page.getByLabel('Title, lot 2', { exact: true }).fill('Anvil');
    await page.keyboard.press('Enter');
    await eventually(async () => (await rows())[1]?.title === 'Anvil', 10_000);
    await page.keyboard.press('Control+z');
    await eventually(async () => (await rows())[1]?.title === 'Lot of tools 2', 10_000);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => (await conditions()) === ',,', 10_000);
    await page.getByLabel('Title, lot 2', { exact: true }).focus();
    await page.keyboard.press('Alt+ArrowUp');
    await eventually(async () => (await rows())[0]?.title === 'Lot of tools 2', 10_000);
    await said('The order is saved.');
    await page.getByLabel('Starting bid, lot 3', { exact: true }).fill('much');
    await page.keyboard.press('Enter');
    await page.getByText(/^Starting bid must be an amount/).waitFor();
    const wrong = page.getByLabel('Starting bid, lot 3', { exact: true });
    expect(await wrong.inputValue()).to.equal('much');
    await wrong.fill('35');
    await page.keyboard.press('Enter');
    await eventually(async () => (await rows())[2]?.starting_bid_cents === 3_500, 10_000);
    // A row that is being saved is read, too.
    await page.locator('tr', { has: wrong }).evaluate((row) => row.setAttribute('data-saving', ''));
    expect(await serious()).to.deep.equal([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await serious()).to.deep.equal([]);
    await page.setViewportSize({ width: 1_280, height: 900 });
    expect(problems.filter((one) => !/422/.test(one))).to.deep.equal([]);
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/table.png` });
  }).timeout(120_000);

  it('has the pages of a sale in one line on a phone, the open one in sight, without a script too', async () => {
    const cookies = await page.context().cookies();
    for (const javaScriptEnabled of [true, false]) {
      const context = await browser.newContext({ viewport: { width: 390, height: 844 }, javaScriptEnabled });
      await context.addCookies(cookies);
      const phone = await context.newPage();
      for (const path of ['', '/papers']) {
        await phone.goto(`${service.url}/seller/auctions/${auctionId}${path}`);
        const tabs = phone.getByRole('list', { name: 'Pages of the auction' });
        expect((await tabs.boundingBox())?.height, path).to.be.below(60);
        const { x = -1, width = 0 } = (await tabs.locator('[aria-current]').boundingBox()) ?? {};
        expect([x >= 0, x + width <= 390], `${path} ${javaScriptEnabled} ${x}`).to.deep.equal([true, true]);
      }
      await context.close();
    }
  }).timeout(60_000);

  it('drops sixty photographs, which find their lots, and gives a lot to one that found none', async () => {
    await page.goto(`${service.url}/seller/auctions/${auctionId}/photos`);
    const buffer = await aPicture('jpeg', 640, 480);
    const files = Array.from({ length: 60 }, (_, n) => ({
      ...{ name: `${(n % 30) + 1}-${Math.floor(n / 30) + 1}.jpg`, mimeType: 'image/jpeg', buffer },
    }));
    const started = Date.now();
    await page
      .getByLabel(/^Pictures, or a ZIP/)
      .setInputFiles([...files, { ...files[0]!, name: 'IMG_1.jpg' }]);
    await page.getByText('61 of 61 files are done.').waitFor({ state: 'attached', timeout: 90_000 });
    if (process.env['SHOTS']) {
      console.log(`60 photographs in ${Date.now() - started} ms`);
      await page.screenshot({ path: `${process.env['SHOTS']}/photos.png` });
    }
    const count = () => service.backends.knex('media').whereNotNull('lot_id').count({ n: '*' }).first();
    expect(Number((await count())?.['n'])).to.equal(60);
    await page.getByLabel('Lot of IMG_1.jpg').selectOption({ index: 3 });
    await page.getByText('62 of 62 files are done.').waitFor({ state: 'attached' });
    expect(Number((await count())?.['n'])).to.equal(61);
    expect(await serious()).to.deep.equal([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await serious()).to.deep.equal([]);
  }).timeout(180_000);
});

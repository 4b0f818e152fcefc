/** The clerk calls sets of tracts by keyboard alone, with online bids between, in a real browser; the screen follows. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { collectProblems, openChromium } from '../support/chromium.ts';
import { PASSWORD } from '../support/format-sales.ts';
import { ParcelsSales } from '../support/parcels-sales.ts';
import { type Service, startService } from '../support/service.ts';

describe('a saleroom of tracts, in a real browser', () => {
  let service: Service;
  let browser: Browser;
  let sales: ParcelsSales;
  let axe: string;

  before(async () => {
    [service, browser] = await Promise.all([startService(), openChromium()]);
    sales = await ParcelsSales.of(service);
    const { owner, team } = sales;
    await service.backends.knex('users').where('id', owner.id).update({ current_team_id: team.id });
    axe = await readFile(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const seriousOn = async (page: Page) => {
    await page.evaluate(axe);
    const found = (await page.evaluate('axe.run()')) as {
      violations: { id: string; impact: string; nodes: { html: string }[] }[];
    };
    const wide = (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) as boolean;
    return [
      ...found.violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
      ...(wide ? ['wider than the screen'] : []),
    ];
  };

  async function pictured(page: Page, name: string): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1_280, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: width < 600 ? 844 : 860 });
        if (process.env['SHOTS'])
          await page.screenshot({
            path: `${process.env['SHOTS']}/${name}-${colorScheme}-${width}.png`,
            fullPage: true,
          });
        expect(await seriousOn(page), `${name} ${colorScheme} ${width}`).to.deep.equal([]);
      }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1_280, height: 860 });
  }

  it('takes sets, amounts and paddles as they are typed, and sells all at once', async () => {
    const titles = ['North forty', 'Creek bottom', 'House and barns', 'Timber'];
    const sale = await sales.open(
      titles.map((title, at) => ({ title, units: String(40 + 20 * at), unit_name: 'acre' })),
      { type: 'simulcast' },
    );
    const context = await browser.newContext({ viewport: { width: 1_280, height: 860 } });
    const page = await context.newPage();
    const problems = collectProblems(page);
    await page.goto(`${service.url}/sign-in`);
    await page.getByLabel('Email').fill(sales.owner.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/account|\/$/);
    await page.goto(`${service.url}/seller/auctions/${sale.id}/saleroom`);
    const screen = await (await browser.newContext({ viewport: { width: 1_600, height: 900 } })).newPage();
    const onScreen = collectProblems(screen);
    await screen.goto(`${service.url}/auctions/${sale.slug}/screen`);
    await page.getByText('Hand out a paddle').click();
    await page.getByLabel('Name').fill('Ann Miller');
    const paddle = '88';
    await page.locator('form[action$="/paddle"] input[name="paddle"]').fill(paddle);
    const handedOut = page.waitForResponse((answer) => answer.url().endsWith('/saleroom/paddle'));
    await page.getByRole('button', { name: 'Hand out paddle' }).click();
    await handedOut;
    const type = async (...fields: readonly string[]) => {
      for (const [at, text] of fields.entries()) {
        if (at > 0) await page.keyboard.press('Tab');
        await page.keyboard.type(text);
      }
    };
    await page.locator('[data-set]').focus();
    await page.keyboard.type('1 2');
    await page.locator('[data-lead="200.00"]').waitFor();
    await type('', '250', paddle);
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: '1, 2' }).waitFor();
    await screen.getByRole('cell', { name: '1, 2' }).waitFor();
    // The next call begins where the last one did.
    await page.waitForFunction('document.activeElement.name === "lots"');
    await page.keyboard.type('2-4');
    await page.locator('[data-lead="300.00"]').waitFor();
    const ann = await sales.bidder();
    expect((await sales.bid(ann, [sale.lots[2]], '120.00')).status).to.equal(201);
    // What is typed stays, and what it would take follows.
    await page.locator('[data-lead="370.01"]').waitFor();
    expect(await page.locator('[data-set]').inputValue()).to.equal('2-4');
    await type('', '360', paddle);
    await page.keyboard.press('Enter');
    await page.getByText('The bid would not lead: that takes 370.01.').waitFor();
    await page.keyboard.press('l');
    expect(await page.locator('input[name="amount"]').inputValue()).to.equal('370.01');
    await pictured(page, 'tracts-console');
    await page.locator('input[name="amount"]').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: '2, 3, 4' }).waitFor();
    await page.keyboard.press('u');
    await page.getByRole('cell', { name: '1, 2' }).waitFor();
    await page.keyboard.press('f');
    await page.getByText('Fair warning is given.').waitFor();
    await screen.getByText('Fair warning').waitFor();
    await pictured(screen, 'tracts-screen');
    await page.keyboard.press('s');
    await page.getByRole('button', { name: 'Take back' }).waitFor();
    await page.keyboard.press('b');
    await page.locator('[data-set]').waitFor();
    await page.keyboard.press('s');
    await page.getByText(/Final in [1-5] s\./).waitFor();
    await screen.locator('.leader strong', { hasText: 'Sold' }).waitFor();
    await pictured(page, 'tracts-sold');
    // The call that would not lead.
    const refused = problems.filter((problem) => problem.includes('status of 422'));
    expect([problems.length, refused.length, onScreen]).to.deep.equal([1, 1, []]);
  }).timeout(180_000);
});

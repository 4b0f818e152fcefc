/** The clerk's console by keyboard, and the screen of the room beside it, in a real browser: Sold, taken back, and final. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { Registry } from 'prom-client';
import { type RunningJobs, startWorkerJobs } from '../../src/app/jobs/worker-jobs.ts';
import { openLog } from '../../src/shared/log.ts';
import { type AtDesk, aSellerAtDesk, PASSWORD } from '../src/pages/seller/seller-at-desk.ts';
import { aLot, anAuction } from '../support/builders.ts';
import { collectProblems, openChromium } from '../support/chromium.ts';
import { type Service, startService } from '../support/service.ts';

describe('the saleroom, in a real browser', () => {
  let service: Service;
  let jobs: RunningJobs;
  let browser: Browser;
  let seller: AtDesk;
  let axe: string;

  before(async () => {
    [service, browser] = await Promise.all([startService(), openChromium()]);
    jobs = await startWorkerJobs(service.config, service.backends, new Registry(), openLog('silent', 'test'));
    seller = await aSellerAtDesk(service);
    axe = await readFile(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
  });
  after(async () => {
    await browser?.close();
    await jobs?.close();
    await service?.close();
  });

  async function signedIn(width = 1_280): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: { width, height: 800 } });
    const page = await context.newPage();
    await page.goto(`${service.url}/sign-in`);
    await page.getByLabel('Email').fill(seller.user.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/account|\/$/);
    await page.close();
    return context;
  }

  async function aRoom() {
    const auction = await anAuction(service.database, {
      ...{ team_id: seller.team.id, type: 'simulcast', title: 'In the hall' },
    });
    for (const title of ['Plough', 'Harrow', 'Scythe'])
      await aLot(service.database, { auction_id: auction.id, title, starting_bid_cents: 400_000 });
    await service.publish();
    const console = `${service.url}/seller/auctions/${auction.id}/saleroom`;
    await seller.browser.get(`/seller/auctions/${auction.id}/saleroom`);
    await seller.browser.post(`/seller/auctions/${auction.id}/saleroom/paddle`, {
      ...{ paddle: '88', name: 'Ann Miller', contact: '' },
    });
    return { auction, console, screen: `${service.url}/auctions/${auction.slug}/screen` };
  }

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

  it('sells, takes back and sells again by keys, and the screen of the room follows', async () => {
    const room = await aRoom();
    const context = await signedIn();
    const page = await context.newPage();
    const problems = collectProblems(page);
    await page.goto(room.console);
    const screen = await (await browser.newContext({ viewport: { width: 1_600, height: 900 } })).newPage();
    await screen.goto(room.screen);
    await screen.getByText('No bid yet').waitFor();
    await page.keyboard.type('88');
    await page.keyboard.press('q');
    await screen.getByText('Paddle 88').waitFor();
    await screen.getByText('$4,000.00').waitFor();
    await page.getByText('Paddle 88').first().waitFor();
    await page.keyboard.press('s');
    // Without a look at anything else: there are five seconds to take it back, and a machine may be slow.
    await page.getByRole('button', { name: 'Take back' }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('heading', { name: 'Harrow' }).waitFor();
    await page.keyboard.press('b');
    await page.getByRole('heading', { name: 'Plough' }).waitFor();
    await page.getByRole('button', { name: 'Sold' }).waitFor();
    await screen.getByRole('heading', { name: 'Plough' }).waitFor();
    await page.keyboard.press('s');
    await page.getByText(/Final in [1-5] s\./).waitFor();
    await screen.locator('.leader strong', { hasText: 'Sold' }).waitFor();
    if (process.env['SHOTS']) {
      await page.screenshot({ path: `${process.env['SHOTS']}/console-held.png` });
      await screen.screenshot({ path: `${process.env['SHOTS']}/screen-sold.png` });
    }
    expect(await seriousOn(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Take back' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Put lot 2, Harrow, on the block' }).count()).to.equal(1);
    expect(problems).to.deep.equal([]);
    for (const width of [390, 1_600]) {
      await screen.setViewportSize({ width, height: 844 });
      expect(await seriousOn(screen), `screen at ${width}`).to.deep.equal([]);
      await page.setViewportSize({ width, height: 844 });
      expect(await seriousOn(page), `console at ${width}`).to.deep.equal([]);
    }
  }).timeout(120_000);
});

/**
 * The winner of lots that are offered together chooses on the page of one of them, and the clerk sees the time run: on
 * a phone and on a desk, in a real browser.
 */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import type { User } from '../../src/accounts/models/user.model.ts';
import { type Sweep, startSweep } from '../../src/bidding/closing/sweep.ts';
import { openLog } from '../../src/shared/log.ts';
import { quickHash } from '../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../support/builders.ts';
import { collectProblems, openChromium } from '../support/chromium.ts';
import { type Service, startService } from '../support/service.ts';

const PASSWORD = 'a long enough password';
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 900 };

describe('choosing among lots, in a real browser', () => {
  let service: Service;
  let sweep: Sweep;
  let browser: Browser;
  let clerk: User;
  let bidder: User;
  let auctionId: number;
  const lots: number[] = [];

  before(async () => {
    [service, browser] = await Promise.all([startService(), openChromium()]);
    const { database, backends } = service;
    clerk = await aUser(database, { password_hash: quickHash(PASSWORD) });
    bidder = await aUser(database, { password_hash: quickHash(PASSWORD) });
    const team = await aTeam(database, { owner: clerk });
    const sale = { team_id: team.id, type: 'simulcast' as const, title: 'Farm of the Olsons' };
    auctionId = (await anAuction(database, sale)).id;
    for (const title of ['John Deere 6130R', 'John Deere 6140R', 'Case IH Puma 150'])
      lots.push((await aLot(database, { auction_id: auctionId, title, choice_group: 'Tractors' })).id);
    await service.publish();
    const { redis, journal, engine, pubSub } = backends;
    sweep = await startSweep({ redis, journal, engine, pubSub, log: openLog('silent', 'test') });
  });
  after(async () => {
    await browser?.close();
    await sweep?.close();
    await service?.close();
  });

  async function signedIn({ email }: User, viewport: typeof PHONE): Promise<Page> {
    const context = await browser.newContext({ baseURL: service.url, viewport });
    const page = await context.newPage();
    await page.goto('/sign-in');
    await page.fill('input[name="email"]', email);
    await page.fill('input[name="password"]', PASSWORD);
    await page.click('main button[type="submit"], main form button');
    await page.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
    return page;
  }

  const isWide = (page: Page) =>
    page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

  it('works from the bid to the lots, with the clerk’s clock', async () => {
    const [first = 0, second = 0, third = 0] = lots;
    const buyer = await signedIn(bidder, PHONE);
    const room = await signedIn(clerk, DESK);
    const problems = [...collectProblems(buyer), ...collectProblems(room)];
    await buyer.goto(`/lots/${third}`);
    await room.goto(`/seller/auctions/${auctionId}/saleroom`);
    await room.click('text=/^Switch to/');
    await buyer.fill('[data-bid] input[name="max_amount"]', '100');
    await buyer.click('[data-place]');
    await buyer.waitForSelector('text=You lead');
    await room.waitForSelector('[data-leader]:has-text("Paddle")');
    expect(await isWide(buyer)).to.equal(false);
    await room.keyboard.press('s');
    await room.waitForSelector('text=is choosing');
    await buyer.waitForSelector('text=You have won: choose your lots');
    if (process.env['SHOTS']) {
      await buyer.screenshot({ path: `${process.env['SHOTS']}/buyer.png`, fullPage: true });
      await room.screenshot({ path: `${process.env['SHOTS']}/room.png`, fullPage: true });
    }
    expect(await isWide(buyer)).to.equal(false);
    expect(await isWide(room)).to.equal(false);
    await buyer.check(`input[name="lot-${second}"]`);
    await buyer.check(`input[name="lot-${third}"]`);
    await buyer.click('text=Take these lots');
    await buyer.waitForURL(`**/lots/${second}?sent=chosen`);
    await buyer.waitForSelector('text=You won');
    await room.waitForSelector('[data-status]:has-text("On the block")');
    await buyer.goto(`/lots/${first}`);
    await buyer.waitForSelector('text=Starting bid');
    await room.setViewportSize(PHONE);
    await room.reload();
    if (process.env['SHOTS'])
      await room.screenshot({ path: `${process.env['SHOTS']}/room-phone.png`, fullPage: true });
    expect(await isWide(room)).to.equal(false);
    expect(problems).to.deep.equal([]);
  });
});

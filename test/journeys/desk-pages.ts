/** The seller's desk under a real mouse and a real keyboard: what needs JavaScript, and what must not be lost by it. */
import type { Browser, Locator, Page } from 'playwright-core';
import { aLot, anAuction, aTeam } from '../support/builders.ts';
import { aPicture } from '../support/media.ts';
import type { DemoSite } from './demo-site.ts';
import { PASSWORD } from './site.ts';

interface Desk {
  readonly page: Page;
  readonly email: string;
  readonly auctionId: number;
  readonly lotId: number;
}

function must(holds: boolean, sentence: string): void {
  if (!holds) throw new Error(sentence);
}

async function openDesk(site: DemoSite, browser: Browser): Promise<Desk> {
  const { database, backends } = site.service;
  const owner = await site.person();
  const team = await aTeam(database, { owner });
  await backends.knex('users').where('id', owner.id).update({ current_team_id: team.id });
  const auction = await anAuction(database, { team_id: team.id, status: 'draft' });
  const { id: lotId } = await aLot(database, { auction_id: auction.id, status: 'draft' });
  const context = await browser.newContext({ viewport: { width: 1280, height: 1_400 } });
  context.setDefaultTimeout(20_000);
  const page = await site.signIn(context, owner.email);
  return { page, email: owner.email, auctionId: auction.id, lotId };
}

const namesIn = async (page: Page) => page.locator('[data-media-list] li .name').allTextContents();

/** Presses on one thing, moves over the other in steps, and lets go, as a hand does. */
async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  const [start, end] = [await from.boundingBox(), await to.boundingBox()];
  if (start === null || end === null) throw new Error('one of them is not on the screen');
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
  await page.mouse.down();
  await page.mouse.move(end.x + 20, end.y + end.height / 2, { steps: 8 });
  await page.mouse.move(end.x + 10, end.y + end.height / 2, { steps: 4 });
  await page.mouse.up();
}

/** Pictures are put into another order by the mouse and by keys alone, and stay so. */
export async function orderOfPictures(site: DemoSite, browser: Browser): Promise<void> {
  const { page, lotId } = await openDesk(site, browser);
  await page.goto(`${site.url}/seller/lots/${lotId}`);
  const buffer = await aPicture('png', 320, 240);
  const files = ['one.png', 'two.png', 'three.png'].map((name) => ({ name, mimeType: 'image/png', buffer }));
  await page.getByLabel('Add pictures and documents').setInputFiles(files);
  await page.getByRole('img', { name: 'three.png' }).waitFor();
  const items = page.locator('[data-media-list] li');
  await items.first().scrollIntoViewIfNeeded();
  await drag(page, items.nth(2).locator('.name'), items.nth(0));
  await page.getByText('The order is saved.').waitFor({ state: 'attached' });
  await page.reload();
  must((await namesIn(page)).join() === 'three.png,one.png,two.png', `dragged: ${await namesIn(page)}`);
  const later = page.getByRole('button', { name: /^Move later: .*three\.png/ });
  await later.focus();
  await page.keyboard.press('Enter');
  await page.getByText('The order is saved.').waitFor({ state: 'attached' });
  await page.keyboard.press('Enter');
  await page.waitForTimeout(500);
  await page.reload();
  must((await namesIn(page)).join() === 'one.png,two.png,three.png', `by keys: ${await namesIn(page)}`);
  await page.context().close();
}

/** A running upload is cancelled with the mouse: nothing of it is kept, and the next one continues. */
export async function cancelledUpload(site: DemoSite, browser: Browser): Promise<string> {
  const { page, lotId } = await openDesk(site, browser);
  await page.goto(`${site.url}/seller/lots/${lotId}`);
  const network = await page.context().newCDPSession(page);
  const slow = { offline: false, latency: 20, downloadThroughput: -1, uploadThroughput: 200_000 };
  await network.send('Network.emulateNetworkConditions', slow);
  const small = await aPicture('png', 320, 240);
  const large = Buffer.concat([await aPicture('jpeg', 640, 480), Buffer.alloc(6_000_000, 7)]);
  await page.getByLabel('Add pictures and documents').setInputFiles([
    { name: 'large.jpg', mimeType: 'image/jpeg', buffer: large },
    { name: 'small.png', mimeType: 'image/png', buffer: small },
  ]);
  const bar = page.getByRole('progressbar', { name: 'Upload of large.jpg' });
  await bar.waitFor();
  for (let tries = 0; tries < 100 && Number(await bar.getAttribute('value')) === 0; tries += 1)
    await page.waitForTimeout(100);
  const sent = Number(await bar.getAttribute('value'));
  must(sent > 0 && sent < 100, `the bar is at ${sent} %`);
  await page.getByRole('button', { name: 'Cancel large.jpg' }).click();
  await page.getByText('large.jpg is cancelled.').waitFor({ state: 'attached' });
  await page.getByRole('img', { name: 'small.png' }).waitFor();
  const kept = await site.service.backends.knex('media').where('lot_id', lotId).pluck('file_name');
  must(kept.join() === 'small.png', `kept: ${kept}`);
  await page.context().close();
  return `cancelled at ${sent} %`;
}

/** An import under way is cancelled: nothing was taken. */
export async function cancelledImport(site: DemoSite, browser: Browser): Promise<void> {
  const { page, auctionId } = await openDesk(site, browser);
  const rows = Array.from({ length: 9_000 }, (_, n) => `${n + 10},Thing ${n},10.00`);
  const buffer = Buffer.from(`lot_number,title,starting_bid\n${rows.join('\n')}\n`);
  await page.goto(`${site.url}/seller/auctions/${auctionId}/import`);
  await page.getByLabel('CSV file').setInputFiles({ name: 'lots.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByRole('button', { name: 'Import lots' }).click();
  await page.getByRole('progressbar', { name: 'Progress of the import' }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Cancelled. Nothing was imported.').waitFor();
  const there = await site.service.backends.knex('lots').where('auction_id', auctionId).pluck('id');
  must(there.length === 1, `${there.length} lots are there`);
  await page.context().close();
}

/** The session ends while somebody types: after signing in again the form offers what was typed, until it is saved. */
export async function endedSession(site: DemoSite, browser: Browser): Promise<void> {
  const { page, email, auctionId } = await openDesk(site, browser);
  const form = `${site.url}/seller/lots/new?auction_id=${auctionId}`;
  await page.goto(form);
  await page.getByLabel('Title').fill('A plough');
  await page.getByLabel('Starting bid').fill('12,500');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Save lot' }).click();
  await page.waitForLoadState();
  await page.goto(`${site.url}/sign-in`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((where) => !where.pathname.startsWith('/sign-in'));
  await page.goto(form);
  await page.getByRole('button', { name: 'Restore it' }).click();
  must((await page.getByLabel('Title').inputValue()).startsWith('A plough'), 'the title is lost');
  must((await page.getByLabel('Starting bid').inputValue()) === '12,500', 'the amount is lost');
  await page.getByRole('button', { name: 'Save lot' }).dblclick();
  await page.getByText('The lot has been created.').waitFor();
  const made = await site.service.backends.knex('lots').where({ auction_id: auctionId, title: 'A plough' });
  must(made.length === 1, `two clicks made ${made.length} lots`);
  await page.goto(form);
  must(
    !(await page.getByText('Input that you typed here earlier').isVisible()),
    'what was saved is offered again',
  );
  await page.context().close();
}

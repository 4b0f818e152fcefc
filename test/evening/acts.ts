/** What happens on the evening, act by act, by the names that people see. */
import type { Page } from 'playwright-core';
import type { Invoice } from '../../src/billing/invoices/invoice.model.ts';
import { aPicture } from '../support/media.ts';
import { paymentOf, report } from '../support/money.ts';
import { type House, must } from './house.ts';

const LOTS = 6;
const CSV = [
  'Lot no,Name,Opening bid,Reserve,Colour',
  ...Array.from({ length: LOTS }, (_, n) => `${n + 1},Tractor ${n + 1},${100 * (n + 1)}.00,,green`),
].join('\n');

const local = (ms: number) => new Date(ms).toISOString().slice(0, 19);

async function newAuction(
  page: Page,
  url: string,
  title: string,
  type: string,
  endMs: number,
): Promise<number> {
  await page.goto(`${url}/seller/auctions/new`);
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Type').selectOption(type);
  await page.getByLabel('Start time').fill(local(Date.now() - 60_000));
  await page.getByLabel('End time').fill(local(endMs));
  await page.getByLabel('Buyer’s premium').fill('12.50');
  await page.getByLabel('Sales tax').fill('7.25');
  await page.getByLabel('When somebody bids in the last').fill('0');
  await page.getByRole('button', { name: 'Save auction' }).click();
  await page.getByText('The auction has been created.').waitFor();
  return Number(/auctions\/(\d+)/.exec(page.url())?.[1]);
}

async function publish(page: Page, url: string, auctionId: number): Promise<void> {
  await page.goto(`${url}/seller/auctions/${auctionId}`);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  const without = page.getByRole('button', { name: 'Publish without pictures' });
  await page.getByText(/The auction is published|something is missing/).waitFor();
  if (await without.isVisible()) await without.click();
  await page.getByText('The auction is published.').waitFor();
}

/** One seller uploads a file, sees an error by line and column, corrects it, and adds photographs by drag and drop. */
export async function prepareByFile({ service: { url } }: House, page: Page): Promise<number> {
  const id = await newAuction(page, url, 'Tractors in the saleroom', 'simulcast', Date.now() + 3_600_000);
  const bring = async (text: string) => {
    await page.goto(`${url}/seller/auctions/${id}/import`);
    const file = { name: 'lots.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
    await page.getByLabel('CSV file').setInputFiles(file);
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Import lots' }).click();
  };
  await bring(CSV.replace('300.00', 'dear'));
  await page.getByText('Nothing was imported.').first().waitFor();
  const reported = page.getByRole('region', { name: 'Errors' }).getByRole('row').nth(1);
  must(
    /^4\s*Starting bid “Opening bid”/.test((await reported.innerText()).trim()),
    `the wrong place: ${await reported.innerText()}`,
  );
  await bring(CSV);
  await page.getByText(`${LOTS} lots imported.`).waitFor();
  await page.goto(`${url}/seller/lots?auction_id=${id}`);
  await page.getByRole('link', { name: 'Tractor 1', exact: true }).click();
  const pictures = await Promise.all([aPicture('jpeg', 640, 480), aPicture('png', 640, 480)]);
  await page.getByLabel('Add pictures and documents').setInputFiles([
    { name: 'front.jpg', mimeType: 'image/jpeg', buffer: pictures[0] },
    { name: 'side.png', mimeType: 'image/png', buffer: pictures[1] },
  ]);
  await page.getByRole('img', { name: 'side.png' }).waitFor();
  await page.getByRole('button', { name: 'Move earlier: side.png' }).click();
  await page.getByText('The order is saved.').waitFor({ state: 'attached' });
  await publish(page, url, id);
  return id;
}

/** The other seller types every lot. */
export async function prepareByForms(
  { service: { url } }: House,
  page: Page,
  endMs: number,
): Promise<number> {
  const id = await newAuction(page, url, 'Watches by the clock', 'timed', endMs);
  for (const title of ['Silver watch', 'Gold watch', 'Wall clock']) {
    await page.goto(`${url}/seller/lots/new?auction_id=${id}`);
    await page.getByLabel('Title').fill(title);
    await page.getByLabel('Starting bid').fill('50.00');
    await page.getByRole('button', { name: 'Save lot' }).click();
    await page.getByText('The lot has been created.').waitFor();
  }
  await publish(page, url, id);
  return id;
}

export async function lotsOf({ service }: House, auctionId: number): Promise<number[]> {
  return service.backends.knex('lots').where('auction_id', auctionId).orderBy('lot_number').pluck('id');
}

/** Everybody bids on every lot, each a proxy of their own; what the rules refuse is no fault. */
export async function bidOnline({ service, bidders }: House, lots: readonly number[]): Promise<number> {
  let taken = 0;
  for (const [index, { token }] of bidders.entries()) {
    const lot = lots[index % lots.length];
    const body = { max_amount: `${700 + index * 10}.00`, confirm: true };
    const answer = await service.call('POST', `/api/v1/lots/${lot}/bids`, { token, body });
    must(answer.status === 201 || answer.status === 422, answer.text);
    if (answer.status === 201) taken += 1;
  }
  return taken;
}

/** The clerk knocks the whole sale down, looking at the keys alone. Gives the slowest key, in milliseconds. */
export async function runSaleroom(
  { service: { url } }: House,
  page: Page,
  auctionId: number,
): Promise<number> {
  await page.goto(`${url}/seller/auctions/${auctionId}/saleroom`);
  for (let lot = 1; lot <= LOTS; lot += 1) {
    await page.getByText('Hand out a paddle').click();
    await page.getByLabel('Name').fill(`Bidder ${lot}`);
    await page
      .getByRole('region', { name: 'Paddles' })
      .getByLabel('Paddle')
      .fill(String(900 + lot));
    await page.getByRole('button', { name: 'Hand out paddle' }).click();
    await page.getByText(`Bidder ${lot}`, { exact: true }).waitFor();
  }
  let slowestMs = 0;
  const press = async (key: string, shows: string, where = '[data-board]') => {
    const startedMs = performance.now();
    await page.keyboard.press(key);
    await page
      .locator(where)
      .filter({ hasText: new RegExp(shows) })
      .first()
      .waitFor();
    slowestMs = Math.max(slowestMs, performance.now() - startedMs);
  };
  for (let lot = 1; lot <= LOTS; lot += 1) {
    const paddle = String(900 + lot);
    await page.keyboard.type(paddle);
    await press('q', `Paddle ${paddle}`, '[data-bids] li');
    if (lot === 2) {
      const call = await page.locator('[aria-keyshortcuts="W"]').innerText();
      const amount = /[\d,.]+/.exec(call)?.[0] ?? '';
      await press('w', `Paddle ${paddle} at \\$${amount}`);
      await press('u', 'voided');
    }
    await press('f', 'Fair warning is given');
    await press(lot === LOTS ? 'p' : 's', lot === LOTS ? 'Passed' : 'Sold for');
    if (lot < LOTS) await press('n', `Lot ${lot + 1}`, '.lot-on-block .kicker');
  }
  return slowestMs;
}

/** Every buyer pays what they owe. Gives how many invoices that were. */
export async function payAll({ service }: House): Promise<number> {
  const owed: Invoice[] = await service.backends.knex('invoices').where({ kind: 'winner', status: 'open' });
  for (const invoice of owed) {
    const { status } = await report(service, { object: paymentOf(invoice) });
    must(status === 'applied', `the payment of ${invoice.invoice_number} is ${status}`);
  }
  return owed.length;
}

/** What the officer does in the office, by the names of its pages, and what the sellers print afterwards. */
import type { Page } from 'playwright-core';
import { exactJson } from '../../adapters/http/exact-json.ts';
import { readBooks } from '../../src/billing/books/books.ts';
import { type House, must, until } from './house.ts';

/** The officer finds a lot, voids the newest bid on it from the list, and reads on the page that it is done. */
export async function voidNewest({ service: { url } }: House, page: Page, lotId: number): Promise<void> {
  await page.goto(`${url}/office/lots`);
  await page.getByLabel('Search', { exact: true }).fill(String(lotId));
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('link', { name: new RegExp(`^${lotId} · `) }).click();
  const link = page.getByRole('link', { name: /^Void bid \d+$/ }).first();
  const sequence = /\d+/.exec(await link.innerText())?.[0] ?? '';
  await link.click();
  const form = page.locator('#voidBidInOffice');
  must((await form.getByLabel('Bid').inputValue()) !== '', 'the list fills the id of the bid in');
  await form.getByLabel('Reason').fill('Made by mistake, the bidder called');
  await form.getByRole('button', { name: 'Void bid' }).click();
  await page.getByText('The bid is voided').waitFor();
  const row = page.getByRole('row', { name: new RegExp(`^${sequence} `) });
  must(/voided/.test(await row.innerText()), `bid ${sequence} reads: ${await row.innerText()}`);
  await page.goto(`${url}/office/activity`);
  await page.getByText('Made by mistake, the bidder called').first().waitFor();
}

/** The statements of these sales wait; the officer selects them all, approves them and has them paid. */
export async function approveAndPay(house: House, page: Page, auctionIds: readonly number[]): Promise<void> {
  const { url, backends } = house.service;
  await until('the settlements', async () => {
    const waiting = await backends.knex('settlements').where('status', 'pending').pluck('auction_id');
    return auctionIds.every((id) => waiting.includes(id));
  });
  for (const [action, table] of [
    ['Approve', 'Settlements to approve'],
    ['Pay', 'Settlements to pay'],
  ] as const) {
    await page.goto(`${url}/office/money`);
    await page.getByRole('group', { name: table }).getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByLabel('What to do').selectOption({ label: action });
    await page.getByLabel('Reason').fill(`${action}: the sums were checked`);
    await page.getByRole('button', { name: 'Apply to selected' }).click();
    const { length } = auctionIds;
    await page.getByText(`${action}: done for ${length} of ${length}.`).waitFor();
  }
}

const centsOf = (text: string) => Math.round(Number(text.replaceAll(/[^0-9.-]/g, '')) * 100);

/** The seller prints the statement of an auction: the paper alone, and its sums are those of the books. */
export async function printStatement(house: House, page: Page, auctionId: number): Promise<string> {
  const { url, backends } = house.service;
  const { statement_number: number } = await backends
    .knex('settlements')
    .where('auction_id', auctionId)
    .first('statement_number');
  await page.goto(`${url}/seller/settlements`);
  await page.getByRole('link', { name: number }).click();
  await page.getByRole('button', { name: 'Print' }).waitFor();
  await page.emulateMedia({ media: 'print' });
  for (const gone of ['Print', 'Sign out'])
    must(!(await page.getByRole('button', { name: gone }).isVisible()), `“${gone}” is on the paper`);
  must(!(await page.getByRole('navigation').first().isVisible()), 'the menu is on the paper');
  const cells = await page.getByRole('row', { name: /Total/ }).getByRole('cell').allInnerTexts();
  const [hammer = 0, commission = 0, fees = 0, adjustments = 0, net = 0] = cells.slice(2, 7).map(centsOf);
  const paidOut = centsOf((await page.getByText(/^Paid out: /).innerText()).replace('Paid out: ', ''));
  const nets = await page.locator('tbody tr:not(.strong) td:nth-child(7)').allInnerTexts();
  const summed = nets.reduce((sum, text) => sum + centsOf(text), 0);
  const books = await readBooks(backends.knex, auctionId);
  must(books.ok, `the books of auction ${auctionId} differ: ${exactJson(books.differences)}`);
  const { totals } = books;
  const paper = { hammer, commission, fees, net, summed, paidOut };
  const booked = {
    ...{ hammer: totals.hammer_cents, commission: totals.commission_cents, fees: totals.fees_cents },
    ...{ net, summed: net, paidOut: totals.paid_to_seller_cents },
  };
  must(
    JSON.stringify(paper) === exactJson(booked) && net === hammer - commission - fees + adjustments,
    `statement ${number}: ${exactJson({ paper, booked, adjustments })}`,
  );
  must((await page.pdf({ format: 'A4' })).length > 1_000, 'the statement prints');
  await page.emulateMedia({ media: 'screen' });
  return `${number}, ${(net / 100).toFixed(2)} net`;
}

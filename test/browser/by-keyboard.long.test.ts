/**
 * Somebody who sees nothing bids by keyboard, with what a screen reader would read: what has focus is found by its role
 * and name, what changes is said in a live region, and axe finds nothing on any page of the way.
 */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { openSite, PASSWORD, type Site } from '../journeys/site.ts';
import { openChromium } from '../support/chromium.ts';
import { bothWays, comes } from '../support/on-a-phone.ts';

const MOST_TABS = 60;

/** Whether what has focus can be seen: something else may not lie over all of it. */
const IS_SEEN = `(() => {
  const focused = document.activeElement;
  const { left, right, top, bottom } = focused.getBoundingClientRect();
  const spots = [0.1, 0.5, 0.9].flatMap((x) => [0.1, 0.5, 0.9].map((y) => [left + (right - left) * x, top + (bottom - top) * y]));
  return spots.some(([x, y]) => {
    const there = document.elementFromPoint(x, y);
    return there !== null && (focused.contains(there) || there.contains(focused));
  });
})()`;

describe('a bidder who sees nothing, by keyboard', () => {
  let site: Site;
  let browser: Browser;
  let axe: string;

  before(async () => {
    axe = await readFile(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
    [site, browser] = await Promise.all([openSite(), openChromium()]);
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  /** Moves on by Tab until this has focus; what is passed on the way must be in sight. */
  async function tabTo(
    page: Page,
    role: 'button' | 'link' | 'textbox',
    name: string | RegExp,
  ): Promise<void> {
    const wanted = page.getByRole(role, { name, exact: typeof name === 'string' }).first();
    await wanted.waitFor();
    for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(IS_SEEN), `in sight on the way to ${name}`).to.equal(true);
      if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    }
    throw new Error(`${MOST_TABS} tabs do not lead to ${name} on ${page.url()}`);
  }

  async function follow(page: Page, role: 'button' | 'link', name: string | RegExp): Promise<void> {
    await tabTo(page, role, name);
    await page.keyboard.press('Enter');
  }

  async function type(page: Page, name: string, text: string): Promise<void> {
    await tabTo(page, 'textbox', name);
    await page.keyboard.press('Control+a');
    await page.keyboard.type(text);
  }

  /** What a screen reader says by itself, or with the page that loads. */
  const said = (page: Page, text: string) =>
    page.locator('[role="status"], [role="alert"], [aria-live]').filter({ hasText: text }).first();

  async function mustBeAccessible(page: Page): Promise<void> {
    await page.evaluate(axe);
    const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string }[] };
    expect(
      violations.map(({ id }) => id),
      page.url(),
    ).to.deep.equal([]);
  }

  it('signs in, bids, hears of being outbid, and raises', async () => {
    const rival = await site.service.tokenFor(await site.person());
    await bothWays(browser, async (context, hasScript) => {
      const { lotId } = await site.lot({ title: 'A wheel' });
      const person = await site.person();
      const page = await context.newPage();
      await page.goto(`${site.url}/lots/${lotId}`);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      if (hasScript) await mustBeAccessible(page);
      await follow(page, 'link', 'Sign in to bid');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      if (hasScript) await mustBeAccessible(page);
      await page.getByLabel('Email address').focus();
      await page.keyboard.type(person.email);
      await page.keyboard.press('Tab');
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/lots\//);
      await type(page, 'Your maximum', '120');
      await follow(page, 'button', 'Place bid');
      await said(page, 'You are the high bidder.').waitFor();
      if (hasScript) await mustBeAccessible(page);
      const path = `/api/v1/lots/${lotId}/bids`;
      const answer = await site.service.call('POST', path, { token: rival, body: { amount: '150.00' } });
      expect(answer.status, answer.text).to.equal(201);
      await comes(page, hasScript, said(page, 'You have been outbid.'));
      await follow(page, 'button', 'Bid $160.00');
      await said(page, 'You are the high bidder.').waitFor();
      await page.goto(`${site.url}/account/board`);
      if (hasScript) await mustBeAccessible(page);
      await follow(page, 'button', 'Bid $170.00');
      await follow(page, 'button', 'Confirm bid');
      await comes(page, hasScript, page.getByText('my maximum $170.00'));
      if (hasScript) await mustBeAccessible(page);
    });
  });
});

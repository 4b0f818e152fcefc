/** What pages do while they are open, which takes JavaScript: tabs that agree, clocks, and the map's marks. */
import type { Browser, Page } from 'playwright-core';
import type { DemoSite } from './demo-site.ts';
import { visitsOf } from './pages-of.ts';

function must(holds: boolean, sentence: string): void {
  if (!holds) throw new Error(sentence);
}

/** In the page: the amounts of money that begin on one line and end on another. */
const BROKEN_AMOUNTS = `(() => {
  const broken = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    for (const { 0: amount, index } of node.textContent.matchAll(/[$][0-9,.]*[0-9]/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + amount.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) broken.push(amount);
    }
  }
  return broken;
})()`;

/** Two tabs of one bidder: each says that they lead, none that they have been outbid by themselves. */
export async function twoTabs(site: DemoSite, browser: Browser): Promise<void> {
  const { lotId } = await site.lot();
  const context = await browser.newContext();
  const first = await site.signIn(context, (await site.person()).email);
  const second = await context.newPage();
  for (const page of [first, second]) {
    await page.goto(`${site.url}/lots/${lotId}`);
    await page.getByText('Connected').waitFor();
  }
  for (const [amount, page] of [
    ['100', first],
    ['200', second],
  ] as const) {
    await page.getByLabel('Your maximum').fill(amount);
    await page.getByRole('button', { name: 'Place bid' }).click();
    for (const tab of [first, second]) {
      await tab.getByText('You lead').first().waitFor();
      must(!(await tab.getByText('You have been outbid').isVisible()), 'a tab calls its own bidder outbid');
    }
  }
  await first.locator('.mine').first().waitFor();
  await second.locator('.mine').first().waitFor();
  await context.close();
}

/** A visitor whose clock is an hour late sees the same countdowns as others. */
export async function lateClock(site: DemoSite, browser: Browser): Promise<string> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(`{
    const [now, late] = [Date.now.bind(Date), 3_600_000];
    const origin = performance.timeOrigin;
    Date.now = () => now() - late;
    Object.defineProperty(performance, 'timeOrigin', { get: () => origin - late });
  }`);
  for (const path of ['/', '/lots', '/auctions/watches-coins-and-antiques']) {
    await page.goto(`${site.url}${path}`);
    await page.waitForTimeout(300);
    const time = page.locator('time[data-countdown]').last();
    const [end, text] = [await time.getAttribute('datetime'), (await time.textContent()) ?? ''];
    const { atLeastMs, unitMs } = shownLeft(text);
    const trueMs = Date.parse(end ?? '') - Date.now();
    const isTrue = trueMs > atLeastMs - 5_000 && trueMs < atLeastMs + unitMs + 5_000;
    must(isTrue, `${path} shows ${text}, but ${trueMs} ms are left`);
  }
  await context.close();
  return 'within five seconds of what is left on three pages';
}

/** `2 days 3 hr`, `3 hr 12 min`, `12:09`: the time that it says, and the unit down to which that is rounded. */
function shownLeft(text: string): { atLeastMs: number; unitMs: number } {
  const part = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
  const [days, hours, minutes] = [part(/(\d+) days?/), part(/(\d+) hr/), part(/(\d+) min/)];
  const [clockMinutes, clockSeconds] = [part(/(\d+):\d\d$/), part(/\d+:(\d\d)$/)];
  must(/^(\d+ days?( \d+ hr)?|\d+ hr( \d+ min)?|\d+:\d\d)$/.test(text.trim()), `a countdown says ${text}`);
  const seconds = ((days * 24 + hours) * 60 + minutes + clockMinutes) * 60 + clockSeconds;
  let unitMs = 1_000;
  if (days > 0) unitMs = 3_600_000;
  else if (hours > 0) unitMs = 60_000;
  return { atLeastMs: seconds * 1_000, unitMs };
}

/** The marks count every lot in view; a mark of many opens, and those at one place are a list. */
export async function mapMarks(site: DemoSite, browser: Browser): Promise<string> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${site.url}/map`);
  await page.getByText('lots in view').waitFor();
  const said = Number(/^(\d+)/.exec((await page.locator('[data-map-status]').textContent()) ?? '')?.[1]);
  must((await countMarks(page)) === said, `${await countMarks(page)} lots are marked of ${said}`);
  for (let clicks = 0; clicks < 8; clicks += 1) {
    if (await page.locator('.map-stack').isVisible()) break;
    const before = await page.locator('.cluster').allTextContents();
    const max = Math.max(...before.map(Number));
    await page
      .getByRole('button', { name: `${max} lots` })
      .first()
      .click();
    await page.waitForTimeout(900);
  }
  const listed = await page.locator('.map-stack a').count();
  must(listed > 1, 'no mark of many lots at one place became a list');
  const prices = await page.locator('.map-stack span').allTextContents();
  must(
    prices.every((text) => text.includes('$')),
    'a listed lot has no price',
  );
  await context.close();
  return `${said} lots, ${listed} in one place`;
}

async function countMarks(page: Page): Promise<number> {
  const many = (await page.locator('.cluster').allTextContents()).map(Number);
  return many.reduce((sum, n) => sum + n, 0) + (await page.locator('.dot').count());
}

/** Nothing is wider than the screen, from the narrowest to the widest, and no amount is broken over two lines. */
export async function extremeWidths(site: DemoSite, browser: Browser): Promise<string> {
  const over: string[] = [];
  const visits = await visitsOf(site);
  for (const width of [320, 390, 1280, 1920]) {
    for (const { who, paths } of visits) {
      const context = await browser.newContext({ viewport: { width, height: 900 } });
      const page = await site.signIn(context, who.email, who.password);
      for (const path of paths) {
        await page.goto(`${site.url}${path}`);
        const by = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
        if (by > 0) over.push(`${path} by ${by} px at ${width}`);
        const broken = await page.evaluate<string[]>(BROKEN_AMOUNTS);
        over.push(...broken.map((amount) => `${path} breaks ${amount} at ${width}`));
      }
      await context.close();
    }
  }
  if (over.length > 0) throw new Error(over.join('; '));
  return `${visits.flatMap(({ paths }) => paths).length} pages at 320 to 1920 px`;
}

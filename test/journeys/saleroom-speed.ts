/**
 * How long after a key of the clerk, or a bid from outside, the saleroom and the other screens show it: the middle of
 * some tries, each under 200 ms. Moments are taken in the browser's own pages, which share one clock.
 */
import type { Browser, Page } from 'playwright-core';
import { aLot, anAuction, aTeam } from '../support/builders.ts';
import type { DemoSite } from './demo-site.ts';

const TRIES = 9;
const MAX_MS = 200;

interface Screens {
  readonly clerk: Page;
  readonly watcher: Page;
  readonly lotId: number;
}

async function openScreens(site: DemoSite, browser: Browser): Promise<Screens> {
  const { database } = site.service;
  const owner = await site.person();
  const team = await aTeam(database, { owner });
  await site.service.backends.knex('users').where('id', owner.id).update({ current_team_id: team.id });
  const auction = await anAuction(database, { team_id: team.id, type: 'simulcast' });
  const { id: lotId } = await aLot(database, { auction_id: auction.id });
  await site.service.publish();
  const [clerk, watcher] = await Promise.all(
    [owner.email, (await site.person()).email].map(async (email) =>
      site.signIn(await browser.newContext({ viewport: { width: 1280, height: 900 } }), email),
    ),
  );
  if (clerk === undefined || watcher === undefined) throw new Error('there are two screens');
  await clerk.goto(`${site.url}/seller/auctions/${auction.id}/saleroom`);
  await watcher.goto(`${site.url}/lots/${lotId}`);
  await watcher.getByText('Connected').waitFor();
  return { clerk, watcher, lotId };
}

/** The moment at which a page shows a text in a place. */
function shownAt(page: Page, selector: string, text: string): Promise<number> {
  const wanted = JSON.stringify(text);
  return page.evaluate<number>(
    `new Promise((done) => {
      const isThere = () => document.querySelector(${JSON.stringify(selector)})?.textContent.trim() === ${wanted};
      const look = () => isThere() ? done(performance.timeOrigin + performance.now()) : setTimeout(look, 2);
      look();
    })`,
  );
}

/** Presses a key within the page, as its listeners hear it; gives the moment. */
const press = (page: Page, key: string): Promise<number> =>
  page.evaluate<number>(
    `(() => {
      const at = performance.timeOrigin + performance.now();
      (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', { key: ${JSON.stringify(key)}, bubbles: true }));
      return at;
    })()`,
  );

/** Throws where the middle of one of the ways takes too long; gives them all in a line. */
export async function checkSaleroomSpeed(site: DemoSite, browser: Browser): Promise<string> {
  const { clerk, watcher, lotId } = await openScreens(site, browser);
  const token = await site.service.tokenFor(await site.person());
  const tookMs: Record<string, number[]> = {
    'key to own board': [],
    'key to other screen': [],
    'bid to board': [],
  };
  // The first price is the starting bid, before anybody has bid.
  const first = { token, body: { amount: '100.00' } };
  await site.service.call('POST', `/api/v1/lots/${lotId}/bids`, first);
  await clerk.waitForTimeout(1_000);
  await clerk.keyboard.type('77');
  for (let n = 0; n < TRIES; n += 1) {
    const call = ((await clerk.locator('[aria-keyshortcuts="Q"] span').textContent()) ?? '').trim();
    const [own, other] = [shownAt(clerk, '[data-price]', call), shownAt(watcher, '.price', call)];
    const pressed = await press(clerk, 'q');
    tookMs['key to own board']?.push((await own) - pressed);
    tookMs['key to other screen']?.push((await other) - pressed);
    await clerk.waitForTimeout(300);
    const { body } = await site.service.get(`/api/v1/lots/${lotId}`);
    const amount: string = body.data.minimum_next_bid;
    const text = `$${Number(amount).toLocaleString('en-US', { minimumFractionDigits: 2 })}`;
    const seen = shownAt(clerk, '[data-price]', text);
    const path = `/api/v1/lots/${lotId}/bids`;
    const answer = await site.service.call('POST', path, { token, body: { amount, confirm: true } });
    const answeredMs = Date.now();
    if (answer.status !== 201) throw new Error(answer.text);
    tookMs['bid to board']?.push(Math.max(0, (await seen) - answeredMs));
    await clerk.waitForTimeout(300);
  }
  await Promise.all([clerk.context().close(), watcher.context().close()]);
  const middles = Object.entries(tookMs).map(([way, all]) => {
    const sorted = all.map(Math.round).toSorted((a, b) => a - b);
    return { way, middle: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN, sorted };
  });
  const line = middles
    .map(({ way, middle, sorted }) => `${way}: ${middle} ms of ${sorted.join(', ')}`)
    .join('; ');
  if (middles.some(({ middle }) => !(middle <= MAX_MS))) throw new Error(line);
  return line;
}

/**
 * `npm run screenshots`: ten pages of the demo marketplace as pictures in `docs/screenshots/`, small enough to be
 * kept in the repository. Made anew whenever the pages change; the README shows three of them.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { SOLD_AUCTION } from '../../src/tools/demo/more-auctions.ts';
import { openChromium } from '../support/chromium.ts';
import { openDemoSite } from './demo-site.ts';

const FOLDER = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));

const [site, browser] = await Promise.all([openDemoSite(), openChromium()]);
const { knex } = site.service.backends;
await resultsThere();
const lot = (where: string) => knex('lots').whereRaw(where).orderBy('id').first('id');
const [land, sold] = [
  await lot("custom_fields->>'terrain' is not null and bid_count > 3"),
  await lot(
    "status = 'sold' and winner_user_id = (select id from users where email = 'buyer@rostrum.example')",
  ),
];
const PAGES: readonly (readonly [name: string, path: string, scheme: 'light' | 'dark', width: number])[] = [
  ['start', '/', 'light', 1280],
  ['lots', '/lots', 'light', 1280],
  ['lot', `/lots/${land.id}`, 'light', 1280],
  ['lot-dark-phone', `/lots/${land.id}`, 'dark', 390],
  ['auction', '/auctions/watches-coins-and-antiques', 'dark', 1280],
  ['results', `/auctions/${SOLD_AUCTION}`, 'light', 1280],
  ['map', '/map', 'light', 1280],
  ['my-bids', '/account/board', 'light', 1280],
  ['notifications', '/account/notifications', 'dark', 1280],
  ['lot-sold', `/lots/${(sold ?? land).id}`, 'light', 390],
];
try {
  await mkdir(FOLDER, { recursive: true });
  for (const [name, path, colorScheme, width] of PAGES) {
    const context = await browser.newContext({
      colorScheme,
      viewport: { width, height: width < 600 ? 844 : 860 },
    });
    const page = await site.signIn(context, site.buyer.email, site.buyer.password);
    await page.goto(`${site.url}${path}`, { waitUntil: 'load' });
    await page.waitForTimeout(1_500);
    const taken = await page.screenshot();
    const small = await sharp(taken).webp({ quality: 84, effort: 6 }).toBuffer();
    await writeFile(`${FOLDER}${name}.webp`, small);
    console.log(`${name}.webp ${Math.round(small.length / 1024)} KiB`);
    await context.close();
  }
} finally {
  await browser.close();
  await site.close();
}

/** The demo's sale that closes soon after it was loaded: its results are among the pictures. */
async function resultsThere(): Promise<void> {
  const endsBy = Date.now() + 240_000;
  for (;;) {
    const open = await knex('lots as l')
      .join('auctions as a', 'a.id', 'l.auction_id')
      .where({ 'a.slug': SOLD_AUCTION, 'l.status': 'active' })
      .first('l.id');
    if (open === undefined) return;
    if (Date.now() > endsBy) throw new Error(`${SOLD_AUCTION} has not closed`);
    await new Promise((done) => setTimeout(done, 1_000));
  }
}

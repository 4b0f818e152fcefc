/**
 * `npm run screenshots`: ten pages of the demo marketplace as pictures in `docs/screenshots/`, small enough to be
 * kept in the repository. Made anew whenever the pages change; the README shows three of them.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { openChromium } from '../support/chromium.ts';
import { openDemoSite } from './demo-site.ts';

const FOLDER = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));

const [site, browser] = await Promise.all([openDemoSite(), openChromium()]);
const { knex } = site.service.platform;
const lot = (where: string) => knex('lots').whereRaw(where).orderBy('id').first('id');
const [land, sold] = [
  await lot("custom_fields->>'terrain' is not null and bid_count > 3"),
  await lot("status = 'sold'"),
];
const PAGES: readonly (readonly [name: string, path: string, scheme: 'light' | 'dark', width: number])[] = [
  ['start', '/', 'light', 1280],
  ['lots', '/lots', 'light', 1280],
  ['lot', `/lots/${land.id}`, 'light', 1280],
  ['lot-dark-phone', `/lots/${land.id}`, 'dark', 390],
  ['auction', '/auctions/watches-coins-and-antiques', 'dark', 1280],
  ['results', '/auctions/autumn-estate-sale', 'light', 1280],
  ['map', '/map', 'light', 1280],
  ['my-bids', '/account', 'light', 1280],
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
    await page.goto(`${site.url}${path}`, { waitUntil: 'networkidle' }).catch(() => undefined);
    await page.waitForTimeout(700);
    const taken = await page.screenshot();
    const small = await sharp(taken).png({ palette: true, colours: 128, effort: 9 }).toBuffer();
    await writeFile(`${FOLDER}${name}.png`, small);
    console.log(`${name}.png ${Math.round(small.length / 1024)} KiB`);
    await context.close();
  }
} finally {
  await browser.close();
  await site.close();
}

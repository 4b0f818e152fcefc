/**
 * `npm run test:browser`: the site in a real browser, over a whole marketplace of its own with the demo in it. Each
 * journey with and without JavaScript, at two widths and in both colour schemes; axe on every page; the weight, the
 * first paint and the shift of pages; and how soon a bid in one browser is on the other's screen. Says what failed
 * and ends with 1.
 */
import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { checkAccessibility } from './accessibility.ts';
import { type DemoSite, openDemoSite } from './demo-site.ts';
import { cancelledImport, cancelledUpload, endedSession, orderOfPictures } from './desk-pages.ts';
import { approval, buyNow, deposit, savedSearch, visitorToPaid, watch } from './journeys.ts';
import { extremeWidths, lateClock, mapMarks, twoTabs } from './live-pages.ts';
import { checkRaiseSpeed } from './raise-speed.ts';
import { checkSaleroomSpeed } from './saleroom-speed.ts';
import { onTheSofa } from './sofa.ts';
import { checkSpeed } from './speed.ts';
import { checkWeights } from './weights.ts';

const failures: string[] = [];

/** `npm run test:browser -- saleroom`: what has the word in its name, and nothing else. */
const only = process.argv[2] ?? '';

async function attempt(name: string, work: () => Promise<unknown>): Promise<void> {
  if (!name.includes(only)) return;
  const startedMs = performance.now();
  try {
    const said = await work();
    const note = typeof said === 'string' ? `: ${said}` : '';
    console.log(`ok    ${name} (${Math.round(performance.now() - startedMs)} ms)${note}`);
  } catch (error) {
    failures.push(name);
    console.log(`FAIL  ${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const JOURNEYS = { visitorToPaid, approval, deposit, buyNow, watch, savedSearch };

async function everyJourney(site: DemoSite, browser: Browser): Promise<void> {
  const variants = [
    { javaScriptEnabled: true, width: 1280, colorScheme: 'light' },
    { javaScriptEnabled: true, width: 390, colorScheme: 'dark' },
    { javaScriptEnabled: false, width: 390, colorScheme: 'light' },
    { javaScriptEnabled: false, width: 1280, colorScheme: 'dark' },
  ] as const;
  for (const { width, ...options } of variants) {
    for (const [name, journey] of Object.entries(JOURNEYS)) {
      const title = `${name}, ${options.javaScriptEnabled ? 'with' : 'without'} JavaScript, ${width} px, ${options.colorScheme}`;
      await attempt(title, async () => {
        const context = await browser.newContext({ ...options, viewport: { width, height: 900 } });
        context.setDefaultTimeout(20_000);
        await journey(site, context).finally(() => context.close());
      });
    }
  }
}

const [site, browser] = await Promise.all([openDemoSite(), openChromium()]);
try {
  await everyJourney(site, browser);
  const axe = await readFile(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
  await attempt('accessibility', () => checkAccessibility(site, browser, axe));
  await attempt('weights', () => checkWeights(site, browser));
  await attempt('two tabs of one bidder', () => twoTabs(site, browser));
  await attempt('a visitor whose clock is late', () => lateClock(site, browser));
  await attempt('the marks of the map', () => mapMarks(site, browser));
  await attempt('the narrowest and the widest screen', () => extremeWidths(site, browser));
  await attempt('a bid on the other screen', () => checkSpeed(site, browser));
  await attempt('from outbid to raised by one tap', () => checkRaiseSpeed(site, browser));
  await attempt('keys of the saleroom on all screens', () => checkSaleroomSpeed(site, browser));
  await attempt('a saleroom on the sofa', () => onTheSofa(site, browser));
  await attempt('the desk: an order of pictures by mouse and keys', () => orderOfPictures(site, browser));
  await attempt('the desk: an upload that is cancelled', () => cancelledUpload(site, browser));
  await attempt('the desk: an import that is cancelled', () => cancelledImport(site, browser));
  await attempt('the desk: a session that ends under the form', () => endedSession(site, browser));
} finally {
  await browser.close();
  await site.close();
}
if (failures.length > 0) {
  console.log(`${failures.length} failed: ${failures.join('; ')}`);
  process.exitCode = 1;
}

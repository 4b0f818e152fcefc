/**
 * What pages weigh and how they paint: script and style together under 100 KiB (the map 250), a first page of 24
 * pictures under 1 MiB, the largest paint on a slow 4G under 1.2 s, the shift under 0.05. Bytes are those that went
 * over the wire.
 */
import type { Browser, CDPSession } from 'playwright-core';
import type { DemoSite } from './demo-site.ts';
import { pagesOf } from './pages-of.ts';

const KIB = 1024;
/** Chrome's own slow 4G: 1.6 Mbit/s down, 150 ms there and back. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };

const OBSERVE = `
  window.paints = { largest: 0, shift: 0 };
  new PerformanceObserver((list) => { for (const e of list.getEntries()) window.paints.largest = e.startTime; })
    .observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput) window.paints.shift += e.value; })
    .observe({ type: 'layout-shift', buffered: true });`;

export async function checkWeights(site: DemoSite, browser: Browser): Promise<string> {
  const wrong: string[] = [];
  const said: string[] = [];
  for (const path of await pagesOf(site)) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    const wire = await context.newCDPSession(page);
    await wire.send('Network.enable');
    const bytes = countBytes(wire);
    await page.goto(`${site.url}${path}`, { waitUntil: 'load' });
    await page.waitForTimeout(300);
    const max = path === '/map' ? 250 : 100;
    if (bytes.code > max * KIB)
      wrong.push(`${path}: ${Math.round(bytes.code / KIB)} KiB of script and style`);
    if (bytes.all > KIB * KIB) wrong.push(`${path}: ${Math.round(bytes.all / KIB)} KiB in all`);
    if (['/', '/lots'].includes(path))
      said.push(`${path} ${Math.round(bytes.code / KIB)}+${Math.round((bytes.all - bytes.code) / KIB)} KiB`);
    await context.close();
  }
  for (const path of ['/', '/lots', (await pagesOf(site)).find((one) => /^\/lots\/\d/.test(one))!]) {
    const { largest, shift } = await paints(site, browser, path);
    said.push(`${path} paints in ${Math.round(largest)} ms, shifts ${shift.toFixed(3)}`);
    if (largest > 1_200) wrong.push(`${path}: largest paint after ${Math.round(largest)} ms`);
    if (shift > 0.05) wrong.push(`${path}: shift of ${shift.toFixed(3)}`);
  }
  if (wrong.length > 0) throw new Error(`${wrong.join('; ')} (${said.join(', ')})`);
  return said.join(', ');
}

function countBytes(wire: CDPSession): { code: number; all: number } {
  const bytes = { code: 0, all: 0 };
  const kinds = new Map<string, string>();
  wire.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type));
  wire.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes.all += encodedDataLength;
    if (['Script', 'Stylesheet'].includes(kinds.get(requestId) ?? '')) bytes.code += encodedDataLength;
  });
  return bytes;
}

async function paints(site: DemoSite, browser: Browser, path: string) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  await page.addInitScript(OBSERVE);
  const wire = await context.newCDPSession(page);
  await wire.send('Network.enable');
  await wire.send('Network.emulateNetworkConditions', SLOW_4G);
  await page.goto(`${site.url}${path}`, { waitUntil: 'load' });
  await page.waitForTimeout(800);
  const found = (await page.evaluate('window.paints')) as { largest: number; shift: number };
  await context.close();
  return found;
}

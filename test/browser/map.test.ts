import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { aLot, anAuction } from '../support/builders.ts';
import { collectProblems, openChromium } from '../support/chromium.ts';
import { eventually } from '../support/market.ts';
import { type Service, startService } from '../support/service.ts';

describe('the map in a real browser', () => {
  let service: Service;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  const requested: URL[] = [];

  before(async () => {
    [service, browser] = await Promise.all([startService(), openChromium()]);
    const auction = await anAuction(service.database, { title: 'Land everywhere' });
    const lot = (title: string, lat: number, lng: number, translations = {}) =>
      aLot(service.database, { auction_id: auction.id, title, translations, lat, lng, acres: '40.5' });
    await lot('Ranch <b>near</b> Austin', 30.2, -97.7);
    await lot('Orchard near Dallas', 32.8, -96.8);
    await lot('Farm in Fiji', -17.5, -179.5, { de: { title: 'Hof auf Fidschi' } });
    for (let n = 1; n <= 3; n += 1) await lot(`Barn ${n} at one place`, 41.5, -93.5);
    await aLot(service.database, { auction_id: auction.id, title: 'A tractor without a place' });
    await service.publish();
    page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    page.setDefaultTimeout(60_000);
    problems = collectProblems(page);
    page.on('request', (request) => requested.push(new URL(request.url())));
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const status = (text: string) => page.locator('[data-map-status]', { hasText: text }).waitFor();

  it('shows every lot that has a place, and says what they are', async () => {
    await page.goto(service.url);
    await page.getByRole('link', { name: 'Map' }).click();
    await status('6 lots in view');
    const listed = await page.locator('[data-map-lots] strong').allTextContents();
    expect(listed.slice(0, 3)).to.deep.equal([
      'Ranch <b>near</b> Austin',
      'Orchard near Dallas',
      'Farm in Fiji',
    ]);
    expect(await page.locator('[data-map-lots] span').first().textContent()).to.contain('40.5 acres');
    const drawn = await page.evaluate(`(() => {
      const canvas = document.querySelector('.leaflet-ground-pane canvas');
      return new Set(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data).size;
    })()`);
    expect(drawn).to.be.above(2);
  });

  it('says it in the reader’s language, with the seller’s words in it where there are any', async () => {
    const german = await browser.newPage({ locale: 'de-DE', viewport: { width: 1200, height: 900 } });
    await german.goto(`${service.url}/map`);
    await german.locator('[data-map-status]', { hasText: '6 Lose' }).waitFor({ timeout: 60_000 });
    expect(await german.locator('[data-map-lots] strong').allTextContents()).to.include('Hof auf Fidschi');
    expect(await german.locator('[data-map-lots] span').first().textContent()).to.contain('40,5 Acres');
    await german.getByRole('button', { name: 'Hof auf Fidschi' }).waitFor();
    await german.getByRole('button', { name: '3 Lose' }).waitFor();
    await german.close();
  });

  it('says how many lots are at one place, and lists them', async () => {
    const stack = page.getByRole('button', { name: '3 lots' });
    await stack.focus();
    await page.keyboard.press('Enter');
    const popup = page.locator('.map-stack');
    await popup.getByText('Barn 1 at one place').waitFor();
    expect(await popup.locator('a').count()).to.equal(3);
  });

  it('finds what is searched for, moves there, and reads what is in view', async () => {
    await page.getByLabel('Search lots').fill('orchard');
    await page.getByRole('button', { name: 'Search' }).click();
    await status('1 lot in view');
    expect(new URL(page.url()).search).to.equal('?search=orchard');
    await page.locator('[data-map]').click({ position: { x: 300, y: 100 } });
    // While the map still moves, it requests what it passes, and a click on a slow machine may come in between.
    let isInView = false;
    page.on('request', (request) => {
      isInView ||= surrounds(new URL(request.url()).searchParams.get('bbox'));
    });
    await eventually(async () => {
      // Nothing is left to zoom out of at the end, and the map may still be about to read what is in view.
      const zoomOut = page.getByRole('button', { name: 'Zoom out' });
      if ((await zoomOut.getAttribute('aria-disabled')) !== 'true') await zoomOut.click();
      await page.waitForTimeout(1_000);
      return isInView;
    }, 60_000);
    await status('1 lot in view');
  });

  it('leads to the lot', async () => {
    await page.locator('[data-map-lots] a').first().click();
    await page.getByRole('heading', { name: 'Orchard near Dallas' }).waitFor();
  });

  it('contacted only the service, without an error', () => {
    const outside = requested.filter(
      ({ origin, protocol }) => origin !== service.url && protocol !== 'data:',
    );
    expect(outside.map(String)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
  });
});

/** Whether a view holds the orchard near Dallas. */
function surrounds(bbox: string | null): boolean {
  const [west = 0, south = 0, east = 0, north = 0] = (bbox ?? '').split(',').map(Number);
  return west < -96.8 && east > -96.8 && south < 32.8 && north > 32.8;
}

/** The page that checks journals, in a real browser: a lot by its number, a file, a file that somebody has changed. */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { makeCheckpoint } from '../../src/bidding/fairness/checkpoints.ts';
import type { Projection } from '../../src/bidding/projection/projection.ts';
import { aLot, anAuction, aUser } from '../support/builders.ts';
import { collectProblems, openChromium } from '../support/chromium.ts';
import { projectionOf } from '../support/projection.ts';
import { type Service, startService } from '../support/service.ts';

describe('the page that checks a sale', () => {
  let service: Service;
  let projection: Projection;
  let browser: Browser;
  let page: Page;
  let lotId: number;
  let token: string;
  let problems: string[];

  before(async () => {
    [service, browser] = await Promise.all([startService(), openChromium()]);
    projection = await projectionOf(service.backends);
    const { database: db, config, backends } = service;
    lotId = (await aLot(db, { auction_id: (await anAuction(db)).id, reserve_price_cents: 20_000 })).id;
    await service.publish();
    token = await service.tokenFor(await aUser(db));
    for (const body of [{ max_amount: '300.00' }, { max_amount: '400.00' }]) {
      const { status } = await service.call('POST', `/api/v1/lots/${lotId}/bids`, { token, body });
      expect(status).to.equal(201);
    }
    const parts = { knex: backends.knex, secrets: config.appSecrets, name: 'test/journal' };
    while ((await makeCheckpoint(parts, 'live')) === null) await new Promise((done) => setTimeout(done, 20));
    page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(60_000);
    problems = collectProblems(page);
  });
  after(async () => {
    await browser?.close();
    await projection?.close();
    await service?.close();
  });

  const stepsShown = () => page.getByRole('listitem').allTextContents();

  it('checks a lot by its number and shows each step', async () => {
    await page.goto(`${service.url}/lots/${lotId}`);
    await page.getByRole('link', { name: 'Check this lot’s journal' }).click();
    await page.getByText('All checks passed.').waitFor();
    expect((await stepsShown()).join('\n'))
      .to.include('The chain holds')
      .and.include('Checkpoint 1');
    await page.getByLabel('Lot number').fill('987654');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('There is no such lot').waitFor();
    // That the lot is not there is what the browser itself complains about.
    expect(problems.splice(0).filter((text) => !text.includes('404'))).to.deep.equal([]);
  });

  it('accepts its own download, and detects changes in it', async () => {
    await page.goto(`${service.url}/verify?lot=${lotId}`);
    const link = page.getByRole('link', { name: 'Download the checked journal' });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    const text = await readFile(await download.path(), 'utf8');
    const choose = (name: string, content: string) =>
      page
        .getByLabel('Or a downloaded file')
        .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(content) });
    await choose('changed.json', text.replace('"lot_opened"', '"lot_closed"'));
    await page.getByText(/Something is wrong with entry \d/).waitFor();
    await choose('whole.json', text);
    await page.getByText('All checks passed.').waitFor();
    await choose('other.json', '{"a": 1}');
    await page.getByText(/Something is wrong/).waitFor();
    await choose('none.json', 'no json');
    await page.getByText('it is not JSON').waitFor();
    expect(problems).to.deep.equal([]);
  });

  it('says what to do without JavaScript, and axe finds nothing on it and on its guide', async () => {
    const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await plain.goto(`${service.url}/verify`);
    expect(await plain.locator('main').innerText())
      .to.include('It therefore needs JavaScript')
      .and.include('verify.mjs');
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    for (const path of [`/verify?lot=${lotId}`, '/docs/fairness']) {
      await page.goto(`${service.url}${path}`);
      await page.evaluate(axe);
      const found = (await page.evaluate('axe.run()')) as { violations: { id: string; impact: string }[] };
      const serious = found.violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
      expect(
        serious.map(({ id }) => id),
        path,
      ).to.deep.equal([]);
    }
  });
});

/** The developers' pages in a real browser: code is copied by a button, and nothing runs over on a phone. */
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { collectProblems, openChromium } from '../support/chromium.ts';
import { codeOfPage, decoded } from '../support/page-code.ts';
import { type Service, startService } from '../support/service.ts';

describe('the developers’ pages', () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    [service, browser] = await Promise.all([startService(), openChromium()]);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  it('copy a piece of code as it is shown', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    const problems = collectProblems(page);
    await page.goto(`${service.url}/docs/clients`);
    const code = page.locator('pre').filter({ hasText: 'from rostrum_client import Rostrum,' });
    await code.locator('..').getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const shown = codeOfPage((await service.get('/docs/clients')).text).get('client.py') ?? '';
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).to.equal(decoded(shown));
    expect(problems).to.deep.equal([]);
    await context.close();
  });

  it('fit on a phone', async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    for (const path of ['/docs/clients', '/docs/quick-start', '/docs/changelog']) {
      await page.goto(`${service.url}${path}`);
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).to.equal(390);
    }
    await page.close();
  });
});

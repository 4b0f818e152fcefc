/**
 * From wish to bid in each language, in a real browser on a phone: signing up, confirming, the lot, a bid as people
 * write amounts there. What is clicked is found by the language's own file.
 */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { LANGUAGE_CODES, type Language, LOCALES } from '../../src/shared/language.ts';
import { inLanguage } from '../../src/shared/languages/phrasebook.ts';
import { amountShown } from '../../src/shared/typed-amount.ts';
import { aLot, anAuction } from '../support/builders.ts';
import { collectProblems, openChromium } from '../support/chromium.ts';
import { newestLink } from '../support/mailbox.ts';
import { type Service, startService } from '../support/service.ts';

const PASSWORD = 'a long enough password';
/** Whether the page is wider than the phone, and which words of the header take two lines. Run in the browser. */
const FIT = `({
  beyond: document.documentElement.scrollWidth > document.documentElement.clientWidth + 1,
  header: [...document.querySelectorAll('.masthead nav > a')]
    .filter((one) => one.clientHeight > 2.2 * Number.parseFloat(getComputedStyle(one).fontSize) + 30)
    .map((one) => one.textContent),
})`;

const PHONE = { viewport: { width: 390, height: 844 } };

describe('a bid in one’s own language, in a real browser', () => {
  let service: Service;
  let browser: Browser;
  const lots: number[] = [];

  before(async () => {
    const env = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'sales@example.com' };
    [service, browser] = await Promise.all([startService({ env }), openChromium()]);
    const auction = await anAuction(service.database, { title: 'Üppig' });
    for (const _ of LANGUAGE_CODES)
      lots.push((await aLot(service.database, { auction_id: auction.id, title: 'Über' })).id);
    await service.publish();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** No line of the page is wider than the phone, and no word of the header takes two. */
  async function fits(page: Page): Promise<void> {
    const wide = await page.evaluate(FIT);
    expect(wide, page.url()).to.deep.equal({ beyond: false, header: [] });
  }

  for (const [at, language] of LANGUAGE_CODES.entries()) {
    it(`is placed: ${language}`, async () => {
      const lotId = lots[at];
      const say = (text: string) => inLanguage(language as Language, text);
      const context = await browser.newContext({ ...PHONE, locale: LOCALES[language] });
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      const problems = collectProblems(page);
      const email = `bidder-${language}@example.com`;
      await page.goto(`${service.url}/lots`);
      await fits(page);
      expect(await page.getAttribute('html', 'lang')).to.equal(language);
      await page.goto(`${service.url}/sign-up?next=/lots/${lotId}`);
      await fits(page);
      await page.getByLabel(say('Email address')).fill(email);
      await page.getByLabel(say('Password'), { exact: false }).first().fill(PASSWORD);
      await page.getByRole('main').getByRole('button').first().click();
      await page.getByText(email).first().waitFor();
      await page.goto(`${service.url}${await newestLink(service, email, '/confirm/')}`);
      await page.goto(`${service.url}/sign-in?next=/lots/${lotId}`);
      await page.getByLabel(say('Email address')).fill(email);
      await page.getByLabel(say('Password')).fill(PASSWORD);
      await page.getByRole('button', { name: say('Sign in'), exact: true }).click();
      await page.waitForURL(`${service.url}/lots/${lotId}`);
      await fits(page);
      const field = page.getByLabel(say('Your maximum'), { exact: false });
      const typed = amountShown(2_000_000 + at * 100_000, 2, language);
      await field.fill(typed);
      await page.getByRole('button', { name: say('Place bid'), exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      expect(await dialog.innerText()).to.contain(typed.replace(/\s/g, '').slice(0, 2));
      await dialog.getByRole('button', { name: say('Confirm bid') }).click();
      await page
        .locator('[data-standing]')
        .getByText(new RegExp(say('You lead').slice(0, 6)))
        .waitFor();
      // A row that a script has added says whose it is, in the page's language.
      expect(await page.locator('tr.mine .you').allTextContents()).to.deep.equal([say('you')]);
      await fits(page);
      expect(problems.filter((text) => !/409|422/.test(text))).to.deep.equal([]);
      if (process.env['LANGUAGE_SHOTS'] !== undefined)
        await page.screenshot({
          path: `${process.env['LANGUAGE_SHOTS']}/lot-${language}.png`,
          fullPage: true,
        });
      await context.close();
    });
  }
});

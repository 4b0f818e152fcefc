/**
 * From wish to paid in each language, in a real browser on a phone: signing up, confirming, registering, a bid as people
 * write amounts there, a purchase and its payment. What is clicked is found by the language's own file, and no page of
 * the way has a line that is too long, or says anything in English.
 */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { LANGUAGE_CODES, type Language, LOCALES } from '../../src/shared/language.ts';
import { inLanguage } from '../../src/shared/languages/phrasebook.ts';
import { amountShown } from '../../src/shared/typed-amount.ts';
import { aLot, anAuction, aTeam, aUser } from '../support/builders.ts';
import { collectProblems, openChromium } from '../support/chromium.ts';
import { englishLeft } from '../support/english-left.ts';
import { newestLink } from '../support/mailbox.ts';
import { projectAuction } from '../support/money.ts';
import { type Service, startService } from '../support/service.ts';

const PASSWORD = 'a long enough password';
/** Whether the page is wider than the phone, and which words of the header take two lines. Run in the browser. */
const FIT = `({
  beyond: document.documentElement.scrollWidth > document.documentElement.clientWidth + 1,
  header: [...document.querySelectorAll('.masthead nav > a')]
    .filter((one) => {
      const style = getComputedStyle(one);
      const inner = one.clientHeight - Number.parseFloat(style.paddingTop) - Number.parseFloat(style.paddingBottom);
      return one.clientHeight === 0 || inner > 1.9 * Number.parseFloat(style.lineHeight);
    })
    .map((one) => one.textContent),
})`;

const PHONE = { viewport: { width: 390, height: 844 } };

/** Those with the longest words; `npm run test:languages` tries all. */
const TRIED = process.env['LANGUAGES'] === 'all' ? LANGUAGE_CODES : (['de', 'pt'] as const);

describe('a bid in one’s own language, in a real browser', () => {
  let service: Service;
  let browser: Browser;
  const lots: { readonly bidOn: number; readonly bought: number }[] = [];
  let auction: { readonly id: number; readonly slug: string };

  before(async () => {
    const env = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'sales@example.com' };
    [service, browser] = await Promise.all([startService({ env }), openChromium()]);
    const { database } = service;
    const team = await aTeam(database, { owner: await aUser(database, { name: 'Üna' }), name: 'Ümlaut' });
    auction = await anAuction(database, { team_id: team.id, title: 'Üppig', conditions: 'Über alles.' });
    const aLotThere = async (columns: object) =>
      (await aLot(database, { auction_id: auction.id, title: 'Über', ...columns })).id;
    for (const _ of TRIED)
      lots.push({
        bidOn: await aLotThere({}),
        bought: await aLotThere({ buy_now_price_cents: 40_000 }),
      });
    await service.publish();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** No line is wider than the phone, nothing in the header takes two or is hidden, and nothing is said in English. */
  async function fits(page: Page, language: Language): Promise<void> {
    const wide = await page.evaluate(FIT);
    expect(wide, page.url()).to.deep.equal({ beyond: false, header: [] });
    expect(englishLeft(language, await page.content()), page.url()).to.deep.equal([]);
  }

  /** Buys a lot at its price, and pays for it. */
  async function buy(page: Page, language: Language, lotId: number): Promise<void> {
    const say = (text: string) => inLanguage(language, text);
    const press = (name: string) => page.getByRole('button', { name: say(name), exact: true }).click();
    await page.goto(`${service.url}/lots/${lotId}`);
    await press('Buy now');
    await page.getByRole('button', { name: say('Confirm and buy now') }).waitFor();
    await fits(page, language);
    await press('Confirm and buy now');
    await page.getByText(say('You won'), { exact: true }).first().waitFor();
    await projectAuction(service.database, service.backends.redis, auction.id);
    await page.reload();
    await fits(page, language);
    await page.getByRole('link', { name: say('Pay now') }).click();
    await fits(page, language);
    await press('Pay');
    await page.locator('.pill.paid').waitFor();
    for (const path of [
      '/account/invoices',
      '/account/board',
      '/account/collections',
      '/account/notifications',
    ]) {
      await page.goto(service.url + path);
      await fits(page, language);
    }
    await page.goto(`${service.url}/account/invoices`);
    await page.locator('h2 a').first().click();
    await page.locator('.pill.paid').waitFor();
    await fits(page, language);
  }

  for (const [at, language] of TRIED.entries()) {
    it(`is placed: ${language}`, async () => {
      const { bidOn: lotId, bought } = lots[at] ?? { bidOn: 0, bought: 0 };
      const say = (text: string) => inLanguage(language as Language, text);
      const context = await browser.newContext({ ...PHONE, locale: LOCALES[language] });
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      const problems = collectProblems(page);
      const email = `bidder-${language}@example.com`;
      await page.goto(`${service.url}/lots`);
      await fits(page, language);
      expect(await page.getAttribute('html', 'lang')).to.equal(language);
      await page.goto(`${service.url}/sign-up?next=/lots/${lotId}`);
      await fits(page, language);
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
      await fits(page, language);
      await page.getByRole('button', { name: say('Register to bid') }).click();
      await page.getByRole('button', { name: say('Place bid'), exact: true }).waitFor();
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
      await fits(page, language);
      await buy(page, language, bought);
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

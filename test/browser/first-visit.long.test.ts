/** A bidder's first visits on a phone: to what was paid and collected, over a deposit, and with a question. */
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { openSite, PASSWORD, type Site } from '../journeys/site.ts';
import { aLot, anAuction, aTeam } from '../support/builders.ts';
import { openChromium } from '../support/chromium.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { eventually } from '../support/market.ts';
import { bothWays, comes, mustFit } from '../support/on-a-phone.ts';
import { slowness } from '../support/slowness.ts';

const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Math.ceil(Date.now() / HOUR_MS + hours) * HOUR_MS).toISOString();

describe('a bidder’s first visits, on a phone', () => {
  let site: Site;
  let browser: Browser;
  let post: MailServer;

  before(async () => {
    post = await startMailServer();
    const env = { SMTP_URL: post.url, MAIL_FROM: 'House <house@example.com>' };
    [site, browser] = await Promise.all([openSite(env), openChromium()]);
  });
  after(async () => {
    await browser?.close();
    await site?.close();
    await post?.close();
  });

  /** A house whose seller signs in, and a sale of it. */
  async function aSale(columns: object, lotColumns: object = {}) {
    const { database, backends } = site.service;
    const seller = await site.person();
    const team = await aTeam(database, { owner: seller, name: `House ${seller.id}` });
    await backends.knex('users').where('id', seller.id).update({ current_team_id: team.id });
    const auction = await anAuction(database, {
      team_id: team.id,
      title: `Farm sale ${seller.id}`,
      ...columns,
    });
    const { id } = await aLot(database, {
      auction_id: auction.id,
      title: `Plough ${seller.id}`,
      ...lotColumns,
    });
    await site.service.publish();
    return { seller, title: auction.title, lotTitle: `Plough ${seller.id}`, lotId: id };
  }

  async function bid(page: Page, amount?: string): Promise<void> {
    if (amount !== undefined) await page.getByLabel('Your maximum').fill(amount);
    await page.getByRole('button', { name: 'Place bid' }).click();
  }

  /** Where the mail to an address leads; null while there is none. */
  function linkTo(email: string): URL | null {
    const mail = post.mails.find(({ to }) => to?.[0]?.address === email);
    const link = mail?.text?.match(/https?:\/\/\S+\/confirm\/\S+/)?.[0];
    return link === undefined ? null : new URL(link);
  }

  /** From the lot to an account of one's own and back to the lot, over the mailed link. */
  async function signUp(context: BrowserContext, page: Page, lotId: number): Promise<Page> {
    const email = `first-${lotId}@example.com`;
    await page.getByRole('link', { name: 'Register to bid' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Name').fill('Frieda First');
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('We have sent an email to').waitFor();
    const { pathname, search } = await eventually(async () => linkTo(email));
    const mailed = await context.newPage();
    await mailed.goto(site.url + pathname + search);
    await mailed.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
    await mailed.getByLabel('Email address').fill(email);
    await mailed.getByLabel('Password').fill(PASSWORD);
    await mailed.getByRole('main').getByRole('button', { name: 'Sign in', exact: true }).click();
    await mailed.waitForURL(new RegExp(`/lots/${lotId}`));
    return mailed;
  }

  /** Somebody else registers and bids. */
  async function rivalBids(lotId: number, amount: string): Promise<void> {
    const { service } = site;
    const token = await service.tokenFor(await site.person());
    const lot = await service.backends.knex('lots').where('id', lotId).first('auction_id');
    for (const [path, body] of [
      [`/api/v1/auctions/${lot.auction_id}/registration`, { conditions_version: 1 }],
      [`/api/v1/lots/${lotId}/bids`, { amount }],
    ] as const) {
      const answer = await service.call('POST', path, { token, body });
      if (answer.status !== 201) throw new Error(answer.text);
    }
  }

  /** Throws unless it is on the screen, and nothing that stays in view covers it. */
  async function inView(page: Page, what: Locator): Promise<void> {
    await what.waitFor();
    const [there, dock] = await Promise.all([
      what.boundingBox(),
      page.locator('.dock').boundingBox({ timeout: 2_000 }),
    ]);
    if (there === null || dock === null) throw new Error(`${String(what)} or the dock is not there`);
    const bottom = there.y + there.height;
    if (there.y < 0 || bottom > dock.y) throw new Error(`${there.y} to ${bottom} is out of view`);
  }

  it('lead from the start page to a lot that is won, paid and collected, outbid and raised on the way', async () => {
    await bothWays(browser, async (context, hasScript) => {
      const endMs = Date.now() + 35_000 * slowness();
      const collections = [
        { from: inHours(24), to: inHours(26), place: 'Barn 4, Emporia', slot_minutes: 30 },
      ];
      const sale = await aSale({
        ...{ collections, payment_methods: ['card'], conditions: 'Sold as seen.' },
        ...{ buyer_premium_bps: 1_000, soft_close_window_seconds: 0, soft_close_extension_seconds: 0 },
        end_time: new Date(endMs).toISOString(),
      });
      let page = await context.newPage();
      await page.goto(site.url);
      await page.getByRole('link', { name: sale.title }).first().click();
      await page.getByRole('link', { name: sale.lotTitle }).first().click();
      for (const name of ['To bid here', 'Terms of sale', 'Seller'])
        await page.getByRole('heading', { name, exact: true }).waitFor();
      await page.getByText('Barn 4, Emporia').waitFor();
      await mustFit(page);
      page = await signUp(context, page, sale.lotId);
      await page.getByText('By registering you accept').waitFor();
      await bid(page, '120');
      // The answer is in view, above what stays at hand, and leads to where one registers and back to the amount.
      const answer = page.locator('#answer');
      await inView(page, answer);
      await answer.getByRole('link', { name: 'Register to bid' }).click();
      await page.getByRole('button', { name: 'Register to bid' }).click();
      await page.getByText('Approved').first().waitFor();
      if ((await page.getByLabel('Your maximum').inputValue()) !== '120')
        throw new Error('the amount is lost');
      await bid(page);
      await inView(page, answer.getByText('You are the high bidder.'));
      await page.getByText('You are the high bidder.').waitFor();
      await rivalBids(sale.lotId, '150.00');
      await comes(page, hasScript, page.getByText('You have been outbid.'));
      await page.getByRole('button', { name: 'Bid $160.00' }).click();
      await page.getByText('You are the high bidder.').waitFor();
      await page.waitForTimeout(Math.max(0, endMs - Date.now()));
      await comes(page, hasScript, page.getByText('You won'));
      await comes(page, hasScript, page.getByRole('link', { name: 'Pay now' }));
      await mustFit(page);
      await page.getByRole('link', { name: 'Pay now' }).click();
      await page.getByRole('button', { name: 'Pay', exact: true }).click();
      await page.getByRole('link', { name: 'Back to the invoice' }).click();
      await page.getByText('Barn 4, Emporia').waitFor();
      await mustFit(page);
      await page.goto(`${site.url}/lots/${sale.lotId}`);
      await page.getByRole('link', { name: 'Collect it' }).click();
      await page.getByRole('button', { name: `Book a collection, ${sale.title}` }).click();
      const code = (await page.getByText('Show the code').locator('strong').textContent()) ?? '';
      await mustFit(page);
      const gate = await site.signIn(await browser.newContext(), sale.seller.email);
      await gate.goto(`${site.url}/seller/collections/${code}`);
      await gate.getByRole('button', { name: 'Collected' }).click();
      await gate.getByText('Nothing is left to collect.').waitFor();
      await gate.context().close();
      await page.goto(`${site.url}/account/collections`);
      await page.getByText('Collected', { exact: true }).waitFor();
    });
  });

  it('pay a deposit on the way, and come back to the lot', async () => {
    await bothWays(browser, async (context, hasScript) => {
      const terms = { registration_mode: 'deposit', registration_deposit_cents: 20_000 };
      const sale = await aSale(terms);
      let page = await context.newPage();
      await page.goto(`${site.url}/lots/${sale.lotId}`);
      await page.getByText('Pay a $200.00 deposit: it comes back after the sale').waitFor();
      page = await signUp(context, page, sale.lotId);
      await page.getByRole('button', { name: 'Register to bid' }).click();
      await page.getByText('Deposit due').first().waitFor();
      await mustFit(page);
      await page.getByRole('link', { name: 'Pay the deposit' }).first().click();
      await page.getByRole('button', { name: 'Pay', exact: true }).click();
      await page.goto(`${site.url}/lots/${sale.lotId}`);
      await comes(page, hasScript, page.getByText('Approved'));
      await bid(page, '150');
      await page.getByText('You are the high bidder.').waitFor();
    });
  });

  it('ask a question, and read its answer with everybody else', async () => {
    await bothWays(browser, async (context, hasScript) => {
      const sale = await aSale({ questions_close_hours: 0 });
      const page = await site.signIn(context, (await site.person()).email);
      await page.goto(`${site.url}/lots/${sale.lotId}`);
      await page.getByLabel(/^Your question/).fill('Does the share turn?');
      await page.getByRole('button', { name: 'Ask a question' }).click();
      await page.getByText('Only you see this until it is answered.').waitFor();
      await mustFit(page);
      const other = await context.browser()!.newContext({ javaScriptEnabled: hasScript });
      const visitor = await other.newPage();
      await visitor.goto(`${site.url}/lots/${sale.lotId}`);
      await visitor.getByText('No questions yet.').waitFor();
      const desk = await site.signIn(await browser.newContext(), sale.seller.email);
      await desk.goto(`${site.url}/seller/questions`);
      await desk.getByLabel('Answer, for all to read').fill('Yes, by hand.');
      await desk.getByRole('button', { name: 'Answer: Does the share turn?' }).click();
      await desk
        .getByRole('paragraph')
        .filter({ hasText: /^Yes, by hand\.$/ })
        .waitFor();
      await desk.getByText('Change the answer').first().click();
      await desk.getByRole('button', { name: 'Change the answer: Does the share turn?' }).waitFor();
      for (const one of [page, visitor]) {
        await one.goto(`${site.url}/lots/${sale.lotId}`);
        await one.getByText('Yes, by hand.').waitFor();
      }
      await page.goto(`${site.url}/account/notifications`);
      // Its link: the table of kinds below has the same words.
      await comes(page, false, page.getByRole('link', { name: 'Your question was answered' }));
      await Promise.all([other.close(), desk.context().close()]);
    });
  });
});

import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { aLot, anAuction, aUser } from '../support/builders.ts';
import { collectProblems, openChromium } from '../support/chromium.ts';
import { newestLink } from '../support/mailbox.ts';
import { type Service, startService } from '../support/service.ts';

const PASSWORD = 'a long enough password';

describe('the live lot page in a real browser', () => {
  let service: Service;
  let browser: Browser;
  let page: Page;
  let lotId: number;
  let problems: string[];

  before(async () => {
    [service, browser] = await Promise.all([startService(), openChromium()]);
    const auction = await anAuction(service.database, { title: 'Hill Country Land' });
    lotId = (await aLot(service.database, { auction_id: auction.id, title: 'Forty acres on Cedar Creek' }))
      .id;
    await service.publish();
    page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(60_000);
    problems = collectProblems(page);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  it('lets somebody sign up, sign out and sign in', async () => {
    await page.goto(`${service.url}/sign-up`);
    await page.getByLabel('Name').fill('Rita Browser');
    await page.getByLabel('Email address').fill('rita@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('We have sent an email to').waitFor();
    await page.goto(`${service.url}${await newestLink(service, 'rita@example.com', '/confirm/')}`);
    await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor();
    await page.getByRole('link', { name: 'Sign in' }).first().click();
    await page.getByLabel('Email address').fill('rita@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Rita Browser').waitFor();
  });

  it('lets them make a token that works, and revoke it', async () => {
    await page.getByText('Rita Browser').click();
    await page.getByRole('link', { name: 'Developer tokens' }).click();
    await page.getByLabel('Name').fill('From the browser');
    await page.getByLabel('write').check();
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await page.locator('[data-token]').textContent();
    const me = await page.evaluate(async (bearer) => {
      const answer = await fetch('/api/v1/me', { headers: { authorization: `Bearer ${bearer}` } });
      return answer.text();
    }, token);
    expect(JSON.parse(me).data).to.include({ email: 'rita@example.com' });
    await page.getByRole('button', { name: 'Revoke From the browser' }).click();
    await page.getByText('revoked').waitFor();
  });

  it('shows bids as they come, takes one, and says when it is outbid', async () => {
    await page.goto(`${service.url}/`);
    await page.getByRole('link', { name: 'Hill Country Land' }).click();
    await page.getByRole('link', { name: 'Forty acres on Cedar Creek' }).click();
    const price = page.locator('.price');
    await page.getByText('Connected').waitFor();
    expect(await price.textContent()).to.equal('$100.00');

    const rival = await service.tokenFor(await aUser(service.database));
    const bid = async (body: object) => {
      const answer = await service.call('POST', `/api/v1/lots/${lotId}/bids`, { token: rival, body });
      expect(answer.status, answer.text).to.equal(201);
    };
    await bid({ amount: '150.00' });
    await page.getByText('$150.00').first().waitFor();
    expect(await page.locator('[data-bids] tr').count()).to.equal(1);

    // The field holds the least that leads, the buttons what comes after it, and the sum is what would be paid.
    const field = page.getByLabel('Your maximum');
    expect(await field.inputValue()).to.equal('160.00');
    const next = page.getByRole('group', { name: 'Next amounts' }).getByRole('button');
    expect(await next.allTextContents()).to.deep.equal(['$170.00', '$180.00', '$190.00']);
    await next.nth(1).click();
    expect(await field.inputValue()).to.equal('180.00');
    expect(await page.locator('[data-sum-total]').textContent()).to.equal('$180.00');
    await field.fill('200');
    await page.getByRole('button', { name: 'Place bid' }).click();
    await page.getByText('You are the high bidder.').waitFor();
    await page.locator('[data-bids] tr.mine', { hasText: '$160.00' }).waitFor();
    expect(await price.textContent()).to.equal('$160.00');
    expect(await page.locator('[data-standing]').isVisible()).to.equal(true);
    expect(await field.inputValue()).to.equal('210.00');

    const second = await page.context().newPage();
    await second.goto(`${service.url}/lots/${lotId}`);
    await second.getByText('You lead').waitFor();
    await second.getByLabel('Your maximum').fill('250');
    await second.getByRole('button', { name: 'Place bid' }).click();
    await second.getByText('Your maximum bid has been raised.').waitFor();
    await second.getByLabel('Your maximum').fill('900');
    await second.getByRole('button', { name: 'Place bid' }).click();
    const dialog = second.getByRole('dialog', { name: 'Confirm your bid' });
    await dialog.getByText('more than three times').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByText('You have been outbid').count()).to.equal(0);
    await second.close();

    await bid({ amount: '170.00' });
    const answered = page.locator('[data-bids] tr').first();
    await answered.getByText('automatic').waitFor();
    expect(await answered.textContent()).to.contain('$180.00');
    await page.getByLabel('Your maximum').fill('181');
    await page.getByRole('button', { name: 'Place bid' }).click();
    await page.getByText('You already lead with a maximum bid at least this high.').waitFor();

    await bid({ amount: '300.00' });
    await page.getByText('You have been outbid.').waitFor();
    expect(await price.textContent()).to.equal('$300.00');
    expect(await page.locator('[data-standing]').isVisible()).to.equal(false);
    await page.getByRole('button', { name: 'Bid $310.00' }).click();
    await page.getByText('You are the high bidder.').waitFor();
    // The price comes by the stream.
    await price.filter({ hasText: '$310.00' }).waitFor();
    await page.reload();
    expect(await page.locator('[data-bids] td.num').first().textContent()).to.equal('$310.00');
    expect(await page.locator('[data-bids] .how').allTextContents()).to.deep.equal([
      'automatic',
      'outbid at once',
    ]);
    // Refusals are reported by the browser as loads that failed; nothing else may have gone wrong.
    expect(problems.filter((problem) => !problem.startsWith('Failed to load'))).to.deep.equal([]);
  });

  it('fits a narrow screen', async () => {
    await page.setViewportSize({ width: 375, height: 700 });
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(overflow).to.equal(0);
  });
});

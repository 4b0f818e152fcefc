/** A team's own sign-in in a real browser, whose provider is another site: linking an account, and signing in. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import type { User } from '../../src/accounts/models/user.model.ts';
import { quickHash } from '../support/browser-like.ts';
import { aTeam, aUser } from '../support/builders.ts';
import { collectProblems, openChromium } from '../support/chromium.ts';
import { CLIENT, type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts';
import { type Service, startService } from '../support/service.ts';

const PASSWORD = 'a long enough password';

describe('a team’s own sign-in in a browser', () => {
  let service: Service;
  let browser: Browser;
  let provider: OpenIdProvider;
  let user: User;
  let site: string;

  before(async () => {
    const env = { WEBHOOK_ALLOW_LOOPBACK: '1' };
    [service, browser] = await Promise.all([startService({ env }), openChromium()]);
    // Two sites for the browser: what it brings back from the other one is as in life.
    site = service.url.replace('127.0.0.1', 'localhost');
    user = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    const team = await aTeam(service.database, { owner: user, name: 'Hollow House' });
    provider = await startOpenIdProvider(`${site}/sign-in/team/callback/${team.id}`);
    const set = await service.call('PUT', `/api/v1/teams/${team.id}/identity-provider`, {
      token: await service.tokenFor(user, ['seller']),
      body: { ...CLIENT, issuer: provider.issuer },
    });
    expect(set.status, set.text).to.equal(200);
    await service.database.knex('teams').where('id', team.id).update({ slug: 'hollow' });
  });
  after(async () => {
    await browser?.close();
    await provider?.close();
    await service?.close();
  });

  const beAda = async (page: Page) => {
    await page.waitForURL(`${provider.issuer}/**`);
    await page.getByPlaceholder('Enter any login').fill('ada');
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
  };

  it('is linked under Security, and signs in from another browser', async () => {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(20_000);
    await page.goto(`${site}/sign-in`);
    await page.getByLabel('Email address').fill(user.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${site}/`);
    await page.goto(`${site}/account/security`);
    await page.getByRole('link', { name: 'Link Hollow House' }).click();
    await page.getByRole('link', { name: 'Continue to' }).click();
    await beAda(page);
    await page.getByText('ada@house.example').waitFor();
    await page.getByRole('button', { name: 'Link my account' }).click();
    await page.getByText('linked with ada@house.example').waitFor();
    const other = await (await browser.newContext()).newPage();
    other.setDefaultTimeout(20_000);
    const problems = collectProblems(other);
    await other.goto(`${site}/sign-in?next=${encodeURIComponent('/account/security')}`);
    await other.getByRole('link', { name: 'Use your team’s sign-in' }).click();
    await other.getByLabel('Team').fill('hollow');
    await other.getByRole('button', { name: 'Continue' }).click();
    await other.getByRole('link', { name: 'Continue to' }).click();
    await beAda(other);
    await other.waitForURL(`${site}/account/security`);
    await other.getByText(user.email).first().waitFor();
    // The provider's pages would like a font from elsewhere.
    expect(problems.filter((text) => !text.startsWith('Failed to load resource'))).to.deep.equal([]);
  });
});

/** Passkeys in a real browser with a virtual authenticator: adding, signing in, the second factor, proving, removing. */
import { expect } from 'chai';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import type { User } from '../../src/accounts/models/user.model.ts';
import { quickHash } from '../support/browser-like.ts';
import { aTeam, aUser } from '../support/builders.ts';
import { collectProblems, openChromium } from '../support/chromium.ts';
import { mailsTo } from '../support/mailbox.ts';
import { type Service, startService } from '../support/service.ts';

const PASSWORD = 'a long enough password';

describe('passkeys in a browser', () => {
  let service: Service;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let devices: CDPSession;
  let authenticatorId: string;
  let site: string;
  let user: User;
  let problems: string[];

  before(async () => {
    [service, browser] = await Promise.all([startService(), openChromium()]);
    // Passkeys are bound to a name, and an IP address is none.
    site = service.url.replace('127.0.0.1', 'localhost');
    user = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** A new browser with an authenticator of its own, that has what the last one had where it is `carried` over. */
  const fresh = async (carried = false): Promise<void> => {
    const credentials = carried
      ? (await devices.send('WebAuthn.getCredentials', { authenticatorId })).credentials
      : [];
    await context?.close();
    context = await browser.newContext();
    page = await context.newPage();
    page.setDefaultTimeout(15_000);
    problems = collectProblems(page);
    devices = await context.newCDPSession(page);
    await devices.send('WebAuthn.enable');
    ({ authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    }));
    for (const credential of credentials)
      await devices.send('WebAuthn.addCredential', { authenticatorId, credential });
  };
  const giveThePassword = async (): Promise<void> => {
    await page.goto(`${site}/sign-in`);
    await page.getByLabel('Email address').fill(user.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const isIn = async () => {
    await page.goto(`${site}/account/security`);
    return new URL(page.url()).pathname === '/account/security';
  };
  const passkeys = () => service.backends.knex('passkeys').where('user_id', user.id).orderBy('id');

  it('are added after a proof, and come with recovery codes', async () => {
    await fresh();
    await giveThePassword();
    await page.goto(`${site}/account/security`);
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    expect(await page.getByLabel('Name').inputValue()).to.match(/^Chrome on/);
    await page.getByLabel('Name').fill('My phone');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
    expect(await page.locator('[data-recovery-code]').count()).to.equal(10);
    expect(await passkeys()).to.have.length(1);
    expect((await mailsTo(service, user.email)).map(({ text }) => text).join()).to.contain('My phone');
    await page.goto(`${site}/account/security`);
    await page.getByText('On, by passkey.').waitFor();
    // The same device holds one for each account.
    await page.goto(`${site}/account/security/passkeys`);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('This device has a passkey for your account already.').waitFor();
    expect(problems).to.deep.equal([]);
  });

  it('sign in without the password, and lead on', async () => {
    await fresh(true);
    await page.goto(`${site}/sign-in?next=${encodeURIComponent('/account/profile')}`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL(`${site}/account/profile`);
    const [passkey] = await passkeys();
    expect(passkey.last_used_at).to.be.a('string');
    expect(Number(passkey.counter)).to.be.above(0);
    const activity = await service.backends
      .knex('activity')
      .where('user_id', user.id)
      .orderBy('id', 'desc')
      .first();
    expect([activity.action, activity.detail.second_factor]).to.deep.equal(['sign_in', true]);
    expect(problems).to.deep.equal([]);
  });

  it('are the second factor after the password, which lets nobody in alone', async () => {
    await fresh(true);
    await giveThePassword();
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    expect(await isIn()).to.equal(false);
    await giveThePassword();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL(`${site}/`);
    expect(await isIn()).to.equal(true);
  });

  it('open a team that requires a second factor, and prove who one is', async () => {
    const { knex } = service.backends;
    const team = await aTeam(service.database, { members: [{ user, role: 'admin' }] });
    await knex('teams').where('id', team.id).update({ require_two_factor: true });
    const token = await service.tokenFor(user, ['read', 'seller']);
    const acts = async () =>
      (
        await service.call('GET', '/api/v1/seller/auctions', {
          token,
          headers: { 'x-team-id': String(team.id) },
        })
      ).status;
    expect(await acts()).to.equal(200);
    await page.goto(`${site}/account/prove?next=${encodeURIComponent('/account/developer/tokens')}`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL(`${site}/account/developer/tokens`);
  });

  it('are refused where their owner was not verified, and say so', async () => {
    await fresh(true);
    await devices.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await page.goto(`${site}/sign-in`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('No passkey was used.').waitFor();
    expect(await isIn()).to.equal(false);
  });

  it('are renamed and removed; what is removed signs nobody in, and the password is enough again', async () => {
    await devices.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await page.goto(`${site}/sign-in`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL(`${site}/`);
    await page.goto(`${site}/account/security`);
    await page.getByLabel('Name of My phone').fill('Old phone');
    await page.getByRole('button', { name: 'Rename My phone' }).click();
    await page.getByRole('button', { name: 'Remove Old phone' }).click();
    await page.getByText('The passkey is removed.').waitFor();
    expect(await passkeys()).to.deep.equal([]);
    expect(await service.backends.knex('recovery_codes').where('user_id', user.id)).to.deep.equal([]);
    await fresh(true);
    await page.goto(`${site}/sign-in`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('This passkey is not known here').waitFor();
    expect(await isIn()).to.equal(false);
    await giveThePassword();
    await page.waitForURL(`${site}/`);
    expect(await isIn()).to.equal(true);
  });
});

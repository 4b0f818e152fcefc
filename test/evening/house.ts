/**
 * A house for an evening: web and worker in this process, a browser, two sellers with approved teams, and forty people
 * who bid over the API.
 */
import type { Browser, Page } from 'playwright-core';
import { Registry } from 'prom-client';
import type { User } from '../../src/accounts/models/user.model.ts';
import { startWorkerJobs } from '../../src/app/jobs/worker-jobs.ts';
import { openLog } from '../../src/shared/log.ts';
import { quickHash } from '../support/browser-like.ts';
import { aTeam, aUser } from '../support/builders.ts';
import { openChromium } from '../support/chromium.ts';
import { type Service, startService } from '../support/service.ts';

const PASSWORD = 'a long enough password';
const BIDDERS = 40;

export interface House {
  readonly service: Service;
  readonly bidders: readonly { readonly user: User; readonly token: string }[];
  /** A seller with a team of this name, signed in at the desk. */
  seller(team: string): Promise<Page>;
  /** An admin of the service, signed in at the office. */
  officer(): Promise<Page>;
  close(): Promise<void>;
}

export async function openHouse(): Promise<House> {
  const [service, browser]: [Service, Browser] = await Promise.all([
    startService({ env: { PAYMENT_SANDBOX: '1' } }),
    openChromium(),
  ]);
  const { database, backends, config, url } = service;
  const jobs = await startWorkerJobs(config, backends, new Registry(), openLog('silent', 'test'));
  const bidders = await Promise.all(
    Array.from({ length: BIDDERS }, async () => {
      const user = await aUser(database, { verified: true });
      return { user, token: await service.tokenFor(user) };
    }),
  );
  return {
    service,
    bidders,
    async seller(name) {
      const owner = await aUser(database, { password_hash: quickHash(PASSWORD), verified: true });
      const team = await aTeam(database, { owner, name });
      await backends.knex('users').where('id', owner.id).update({ current_team_id: team.id });
      return signedIn(browser, url, owner.email);
    },
    async officer() {
      const admin = await aUser(database, { password_hash: quickHash(PASSWORD), is_admin: true });
      return signedIn(browser, url, admin.email);
    },
    async close() {
      await browser.close();
      await jobs.close();
      await service.close();
    },
  };
}

async function signedIn(browser: Browser, url: string, email: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, timezoneId: 'UTC' });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  await page.goto(`${url}/sign-in`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((where) => !where.pathname.startsWith('/sign-in'));
  return page;
}

/** Waits until `isSo`, up to two minutes. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await isSo()) return;
    await new Promise((done) => setTimeout(done, 200));
  }
  throw new Error(`it never came: ${what}`);
}

export function must(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(what);
}

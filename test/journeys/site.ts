/** A marketplace in this process for a browser: web and worker over real stores, and people and lots at hand. */
import type { BrowserContext, Page } from 'playwright-core';
import { Registry } from 'prom-client';
import type { User } from '../../src/accounts/models/user.model.ts';
import type { Environment } from '../../src/app/config/environment-reader.ts';
import { startWorkerJobs } from '../../src/app/jobs/worker-jobs.ts';
import { openLog } from '../../src/shared/log.ts';
import { quickHash } from '../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../support/builders.ts';
import { type Service, startService } from '../support/service.ts';

export const PASSWORD = 'a long enough password';

export interface Site {
  readonly service: Service;
  readonly url: string;
  /** A new person with this password, verified. */
  person(): Promise<User>;
  /** A lot of an auction of its own; the columns are those of lots and auctions. */
  lot(columns?: object, auctionColumns?: object): Promise<{ lotId: number; slug: string; auctionId: number }>;
  signIn(context: BrowserContext, email: string, password?: string): Promise<Page>;
  close(): Promise<void>;
}

/** `env`: further variables. Takes about two seconds. */
export async function openSite(env: Environment = {}): Promise<Site> {
  const service = await startService({ env: { PAYMENT_SANDBOX: '1', ...env } });
  const { backends, config, database } = service;
  const jobs = await startWorkerJobs(config, backends, new Registry(), openLog('silent', 'test'));
  let lots = 0;
  return {
    service,
    url: service.url,
    person: () => aUser(database, { password_hash: quickHash(PASSWORD), verified: true }),
    async lot(columns = {}, auctionColumns = {}) {
      lots += 1;
      const team = await aTeam(database, { name: `Seller ${lots}` });
      const auction = await anAuction(database, {
        team_id: team.id,
        title: `Auction ${lots}`,
        ...auctionColumns,
      });
      const { id } = await aLot(database, { auction_id: auction.id, title: `Thing ${lots}`, ...columns });
      await service.publish();
      return { lotId: id, slug: auction.slug, auctionId: auction.id };
    },
    async signIn(context, email, password = PASSWORD) {
      const page = await context.newPage();
      await page.goto(`${service.url}/sign-in`);
      await page.getByLabel('Email address').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('Lots', { exact: true }).first().waitFor();
      return page;
    },
    async close() {
      await jobs.close();
      await service.close();
    },
  };
}

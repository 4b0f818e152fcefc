/**
 * A whole marketplace in this process for the browser's journeys: the demo with its pictures, web and worker, and
 * people at hand.
 */

import type { BrowserContext, Page } from 'playwright-core';
import { Registry } from 'prom-client';
import type { User } from '../../src/accounts/models/user.model.ts';
import { startWorkerJobs } from '../../src/app/jobs/worker-jobs.ts';
import { openStorage } from '../../src/app/process/open-storage.ts';
import { openLog } from '../../src/shared/log.ts';
import { hangDemoPictures } from '../../src/tools/demo/hang-pictures.ts';
import { seedDemo } from '../../src/tools/demo/seed.ts';
import { quickHash } from '../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../support/builders.ts';
import { type Service, startService } from '../support/service.ts';

export const PASSWORD = 'a long enough password';

export interface DemoSite {
  readonly service: Service;
  readonly url: string;
  readonly buyer: { readonly email: string; readonly password: string };
  readonly seller: { readonly email: string; readonly password: string };
  readonly admin: { readonly email: string; readonly password: string };
  /** A new person with this password, verified. */
  person(): Promise<User>;
  /** A lot of an auction of its own; the columns are those of lots and auctions. */
  lot(columns?: object, auctionColumns?: object): Promise<{ lotId: number; slug: string; auctionId: number }>;
  signIn(context: BrowserContext, email: string, password?: string): Promise<Page>;
  close(): Promise<void>;
}

export async function openDemoSite(): Promise<DemoSite> {
  const service = await startService({ env: { PAYMENT_SANDBOX: '1' } });
  const { backends, config, database } = service;
  const jobs = await startWorkerJobs(config, backends, new Registry(), openLog('silent', 'test'));
  const seeded = await seedDemo(backends, { dataDir: config.dataDir, onProgress: () => {} });
  const storage = await openStorage(config.mediaStorage);
  await hangDemoPictures(backends.knex, storage);
  storage.close();
  const buyer = seeded.signIns.find(({ role }) => role === 'buyer')!;
  const seller = seeded.signIns.find(({ role }) => role === 'seller')!;
  const admin = seeded.signIns.find(({ role }) => role === 'admin')!;
  let lots = 0;
  return {
    service,
    url: service.url,
    buyer,
    seller,
    admin,
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

/** A person who bids in a browser gets the receipt: on the confirmation, under their bids, by mail; and can check it. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { type RunningJobs, startWorkerJobs } from '../../../src/app/jobs/worker-jobs.ts';
import { openLog } from '../../../src/shared/log.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { eventually } from '../../support/market.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('the receipt of a bid on a page', () => {
  let service: Service;
  let jobs: RunningJobs;
  let browser: BrowserLike;
  let lotId: number;
  let bidId: string;
  let hash: string;

  before(async () => {
    service = await startService();
    jobs = await startWorkerJobs(service.config, service.backends, new Registry(), openLog('silent', 'test'));
    lotId = (await aLot(service.database, { auction_id: (await anAuction(service.database)).id })).id;
    await service.publish();
    const bidder = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    browser = new BrowserLike(service.url);
    await signIn(browser, bidder.email, PASSWORD);
  });
  after(async () => {
    await jobs.close();
    await service.close();
  });

  it('is one link from the confirmation', async () => {
    await browser.get(`/lots/${lotId}`);
    const { location } = await browser.post(`/lots/${lotId}/bid`, { amount: '250.00', key: 'one' });
    const placed = await browser.get(location ?? '');
    [, bidId = ''] = /href="\/bids\/([0-9a-f]+)#receipt">Receipt</.exec(placed.text) ?? [];
    expect(bidId, placed.text.slice(0, 2_000)).to.not.equal('');
    const { body } = await service.get(`/api/v1/lots/${lotId}/bids`);
    hash = body.data[0].receipt.hash;
    const receipt = await browser.get(`/bids/${bidId}`);
    expect(receipt.text)
      .to.include(hash)
      .and.include(`/verify?lot=${lotId}&amp;bid=${bidId}&amp;hash=${hash}`);
  });

  it('is under my bids', async () => {
    await eventually(async () =>
      (await browser.get('/account/board')).text.includes(`/bids/${bidId}#receipt`),
    );
  });

  it('comes by mail to its bidder alone, once', async () => {
    await browser.get(`/bids/${bidId}`);
    for (let time = 0; time < 2; time += 1) {
      const { location } = await browser.post(`/bids/${bidId}/receipt`, {});
      expect((await browser.get(location ?? '')).text).to.include('on its way to you');
    }
    const folder = join(service.config.dataDir, 'mail');
    const mails = async () => {
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
      return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    };
    await eventually(async () => (await mails()).some((text) => text.includes('Receipt of your bid')));
    expect((await mails()).filter((text) => text.includes('Receipt of your bid'))).to.have.length(1);
    const other = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    const stranger = new BrowserLike(service.url);
    await signIn(stranger, other.email, PASSWORD);
    await stranger.get('/account/board');
    expect((await stranger.post(`/bids/${bidId}/receipt`, {})).status).to.be.within(400, 404);
  });

  it('is taken by the page that checks journals', async () => {
    const { text } = await browser.get(`/verify?lot=${lotId}&bid=${bidId}&hash=${hash}`);
    expect(text).to.include(`value="${hash}"`).and.include(`value="${bidId}"`);
  });
});

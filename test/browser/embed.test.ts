/** A seller's lots on a stranger's own site, in a real browser; and JSON-LD under our own policy. */
import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { aLot, anAuction, aTeam, aUser } from '../support/builders.ts';
import { collectProblems, openChromium } from '../support/chromium.ts';
import { type Service, startService } from '../support/service.ts';

describe('a seller’s lots on a site of their own', () => {
  let service: Service;
  let browser: Browser;
  let site: Server;
  let siteUrl: string;
  let lotId: number;
  let framed: string;

  before(async () => {
    [service, browser] = await Promise.all([startService(), openChromium()]);
    const { database: db } = service;
    const team = await aTeam(db, { owner: await aUser(db), name: 'Acres & Sons' });
    const auction = await anAuction(db, { team_id: team.id });
    lotId = (await aLot(db, { auction_id: auction.id, title: 'Forty acres' })).id;
    await service.publish();
    framed = `/embed/sellers/${team.slug}`;
    site = createServer((request, response) => {
      // A policy as strict as it can be that still has a frame of ours.
      response.setHeader('Content-Security-Policy', `default-src 'none'; frame-src ${service.url}`);
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      const path = request.url === '/other' ? `/lots/${lotId}` : framed;
      response.end(
        `<!doctype html><title>Acres</title><iframe src="${service.url}${path}" title="Our lots"></iframe>`,
      );
    });
    await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
    const address = site.address();
    // Another host name, and so another site: nothing of ours would be sent along.
    siteUrl = `http://localhost:${typeof address === 'object' ? address?.port : ''}`;
  });
  after(async () => {
    await browser?.close();
    site?.close();
    await service?.close();
  });

  for (const javaScriptEnabled of [true, false])
    it(`are shown ${javaScriptEnabled ? 'with' : 'without'} script, and lead here`, async () => {
      const context = await browser.newContext({ javaScriptEnabled });
      const page = await context.newPage();
      const problems = collectProblems(page);
      await page.goto(siteUrl);
      const lots = page.frameLocator('iframe[title="Our lots"]');
      await lots.getByRole('link', { name: 'Forty acres' }).waitFor();
      expect(await context.cookies()).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      await lots.getByRole('link', { name: 'Forty acres' }).click();
      await page.waitForURL(`${service.url}/lots/${lotId}`);
      expect(await page.getByRole('heading', { level: 1 }).textContent()).to.include('Forty acres');
      expect(problems, 'JSON-LD is no script that runs').to.deep.equal([]);
      expect(await page.locator('script[type="application/ld+json"]').count()).to.equal(2);
      await context.close();
    });

  it('are the only page of ours that may be framed', async () => {
    const page = await browser.newPage();
    const problems = collectProblems(page);
    await page.goto(`${siteUrl}/other`);
    while (problems.length === 0) await page.waitForTimeout(20);
    expect(problems.join('\n')).to.include('frame-ancestors');
    expect(await page.frameLocator('iframe').getByText('Forty acres').count()).to.equal(0);
    await page.close();
  });
});

/** The saleroom's sale as its buyers see it, without JavaScript. */
import { expect } from 'chai';
import type { Auction } from '../../../src/bidding/records/auction.model.ts';
import { moveBlock, noteWarning } from '../../../src/bidding/saleroom/block.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';
const STREAM = 'https://player.example.com/embed/7';

describe('the lot on the block, as its buyers see it', () => {
  let service: Service;
  let browser: BrowserLike;
  let auction: Auction;
  const lotIds: number[] = [];

  before(async () => {
    service = await startService({ env: { STREAM_HOSTS: 'player.example.com' } });
    const { database } = service;
    const user = await aUser(database, { password_hash: quickHash(PASSWORD), verified: true });
    const team = await aTeam(database, { name: 'Prairie Gate' });
    auction = await anAuction(database, { team_id: team.id, title: 'In the hall', type: 'simulcast' });
    for (let number = 1; number <= 8; number += 1) {
      const columns = { auction_id: auction.id, title: `Thing ${number}`, starting_bid_cents: 400_000 };
      lotIds.push((await aLot(database, columns)).id);
    }
    await service.publish();
    browser = new BrowserLike(service.url);
    await signIn(browser, user.email, PASSWORD);
  });
  after(() => service.close());

  const page = (who = browser) => who.get(`/auctions/${auction.slug}`);
  const nextTitles = (text: string) => {
    const [, list = ''] = /id="next-lots">Next lots<\/h2>\s*<ol>([\s\S]*?)<\/ol>/.exec(text) ?? [];
    return [...list.matchAll(/<span>(Thing \d)<\/span>/g)].map(([, title]) => title);
  };

  it('is shown large with one button for the next amount, and the five lots that follow', async () => {
    const { text } = await page();
    expect(text).to.match(/<h2 id="on-block">On the block<\/h2>[\s\S]*Thing 1<\/a><\/h3>/);
    expect(text).to.match(/<button class="button wide"[^>]*>Bid 4,000<\/button>/);
    expect(nextTitles(text)).to.deep.equal(['Thing 2', 'Thing 3', 'Thing 4', 'Thing 5', 'Thing 6']);
    expect((await page(new BrowserLike(service.url))).text).to.contain('Sign in to bid');
  });

  it('is bid on with one tap, and says what came of it', async () => {
    const { text } = await page();
    const amount = /name="max_amount" value="([\d.]+)"/.exec(text)?.[1] ?? '';
    const placed = await browser.post(`/lots/${lotIds[0]}/bid`, {
      max_amount: amount,
      next: `/auctions/${auction.slug}`,
    });
    expect(placed.location).to.equal(`/auctions/${auction.slug}?bid=leading&lot=${lotIds[0]}`);
    const after = await browser.get(placed.location ?? '');
    expect(after.text)
      .to.contain('You are the high bidder.')
      .and.match(/pill leading" data-part="standing">Leading/)
      .and.match(/<button class="button wide quiet"[^>]*>Bid 4,\d{3}</);
  });

  it('is told of fair warning, and gives way to the next that the clerk puts there', async () => {
    const { knex, journal } = service.backends;
    expect((await page()).text).to.match(/data-part="warning" hidden/);
    const state = await journal.load(auction.id, lotIds[0]!);
    await noteWarning(knex, auction.id, lotIds[0]!, state!.sequence);
    expect((await page()).text).to.match(/data-part="warning"><strong>Fair warning/);
    await moveBlock(knex, auction.id, lotIds[0]!, lotIds[6]!);
    const { text } = await page();
    expect(text).to.match(/On the block[\s\S]*Thing 7<\/a><\/h3>/);
    expect(nextTitles(text)).to.deep.equal(['Thing 8', 'Thing 1', 'Thing 2', 'Thing 3', 'Thing 4']);
    const part = await fetch(`${service.url}/auctions/${auction.slug}`, {
      headers: { accept: 'text/html', 'x-fragment': 'block' },
    });
    expect(await part.text()).to.match(/^\s*<section class="on-block/);
  });

  it('has picture and sound of the room beside it, where the seller names an allowed address', async () => {
    const { knex } = service.backends;
    expect((await page()).text).not.to.contain('<iframe');
    await knex('auctions').where('id', auction.id).update({ stream_url: STREAM });
    const shown = await fetch(`${service.url}/auctions/${auction.slug}`);
    expect(await shown.text()).to.contain(`<iframe src="${STREAM}"`);
    expect(shown.headers.get('content-security-policy')).to.contain(
      "frame-src 'self' https://player.example.com",
    );
    await knex('auctions').where('id', auction.id).update({ stream_url: 'https://gone.example.com/7' });
    const gone = await fetch(`${service.url}/auctions/${auction.slug}`);
    expect(await gone.text()).not.to.contain('<iframe');
    expect(gone.headers.get('content-security-policy')).not.to.contain('frame-src');
  });
});

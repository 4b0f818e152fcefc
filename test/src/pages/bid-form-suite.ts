/** Bidding through the lot’s page. */
import { expect } from 'chai';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aUser } from '../../support/builders.ts';
import type { Service } from '../../support/service.ts';

const PASSWORD = 'a long enough password';

/** What the tests have from their service. */
export interface BidFormWorld {
  readonly lotId: number;
  readonly service: Service;
  readonly someone: () => Promise<BrowserLike>;
  readonly sellerEmail: string;
}

/** Bidding through the lot’s page. */
export function bidFormSuite(world: BidFormWorld): void {
  const { someone } = world;

  describe('bidding', () => {
    const bid = async (browser: BrowserLike, fields: Record<string, string>, headers = {}) => {
      await browser.get(`/lots/${world.lotId}`);
      return browser.post(`/lots/${world.lotId}/bid`, fields, headers);
    };

    it('sends visitors who are not signed in to sign in, and back', async () => {
      const answer = await bid(new BrowserLike(world.service.url), { amount: '100' });
      expect(answer.status).to.equal(303);
      expect(answer.location).to.equal(`/sign-in?next=%2Flots%2F${world.lotId}&amount=100`);
    });

    it('takes the session’s bid once, however often the form is sent', async () => {
      const browser = await someone();
      const key = 'one-and-the-same';
      for (let n = 0; n < 2; n += 1) {
        const answer = await bid(browser, { amount: '$1,100', key });
        expect(answer.status).to.equal(303);
        expect(answer.location).to.match(new RegExp(`^/lots/${world.lotId}\\?bid=leading&id=`));
      }
      const lot = (await world.service.get(`/api/v1/lots/${world.lotId}`)).body.data;
      expect(lot).to.include({ current_bid: '1100.00', bid_count: 1 });
      const page = await browser.get(`/lots/${world.lotId}?bid=leading`);
      expect(page.text).to.contain('You are the high bidder.').and.to.contain('$1,100.00');
    });

    it('says in the page why a bid was refused, and leaves what was typed', async () => {
      const browser = await someone();
      const low = await bid(browser, { amount: '1101.00' });
      expect(low.status).to.equal(422);
      expect(low.text).to.contain('at least $1,150.00').and.to.contain('value="1101.00"');
      expect((await bid(browser, { amount: 'abc' })).status).to.equal(422);
      expect((await bid(browser, {})).status).to.equal(422);
      const seller = new BrowserLike(world.service.url);
      await signIn(seller, world.sellerEmail, PASSWORD);
      expect((await bid(seller, { amount: '5000' })).status).to.equal(403);
      expect((await bid(browser, { amount: '5000', _csrf: 'wrong' })).status).to.equal(403);
    });

    it('answers its script like the API', async () => {
      const json = { accept: 'application/json' };
      const browser = await someone();
      const low = await bid(browser, { amount: '1' }, json);
      expect(JSON.parse(low.text)).to.include({ success: false, code: 'bid_too_low' });
      const good = await bid(browser, { amount: '1200', max_amount: '1500' }, json);
      expect(good.status).to.equal(201);
      expect(JSON.parse(good.text).data).to.include({ outcome: 'leading', max_amount: '1500.00' });
      const nobody = await bid(new BrowserLike(world.service.url), { amount: '5000' }, json);
      expect(nobody.status).to.equal(401);
    });

    it('enforces a suspension within a second', async () => {
      const user = await aUser(world.service.database, { password_hash: quickHash(PASSWORD) });
      const browser = new BrowserLike(world.service.url);
      await signIn(browser, user.email, PASSWORD);
      await browser.get('/');
      await world.service.database.knex('users').where('id', user.id).update({ suspended_at: new Date() });
      await new Promise((done) => setTimeout(done, 600));
      const answer = await bid(browser, { amount: '5000' }, { accept: 'application/json' });
      expect(JSON.parse(answer.text)).to.include({ code: 'bidder_suspended' });
    });
  });
}

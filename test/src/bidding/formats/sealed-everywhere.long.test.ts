/** No GET route that there is tells an amount of a sealed bid to anybody else, by any id, before the opening. */
import { expect } from 'chai';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aUser } from '../../../support/builders.ts';
import { PASSWORD } from '../../../support/format-sales.ts';
import { projectAuction } from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';
import { SEAL_KEY, TenderSales } from '../../../support/tender-sales.ts';

const AMOUNT = /71,?345[.,]?67|71,?399[.,]?13/;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('a sealed bid, asked for by every route', () => {
  let service: Service;
  let sales: TenderSales;

  before(async () => {
    service = await startService({ env: { SEAL_KEY } });
    sales = await TenderSales.of(service);
  });
  after(() => service.close());

  it('shows its amount to its bidder alone', async function () {
    this.timeout(600_000);
    const tender = await sales.open([{ tender_may_withdraw: true }]);
    const [lot = 0] = tender.lots;
    const [ann, bob] = [await sales.registered(tender), await sales.registered(tender)];
    const rival = await sales.registered(tender);
    await sales.bid(rival, lot, '150.00');
    const bids = [await sales.bid(ann, lot, '71345.67'), await sales.bid(bob, lot, '71399.13')];
    expect(bids.map(({ status }) => status)).to.deep.equal([201, 201]);
    await projectAuction(service.database, service.backends.redis, tender.id);
    const admin = await aUser(service.database, { is_admin: true, password_hash: quickHash(PASSWORD) });
    const staff = await service.tokenFor(admin, ['read', 'write', 'seller']);
    const tokens = ['', rival.token, sales.seller, staff];
    const browsers: BrowserLike[] = [];
    for (const { email } of [rival.user, sales.owner, admin]) {
      const browser = new BrowserLike(service.url);
      expect((await signIn(browser, email, PASSWORD)).status).to.equal(303);
      browsers.push(browser);
    }
    const ids = [lot, tender.id, ann.user.id, sales.team.id, bids[0]!.body.data.id, tender.slug];
    // Streams have no end; what they say is in the test of a tender's secrecy.
    const routes = service.web.app.endpoints.filter(
      ({ method, path }) => method === 'GET' && !/stream|live$/.test(path),
    );
    const told: string[] = [];
    let seen = 0;
    const look = ({ status, text }: { readonly status: number; readonly text: string }, what: string) => {
      if (status === 200) seen += 1;
      if (AMOUNT.test(text)) told.push(what);
    };
    for (const { path, page } of routes)
      for (const one of new Set(ids.map((id) => path.replaceAll(/\{[^}]+\}/g, String(id)))))
        if (page === true)
          for (const [at, browser] of browsers.entries()) look(await browser.get(one), `page ${at} ${one}`);
        else
          for (const [who, token] of tokens.entries()) {
            const headers = { 'x-team-id': String(sales.team.id), ...(token === '' ? {} : bearer(token)) };
            const answer = await fetch(service.url + one, { headers });
            look({ status: answer.status, text: await answer.text() }, `${who} ${one}`);
          }
    expect(told).to.deep.equal([]);
    expect(seen).to.be.above(routes.length);
    expect((await sales.lot(lot, ann.token)).viewer.bid.amount).to.equal('71345.67');
    expect((await service.get('/api/v1/me/bids', ann.token)).text).to.match(AMOUNT);
  });
});

/** Conditions of sale: accepted by registering, asked for before a bid, and named by registration, journal and invoice. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aUser } from '../../support/builders.ts';
import { projectAuction, sell } from '../../support/money.ts';
import { codeOf, SellingTeam } from '../../support/selling-team.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const PASSWORD = 'a long enough password';

describe('conditions of sale', () => {
  let service: Service;
  let team: SellingTeam;
  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
  });
  after(() => service.close());

  async function aBuyer() {
    const user = await aUser(service.database, { password_hash: quickHash(PASSWORD), verified: true });
    const token = await service.tokenFor(user);
    const post = (path: string, body: object = {}) =>
      service.call('POST', `/api/v1/${path}`, { token, body });
    return {
      user,
      register: (auctionId: number, body: object = {}) => post(`auctions/${auctionId}/registration`, body),
      bid: (lotId: number, amount: string) => post(`lots/${lotId}/bids`, { amount }),
      buy: (lotId: number) => post(`lots/${lotId}/buy-now`),
      read: async (path: string) => (await service.get(`/api/v1/${path}`, token)).body.data,
    };
  }
  const change = (auctionId: number, body: object) =>
    team.call('PATCH', `seller/auctions/${auctionId}`, body);
  const setIn = async (lotId: number) => {
    const entries = (await service.get(`/api/v1/lots/${lotId}/journal`)).body.data;
    return entries
      .flatMap((entry: JsonValue) => entry.events)
      .filter((event: JsonValue) => 'conditions' in event)
      .map((event: JsonValue) => event.conditions);
  };

  it('are accepted as they are now, before the first bid of an open auction, and named everywhere after', async () => {
    const { auctionId, lotId } = await team.liveLot({ buy_now_price: '900.00' }, { conditions: 'First.' });
    const ann = await aBuyer();
    for (const refused of [await ann.bid(lotId, '100.00'), await ann.buy(lotId)])
      expect(codeOf(refused)).to.deep.equal([403, 'registration_required']);
    for (const body of [{}, { conditions_version: 2 }]) {
      const refused = await ann.register(auctionId, body);
      expect(codeOf(refused)).to.deep.equal([409, 'conditions_changed']);
      expect(refused.body.data).to.deep.equal({ conditions_version: 1 });
    }
    const registered = await ann.register(auctionId, { conditions_version: 1 });
    expect([registered.status, registered.body.data.status]).to.deep.equal([201, 'approved']);
    expect(registered.body.data.conditions_version).to.equal(1);
    expect(Date.parse(registered.body.data.conditions_accepted_at)).to.be.closeTo(Date.now(), 60_000);
    expect((await ann.bid(lotId, '100.00')).status).to.equal(201);
    const list = await team.call('GET', `seller/auctions/${auctionId}/registrations`);
    expect(list.body.data[0].conditions_version).to.equal(1);
    expect(await setIn(lotId)).to.deep.equal([{ version: 1, sha256: sha256('First.') }]);
    await sell(service.backends.engine, lotId, ann.user, 10_000);
    await projectAuction(service.database, service.backends.redis, auctionId);
    const [invoice] = await ann.read('invoices');
    expect(invoice.conditions_version).to.equal(1);
  });

  it('may change: the next to register accept the new ones, and those who have go on', async () => {
    const { auctionId, lotId } = await team.liveLot({}, { conditions: 'First.', type: 'simulcast' });
    const [ann, ben] = [await aBuyer(), await aBuyer()];
    const first = await ann.register(auctionId, { conditions_version: 1 });
    expect((await change(auctionId, { conditions: 'Second: ä.' })).body.data.conditions_version).to.equal(2);
    expect(codeOf(await ben.register(auctionId, { conditions_version: 1 }))).to.deep.equal([
      409,
      'conditions_changed',
    ]);
    expect((await ben.register(auctionId, { conditions_version: 2 })).status).to.equal(201);
    expect((await ben.bid(lotId, '100.00')).status).to.equal(201);
    expect((await ann.bid(lotId, '150.00')).status).to.equal(201);
    expect(await setIn(lotId)).to.deep.equal([
      { version: 1, sha256: sha256('First.') },
      { version: 2, sha256: sha256('Second: ä.') },
    ]);
    await projectAuction(service.database, service.backends.redis, auctionId);
    const again = await ann.register(auctionId, { conditions_version: 2 });
    expect([again.status, again.body.data.conditions_version]).to.deep.equal([200, 2]);
    expect(again.body.data.paddle_number).to.equal(first.body.data.paddle_number);
    await sell(service.backends.engine, lotId, ann.user, 15_000);
    await projectAuction(service.database, service.backends.redis, auctionId);
    expect((await ann.read('invoices'))[0].conditions_version).to.equal(2);
    expect(await service.backends.knex('auctions').where('id', auctionId).first()).to.include({
      conditions: 'Second: ä.',
      conditions_version: 2,
    });
  });

  it('that come after the first bid are accepted before the next, and gone again ask for nothing', async () => {
    const { auctionId, lotId } = await team.liveLot();
    const [ann, ben] = [await aBuyer(), await aBuyer()];
    expect((await ann.bid(lotId, '100.00')).status).to.equal(201);
    await change(auctionId, { conditions: 'Late.' });
    expect(codeOf(await ann.bid(lotId, '200.00'))).to.deep.equal([403, 'registration_required']);
    const accepted = await ann.register(auctionId, { conditions_version: 1 });
    expect([accepted.status, accepted.body.data.status]).to.deep.equal([200, 'approved']);
    expect((await ann.bid(lotId, '200.00')).status).to.equal(201);
    await change(auctionId, { conditions: null });
    expect((await ben.bid(lotId, '300.00')).status).to.equal(201);
    expect(await setIn(lotId)).to.deep.equal([{ version: 1, sha256: sha256('Late.') }, null]);
  });

  it('are kept with the wait for a decision, and with the decision', async () => {
    const terms = { conditions: 'First.', registration: { mode: 'approval' } };
    const { auctionId, lotId } = await team.liveLot({}, terms);
    const ann = await aBuyer();
    const asked = await ann.register(auctionId, { conditions_version: 1 });
    expect([asked.body.data.status, asked.body.data.conditions_version]).to.deep.equal(['pending', 1]);
    expect(codeOf(await ann.bid(lotId, '100.00'))).to.deep.equal([403, 'registration_pending']);
    const path = `seller/auctions/${auctionId}/registrations/${asked.body.data.id}`;
    const decided = await team.call('PATCH', path, { status: 'approved', reason: 'known' });
    expect(decided.body.data.conditions_version).to.equal(1);
    expect((await ann.bid(lotId, '100.00')).status).to.equal(201);
    await change(auctionId, { conditions: 'Second.' });
    const again = await ann.register(auctionId, { conditions_version: 2 });
    expect(again.body.data).to.include({ status: 'approved', conditions_version: 2, reason: 'known' });
  });

  it('are accepted on the page by one button, which leads back to the lot', async () => {
    const { lotId } = await team.liveLot({}, { conditions: 'First.' });
    const { user } = await aBuyer();
    const browser = new BrowserLike(service.url);
    await signIn(browser, user.email, PASSWORD);
    const lot = await browser.get(`/lots/${lotId}`);
    expect(lot.text)
      .to.contain('Register, and bid at once')
      .and.contain('By registering you accept')
      .and.contain('name="conditions_version" value="1"');
    const [action = ''] = /\/auctions\/[a-z0-9-]+\/registration/.exec(lot.text) ?? [];
    const none = await browser.post(action, { next: `/lots/${lotId}` });
    expect([none.status, none.text.includes('Read the conditions of sale as they are now')]).to.deep.equal([
      409,
      true,
    ]);
    const done = await browser.post(action, { next: `/lots/${lotId}`, conditions_version: '1' });
    expect([done.status, done.location]).to.deep.equal([303, `/lots/${lotId}#to-bid-here`]);
    const after = await browser.get(`/lots/${lotId}`);
    expect(after.text)
      .to.contain('the conditions of sale, version 1')
      .and.not.contain('By registering you accept');
  });
});

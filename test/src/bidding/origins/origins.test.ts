/** Conflicts of interest: who may not bid, and what staff see of from where bids came. */
import { expect } from 'chai';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { forgetOrigins } from '../../../../src/bidding/origins/bid-origins.ts';
import type { Projection } from '../../../../src/bidding/projection/projection.ts';
import { createInvoices } from '../../../../src/billing/invoices/create-invoices.ts';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aUser } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { paymentOf, report } from '../../../support/money.ts';
import { projectionOf } from '../../../support/projection.ts';
import { codeOf, SellingTeam } from '../../../support/selling-team.ts';
import { type Answer, type Service, startService } from '../../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('From where bids come', () => {
  let service: Service;
  let seller: SellingTeam;
  let staff: BrowserLike;
  let projection: Projection;

  before(async () => {
    service = await startService({ env: { TRUST_PROXY: '127.0.0.1' } });
    projection = await projectionOf(service.backends);
    seller = await SellingTeam.of(service);
    const admin = await aUser(service.database, {
      is_admin: true,
      password_hash: quickHash(PASSWORD),
      verified: true,
    });
    staff = new BrowserLike(service.url);
    await signIn(staff, admin.email, PASSWORD);
  });
  after(async () => {
    await projection.close();
    await service.close();
  });

  /** What was bid is in Postgres, and from where. */
  async function written(lotId: number, bids: number): Promise<void> {
    await service.web.flush();
    await eventually(
      async () => (await service.backends.knex('bids').where('lot_id', lotId)).length === bids,
    );
  }

  interface From {
    readonly address: string;
    readonly browser: string;
  }

  async function bid(lotId: number, user: User, amount: string, { address, browser }: From): Promise<Answer> {
    const token = await service.tokenFor(user);
    return service.call('POST', `/api/v1/lots/${lotId}/bids`, {
      token,
      body: { amount },
      headers: { 'user-agent': browser, 'x-forwarded-for': address },
    });
  }

  it('shows staff the address and browser of each bid, who shares them, and who never wins', async () => {
    const { lotId, auctionId } = await seller.liveLot();
    const [ann, bob, cy] = await Promise.all([
      aUser(service.database, { name: 'Ann Able' }),
      aUser(service.database, { name: 'Bob Best' }),
      aUser(service.database, { name: 'Cy Cole' }),
    ]);
    const firefox = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0';
    for (const [user, amount, from] of [
      [ann, '100.00', { address: '203.0.113.7', browser: firefox }],
      [bob, '200.00', { address: '203.0.113.7', browser: 'curl/8.5' }],
      [ann, '300.00', { address: '203.0.113.8', browser: firefox }],
      [cy, '400.00', { address: '198.51.100.1', browser: firefox }],
    ] as const)
      expect((await bid(lotId, user, amount, from)).status).to.equal(201);
    await written(lotId, 4);
    for (const path of [`/office/lots/${lotId}`, `/office/auctions/${auctionId}`]) {
      const { status, text } = await staff.get(path);
      expect(status, text).to.equal(200);
      expect(text).to.contain('203.0.113.7').and.contain('203.0.113.8').and.contain('Firefox on Windows');
      expect(text).to.contain('Same address as Bob Best').and.contain('Same address as Ann Able');
      expect(text)
        .to.contain('Browser of the same name and version as Cy Cole')
        .and.contain('Never won: 2 raises');
      expect(text).not.to.contain('Never won: 1');
    }
    const stored = await service.backends.knex('bid_origins').select();
    expect(JSON.stringify(stored)).not.to.contain('203.0.113').and.not.to.contain('Firefox');
    const rows = await service.backends.knex('bids_from').where('lot_id', lotId);
    expect(rows).to.have.length(4);
    expect((await new BrowserLike(service.url).get(`/office/lots/${lotId}`)).status).to.equal(303);
  });

  it('says when a bidder shares an address with somebody of the seller', async () => {
    const { lotId } = await seller.liveLot();
    await service.backends.knex('activity').insert({
      action: 'sign_in',
      via: 'page',
      user_id: seller.owner.id,
      ip: '192.0.2.55',
    });
    const dee = await aUser(service.database, { name: 'Dee Dunn' });
    await bid(lotId, dee, '100.00', { address: '192.0.2.55', browser: 'curl/8.5' });
    await written(lotId, 1);
    expect((await staff.get(`/office/lots/${lotId}`)).text).to.contain(
      `Same address as ${seller.owner.name} (seller)`,
    );
  });

  it('says when bidders, or a bidder and somebody of the seller, have paid with one card', async () => {
    const { lotId, auctionId } = await seller.liveLot();
    const [eve, fay, gil] = await Promise.all([
      aUser(service.database, { name: 'Eve East' }),
      aUser(service.database, { name: 'Fay Ford' }),
      aUser(service.database, { name: 'Gil Gray' }),
    ]);
    let amount = 100;
    for (const user of [eve, fay, gil]) {
      const from = { address: `192.0.2.${amount / 10}`, browser: `curl/${amount}` };
      expect((await bid(lotId, user, `${amount}.00`, from)).status).to.equal(201);
      amount += 50;
    }
    await written(lotId, 3);
    // In the two shapes in which a provider names it.
    const inCharge = (fingerprint: string) => ({ payment_method_details: { card: { fingerprint } } });
    const one = { latest_charge: { id: 'ch_1', ...inCharge('card-one') } };
    const same = { charges: { data: [inCharge('card-one')] } };
    for (const [user, card] of [
      [eve, one],
      [fay, same],
      [gil, { latest_charge: { id: 'ch_3', ...inCharge('another') } }],
      [seller.owner, { ...same, latest_charge: 'ch_4' }],
    ] as const) {
      const { invoices } = await service.backends.knex.transaction((trx) =>
        createInvoices(trx, [
          {
            ...{ kind: 'subscription', user_id: user.id, team_id: null, currency: 'usd' },
            lines: [{ kind: 'subscription', description: 'x', amount_cents: 100 }],
          },
        ]),
      );
      await report(service, { object: paymentOf(invoices[0]!, card) });
    }
    for (const path of [`/office/lots/${lotId}`, `/office/auctions/${auctionId}`]) {
      const { text } = await staff.get(path);
      expect(text)
        .to.contain('Same card as Eve East')
        .and.contain('Same card as Fay Ford')
        .and.contain(`Same card as ${seller.owner.name} (seller)`)
        .and.not.contain('Same card as Gil Gray')
        .and.not.contain('card-one');
    }
  });

  it('is forgotten after 90 days', async () => {
    const { knex } = service.backends;
    await knex('bids_from').update({ seen_at: knex.raw("now() - interval '91 days'") });
    await knex('bid_origins').update({ seen_at: knex.raw("now() - interval '91 days'") });
    await forgetOrigins(knex);
    expect(await knex('bid_origins')).to.deep.equal([]);
    expect(await knex('bids_from')).to.deep.equal([]);
  });

  it('does not let people bid on what their team sells, nor for 30 days after they left it', async () => {
    const { lotId, auctionId } = await seller.liveLot();
    const member = await aUser(service.database);
    const { knex } = service.backends;
    await knex('memberships').insert({ team_id: seller.id, user_id: member.id, role: 'member' });
    const from = { address: '192.0.2.1', browser: 'curl/8.5' };
    expect(codeOf(await bid(lotId, member, '100.00', from))).to.deep.equal([403, 'seller_cannot_bid']);
    const removed = await seller.call('DELETE', `teams/${seller.id}/members/${member.id}`);
    expect(removed.status, removed.text).to.be.oneOf([200, 204]);
    expect(codeOf(await bid(lotId, member, '100.00', from))).to.deep.equal([403, 'seller_cannot_bid']);
    const token = await service.tokenFor(member);
    const registered = await service.call('POST', `/api/v1/auctions/${auctionId}/registration`, { token });
    expect(codeOf(registered)).to.deep.equal([403, 'seller_cannot_bid']);
    await knex('left_memberships').update({ left_at: knex.raw("now() - interval '31 days'") });
    expect((await bid(lotId, member, '100.00', from)).status).to.equal(201);
  });
});

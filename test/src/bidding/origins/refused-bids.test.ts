/** Refused bids: their bidders are told when what kept them out is gone, and staff can say why for 90 days. */
import { expect } from 'chai';
import { BidOrigins, forgetOrigins } from '../../../../src/bidding/origins/bid-origins.ts';
import { refusalRule } from '../../../../src/bidding/origins/refusal-rules.ts';
import { readRefusedBids } from '../../../../src/bidding/origins/refused-bids.ts';
import type { Projection } from '../../../../src/bidding/projection/projection.ts';
import { voidBid } from '../../../../src/bidding/staff/void-bid.ts';
import { Inbox } from '../../../../src/notifications/inbox/inbox.ts';
import { notifyFacts } from '../../../../src/notifications/sources/news-of-facts.ts';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aUser } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { projectionOf } from '../../../support/projection.ts';
import { SellingTeam } from '../../../support/selling-team.ts';
import { type Service, startService } from '../../../support/service.ts';

const PASSWORD = 'a long enough password';
const old = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

describe('bids that were refused', () => {
  let service: Service;
  let seller: SellingTeam;
  let projection: Projection;

  before(async () => {
    service = await startService();
    projection = await projectionOf(service.backends);
    seller = await SellingTeam.of(service);
  });
  after(async () => {
    await projection.close();
    await service.close();
  });

  const someone = async () => {
    const user = await aUser(service.database);
    const token = await service.tokenFor(user);
    const bid = (lotId: number, amount: string) =>
      service.call('POST', `/api/v1/lots/${lotId}/bids`, { token, body: { amount } });
    const bidWith = (lotId: number, body: object) =>
      service.call('POST', `/api/v1/lots/${lotId}/bids`, { token, body });
    return { user, bid, bidWith };
  };

  it('that were too low are told once a void has lowered the price, a minute of them as one', async () => {
    const { knex } = service.backends;
    const { lotId } = await seller.liveLot();
    const [ann, ben, cy, dee] = [await someone(), await someone(), await someone(), await someone()];
    expect((await ann.bid(lotId, '100.00')).status).to.equal(201);
    expect((await dee.bid(lotId, '50.00')).body.code).to.equal('bid_too_low');
    await service.web.flush();
    await knex('refused_bids').update({ refused_at: new Date(Date.now() - 60_000) });
    const high = (await ben.bid(lotId, '500.00')).body.data.id;
    for (let n = 0; n < 3; n += 1) expect((await cy.bid(lotId, '200.00')).body.code).to.equal('bid_too_low');
    await service.web.flush();
    expect(await knex('refused_bids').where('user_id', cy.user.id)).to.have.length(1);
    await eventually(() => knex('bids').where('bid_id', high).first());
    await voidBid(service.backends, high, 'a slip');
    const told = async (userId: number) => {
      await notifyFacts(knex, new Inbox(null, () => ''));
      return knex('notifications').where({ user_id: userId, kind: 'bid_voided' });
    };
    await eventually(async () => (await told(cy.user.id)).length === 1);
    const [notice] = await told(cy.user.id);
    expect(notice.data).to.include({ own: false, amount: '100.00' });
    // Refused before the bid that is gone, which did not keep them out.
    expect(await told(dee.user.id)).to.deep.equal([]);
  });

  it('are kept with the sentence that was said, and the rule, for staff to look up', async () => {
    const { knex } = service.backends;
    const { lotId } = await seller.liveLot();
    const [ann, eve] = [await someone(), await someone()];
    const max = (who: typeof ann, max_amount: string) => who.bidWith(lotId, { max_amount });
    expect((await max(ann, '500.00')).status).to.equal(201);
    for (const amount of ['1.00', '1.00', '2.00']) await eve.bid(lotId, amount);
    expect((await max(ann, '400.00')).body.code).to.equal('max_not_increased');
    await service.web.flush();
    const { rows, total } = await readRefusedBids(knex, eve.user.id, 10);
    expect(total, 'the same one counts once').to.equal(2);
    expect(rows[0]).to.include({ lot_id: lotId, code: 'bid_too_low', amount_cents: 200 });
    expect(rows[0]?.message).to.match(/^The bid must be at least \d+\.\d\d\.$/);
    const [raise] = (await readRefusedBids(knex, ann.user.id, 10)).rows;
    expect(raise, 'a ceiling is nobody’s to know').to.include({
      code: 'max_not_increased',
      amount_cents: null,
    });
    // Not before what is projected of the bid, which writes the status as well.
    await eventually(() => knex('bids').where('lot_id', lotId).first());
    await knex('lots').where('id', lotId).update({ status: 'sold' });
    const [closed] = (await readRefusedBids(knex, ann.user.id, 10)).rows;
    expect(closed?.amount_cents).to.equal(40_000);
    const admin = await aUser(service.database, { password_hash: quickHash(PASSWORD), is_admin: true });
    const office = new BrowserLike(service.url);
    await signIn(office, admin.email, PASSWORD);
    const page = (await office.get(`/office/people/${eve.user.id}`)).text;
    const section = page.split('<h2>Why was my bid refused?</h2>')[1]?.split('<h2>')[0] ?? '';
    expect(section).to.match(/The bid must be at least \$[\d,]+\.\d\d\./);
    expect(section).to.include('$2.00').and.include('Rule 1: minimum next bid');
    const all = await office.get(`/office/people/${eve.user.id}/refused-bids`);
    expect(all.text).to.include('Rule 1: minimum next bid');
    await knex('refused_bids')
      .where('user_id', eve.user.id)
      .update({ refused_at: old(91) });
    await knex('refused_bids')
      .where('user_id', ann.user.id)
      .update({ refused_at: old(89) });
    await forgetOrigins(knex);
    expect(await knex('refused_bids').where('user_id', eve.user.id)).to.deep.equal([]);
    expect(await knex('refused_bids').where('user_id', ann.user.id)).to.have.length(1);
  });

  it('are a few of a person on a lot in a minute, and none of lots that are not there', async () => {
    const { knex } = service.backends;
    const { lotId } = await seller.liveLot();
    const eve = await someone();
    for (let n = 1; n <= 8; n += 1) await eve.bid(lotId, `${n}.00`);
    const origins = new BidOrigins({
      knex,
      appSecrets: ['x'],
      log: { warn: () => expect.fail('not written') },
    });
    const bid = { lotId: 987_654_321, userId: eve.user.id, amountCents: 1 };
    origins.noteRefused({ ...bid, code: 'lot_closed', message: 'It is closed.' });
    await origins.close();
    await service.web.flush();
    expect(await knex('refused_bids').where('user_id', eve.user.id)).to.have.length(5);
  });

  it('keep no amount and no sentence of a sealed lot', async () => {
    const { knex } = service.backends;
    const { lotId, auctionId } = await seller.liveLot();
    const eve = await someone();
    await eve.bid(lotId, '1.00');
    await knex('auctions').where('id', auctionId).update({ format: 'tender' });
    await service.web.flush();
    const [row] = (await readRefusedBids(knex, eve.user.id, 10)).rows;
    expect(row).to.include({ code: 'bid_too_low', amount_cents: null, message: null });
  });

  it('name a rule for every code that a bid is refused with', () => {
    const bid = service.web.app.endpoints.find(({ operationId }) => operationId === 'placeBid');
    const elsewhere = ['idempotency_key_reused', 'overloaded', 'journal_unavailable'];
    const codes = (bid?.codes ?? []).filter((code) => !elsewhere.includes(code));
    expect(codes).to.include('bid_limit_exceeded');
    expect(codes.filter((code) => refusalRule(code, 'timed') === null)).to.deep.equal([]);
    expect(refusalRule('bid_too_low', 'tender')).to.equal('Rule 22: the tender');
  });
});

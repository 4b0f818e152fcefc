/** Who may read why a bid came out as it did, and what of it, over HTTP, on the page and at the command line. */
import { expect } from 'chai';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { voidBid } from '../../../../src/bidding/staff/void-bid.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { projectionOf } from '../../../support/projection.ts';
import { type Service, startService } from '../../../support/service.ts';

interface Step {
  rule: number;
  sentence: string;
  values: Record<string, unknown>;
}

describe('the explanation of a bid', () => {
  let service: Service;
  let auctionId: number;
  let lotId: number;
  let tokens: Record<'ann' | 'bob' | 'seller' | 'admin' | 'other', string>;
  const bids: string[] = [];

  before(async () => {
    service = await startService();
    const db = service.database;
    const seller = await aUser(db);
    const admin = await aUser(db);
    const team = await aTeam(db, { owner: seller });
    const auction = await anAuction(db, { team_id: team.id });
    auctionId = auction.id;
    lotId = (
      await aLot(db, { auction_id: auction.id, starting_bid_cents: 10_000, reserve_price_cents: 30_000 })
    ).id;
    await service.publish();
    await db.knex('users').where('id', admin.id).update({ is_admin: true });
    const token = (user: User) => service.tokenFor(user);
    tokens = {
      ann: await token(await aUser(db)),
      bob: await token(await aUser(db)),
      seller: await token(seller),
      admin: await token(admin),
      other: await token(await aUser(db)),
    };
    await bid('ann', { max_amount: '500.00' });
    await bid('bob', { max_amount: '400.00' });
    await bid('bob', { amount: '450.00' });
    await bid('bob', { max_amount: '900.00' });
  });
  after(() => service.close());

  async function bid(who: 'ann' | 'bob', body: object): Promise<void> {
    const { data } = (await service.call('POST', `/api/v1/lots/${lotId}/bids`, { token: tokens[who], body }))
      .body;
    bids.push(data.id);
  }

  const request = (at: number, who?: keyof typeof tokens) =>
    service.get(`/api/v1/bids/${bids[at]}/explanation`, who && tokens[who]);
  const stepsOf = async (at: number, who?: keyof typeof tokens): Promise<Step[]> =>
    (await request(at, who)).body.data.steps;
  const told = (steps: readonly Step[]) => JSON.stringify(steps);

  it('tells the bidder each rule with its figures, a moment after the bid', async () => {
    const first = await stepsOf(0, 'ann');
    expect(first.map(({ rule }) => rule)).to.deep.equal([7, 1, 2, 6, 8]);
    expect(first[1]?.values).to.deep.equal({ minimum_next_bid: '100.00' });
    expect(first[3]?.sentence).to.include('the price went up to meet it: $300.00');
    const third = await stepsOf(3, 'bob');
    expect(third.map(({ rule }) => rule)).to.deep.equal([7, 1, 3, 6, 8]);
    expect(third[2]?.values).to.deep.equal({ ceiling: '900.00', current_bid: '525.00' });
    expect(told(third)).not.to.include('500.00');
  });

  it('reveals to the seller’s team and admins all but ceilings and straight amounts', async () => {
    for (const who of ['seller', 'admin'] as const) {
      const steps = await stepsOf(3, who);
      expect(steps[3]?.values['reserve'], who).to.equal('300.00');
      expect(told(steps)).not.to.match(/900\.00|500\.00/);
    }
    expect((await stepsOf(1, 'seller'))[2]?.values).to.deep.equal({
      ceiling: '400.00',
      increment: '10.00',
      current_bid: '410.00',
    });
  });

  it('reveals it to nobody else while the lot is open', async () => {
    for (const who of ['ann', 'other', undefined] as const) {
      // For a caller without own bids the logs are not searched: the bid may be too new for Postgres.
      expect((await request(3, who)).status, String(who)).to.equal(who === undefined ? 404 : 403);
    }
    for (const wrong of ['0'.repeat(32), 'x', '%00']) {
      const { status } = await service.get(`/api/v1/bids/${wrong}/explanation`, tokens.ann);
      expect(status, wrong).to.equal(404);
    }
  });

  it('says that staff voided a bid, and why', async () => {
    await voidBid(service.backends, bids[2] ?? '', 'entered by mistake');
    const last = (await stepsOf(2, 'bob')).at(-1);
    expect(last?.rule).to.equal(15);
    expect(last?.values['reason']).to.equal('entered by mistake');
  });

  it('reveals it to everybody once the lot is over, with beaten ceilings but not the winner’s', async () => {
    const end = new Date(Date.now() - 1_000);
    const { journal } = service.backends;
    const record = await journal.loadRecord(auctionId);
    await journal.saveRecord({ ...record!, version: record!.version + 1, endsAtUs: end.getTime() * 1_000 });
    await service.backends.engine.submit(lotId, { type: 'advance' });
    const steps = await stepsOf(3, 'other');
    expect(steps[2]?.values).to.deep.equal({ beaten_ceiling: '500.00', current_bid: '525.00' });
    expect(told(steps)).not.to.include('900.00');
    expect(told(await stepsOf(3, 'bob'))).to.include('900.00');
    const projection = await projectionOf(service.backends);
    const read = () => service.call('GET', `/bids/${bids[3]}`, { headers: { accept: 'text/html' } });
    while ((await read()).status === 404) await new Promise((done) => setTimeout(done, 20));
    const page = await read();
    await projection.close();
    expect(page.status).to.equal(200);
    expect(page.text).to.include('so it took the lead').and.not.include('900.00');
  });
});

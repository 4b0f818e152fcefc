/** Whose bid was too low is told when what kept them out is gone. */
import { expect } from 'chai';
import type { Projection } from '../../../../src/bidding/projection/projection.ts';
import { voidBid } from '../../../../src/bidding/staff/void-bid.ts';
import { Inbox } from '../../../../src/notifications/inbox/inbox.ts';
import { notifyFacts } from '../../../../src/notifications/sources/news-of-facts.ts';
import { aUser } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { projectionOf } from '../../../support/projection.ts';
import { SellingTeam } from '../../../support/selling-team.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('bids that were too low', () => {
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
    return { user, bid };
  };

  it('are told once a void has lowered the price, a minute of them as one', async () => {
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
});

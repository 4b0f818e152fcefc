/** A seller's registrations: who waits for a decision, first and with the time that is left for it. */
import { expect } from 'chai';
import { anAuction, aUser } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk } from './seller-at-desk.ts';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

describe('a seller’s registrations', () => {
  let service: Service;
  let seller: AtDesk;

  before(async () => {
    service = await startService();
    seller = await aSellerAtDesk(service);
  });
  after(() => service.close());

  it('have first whoever waits, whenever the others came; of a sale that is over nobody waits', async () => {
    const { knex } = service.backends;
    const { database } = service;
    const team_id = seller.team.id;
    const auction = await anAuction(database, { team_id, registration_mode: 'approval' });
    const past = { start_time: inDays(-9), end_time: inDays(-1), status: 'ended' as const };
    const over = await anAuction(database, { team_id, ...past });
    const [waits, other] = [await aUser(database), await aUser(database)];
    await knex('registrations').insert([
      { auction_id: auction.id, user_id: waits.id, status: 'pending' },
      { auction_id: auction.id, user_id: other.id, status: 'declined' },
      { auction_id: over.id, user_id: waits.id, status: 'pending' },
    ]);
    const path = `/seller/auctions/${auction.id}/registrations`;
    for (const address of [path, '/seller/registrations']) {
      const { text } = await seller.browser.get(address);
      expect(text).to.match(/1 bidder waits for your decision[\s\S]*?Bidding ends <time datetime/);
      const [first = ''] = text.split('<tbody>')[1]?.split('</tr>') ?? [];
      expect(first, address)
        .to.contain('Waiting for you')
        .and.contain(waits.name)
        .and.not.contain('<details');
    }
    expect((await seller.browser.get(path)).text).to.contain('In this sale you approve each bidder.');
    await knex('registrations').where('user_id', waits.id).delete();
    expect((await seller.browser.get(path)).text)
      .to.contain('Nobody waits for your decision.')
      .and.contain('<summary>Change the decision');
  });
});

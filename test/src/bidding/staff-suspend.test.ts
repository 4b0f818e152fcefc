import { expect } from 'chai';
import { LogTail } from '../../../adapters/redis/log-tail.ts';
import type { EnglishState } from '../../../engine/formats/english/english-state.ts';
import { suspendBidder } from '../../../src/bidding/staff/suspend-bidder.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';

describe('suspending somebody who leads', () => {
  let service: Service;

  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  /** A lot that `ann` leads up to 900, over `ben`, who went to 200. */
  async function led() {
    const [ann, ben] = await Promise.all([aUser(service.database), aUser(service.database)]);
    const auction = await anAuction(service.database);
    const lot = await aLot(service.database, { auction_id: auction.id });
    await service.publish();
    const [annsToken, bensToken] = await Promise.all([service.tokenFor(ann), service.tokenFor(ben)]);
    const bid = async (token: string, body: object) => {
      const answer = await service.call('POST', `/api/v1/lots/${lot.id}/bids`, { token, body });
      expect(answer.status, answer.text).to.equal(201);
    };
    await bid(annsToken, { amount: '100.00' });
    await bid(bensToken, { max_amount: '200.00' });
    await bid(annsToken, { max_amount: '600.00' });
    await bid(annsToken, { max_amount: '900.00' });
    return { ann, ben, lot, auction };
  }
  const suspend = (email: string, leadingBids: 'leave' | 'void' | null) =>
    suspendBidder(
      { ...service.backends, tail: new LogTail(service.backends.redis) },
      { email, leadingBids, reason: 'unpaid lots', announce: async () => {} },
    );
  const stateOf = ({ lot, auction }: { lot: { id: number }; auction: { id: number } }) =>
    service.backends.journal.load(auction.id, lot.id);

  it('asks what becomes of the bids with which they lead, and changes nothing until it is said', async () => {
    const { ann, lot } = await led();
    const said = await suspend(ann.email, null).catch((error: Error) => error.message);
    expect(said)
      .to.match(/^leading_bids: /)
      .and.contain(String(lot.id));
    const row = await service.backends.knex('users').where('id', ann.id).first();
    expect(row.suspended_at).to.equal(null);
  });

  it('leaves them', async () => {
    const all = await led();
    const { lots, user } = await suspend(all.ann.email, 'leave');
    expect(lots).to.deep.equal([all.lot.id]);
    expect(user).to.include({ suspended_leads: 'left', suspended_reason: 'unpaid lots' });
    expect(((await stateOf(all)) as EnglishState).leader?.userId).to.equal(all.ann.id);
  });

  it('voids all of them, raises too, and the next leads', async () => {
    const all = await led();
    const { user } = await suspend(all.ann.email, 'void');
    expect(user.suspended_leads).to.equal('voided');
    const state = (await stateOf(all)) as EnglishState;
    expect(state?.leader).to.include({ userId: all.ben.id, ceilingCents: 20_000 });
    expect(state?.bidCount).to.equal(1);
  });
});

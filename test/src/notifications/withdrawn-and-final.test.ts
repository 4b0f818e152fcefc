/** Who is told of a final round and of a withdrawn lot: all who have bid, once, and as they want it. */
import { expect } from 'chai';
import { withdrawLot } from '../../../src/bidding/records/lot-changes.ts';
import { Inbox } from '../../../src/notifications/inbox/inbox.ts';
import { changePreferences } from '../../../src/notifications/inbox/preferences.ts';
import { notifyRows } from '../../../src/notifications/sources/news-of-rows.ts';
import { projectAuction } from '../../support/money.ts';
import { type Service, startService } from '../../support/service.ts';
import { SEAL_KEY, TenderSales } from '../../support/tender-sales.ts';

describe('bidders of a tender', () => {
  let service: Service;
  let sales: TenderSales;

  before(async () => {
    service = await startService({ env: { SEAL_KEY } });
    sales = await TenderSales.of(service);
  });
  after(() => service.close());

  /** A tender of a lot with three who have bid, the last of whom wants to hear nothing of this kind. */
  async function bidOn(kind: 'final_round' | 'lot_withdrawn') {
    const tender = await sales.open([{ tender_final_round: 2, tender_final_seconds: 3_600 }]);
    const [lot = 0] = tender.lots;
    const ids: number[] = [];
    for (const amount of ['300.00', '250.00', '200.00']) {
      const bidder = await sales.registered(tender);
      const answer = await sales.bid(bidder, lot, amount);
      expect(answer.status, answer.text).to.equal(201);
      ids.push(bidder.user.id);
    }
    const [ann = 0, bob = 0, cem = 0] = ids;
    // Nobody who only looks is told.
    await sales.registered(tender);
    await changePreferences(service.backends.knex, cem, { [kind]: { page: false, mail: false } });
    const told = async () => {
      await projectAuction(service.database, service.backends.redis, tender.id);
      await notifyRows(service.backends.knex, new Inbox(null, () => ''));
      return service.backends
        .knex('notifications')
        .where({ kind, lot_id: lot })
        .orderBy('user_id')
        .pluck('user_id');
    };
    return { tender, lot, ann, bob, told };
  }

  it('are told once when its final round has begun, and not before', async () => {
    const { tender, ann, bob, told } = await bidOn('final_round');
    expect(await told()).to.deep.equal([]);
    await sales.end(tender);
    expect(await told()).to.deep.equal([ann, bob]);
    expect(await told()).to.deep.equal([ann, bob]);
  });

  it('are told although a state beside has what Postgres cannot read', async () => {
    const other = await bidOn('lot_withdrawn');
    await withdrawLot(service.backends, other.lot, { reason: 'a dispute', byAdmin: true });
    const { lot, ann, bob, told } = await bidOn('lot_withdrawn');
    await other.told();
    const states = service.backends.knex('lot_states').where('lot_id', other.lot);
    await states.update('snapshot', '["timed",1,{"bids":[{"userId":"\\u0000"}]}]');
    await withdrawLot(service.backends, lot, { reason: 'a dispute', byAdmin: true });
    expect(await told()).to.deep.equal([ann, bob]);
  });

  it('are told once when the lot is withdrawn, whose bids nobody else knows of', async () => {
    const { lot, ann, bob, told } = await bidOn('lot_withdrawn');
    expect(await told()).to.deep.equal([]);
    await withdrawLot(service.backends, lot, { reason: 'a dispute', byAdmin: true });
    expect(await told()).to.deep.equal([ann, bob]);
    expect(await told()).to.deep.equal([ann, bob]);
  });
});

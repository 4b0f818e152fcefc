/** Who is told of a final round and of a withdrawn lot: who has bid or watches it, at once, once, as they want it. */
import { expect } from 'chai';
import { announceMissed } from '../../../src/bidding/projection/missed-announcements.ts';
import { withdrawLot } from '../../../src/bidding/records/lot-changes.ts';
import { addToWatchlist } from '../../../src/catalog/watchlist/watchlist.ts';
import { Inbox } from '../../../src/notifications/inbox/inbox.ts';
import { changePreferences } from '../../../src/notifications/inbox/preferences.ts';
import { notifyRows } from '../../../src/notifications/sources/news-of-rows.ts';
import type { Bidder } from '../../support/format-sales.ts';
import { projectAuction } from '../../support/money.ts';
import { ParcelsSales } from '../../support/parcels-sales.ts';
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

  it('are told once when the lot is withdrawn, whose bids nobody else knows of', async () => {
    const { lot, ann, bob, told } = await bidOn('lot_withdrawn');
    expect(await told()).to.deep.equal([]);
    await withdrawLot(service.backends, lot, { reason: 'a dispute', byAdmin: true });
    expect(await told()).to.deep.equal([ann, bob]);
    expect(await told()).to.deep.equal([ann, bob]);
  });

  it('are told as well where others have bid, though Postgres cannot hold the reason', async () => {
    const { lot, ann, bob, told } = await bidOn('lot_withdrawn');
    await withdrawLot(service.backends, lot, { reason: 'a \u0000dispute \ud800', byAdmin: true });
    expect(await told()).to.deep.equal([ann, bob]);
    const { data } = await service.backends.knex('notifications').where('lot_id', lot).first('data');
    expect(data.reason).to.equal('a dispute \ufffd');
  });
});

class RisingSales extends TenderSales {
  protected override readonly auction = { title: 'Rising', format: 'timed' };
}

describe('who counts on a lot that is withdrawn', () => {
  let service: Service;
  let sales: RisingSales;
  let tracts: ParcelsSales;

  before(async () => {
    service = await startService();
    sales = await RisingSales.of(service);
    tracts = await ParcelsSales.of(service);
  });
  after(() => service.close());

  /** Whom the service tells of the lot, of all that has happened in the auction until now. */
  async function told(auctionId: number, lotId: number): Promise<number[]> {
    const { knex, redis } = service.backends;
    await projectAuction(service.database, redis, auctionId);
    await notifyRows(knex, new Inbox(null, () => ''));
    return knex('notifications')
      .where({ kind: 'lot_withdrawn', lot_id: lotId })
      .orderBy('user_id')
      .pluck('user_id');
  }

  const withdraw = (lotId: number, reason: string) =>
    withdrawLot(service.backends, lotId, { reason, byAdmin: true });

  async function newest({ token }: Bidder) {
    const { title, body } = (await service.get('/api/v1/me/notifications', token)).body.data[0];
    return `${title}: ${body}`;
  }

  it('has bid on it or watches it, and reads why', async () => {
    const sale = await sales.open([{}, {}]);
    const [rotten = 0, sound = 0] = sale.lots;
    const [bids, watches, elsewhere] = [await sales.bidder(), await sales.bidder(), await sales.bidder()];
    expect((await sales.bid(bids, rotten, '100.00')).status).to.equal(201);
    expect((await sales.bid(elsewhere, sound, '100.00')).status).to.equal(201);
    for (const { user } of [bids, watches]) await addToWatchlist(service.backends.knex, user.id, rotten);
    await withdraw(rotten, 'it is rotten');
    expect(await told(sale.id, rotten)).to.deep.equal([bids.user.id, watches.user.id]);
    expect(await newest(bids)).to.equal(
      'A lot was withdrawn: A field was withdrawn from its sale. Your bids on it no longer count, ' +
        'and you owe nothing for it. The reason: it is rotten',
    );
    expect(await newest(watches)).to.equal(
      'A lot was withdrawn: A field was withdrawn from its sale. The reason: it is rotten',
    );
    await withdraw(sound, 'withdrawn by the seller');
    expect(await told(sale.id, sound)).to.deep.equal([elsewhere.user.id]);
    expect(await newest(elsewhere)).to.match(/owe nothing for it\. The seller has withdrawn it\.$/);
  });

  it('is told of a tract at once, of the one that hosts the journal as of any other', async () => {
    const sale = await tracts.open([{}, {}, {}]);
    const [host = 0, second = 0, third = 0] = sale.lots;
    const [alone, together] = [await tracts.bidder(), await tracts.bidder()];
    expect((await tracts.bid(alone, [host], '500.00')).status).to.equal(201);
    expect((await tracts.bid(together, [second, third], '900.00')).status).to.equal(201);
    await withdraw(host, 'the title is disputed');
    expect(await told(sale.id, host)).to.deep.equal([alone.user.id]);
    await withdraw(second, 'the title is disputed');
    expect(await told(sale.id, second)).to.deep.equal([together.user.id]);
    expect([await told(sale.id, host), await told(sale.id, third)]).to.deep.equal([[alone.user.id], []]);
    expect((await tracts.lot(third)).status).to.equal('active');
  });

  it('is told once of what a worker of the release before has projected, which announces nothing', async () => {
    const { knex, redis } = service.backends;
    const sale = await tracts.open([{}, {}, {}]);
    const [host = 0, second = 0] = sale.lots;
    const bidder = await tracts.bidder();
    expect((await tracts.bid(bidder, [host, second], '900.00')).status).to.equal(201);
    await withdraw(second, 'a well has dried up');
    await withdraw(host, 'the title is disputed');
    await projectAuction(service.database, redis, sale.id);
    await knex('lot_announcements').whereIn('lot_id', [host, second]).delete();
    expect(await told(sale.id, host)).to.deep.equal([]);
    expect(await announceMissed(knex)).to.equal(2);
    expect(await announceMissed(knex)).to.equal(0);
    expect([await told(sale.id, host), await told(sale.id, second)]).to.deep.equal([
      [bidder.user.id],
      [bidder.user.id],
    ]);
    const reasons = await knex('lot_announcements')
      .whereIn('lot_id', sale.lots)
      .orderBy('lot_id')
      .pluck('reason');
    expect(reasons).to.deep.equal(['the title is disputed', 'a well has dried up']);
  });
});

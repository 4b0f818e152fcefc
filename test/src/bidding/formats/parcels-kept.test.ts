/** The journal of tracts that are sold together: of all lots the same, verified, and brought back after a loss. */
import { expect } from 'chai';
import { createClient } from 'redis';
import { openBackends } from '../../../../src/app/process/backends.ts';
import { rebuildJournal } from '../../../../src/bidding/journal/rebuild.ts';
import { verifyJournal } from '../../../../src/bidding/journal/verify.ts';
import { archiveClosedLots } from '../../../../src/bidding/projection/archiving.ts';
import { withdrawLot } from '../../../../src/bidding/records/lot-changes.ts';
import { voidBid } from '../../../../src/bidding/staff/void-bid.ts';
import { openLog } from '../../../../src/shared/log.ts';
import type { Sale } from '../../../support/format-sales.ts';
import { projectAuction } from '../../../support/money.ts';
import { ParcelsSales } from '../../../support/parcels-sales.ts';
import { type JsonValue, type Service, startService } from '../../../support/service.ts';

type Row = Record<string, unknown>;

describe('the journal of tracts that are sold together', () => {
  let service: Service;
  let sales: ParcelsSales;

  beforeEach(async () => {
    service = await startService();
    sales = await ParcelsSales.of(service);
  });

  afterEach(() => service.close());

  const project = ({ id }: Sale) => projectAuction(service.database, service.backends.redis, id);
  const verified = () => verifyJournal(service.backends, null);
  const statusesOf = async (sale: Sale) =>
    Promise.all(sale.lots.map(async (lot) => (await sales.lot(lot)).status));

  it('is one for all, and what the verifier and anybody else makes of it is the same', async () => {
    const sale = await sales.open([{ reserve_price: '150.00' }, {}, {}], {
      whole_reserve: '1000.00',
      sell_parts: true,
    });
    const [one, two, three] = sale.lots;
    const [ann, bob] = [await sales.bidder(), await sales.bidder()];
    await sales.bid(ann, [one], '120.00');
    await sales.bid(bob, [two, three], '300.00');
    const gone = await sales.bid(ann, [three], '350.00');
    expect(gone.status, gone.text).to.equal(201);
    await project(sale);
    await voidBid(service.backends, gone.body.data.id, 'A mistake');
    expect((await sales.lot(three)).leading_set).to.include({ amount: '300.00' });
    expect(await verified()).to.deep.include({ ok: true, lots: 1 });
    await sales.end(sale);
    expect(await statusesOf(sale)).to.deep.equal(['passed', 'sold', 'sold']);
    const journals = [];
    for (const lot of sale.lots) {
      const journal = (await service.get(`/api/v1/lots/${lot}/journal?per_page=100`)).body.data;
      const openings = (await service.get(`/api/v1/lots/${lot}/journal/openings`)).body.data;
      const { verify } = await import(new URL('../../../../verifier/verify.mjs', import.meta.url).href);
      expect(await verify({ journal, openings })).to.deep.include({ ok: true, fault: null });
      journals.push(journal);
    }
    expect(journals[1]).to.deep.equal(journals[0]);
    await project(sale);
    expect(await verified()).to.deep.include({ ok: true, lots: 1 });
    expect(await archiveClosedLots(service.backends, 0)).to.equal(1);
    expect(await statusesOf(sale)).to.deep.equal(['passed', 'sold', 'sold']);
    expect(await sales.lot(two)).to.include({ hammer_price: '150.00' });
    const late = await sales.bid(ann, [three], '900.00');
    expect([late.status, late.body.code]).to.deep.equal([409, 'lot_closed']);
    expect((await sales.parcels(sale)).total).to.equal('420.00');
    expect(await verified()).to.deep.include({ ok: true, lots: 1 });
  });

  it('comes back after the loss of Redis, and other processes decide on it as well', async () => {
    const sale = await sales.open([{}, {}, {}]);
    const [one, two, three] = sale.lots;
    const [ann, bob] = [await sales.bidder(), await sales.bidder()];
    await sales.bid(ann, [one, two], '250.00');
    await sales.bid(bob, [three], '110.00');
    await project(sale);
    const redis = await createClient({ url: service.redis.redisUrl }).connect();
    await redis.flushAll();
    await redis.close();
    await service.backends.epoch.check();
    const resumed = await rebuildJournal({ ...service.backends, onLotClosed: [] });
    expect(resumed.map(({ lotId }) => lotId)).to.deep.equal([one]);
    expect(await statusesOf(sale)).to.deep.equal(['active', 'active', 'active']);
    const other = await openBackends(service.backends.addresses, openLog('silent', 'test'));
    try {
      const identity = { userId: bob.user.id, verified: false, suspended: false, teamIds: [], paddle: null };
      const command = {
        type: 'place_bid' as const,
        ...{ bidId: 'from-elsewhere', salt: 'a', ceilingCents: null, straightCents: 40_000 },
        ...{ currency: null, confirm: false, floor: null, lotIds: [two!, three!] },
        channel: 'online' as const,
        bidder: { key: `u:${bob.user.id}`, ...identity },
      };
      expect(await other.engine.submit(three!, command)).to.deep.include({ kind: 'answer' });
    } finally {
      await other.close();
    }
    const more = await sales.bid(ann, [one], '130.00');
    expect(more.status, more.text).to.equal(201);
    expect(more.body.data.leading.map((bid: Row) => bid['amount'])).to.deep.equal(['400.00', '130.00']);
    await project(sale);
    await sales.end(sale);
    expect(await statusesOf(sale)).to.deep.equal(['sold', 'sold', 'sold']);
    await project(sale);
    expect(await verified()).to.deep.include({ ok: true, lots: 1 });
  });

  it('has each lot that is withdrawn, and goes on with the others', async () => {
    const sale = await sales.open([{}, {}, {}]);
    const [one, two, three] = sale.lots;
    const ann = await sales.bidder();
    await sales.bid(ann, [two, three], '260.00');
    const withdrawn = await sales.sell('PATCH', `lots/${one}`, { status: 'withdrawn' });
    expect(withdrawn.status, withdrawn.text).to.equal(200);
    expect(await statusesOf(sale)).to.deep.equal(['withdrawn', 'active', 'active']);
    await project(sale);
    expect(await statusesOf(sale)).to.deep.equal(['withdrawn', 'active', 'active']);
    const late = await sales.bid(ann, [one, two], '900.00');
    expect([late.status, late.body.code]).to.deep.equal([409, 'lot_withdrawn']);
    await sales.end(sale);
    await project(sale);
    expect(await statusesOf(sale)).to.deep.equal(['withdrawn', 'sold', 'sold']);
    const { status } = await service.database.knex('auctions').where({ id: sale.id }).first('status');
    expect(status).to.equal('ended');
    expect(await verified()).to.deep.include({ ok: true });
  });

  it('lists the bids that fell with a withdrawn lot under the others, page by page', async () => {
    const sale = await sales.open([{}, {}, {}]);
    const [one = 0, two = 0, three = 0] = sale.lots;
    const [ann, bob] = [await sales.bidder(), await sales.bidder()];
    await sales.bid(ann, [one, two], '260.00');
    await sales.bid(bob, [two, three], '300.00');
    const listed = async (query = '') => {
      const { body } = await service.get(`/api/v1/lots/${two}/bids${query}`);
      return [body.meta.total, body.data.map((row: JsonValue) => [row.amount, row.status])];
    };
    const check = async (bids: readonly unknown[]) => {
      expect(await listed()).to.deep.equal([2, bids]);
      expect(await listed('?per_page=1')).to.deep.equal([2, [bids[0]]]);
      expect(await listed('?per_page=1&page=2')).to.deep.equal([2, [bids[1]]]);
    };
    const checked = async (bids: readonly unknown[]) => {
      await check(bids);
      await project(sale);
      await check(bids);
    };
    await checked([
      ['300.00', 'leading'],
      ['260.00', 'standing'],
    ]);
    await withdrawLot(service.backends, three, { reason: 'a dispute', byAdmin: true });
    await checked([
      ['300.00', 'outbid'],
      ['260.00', 'leading'],
    ]);
    expect((await sales.lot(two)).bid_count).to.equal(1);
  });
});

/** What sellers say of a sale of parcels: of how many lots, for what, and from when on together. */
import { expect } from 'chai';
import { publishPending } from '../../../../src/bidding/records/publishing.ts';
import { importMarketplace } from '../../../../src/tools/import/import-marketplace.ts';
import { projectAuction } from '../../../support/money.ts';
import { ParcelsSales } from '../../../support/parcels-sales.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('the settings of a sale of parcels', () => {
  let service: Service;
  let sales: ParcelsSales;

  before(async () => {
    service = await startService();
    sales = await ParcelsSales.of(service);
  });

  after(() => service.close());

  const errorsOf = ({ status, body }: { status: number; body: { errors?: object } }) => [
    status,
    Object.keys(body.errors ?? {}),
  ];

  it('are refused where the format has no use for them, and kept where it has', async () => {
    const time = new Date(Date.now() + 3_600_000).toISOString();
    const auction = { title: 'A farm', format: 'parcels', start_time: time, end_time: time };
    const end_time = new Date(Date.now() + 7_200_000).toISOString();
    const wrong = async (more: object) =>
      errorsOf(await sales.sell('POST', 'auctions', { ...auction, end_time, ...more }));
    expect(await wrong({ stagger_seconds: 60 })).to.deep.equal([422, ['stagger_seconds']]);
    expect(await wrong({ confirm_factor: 3 })).to.deep.equal([422, ['confirm_factor']]);
    expect(await wrong({ tender_pays: 'own' })).to.deep.equal([422, ['tender_pays']]);
    expect(await wrong({ whole_reserve: '0' })).to.deep.equal([422, ['whole_reserve']]);
    expect(await wrong({ format: 'timed', sell_parts: true })).to.deep.equal([422, ['sell_parts']]);
    const sale = await sales.draft([{}], {
      whole_reserve: '5000',
      sell_parts: true,
      combinations_from: time,
    });
    const shown = (await sales.sell('GET', `auctions/${sale.id}`)).body.data;
    expect(shown).to.include({ format: 'parcels', whole_reserve: '5000.00', sell_parts: true });
    expect(Date.parse(shown.combinations_from)).to.equal(Date.parse(time));
    const lot = { auction_id: sale.id, title: 'A tract', starting_bid: '100.00' };
    expect(errorsOf(await sales.sell('POST', 'lots', { ...lot, buy_now_price: '200.00' }))).to.deep.equal([
      422,
      ['buy_now_price'],
    ]);
  });

  it('want 2 to 16 lots that are priced alike, which then stay', async () => {
    const alone = await sales.draft([{}]);
    expect(errorsOf(await sales.publish(alone))).to.deep.equal([422, ['lots']]);
    const many = await sales.draft(Array.from({ length: 17 }, () => ({})));
    expect(errorsOf(await sales.publish(many))).to.deep.equal([422, ['lots']]);
    const mixed = await sales.draft([{ units: '10', bid_per: 'unit' }, { units: '20' }]);
    expect(errorsOf(await sales.publish(mixed))).to.deep.equal([422, ['lots']]);
    const sale = await sales.open([{}, {}], { whole_reserve: '500.00' });
    const { body: seen } = await service.get(`/api/v1/auctions/${sale.slug}`);
    expect(seen.data).to.include({ sell_parts: false, combinations_from: null, tender_pays: null });
    expect(JSON.stringify(seen)).not.to.include('500.00').and.not.to.include('whole_reserve');
    const locked = await sales.sell('PATCH', `auctions/${sale.id}`, { whole_reserve: '400.00' });
    expect([locked.status, locked.body.code]).to.deep.equal([409, 'auction_locked']);
    const lot = { auction_id: sale.id, title: 'One more', starting_bid: '100.00' };
    const late = await sales.sell('POST', 'lots', { ...lot, status: 'scheduled' });
    expect([late.status, late.body.code]).to.deep.equal([409, 'auction_locked']);
    const [one] = sale.lots;
    await projectAuction(service.database, service.backends.redis, sale.id);
    const changed = await sales.sell('PATCH', `lots/${one}`, {
      reserve_price: '300.00',
      starting_bid: '120.00',
    });
    expect(changed.status, changed.text).to.equal(200);
    expect((await sales.lot(one)).starting_bid).to.equal('120.00');
    await service.call('PATCH', `/api/v1/seller/auctions/${sale.id}`, { token: sales.seller });
    const paused = await sales.sell('PATCH', `auctions/${sale.id}`, { status: 'paused' });
    expect(paused.status, paused.text).to.equal(200);
    const bid = await sales.bid(await sales.bidder(), sale.lots, '900.00');
    expect([bid.status, bid.body.code]).to.deep.equal([409, 'auction_paused']);
    expect((await sales.sell('PATCH', `auctions/${sale.id}`, { status: 'active' })).status).to.equal(200);
    const cancelled = await sales.sell('PATCH', `auctions/${sale.id}`, { status: 'cancelled' });
    expect(cancelled.status, cancelled.text).to.equal(200);
    for (const id of sale.lots) expect((await sales.lot(id)).status).to.equal('withdrawn');
  });

  it('take sets from a moment on, and amounts for the unit', async () => {
    const combinations_from = new Date(Date.now() + 1_800_000).toISOString();
    const sale = await sales.open(
      [
        { units: '10', bid_per: 'unit', unit_name: 'acre' },
        { units: '30', bid_per: 'unit', unit_name: 'acre', starting_bid: '50.00' },
      ],
      { combinations_from, sell_parts: true },
    );
    const { data } = (await service.get(`/api/v1/auctions/${sale.id}`)).body;
    expect([data.sell_parts, Date.parse(data.combinations_from)]).to.deep.equal([
      true,
      Date.parse(combinations_from),
    ]);
    const ann = await sales.bidder();
    const early = await sales.bid(ann, sale.lots, '90.00');
    expect([early.status, early.body.code]).to.deep.equal([409, 'combinations_not_open']);
    const bid = await sales.bid(ann, [sale.lots[0]], '110.00');
    expect(bid.status, bid.text).to.equal(201);
    expect(bid.body.data).to.include({ amount: '110.00', total: '1100.00' });
    expect(bid.body.data.lot).to.include({ current_total: '1100.00', minimum_next_total: '1200.00' });
    expect(await sales.lot(sale.lots[0])).to.include({ current_bid: '110.00', current_total: '1100.00' });
    expect(await sales.parcels(sale, sale.lots)).to.include({ units: '40.0000', minimum_bid: '62.50' });
  });

  it('have no board where there is no sale, nor of others’ lots', async () => {
    const sale = await sales.draft([{}, {}]);
    expect((await service.get(`/api/v1/auctions/${sale.id}/parcels`)).status).to.equal(404);
    const timed = await sales.draft([{}], { format: 'timed' });
    expect((await service.get(`/api/v1/auctions/${timed.id}/parcels`)).status).to.equal(404);
    const open = await sales.open([{}, {}]);
    const path = `/api/v1/auctions/${open.id}/parcels?lot_ids=`;
    expect(errorsOf(await service.get(`${path}${sale.lots[0]}`))).to.deep.equal([422, ['lot_ids']]);
    expect(errorsOf(await service.get(`${path}x`))).to.deep.equal([422, ['lot_ids']]);
    const foreign = await sales.bid(await sales.bidder(), [open.lots[0], sale.lots[0]], '500.00');
    expect(foreign.body.errors).to.deep.equal({
      lot_ids: ['The lot_ids must be lots of one sale of parcels, with the lot that is named.'],
    });
  });

  it('are imported with their lots as one sale', async () => {
    const documentOf = (lots: number) => ({
      users: [{ email: 'farm@example.test', name: 'Farm' }],
      auctions: [
        {
          user: 'farm@example.test',
          title: 'An imported farm',
          format: 'parcels',
          status: 'active',
          whole_reserve: '900.00',
          start_time: new Date(Date.now() - 60_000).toISOString(),
          end_time: new Date(Date.now() + 3_600_000).toISOString(),
          lots: Array.from({ length: lots }, (_, at) => ({
            title: `Tract ${at + 1}`,
            starting_bid: '100.00',
          })),
        },
      ],
    });
    const { knex } = service.backends;
    const fault = await importMarketplace(knex, documentOf(1)).catch((error: Error) => error);
    expect(String(fault)).to.include('auctions[0].lots');
    const loaded = await importMarketplace(knex, documentOf(3));
    const [made] = Object.values(loaded.auctions);
    await publishPending(service.backends);
    const lots = Object.values(made!.lots);
    const bid = await sales.bid(await sales.bidder(), lots, '310.00');
    expect(bid.status, bid.text).to.equal(201);
    expect(bid.body.data).to.include({ outcome: 'leading_reserve_not_met' });
  });
});

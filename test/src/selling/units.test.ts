/** Lots that are sold by the unit: from the seller's words to the invoice, totals beside every amount. */
import { expect } from 'chai';
import { publishAuction } from '../../../src/bidding/records/publishing.ts';
import { anAuction, aUser } from '../../support/builders.ts';
import { projectAuction, sell } from '../../support/money.ts';
import { SellingTeam } from '../../support/selling-team.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';

describe('lots that are sold by the unit', () => {
  let service: Service;
  let team: SellingTeam;
  let auctionId: number;

  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
    auctionId = (await anAuction(service.database, { team_id: team.id, buyer_premium_bps: 1_000 })).id;
  });

  after(() => service.close());

  const seller = (method: string, path: string, body?: unknown) => team.call(method, `seller/${path}`, body);
  const make = (more: object) =>
    seller('POST', 'lots', { auction_id: auctionId, title: 'A field', starting_bid: '100.00', ...more });
  const ACRES = { units: '38.5', unit_name: 'acre', bid_per: 'unit' } as const;
  const live = async (more: object = {}): Promise<number> => {
    const { body, text } = await make({ ...ACRES, ...more, status: 'scheduled' });
    expect(body.success, text).to.equal(true);
    await publishAuction(service.backends, auctionId);
    return body.data.id;
  };
  const errorsOf = ({ status, body }: { status: number; body: JsonValue }) => [
    status,
    Object.keys(body.errors),
  ];

  it('need a number above 0 with four decimals at most, and units where amounts are for one', async () => {
    for (const units of ['0', '0.00001', '-1', 'ten', 0, 100_000_001])
      expect(errorsOf(await make({ units })), String(units)).to.deep.equal([422, ['units']]);
    expect(errorsOf(await make({ bid_per: 'unit' }))).to.deep.equal([422, ['units']]);
    expect(errorsOf(await make({ ...ACRES, unit_name: 'a'.repeat(21) }))).to.deep.equal([422, ['unit_name']]);
    expect(errorsOf(await make({ ...ACRES, bid_per: 'acre' }))).to.deep.equal([422, ['bid_per']]);
    const large = { ...ACRES, units: '1000000', starting_bid: '999999999.00' };
    expect(errorsOf(await make(large))).to.deep.equal([422, ['starting_bid']]);
    const { data } = (await make({ units: 38.5 })).body;
    expect(data).to.include({ units: '38.5000', unit_name: null, bid_per: 'lot', current_total: null });
  });

  it('are bid on by the unit, with totals beside every amount', async () => {
    const id = await live();
    const bidder = await aUser(service.database);
    const token = await service.tokenFor(bidder);
    const said = { units: '38.5000', unit_name: 'acre', bid_per: 'unit' };
    const before = { ...said, current_total: '0.00', minimum_next_total: '3850.00', hammer_per_unit: null };
    expect((await service.get(`/api/v1/lots/${id}`)).body.data).to.deep.include(before);
    const path = `/api/v1/lots/${id}/bids`;
    const placed = await service.call('POST', path, { token, body: { amount: '101.01' } });
    expect(placed.body.data, placed.text).to.deep.include({ amount: '101.01', total: '3888.89' });
    expect(placed.body.data.lot).to.deep.include({
      current_bid: '101.01',
      current_total: '3888.89',
      minimum_next_bid: '111.01',
      minimum_next_total: '4273.89',
    });
    const after = { current_total: '3888.89', minimum_next_total: '4273.89' };
    expect((await service.get(`/api/v1/lots/${id}`)).body.data).to.deep.include({ ...said, ...after });
    const [listed] = (
      await service.get(`/api/v1/lots?auction_id=${auctionId}&status=all`)
    ).body.data.data.filter((lot: JsonValue) => lot.id === id);
    expect(listed).to.deep.include({ ...said, ...after, current_bid: '101.01', minimum_next_bid: '111.01' });
    expect((await service.get(path)).body.data[0]).to.include({ amount: '101.01', total: '3888.89' });
    const [mine] = (await service.get('/api/v1/me/bids', token)).body.data;
    expect([mine.total, mine.lot.current_total]).to.deep.equal(['3888.89', '3888.89']);
    const again = { token, body: { amount: '300.00' }, headers: { 'idempotency-key': 'again' } };
    const [first, second] = [
      await service.call('POST', path, again),
      await service.call('POST', path, again),
    ];
    expect(second.text).to.equal(first.text);
  });

  it('hold what they say of it in their journal, which changes until the first bid', async () => {
    const id = await live();
    const changed = await seller('PATCH', `lots/${id}`, { units: '40' });
    expect(changed.body.data, changed.text).to.include({ units: '40.0000', minimum_next_total: '4000.00' });
    const events = async () =>
      (await service.get(`/api/v1/lots/${id}/journal`)).body.data.flatMap((one: JsonValue) => one.events);
    const told = (await events()).filter((event: JsonValue) => event.units !== undefined);
    expect(
      told.map((event: JsonValue) => [event.type, event.units, event.unit_name, event.bid_per]),
    ).to.deep.equal([
      ['lot_scheduled', '38.5000', 'acre', 'unit'],
      ['terms_changed', '40.0000', 'acre', 'unit'],
    ]);
    const token = await service.tokenFor(await aUser(service.database));
    await service.call('POST', `/api/v1/lots/${id}/bids`, { token, body: { amount: '100.00' } });
    for (const change of [{ units: '41' }, { unit_name: 'hectare' }, { bid_per: 'lot' }, { units: null }]) {
      const refused = await seller('PATCH', `lots/${id}`, change);
      const code = 'units' in change && change.units === null ? 'validation_failed' : 'lot_locked';
      expect(refused.body.code, JSON.stringify(change)).to.equal(code);
    }
    expect((await seller('PATCH', `lots/${id}`, { units: '40.0' })).status).to.equal(200);
  });

  it('are sold, billed and told of by the total', async () => {
    const id = await live({ unit_name: 'head', units: '12' });
    const buyer = await aUser(service.database);
    await sell(service.backends.engine, id, buyer, 25_050);
    await projectAuction(service.database, service.backends.redis, auctionId);
    const sold = { hammer_price: '3006.00', hammer_per_unit: '250.50', current_bid: '250.50' };
    expect((await service.get(`/api/v1/lots/${id}`)).body.data).to.include({
      ...sold,
      current_total: '3006.00',
    });
    const { knex } = service.backends;
    const invoice = await knex('invoices').where('lot_id', id).first();
    expect(invoice.amount_due_cents).to.equal(330_660);
    const [line] = await knex('invoice_lines').where({ invoice_id: invoice.id, kind: 'hammer' });
    expect(line.description).to.match(/, 12 head$/);
    const fact = await knex('events').where({ type: 'lot.sold', lot_id: id }).first();
    expect(fact.data).to.include({ hammer_price: '3006.00', hammer_per_unit: '250.50', total: '3306.60' });
    const page = await (await fetch(`${service.url}/lots/${id}`)).text();
    expect(page).to.include('$3,006.00').and.to.include('$250.50 per head, 12 head');
  });

  it('count against limits by their totals', async () => {
    const id = await live();
    await service.backends
      .knex('auctions')
      .where('id', auctionId)
      .update({ registration_bid_limit_cents: null });
    const limited = await seller('PATCH', `auctions/${auctionId}`, {
      registration: { bid_limit: '4000.00' },
      reason: 'The house asks for it.',
    });
    expect(limited.status, limited.text).to.equal(200);
    const token = await service.tokenFor(await aUser(service.database));
    const bid = (amount: string) =>
      service.call('POST', `/api/v1/lots/${id}/bids`, { token, body: { max_amount: amount } });
    expect((await bid('104.00')).body.code).to.equal('bid_limit_exceeded');
    expect((await bid('103.00')).status).to.equal(201);
  });

  it('show on their page what a bid comes to before it is sent', async () => {
    const id = await live();
    const page = await (await fetch(`${service.url}/lots/${id}`)).text();
    expect(page).to.include('per acre').and.to.include('$3,850.00').and.to.include('data-units="385000"');
  });
});

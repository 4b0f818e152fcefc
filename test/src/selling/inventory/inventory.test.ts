/** Inventory over HTTP: items and their ages, converting them into lots, under concurrency, and whose they are. */
import { expect } from 'chai';
import type { Category } from '../../../../src/catalog/categories/category.model.ts';
import { aCategory, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('inventory', () => {
  let service: Service;
  let seller: string;
  let category: Category;
  let mine: number;
  let theirs: number;
  let counter = 0;

  before(async () => {
    service = await startService();
    const db = service.database;
    const owner = await aUser(db);
    [mine, theirs] = [(await aTeam(db, { owner })).id, (await aTeam(db)).id];
    seller = await service.tokenFor(owner, ['seller']);
    const schema = { properties: { hours: { type: 'integer' } }, required: ['hours'] };
    category = await aCategory(db, { schema } as Partial<Category>);
  });

  after(() => service.close());

  const call = (method: string, path: string, body?: unknown, team = mine) =>
    service.call(method, `/api/v1/inventory${path}`, {
      token: seller,
      body,
      headers: { 'x-team-id': String(team) },
    });
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  async function item(more: object = {}): Promise<number> {
    const made = await call('POST', '', { sku: `SKU-${++counter}`, title: 'A thing', ...more });
    expect(made.status, made.text).to.equal(201);
    return made.body.data.id;
  }
  const draftAuction = async (team = mine) =>
    (await anAuction(service.database, { team_id: team, status: 'draft' })).id;
  const convert = (auctionId: number, ids: number[]) =>
    call('POST', '/convert-to-lots', {
      auction_id: auctionId,
      items: ids.map((id) => ({ id, starting_bid: '25.00', reserve_price: '40.00' })),
    });

  it('takes items in with every field and lists them by status', async () => {
    const fields = {
      sku: 'TR-1',
      title: 'Tractor',
      description: 'Runs',
      category_id: category.id,
      quantity: 2,
      condition: 'used',
      location: { warehouse: 'North', bin: 'A-3' },
      cost_cents: 100_000,
      estimated_value_cents: 250_000,
      status: 'reserved',
      received_at: daysAgo(40),
      custom_fields: { hours: 900 },
    };
    const made = await call('POST', '', fields);
    expect(made.status).to.equal(201);
    const { received_at: _at, ...rest } = fields;
    expect(made.body.data).to.deep.include({ ...rest, age_days: 40, lot_id: null });
    const reserved = await call('GET', '?status=reserved&per_page=1');
    expect(reserved.body.meta).to.deep.equal({ current_page: 1, last_page: 1, per_page: 1, total: 1 });
    expect(reserved.body.data[0].id).to.equal(made.body.data.id);
  });

  it('refuses what does not fit, fields that are not the seller’s to set, and a SKU that is there', async () => {
    await item({ sku: 'TWICE' });
    const wrong: [string, object][] = [
      ['sku', { sku: 'TWICE' }],
      ['team_id', { team_id: theirs }],
      ['lot_id', { lot_id: 1 }],
      ['age_days', { age_days: 3 }],
      ['status', { status: 'sold' }],
      ['quantity', { quantity: 0 }],
      ['cost_cents', { cost_cents: -1 }],
      ['estimated_value_cents', { estimated_value_cents: 2 ** 63 }],
      ['category_id', { category_id: 999_999_999 }],
      ['custom_fields.hours', { category_id: category.id, custom_fields: {} }],
      ['custom_fields', { custom_fields: { colour: 'red' } }],
      ['received_at', { received_at: '2026-02-31' }],
      ['received_at', { received_at: daysAgo(-2) }],
    ];
    for (const [field, more] of wrong) {
      const refused = await call('POST', '', { sku: `BAD-${++counter}`, title: 'x', ...more });
      expect(refused.status, field).to.equal(422);
      expect(Object.keys(refused.body.errors), field).to.include(field);
    }
    expect(
      (await call('POST', '', JSON.parse('{"sku":"P","title":"x","__proto__":{"a":1}}'))).status,
    ).to.equal(422);
  });

  it('gives a SKU to one of many simultaneous requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call('POST', '', { sku: 'RACE', title: 'x' })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([201, ...Array(9).fill(422)]);
  });

  it('shows the ages of what is in the warehouse, with all five buckets', async () => {
    const db = service.database;
    const owner = await aUser(db);
    const team = await aTeam(db, { owner });
    const token = await service.tokenFor(owner, ['seller']);
    const how = { token, headers: { 'x-team-id': String(team.id) } };
    const empty = await service.call('GET', '/api/v1/inventory/aging-summary', how);
    expect(empty.body.data).to.deep.include({ total_items: 0, total_value_cents: 0, average_age_days: 0 });
    const ages = [0, 30, 31, 60, 90, 180, 181, 400];
    for (const [index, age] of ages.entries()) {
      const body = { sku: `A-${age}`, title: 'x', received_at: daysAgo(age), estimated_value_cents: index };
      await service.call('POST', '/api/v1/inventory', { ...how, body });
    }
    const gone = { sku: 'GONE', title: 'x', status: 'returned', received_at: daysAgo(9) };
    await service.call('POST', '/api/v1/inventory', { ...how, body: gone });
    const { body } = await service.call('GET', '/api/v1/inventory/aging-summary', how);
    expect(body.data).to.deep.include({ total_items: 8, total_value_cents: 28, average_age_days: 121.5 });
    expect(body.data.buckets).to.deep.equal([
      { key: '0-30', min_days: 0, max_days: 30, count: 2, value_cents: 1 },
      { key: '31-60', min_days: 31, max_days: 60, count: 2, value_cents: 5 },
      { key: '61-90', min_days: 61, max_days: 90, count: 1, value_cents: 4 },
      { key: '91-180', min_days: 91, max_days: 180, count: 1, value_cents: 5 },
      { key: '181+', min_days: 181, max_days: null, count: 2, value_cents: 13 },
    ]);
  });

  it('converts what it can into draft lots and says why it skips the rest', async () => {
    const good = await item({ category_id: category.id, custom_fields: { hours: 3 }, condition: 'new' });
    const [plain, reserved] = [await item({ quantity: 7 }), await item({ status: 'reserved' })];
    const [foreign] = await service.database
      .knex('inventory_items')
      .insert({ team_id: theirs, sku: 'F', title: 'F' })
      .returning('id');
    const auctionId = await draftAuction();
    const answer = await convert(auctionId, [good, reserved, foreign.id, plain, good, 999_999_999]);
    expect(answer.status).to.equal(201);
    const { created, skipped } = answer.body.data;
    expect(
      created.map((lot: { item_id: number; lot_number: number }) => [lot.item_id, lot.lot_number]),
    ).to.deep.equal([
      [good, 1],
      [plain, 2],
    ]);
    expect(
      skipped.map((s: { item_id: number; reason: string }) => [s.item_id, s.reason]),
    ).to.have.deep.members([
      [good, 'named_twice'],
      [reserved, 'not_available'],
      [foreign.id, 'not_found'],
      [999_999_999, 'not_found'],
    ]);
    const lot = await service.call('GET', `/api/v1/seller/lots/${created[0].id}`, {
      token: seller,
      headers: { 'x-team-id': String(mine) },
    });
    expect(lot.body.data).to.deep.include({
      status: 'draft',
      condition: 'new',
      starting_bid: '25.00',
      reserve_price: '40.00',
      custom_fields: { hours: 3 },
    });
    const lotted = await call('GET', '?status=lotted&per_page=100');
    expect(
      lotted.body.data.map((row: { id: number; lot_id: number }) => [row.id, row.lot_id]),
    ).to.have.deep.members([
      [good, created[0].id],
      [plain, created[1].id],
    ]);
    expect((await convert(auctionId, [good])).body.data.skipped[0].reason).to.equal('not_available');
  });

  it('gives each item one lot and each lot one number, whoever converts at once', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, () => item()));
    const auctionId = await draftAuction();
    const other = await draftAuction();
    const answers = await Promise.all([
      convert(auctionId, ids),
      convert(auctionId, [...ids].reverse()),
      convert(other, ids),
      convert(auctionId, ids.slice(10)),
    ]);
    const created = answers.flatMap(({ body }) => body.data.created);
    expect(created.map((lot) => lot.item_id).sort()).to.deep.equal([...ids].sort());
    const lots = await service.database.knex('lots').whereIn('auction_id', [auctionId, other]);
    expect(lots).to.have.length(30);
    for (const of of [auctionId, other]) {
      const numbers = lots.filter((lot) => lot.auction_id === of).map((lot) => lot.lot_number);
      expect(numbers.sort((a, b) => a - b)).to.deep.equal(numbers.map((_, index) => index + 1));
    }
  });

  it('returns an item to stock when its lot was not sold, and counts it as sold when it was', async () => {
    const [unsold, sold] = [await item(), await item()];
    const auctionId = await draftAuction();
    const { created } = (await convert(auctionId, [unsold, sold])).body.data;
    const { knex } = service.database;
    await knex('lots').where('id', created[0].id).update({ status: 'unsold' });
    await knex('lots').where('id', created[1].id).update({ status: 'sold' });
    expect((await call('GET', '?status=sold')).body.data.map((row: { id: number }) => row.id)).to.deep.equal([
      sold,
    ]);
    const again = await convert(auctionId, [unsold, sold]);
    expect(again.body.data.created.map((lot: { item_id: number }) => lot.item_id)).to.deep.equal([unsold]);
  });

  it('refuses foreign auctions, those that are over, and bodies that do not fit', async () => {
    const id = await item();
    expect((await convert(await draftAuction(theirs), [id])).status).to.equal(404);
    const over = (await anAuction(service.database, { team_id: mine, status: 'ended' })).id;
    expect((await convert(over, [id])).body.code).to.equal('invalid_transition');
    const auctionId = await draftAuction();
    for (const items of [
      [],
      [{ id }],
      [{ id, starting_bid: '0.00' }],
      [{ id, starting_bid: '1.00', lot_number: 4 }],
      Array.from({ length: 201 }, (_, index) => ({ id: index + 1, starting_bid: '1.00' })),
    ]) {
      const refused = await call('POST', '/convert-to-lots', { auction_id: auctionId, items });
      expect(refused.status, refused.text.slice(0, 200)).to.equal(422);
    }
    expect((await call('GET', '', undefined, theirs)).body.code).to.equal('not_a_team_member');
  });
});

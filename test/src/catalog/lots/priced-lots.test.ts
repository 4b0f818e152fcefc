/** The table that lists by price read holds what `lots` holds, whatever statement has changed it. */
import { expect } from 'chai';
import type { Knex } from 'knex';
import { aCategory, aLot, anAuction } from '../../../support/builders.ts';
import { type JsonValue, type Service, startService } from '../../../support/service.ts';

const CHANGES: readonly (readonly [name: string, change: (knex: Knex, id: number) => Promise<unknown>])[] = [
  [
    'a bid',
    (knex, id) => knex('lots').where({ id }).update({ bid_count: 1, current_bid_cents: 70_000, sequence: 2 }),
  ],
  [
    'a bid with other tracts',
    (knex, id) => knex('lots').where({ id }).update({ bid_count: 2, current_bid_cents: 0, sequence: 3 }),
  ],
  ['a price of an acre', (knex, id) => knex('lots').where({ id }).update({ units: '38.5', bid_per: 'unit' })],
  ['a price of all', (knex, id) => knex('lots').where({ id }).update({ bid_per: 'lot' })],
  ['a new start', (knex, id) => knex('lots').where({ id }).update({ starting_bid_cents: 4_200 })],
  [
    'an extension',
    (knex, id) => knex('lots').where({ id }).update({ live_end_time: '2036-01-01T00:00:00Z' }),
  ],
  ['a close', (knex, id) => knex('lots').where({ id }).update({ status: 'sold' })],
  ['a description', (knex, id) => knex('lots').where({ id }).update({ description: 'Oak', title: 'Table' })],
  [
    'land',
    (knex, id) =>
      knex('lots')
        .where({ id })
        .update({ acres: '2.5', state: 'TX', county: 'Hays', lat: 30, lng: -97, zoning: 'AG' }),
  ],
  [
    'all of them at once',
    (knex) =>
      knex('lots').update({
        condition: 'good',
        postal_code: '78610',
        road_access: true,
        water_access: false,
      }),
  ],
  ['a deletion', (knex, id) => knex('lots').where({ id }).delete()],
];

describe('lots by price', () => {
  let service: Service;

  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  const differing = async (): Promise<unknown[]> => {
    const { rows } = await service.database.knex.raw(
      `SELECT l.id, p.id AS priced FROM (
         SELECT *, CASE WHEN current_bid_cents > 0 THEN current_bid_cents ELSE starting_bid_cents END AS price_cents,
           CASE WHEN bid_per = 'unit' THEN units ELSE 1 END AS priced_units FROM lots) l
       FULL JOIN priced_lots p ON p.id = l.id
       WHERE p.unit IS DISTINCT FROM 1 OR to_jsonb(p) - 'unit' IS DISTINCT FROM (
         SELECT jsonb_object_agg(key, to_jsonb(l) -> key) FROM jsonb_object_keys(to_jsonb(p) - 'unit') AS key)`,
    );
    return rows;
  };

  it('follow every change', async () => {
    const { database } = service;
    const auction = await anAuction(database);
    const category = await aCategory(database);
    const lots = [];
    for (let n = 0; n < 3; n += 1)
      lots.push(await aLot(database, { auction_id: auction.id, category_id: category.id }));
    expect(await differing()).to.deep.equal([]);
    for (const [name, change] of CHANGES) {
      await change(database.knex, lots[1]!.id);
      expect(await differing(), name).to.deep.equal([]);
    }
  });

  it('are sorted by what an acre costs, also where amounts are for one', async () => {
    const { database } = service;
    const { id } = await anAuction(database);
    const acres = { auction_id: id, acres: '40' };
    const byAcre = { units: '40', unit_name: 'acre', bid_per: 'unit', starting_bid_cents: 5_000 } as const;
    const lots = [
      await aLot(database, { ...acres, starting_bid_cents: 400_000 }),
      await aLot(database, { ...acres, ...byAcre }),
      await aLot(database, { ...acres, starting_bid_cents: 100_000 }),
    ];
    await service.publish();
    const { body } = await service.get(`/api/v1/lots?auction_id=${id}&sort_by=price_per_acre`);
    const [dear, middle, cheap] = lots.map((lot) => lot.id);
    expect(body.data.data.map((lot: JsonValue) => [lot.id, lot.price_per_acre])).to.deep.equal([
      [cheap, '25.00'],
      [middle, '50.00'],
      [dear, '100.00'],
    ]);
  });
});

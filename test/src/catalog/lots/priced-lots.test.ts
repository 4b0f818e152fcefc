/** The table that lists by price read holds what `lots` holds, whatever statement has changed it. */
import { expect } from 'chai';
import type { Knex } from 'knex';
import { aCategory, aLot, anAuction } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';

const CHANGES: readonly (readonly [name: string, change: (knex: Knex, id: number) => Promise<unknown>])[] = [
  [
    'a bid',
    (knex, id) => knex('lots').where({ id }).update({ bid_count: 1, current_bid_cents: 70_000, sequence: 2 }),
  ],
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
         SELECT *, CASE WHEN bid_count > 0 THEN current_bid_cents ELSE starting_bid_cents END AS price_cents FROM lots) l
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
});

/** Searches that find too much to rank it all give the same lots in the same order, whichever way Postgres is sent. */
import { expect } from 'chai';
import { runPrepared } from '../../../../adapters/postgres/prepared.ts';
import { LISTED_STATUSES } from '../../../../src/catalog/lots/lot-filters.schema.ts';
import { END_TIME, EVERYTHING_ACTIVE, type LotFilter } from '../../../../src/catalog/lots/lot-filters.ts';
import type { LotItemRow } from '../../../../src/catalog/lots/lot-item.ts';
import {
  commonSearchStatement,
  type SearchWay,
  searchWay,
} from '../../../../src/catalog/lots/lot-search-statements.ts';
import { anAuction } from '../../../support/builders.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';

/** Totals that send a search of so few rows each of the ways. */
const TOTALS: Readonly<Record<SearchWay, number>> = { walk: 500_000, shelves: 2_000, collect: 80 };
const WAYS = Object.keys(TOTALS) as SearchWay[];

describe('a search with many hits', () => {
  let database: MigratedDatabase;
  /** Hits by id. */
  const hits: number[] = [];
  let first: number;
  let sold = 0;

  before(async () => {
    database = await migratedDatabase();
    const { db } = database;
    const open = (await anAuction(db)).id;
    const hidden = (await anAuction(db, { privacy_setting: 'private' })).id;
    const rows = Array.from({ length: 120 }, (_, n) => {
      // Many lots on one shelf, one on each, shelves with none, and both ends of a shelf.
      const id = n < 40 ? n + 1 : n < 60 ? n * 8_192 - (n % 2) : n * 20_011;
      const found = n % 4 !== 0;
      const status = n % 7 === 3 ? 'sold' : 'active';
      const auction = n % 11 === 5 ? hidden : open;
      if (found && status === 'active' && auction === open) hits.push(id);
      if (found && status === 'sold' && auction === open) sold += 1;
      return {
        id,
        auction_id: auction,
        lot_number: n + 1,
        title: found ? `${n} Désert-Vineyards lot` : `${n} Desert lot`,
        slug: `lot-${n}`,
        starting_bid_cents: 100,
        state: n % 2 === 0 ? 'TX' : 'NM',
        status,
      };
    });
    await db.knex('lots').insert(rows);
    first = hits.at(-1)!;
    await db.knex('lots').where('id', first).update({ title: 'Vineyard desert' });
    await db.knex.raw('ANALYZE');
  });
  after(() => database.drop());

  const page = async (way: SearchWay, offset: number, limit: number, filter: Partial<LotFilter> = {}) => {
    const statement = commonSearchStatement({
      filter: { ...EVERYTHING_ACTIVE, search: 'vineyard DESERT', ...filter },
      order: { by: 'best', descending: false },
      match: 'begins',
      offset,
      limit,
      baseUrl: '',
      total: TOTALS[way],
    });
    return (await runPrepared<LotItemRow>(database.db.knex, statement)).map(([id]) => id);
  };

  it('takes the intended plan here', () => {
    for (const way of WAYS) {
      for (const wanted of [40, 60]) expect(searchWay(wanted, TOTALS[way])).to.equal(way);
    }
  });

  it('puts the title that begins with it first and the rest by id, page by page', async () => {
    const expected = [first, ...hits.filter((id) => id !== first)];
    expect(expected).to.have.length.above(60);
    for (const way of WAYS) {
      expect(await page(way, 0, 40), way).to.deep.equal(expected.slice(0, 40));
      expect(await page(way, 33, 7), way).to.deep.equal(expected.slice(33, 40));
      expect(await page(way, 40, 20), way).to.deep.equal(expected.slice(40, 60));
    }
    // The way that stops as soon as it has enough comes to the end all the same.
    expect(await page('shelves', 0, 500)).to.deep.equal(expected);
    expect(await page('shelves', 50, 500)).to.deep.equal(expected.slice(50));
  });

  it('keeps to the filters', async () => {
    const filters: readonly Partial<LotFilter>[] = [
      { columns: [['lower(l.state) = lower(?)', 'tx']] },
      {
        columns: [[`${END_TIME} < ?::timestamptz`, '2999-01-01T00:00:00Z']],
        status: 'sold',
        statuses: ['sold'],
      },
      { status: null, statuses: LISTED_STATUSES, columns: [['l.id > ?::bigint', 30]] },
      { categoryIds: [7] },
    ];
    const found: number[] = [];
    for (const filter of filters) {
      const [walked, ...others] = await Promise.all(WAYS.map((way) => page(way, 0, 40, filter)));
      for (const other of others) expect(other).to.deep.equal(walked);
      found.push(walked!.length);
    }
    expect(found.slice(1)).to.deep.equal([sold, 40, 0]);
    expect(found[0]).to.be.within(10, hits.length - 10);
  });

  it('takes the cheapest plan', () => {
    const TABLE: readonly (readonly [wanted: number, total: number, way: SearchWay])[] = [
      [15, 380_000, 'walk'],
      [1_500, 380_000, 'walk'],
      [15, 14_000, 'walk'],
      [1_500, 14_000, 'shelves'],
      [15, 2_001, 'walk'],
      [600, 2_001, 'shelves'],
      [1_500, 2_001, 'collect'],
      [13_000, 14_000, 'collect'],
    ];
    for (const [wanted, total, way] of TABLE) {
      expect(searchWay(wanted, total), `${wanted} of ${total}`).to.equal(way);
    }
  });
});

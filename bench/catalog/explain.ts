/**
 * How long Postgres works on the pages of the lists, by its own clock: `EXPLAIN ANALYZE` of the statements that are
 * served.
 */
import type { Database } from '../../adapters/postgres/database.ts';
import { listStatement } from '../../src/catalog/auctions/auction-list.ts';
import type { LotFilterQuery } from '../../src/catalog/lots/lot-filters.schema.ts';
import { readLotFilter } from '../../src/catalog/lots/lot-filters.ts';
import { type LotOrder, rowsStatement, totalStatement } from '../../src/catalog/lots/lot-list-statements.ts';
import { mapStatement } from '../../src/catalog/lots/lot-map.ts';
import { commonSearchStatement } from '../../src/catalog/lots/lot-search-statements.ts';

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface Explained {
  readonly name: string;
  readonly milliseconds: number;
  readonly plan: readonly string[];
}

/** The fastest of three runs, planning included, on one connection. */
export async function explain(db: Database, name: string, { text, values }: Statement): Promise<Explained> {
  let best: Explained | null = null;
  const connection = await db.knex.client.acquireConnection();
  try {
    for (let run = 0; run < 3; run += 1) {
      const { rows } = await connection.query({
        text: `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) ${text}`,
        values: [...values],
        rowMode: 'array',
      });
      const plan = rows.map(([line]: [string]) => line);
      const milliseconds = plan
        .map((line: string) => /^(?:Planning|Execution) Time: ([\d.]+) ms/.exec(line)?.[1])
        .reduce((sum: number, found: string | undefined) => sum + Number(found ?? 0), 0);
      if (best === null || milliseconds < best.milliseconds) best = { name, milliseconds, plan };
    }
  } finally {
    await db.knex.client.releaseConnection(connection);
  }
  return best!;
}

/** Every statement to explain: first pages, the hundredth, deeper ones, searches, the map, totals. */
export function statements(lots: number): [string, Statement][] {
  const all: [string, Statement][] = [];
  const list = (
    name: string,
    query: Partial<LotFilterQuery>,
    order: LotOrder,
    page: number,
    perPage = 15,
  ) => {
    const { category_id: _id, ...rest } = { status: 'active' as const, ...query };
    const filter = readLotFilter(rest, query.category_id === undefined ? null : [query.category_id]);
    const offset = (page - 1) * perPage;
    const known = {
      filter,
      order,
      match: 'begins',
      offset,
      limit: perPage,
      baseUrl: 'http://rostrum',
    } as const;
    const statement =
      name.startsWith('search, common') || name.startsWith('search, two')
        ? commonSearchStatement({ ...known, total: name.startsWith('search, two') ? 14_000 : 380_000 })
        : rowsStatement(known);
    all.push([`${name}, page ${page} of ${perPage}`, statement]);
    if (page === 1) all.push([`${name}, total`, totalStatement(filter, 'begins')]);
  };
  const up = (by: LotOrder['by']): LotOrder => ({ by, descending: false });
  const down = (by: LotOrder['by']): LotOrder => ({ by, descending: true });
  for (const page of [1, 100]) {
    for (const by of ['lot_number', 'id', 'title', 'current_bid', 'starting_bid', 'end_time'] as const) {
      list(`lots by ${by}`, {}, up(by), page);
      list(`lots by ${by} down`, {}, down(by), page);
    }
    list('lots of a category', { category_id: 20 }, up('lot_number'), page);
    list('lots, three filters', THREE, up('lot_number'), page);
    list('lots, three filters by price', THREE, down('current_bid'), page);
    list('lots of a county', { county: 'County 7' }, up('end_time'), page);
    list('lots of a box', { bbox: '-100,30,-95,33' }, up('lot_number'), page);
    list('lots above a price', { min_price: '14000' }, up('lot_number'), page);
    list('lots of any status', { status: 'all' }, up('lot_number'), page);
    list('search, rare', { search: 'prairie 1234' }, up('best'), page);
    list('search, two words', { search: 'desert vineyard' }, up('best'), page);
    list('search, common', { search: 'acre' }, up('best'), page);
  }
  list('lots by lot_number', {}, up('lot_number'), 100, 100);
  list('lots by lot_number, the middle', {}, up('lot_number'), Math.floor(lots / 15 / 2.5));
  const auctions = { categoryIds: [20, 21], search: 'sale', sortBy: 'best', descending: false } as const;
  all.push([
    'auctions, category and search',
    listStatement({ ...auctions, page: 1, perPage: 15 }, 'begins', 0),
  ]);
  const everything = { categoryIds: null, search: null, sortBy: 'end_time', descending: false } as const;
  all.push(['auctions, page 100', listStatement({ ...everything, page: 100, perPage: 15 }, 'begins', 1485)]);
  const box = readLotFilter({ status: 'active', bbox: '-100,30,-98,31' }, null);
  all.push(['map of a box', mapStatement({ filter: box, limit: 1000, baseUrl: '' }, 'begins')]);
  const world = readLotFilter({ status: 'active', bbox: '-180,-90,180,90' }, null);
  all.push(['map of the world', mapStatement({ filter: world, limit: 1000, baseUrl: '' }, 'begins')]);
  return all;
}

const THREE: Partial<LotFilterQuery> = { state: 'TX', min_acres: 300, road_access: true };

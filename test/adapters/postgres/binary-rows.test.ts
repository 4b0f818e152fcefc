import { expect } from 'chai';
import { type Column, copyBody, recordArray } from '../../../adapters/postgres/binary-rows.ts';
import { type Database, openDatabase } from '../../../adapters/postgres/database.ts';
import { isUnwritable } from '../../../src/bidding/projection/unwritable.ts';
import { type FreshDatabase, freshDatabase } from '../../support/servers.ts';

interface Row {
  readonly big?: unknown;
  readonly small?: unknown;
  readonly said?: unknown;
  readonly is_so?: unknown;
  readonly at_us?: unknown;
  readonly about?: unknown;
}

const COLUMNS: readonly Column<Row>[] = [
  ['big', 'bigint'],
  ['small', 'integer'],
  ['said', 'text'],
  ['is_so', 'boolean'],
  ['at_us', 'timestamptz', 'at'],
  ['about', 'jsonb'],
];

describe('rows in binary', () => {
  let fresh: FreshDatabase;
  let db: Database;
  before(async () => {
    fresh = await freshDatabase();
    db = openDatabase(fresh.databaseUrl, { max: 1 });
    await db.knex.raw(
      'CREATE TYPE sent AS (big bigint, small integer, said text, is_so boolean, at timestamptz, about jsonb)',
    );
  });
  after(async () => {
    await db.close();
    await fresh.drop();
  });

  /** What Postgres makes of an array of records. */
  async function readBack(rows: readonly Row[]): Promise<unknown[]> {
    const { rows: types } = await db.knex.raw(`SELECT 'sent'::regtype::oid::bigint AS id`);
    const sent = recordArray(types[0].id, COLUMNS, rows);
    return (await db.knex.raw('SELECT * FROM unnest(?::sent[])', [sent])).rows;
  }

  it('are an array of records with every value as it was', async () => {
    const numbers = [0, -1, 1, 2 ** 31, -(2 ** 31), 2 ** 32, -(2 ** 32) - 1];
    const bigs = [...numbers, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
    const rows = bigs.map((big, at) => ({
      big,
      small: (at % 2 === 0 ? 1 : -1) * (2 ** 31 - 1 - at),
      said: `${'é'.repeat(at * 7)}x`.repeat(at),
      is_so: at % 2 === 0,
      at_us: Date.UTC(1999 + at, 11, 31, 23, 59, 59, 999) * 1_000 + at,
      about: { at, said: ['"', null] },
    }));
    const expected = rows.map(({ at_us, ...row }, at) => {
      return { ...row, at: `${1999 + at}-12-31T23:59:59.999${String(at).padStart(3, '0')}Z` };
    });
    expect(await readBack(rows)).to.deep.equal(expected);
    const nothing = { big: null, small: null, said: null, is_so: null, at: null, about: null };
    expect(await readBack([{}, nothing])).to.deep.equal([nothing, nothing]);
    expect(await readBack([])).to.deep.equal([]);
  });

  it('hold nothing that their column cannot: no other row is delayed by it', () => {
    const refused: readonly Row[] = [
      ...[1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1', true].flatMap((value) => [
        { big: value },
        { at_us: value },
        { small: value },
      ]),
      { small: 2 ** 31 },
      { small: -(2 ** 31) - 1 },
      { said: 1 },
      { said: {} },
      { is_so: 1 },
      { is_so: 't' },
    ];
    for (const row of refused) {
      const write = () => copyBody(COLUMNS, [row]);
      expect(write, JSON.stringify(row)).to.throw().that.satisfies(isUnwritable);
    }
  });
});

import { expect } from 'chai';
import type { Column } from '../../../adapters/postgres/binary-rows.ts';
import { copyRows } from '../../../adapters/postgres/copy-rows.ts';
import { type Database, openDatabase } from '../../../adapters/postgres/database.ts';
import { type FreshDatabase, freshDatabase } from '../../support/servers.ts';

describe('copying rows', () => {
  let fresh: FreshDatabase;
  let db: Database;
  before(async () => {
    fresh = await freshDatabase();
    db = openDatabase(fresh.databaseUrl, { max: 1 });
    await db.knex.raw('CREATE TABLE copied (n bigint PRIMARY KEY, said text, is_so boolean, at timestamptz)');
  });
  after(async () => {
    await db.close();
    await fresh.drop();
  });

  interface Row {
    readonly n: unknown;
    readonly said?: string | null;
    readonly is_so?: boolean | null;
    readonly at_us?: number | null;
  }
  const columns: readonly Column<Row>[] = [
    ['n', 'bigint'],
    ['said', 'text'],
    ['is_so', 'boolean'],
    ['at_us', 'timestamptz', 'at'],
  ];
  const AT = '2026-07-12T10:00:00.123456Z';
  const AT_US = Date.parse('2026-07-12T10:00:00.123Z') * 1_000 + 456;
  const put = (rows: readonly Row[]) => db.knex.transaction((trx) => copyRows(trx, 'copied', columns, rows));

  it('puts every text there as it is', async () => {
    const texts = [
      '',
      ' ',
      '\\N',
      '\\.',
      '\\',
      'a\tb',
      'a\nb\r\n',
      '\\t\\\\n',
      '{"é":"\\"\\u0041\u{1f40e}"}',
      'null',
      'é'.repeat(30),
      '\u{1f40e}'.repeat(20_000),
      'long enough to be written by a call of its own, and é',
    ];
    await put(texts.map((said, n) => ({ n, said, is_so: n % 2 === 0, at_us: AT_US })));
    const rows = await db.knex('copied').orderBy('n').select('n', 'said', 'is_so', 'at');
    expect(rows).to.deep.equal(texts.map((said, n) => ({ n, said, is_so: n % 2 === 0, at: AT })));
  });

  it('writes none of the rows if one is refused, and leaves the connection usable', async () => {
    const rows = Array.from({ length: 5_000 }, (_, at) => ({ n: 1_000 + (at % 4_999) }));
    const refused = await put(rows)
      .then(() => null)
      .catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Error).with.property('code', '23505');
    const [counted] = await db.knex('copied').where('n', '>=', 1_000).count({ n: '*' });
    expect(Number(counted?.['n'])).to.equal(0);
  });

  it('sends no row if one has a value that its column cannot hold, and leaves the connection usable', async () => {
    const refused = await put([{ n: 2_000 }, { n: 'no number' }]).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(TypeError);
    expect(await db.knex('copied').where('n', 2_000)).to.deep.equal([]);
  });

  it('does nothing where there are no rows', async () => {
    await db.knex.transaction((trx) => copyRows(trx, 'is not there', columns, []));
  });
});

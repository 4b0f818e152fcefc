import { expect } from 'chai';
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

  const columns = ['n', 'said', 'is_so', 'at'];

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
    ];
    await db.knex.transaction((trx) =>
      copyRows(
        trx,
        'copied',
        columns,
        texts.map((text, at) => [at, text, at % 2 === 0, '2026-07-12T10:00:00.123456Z']),
      ),
    );
    const rows = await db.knex('copied').orderBy('n').select(columns);
    expect(rows).to.deep.equal(
      texts.map((said, n) => ({ n, said, is_so: n % 2 === 0, at: '2026-07-12T10:00:00.123456Z' })),
    );
  });

  it('writes none of the rows if one is refused, and leaves the connection usable', async () => {
    const rows = Array.from({ length: 5_000 }, (_, at) => [1_000 + (at % 4_999), null, null, null]);
    const refused = await db.knex
      .transaction((trx) => copyRows(trx, 'copied', columns, rows))
      .then(() => null)
      .catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Error).with.property('code', '23505');
    const [counted] = await db.knex('copied').where('n', '>=', 1_000).count({ n: '*' });
    expect(Number(counted?.['n'])).to.equal(0);
  });

  it('does nothing where there are no rows', async () => {
    await db.knex.transaction((trx) => copyRows(trx, 'is not there', columns, []));
  });
});

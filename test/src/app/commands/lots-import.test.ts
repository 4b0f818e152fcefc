/** `lots import`: every kind of column, the report of rows that do not fit, and files that are no list of lots. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCommandLine } from '../../../../src/app/commands/command-line.ts';
import type { Category } from '../../../../src/catalog/categories/category.model.ts';
import { aCategory, anAuction } from '../../../support/builders.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';
import { sharedServers } from '../../../support/servers.ts';

describe('lots import', () => {
  let database: MigratedDatabase;
  let folder: string;
  let auctionId: number;
  let categoryId: number;
  const given = { ...process.env };

  before(async () => {
    database = await migratedDatabase();
    folder = mkdtempSync(join(tmpdir(), 'rostrum-csv-'));
    const { redisUrl } = await sharedServers();
    Object.assign(process.env, { DATABASE_URL: database.databaseUrl, REDIS_URL: redisUrl, DATA_DIR: folder });
    const schema = { properties: { hours: { type: 'integer' }, part: { type: 'string' } } };
    categoryId = (await aCategory(database.db, { schema } as Partial<Category>)).id;
    auctionId = (await anAuction(database.db, { status: 'draft', category_id: categoryId })).id;
  });

  after(async () => {
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'DATA_DIR']) {
      if (given[name] === undefined) delete process.env[name];
      else process.env[name] = given[name];
    }
    rmSync(folder, { recursive: true, force: true });
    await database.drop();
  });

  async function run(text: string | Buffer, ...more: string[]) {
    const file = join(folder, 'lots.csv');
    writeFileSync(file, text);
    let out = '';
    let err = '';
    const code = await runCommandLine(['lots', 'import', '--auction', String(auctionId), file, ...more], {
      out: (said) => {
        out += said;
      },
      err: (said) => {
        err += said;
      },
    });
    return { code, out, err };
  }
  const lots = () => database.db.knex('lots').where('auction_id', auctionId).orderBy('lot_number');

  it('creates lots from every kind of column, or none if a row is invalid, and says why', async () => {
    const header =
      'title,starting_bid,reserve_price,quantity,category_id,location.city,location.lat,location.lng,land.acres,land.road_access,land.utilities,custom_fields.hours,custom_fields.part';
    const good = [
      `\ufeff${header}`,
      `"Forty acres, ""north""",100.00,500,2,${categoryId},Waco,31.5,-97.1,40.25,yes,water; power,12,0042`,
      'Plain,5,,,,,,,,,,,',
      '"Two',
      'lines",7.50,,,,,,,,,,,',
    ].join('\r\n');
    const { code, out } = await run(
      [
        `\ufeff${header}`,
        `"Forty acres, ""north""",100.00,500,2,${categoryId},Waco,31.5,-97.1,40.25,yes,water; power,12,0042`,
        'Plain,5,,,,,,,,,,,',
        '',
        'No bid,,,,,,,,,,,,',
        'Odd,1.00,,many,,,,,,perhaps,,,',
        'Short,1.00',
        'Half a place,1.00,,,,,31.5,,,,,,',
        'Wrong hours,1.00,,,,,,,,,,lots,',
        '"Two',
        'lines",7.50,,,,,,,,,,,',
      ].join('\r\n'),
      '--json',
    );
    expect(code).to.equal(1);
    const output = JSON.parse(out);
    expect([output.rows, output.created.length]).to.deep.equal([8, 0]);
    expect(await lots()).to.have.length(0);
    expect(
      output.failed.map((row: { line: number; errors: object }) => [row.line, Object.keys(row.errors)]),
    ).to.deep.equal([
      [5, ['starting_bid']],
      [6, ['quantity', 'land.road_access']],
      [7, header.split(',').slice(2)],
      [8, ['location.lng']],
      [9, ['custom_fields.hours']],
    ]);
    expect(JSON.parse((await run(good, '--json')).out).created).to.have.length(3);
    const made = await lots();
    expect(made.map((lot) => [lot.lot_number, lot.title])).to.deep.equal([
      [1, 'Forty acres, "north"'],
      [2, 'Plain'],
      [3, 'Two\r\nlines'],
    ]);
    expect(made[0]).to.deep.include({
      starting_bid_cents: 10_000,
      reserve_price_cents: 50_000,
      quantity: 2,
      city: 'Waco',
      lat: 31.5,
      lng: -97.1,
      acres: '40.2500',
      road_access: true,
      utilities: ['water', 'power'],
      custom_fields: { hours: 12, part: '0042' },
      status: 'draft',
    });
  });

  it('says it in words, and exits 0 when everything fitted', async () => {
    const good = await run('title,starting_bid\nOne,1.00\nTwo,2.00\n');
    expect([good.code, good.out]).to.deep.equal([0, `Created 2 of 2 lots in auction ${auctionId}.\n`]);
    const bad = await run('title,starting_bid\nOne,cheap\n');
    expect(bad.code).to.equal(1);
    expect(bad.out).to.match(/line 2: starting_bid: .*amount/);
  });

  it('refuses files that are no list of lots, and makes nothing of them', async () => {
    const count = (await lots()).length;
    for (const [text, sentence] of [
      ['', 'has no rows'],
      ['title,price\nOne,1.00\n', 'line 1: has columns that are not fields: price'],
      ['title,auction_id\nOne,7\n', 'not fields: auction_id'],
      ['title,title\nOne,1\n', 'twice: title'],
      ['title,location\nOne,x\n', 'not fields: location'],
      ['title,location.__proto__\nOne,x\n', 'not fields: location.__proto__'],
      ['title,starting_bid\n"One,1.00\n', 'is not valid CSV'],
      ['title,sku\nOne,1\n', 'lacks the columns starting_bid'],
      [`title,starting_bid\n${'Thing,1.00\n'.repeat(100_000)}`, 'more than 10000 rows'],
      [`title,starting_bid\n"${'x'.repeat(1_100_000)}",1.00\n`, 'is not valid CSV'],
      [Buffer.from('title,starting_bid\nCaf\xe9,1.00\n', 'latin1'), 'is not UTF-8'],
      [Buffer.from('title,starting_bid\nOne,1.00\n', 'utf16le'), 'is not UTF-8'],
    ] as const) {
      const { code, err } = await run(text);
      expect([code, err], err).to.satisfy(([c, e]: [number, string]) => c === 1 && e.includes(sentence));
    }
    const proto = await run('title,starting_bid,custom_fields.__proto__\nOne,1.00,x\n', '--json');
    expect(JSON.parse(proto.out).failed).to.have.length(1);
    const missing = await runCommandLine(
      ['lots', 'import', '--auction', '999999999', join(folder, 'lots.csv')],
      {
        out() {},
        err() {},
      },
    );
    expect(missing).to.equal(1);
    expect(await lots()).to.have.length(count);
  });
});

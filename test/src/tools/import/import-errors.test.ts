/** What is wrong with a document is named place by place, all at once, and nothing of it is loaded. */
import { expect } from 'chai';
import { ImportError } from '../../../../src/tools/import/import-errors.ts';
import { importMarketplace } from '../../../../src/tools/import/import-marketplace.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';
import { marketplace } from './a-marketplace.ts';

describe('importing a marketplace with errors in it', () => {
  let database: MigratedDatabase;
  beforeEach(async () => {
    database = await migratedDatabase();
  });
  afterEach(() => database.drop());

  const errorsOf = async (document: unknown): Promise<string[]> => {
    try {
      await importMarketplace(database.db.knex, document);
    } catch (error) {
      expect(error).to.be.instanceOf(ImportError);
      return (error as ImportError).errors.map((one) => `${one.path}: ${one.message}`);
    }
    throw new Error('the import went through');
  };

  it('says what a document is that is none', async () => {
    for (const value of [[], null, 'text', 1])
      expect(await errorsOf(value)).to.deep.equal(['the file: must be a JSON object']);
  });

  it('names every wrong place and loads nothing', async () => {
    const document = {
      ...marketplace(),
      users: [
        { email: 'no address' },
        { email: 'a@b.c' },
        { email: 'A@b.c', tokens: [{ name: 'x', abilities: ['admin'] }] },
      ],
      teams: [{ name: 'Nobody', owner: 'ghost@example.com' }, { name: 'New' }],
      categories: [
        { slug: 'one', name: 'One', parent: 'two' },
        { slug: 'two', name: 'Two', parent: 'one' },
        {
          slug: 'three',
          name: 'Three',
          parent: 'nowhere',
          schema: { properties: { a: { type: 'nonsense' } } },
        },
      ],
      auctions: [
        {
          title: 'Wrong',
          start_time: '2026-02-30T00:00:00Z',
          end_time: '2026-01-01T00:00:00Z',
          timezone: 'Mars/Olympus',
          status: 'scheduled',
          increments: [{ from: '1.00', increment: '0' }],
          lots: [
            { title: 'x', starting_bid: 0, custom_fields: { free: 1 } },
            { title: 'y', starting_bid: 1.234, lot_number: 3, status: 'active', category: 'none' },
            { title: 'z', starting_bid: '5', lot_number: 3, location: { lat: 1 } },
          ],
        },
      ],
    };
    const errors = await errorsOf(document);
    const paths = errors.map((one) => one.split(':')[0]);
    expect(paths).to.include.members([
      'users[0].email',
      'users[2].email',
      'users[2].tokens[0].abilities',
      'teams[0].owner',
      'teams[1].owner',
      'categories[0].parent',
      'categories[1].parent',
      'categories[2].parent',
      'categories[2].schema',
      'auctions[0].start_time',
      'auctions[0].timezone',
      'auctions[0].team',
      'auctions[0].increments[0].from',
      'auctions[0].increments[0].increment',
      'auctions[0].lots[0].starting_bid',
      'auctions[0].lots[0].custom_fields.free',
      'auctions[0].lots[1].starting_bid',
      'auctions[0].lots[1].status',
      'auctions[0].lots[1].category',
      'auctions[0].lots[2].lot_number',
      'auctions[0].lots[2].location.lng',
    ]);
    expect(await database.db.knex('users')).to.have.length(0);
    expect(await database.db.knex('plans')).to.have.length(0);
  });

  it('names values that do not fit the schema, including unknown fields', async () => {
    const errors = await errorsOf({
      users: [{ email: 'a@example.com', nickname: 'x', password: 'short' }],
      auctions: [
        {
          title: 'T',
          user: 'a@example.com',
          end_time: 'tomorrow',
          lots: [{ title: 'L', starting_bid: '-5' }, {}],
        },
      ],
      nonsense: [],
      plans: [{ slug: 'Not A Slug', name: 'a\u0000b' }],
    });
    expect(errors.map((one) => one.split(':')[0])).to.have.members([
      'nonsense',
      'users[0].nickname',
      'users[0].password',
      'auctions[0].start_time',
      'auctions[0].end_time',
      'auctions[0].lots[0].starting_bid',
      'auctions[0].lots[1].title',
      'auctions[0].lots[1].starting_bid',
      'plans[0].slug',
      'plans[0].name',
    ]);
  });

  it('names times that are out of bounds', async () => {
    const times = { start_time: '1969-12-31T23:59:59Z', end_time: '9999-12-31T23:59:59Z' };
    const errors = await errorsOf({ auctions: [{ ...marketplace().auctions[0], ...times }] });
    expect(errors).to.include('auctions[0].start_time: must not be before 1970-01-01');
    expect(errors).to.include('auctions[0].end_time: must be at most 10 years ahead');
  });

  it('names errors of both kinds at once, and none twice', async () => {
    const errors = await errorsOf({
      users: [
        { email: 5, tokens: [null, { name: 'x', abilities: ['admin'] }] },
        null,
        { email: 'no address', zip: 1 },
      ],
      teams: 'none',
      categories: [{ slug: 'a', name: 'A', parent: 'nowhere', schema: 5 }],
      auctions: [
        {
          title: 7,
          user: 'ghost@example.com',
          status: 'open',
          start_time: '2026-01-01T00:00:00Z',
          end_time: 'late',
          increments: [null, { from: '5', increment: '1' }],
          lots: [
            null,
            {
              title: 'L',
              starting_bid: '0',
              status: 'active',
              category: 'none',
              land: { acres: 'many' },
              custom_fields: 3,
            },
          ],
        },
      ],
    });
    expect(errors.map((one) => one.split(':')[0])).to.have.members([
      'users[0].email',
      'users[0].tokens[0]',
      'users[1]',
      'users[2].zip',
      'users[2].email',
      'teams',
      'categories[0].schema',
      'categories[0].parent',
      'auctions[0].title',
      'auctions[0].user',
      'auctions[0].status',
      'auctions[0].end_time',
      'auctions[0].increments[0]',
      'auctions[0].lots[0]',
      'auctions[0].lots[1].starting_bid',
      'auctions[0].lots[1].category',
      'auctions[0].lots[1].land.acres',
      'auctions[0].lots[1].custom_fields',
    ]);
  });
});

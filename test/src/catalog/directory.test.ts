/** What is read of categories, plans, platforms and the Help Center. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { aCategory, aLot, anAuction } from '../../support/builders.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';

describe('categories and directory over HTTP', () => {
  let service: Service;
  let land: number;
  let farm: number;

  before(async () => {
    service = await startService();
    const db = service.database;
    const property = (name: string, type: string) => ({ properties: { [name]: { type } } });
    const root = await aCategory(db, {
      slug: 'land',
      name: 'Land',
      position: 2,
      schema: { ...property('soil', 'string'), required: ['soil'] },
      ui_schema: { soil: { 'ui:widget': 'select' } },
    });
    land = root.id;
    await aCategory(db, { slug: 'goods', name: 'Goods', position: 1 });
    farm = (
      await aCategory(db, {
        slug: 'farm',
        parent_id: land,
        position: 5,
        schema: property('barns', 'integer'),
      })
    ).id;
    await aCategory(db, { slug: 'timber', parent_id: land, position: 4 });
    await aCategory(db, { slug: 'orchard', parent_id: farm });
    const auction = await anAuction(db, { category_id: farm });
    await aLot(db, { auction_id: auction.id });
    await aLot(db, { auction_id: auction.id, category_id: land });
    await aLot(db, { auction_id: auction.id, status: 'sold' });
    const hidden = await anAuction(db, { category_id: farm, privacy_setting: 'private' });
    await aLot(db, { auction_id: hidden.id });
  });
  after(() => service.close());

  const data = async (path: string): Promise<JsonValue> => {
    const { status, body } = await service.get(`/api/v1${path}`);
    expect(status, path).to.equal(200);
    return body.data;
  };

  it('lists all categories by position, with the lots below each', async () => {
    const all = await data('/categories');
    expect(all.map((one: JsonValue) => one.slug)).to.deep.equal([
      'orchard',
      'goods',
      'land',
      'timber',
      'farm',
    ]);
    const count = (slug: string) => all.find((one: JsonValue) => one.slug === slug).lots_count;
    expect([count('land'), count('farm'), count('goods')]).to.deep.equal([2, 1, 0]);
    expect(all[2]).to.deep.equal({
      id: land,
      name: 'Land',
      slug: 'land',
      parent_id: null,
      description: null,
      position: 2,
      lots_count: 2,
    });
    expect((await service.get('/api/v1/categories?tree=false')).body.data).to.deep.equal(all);
  });

  it('nests them in the tree', async () => {
    const shape = (nodes: JsonValue[]): JsonValue =>
      nodes.map((one) => [one.slug, shape(one.childCategories)]);
    expect(shape(await data('/categories?tree=true'))).to.deep.equal([
      ['goods', []],
      [
        'land',
        [
          ['timber', []],
          ['farm', [['orchard', []]]],
        ],
      ],
    ]);
  });

  it('returns one and its children by id and slug', async () => {
    expect((await data('/categories/farm')).id).to.equal(farm);
    expect((await data(`/categories/${farm}`)).slug).to.equal('farm');
    const children = await data('/categories/land/children');
    expect(children.map((one: JsonValue) => one.slug)).to.deep.equal(['timber', 'farm']);
    for (const name of ['nothing', '0', '999999', '9'.repeat(25), 'LAND']) {
      for (const tail of ['', '/children', '/schema']) {
        expect((await service.get(`/api/v1/categories/${name}${tail}`)).status, name).to.equal(404);
      }
    }
    expect((await service.get('/api/v1/categories?tree=perhaps')).status).to.equal(422);
  });

  it('gives the form of a category with its parents’ fields, closed', async () => {
    const { category_id, schema, ui_schema } = await data('/categories/farm/schema');
    expect(category_id).to.equal(farm);
    expect(ui_schema).to.deep.equal({ soil: { 'ui:widget': 'select' } });
    const validate = new Ajv2020({ strict: true }).compile(schema);
    expect(validate({ soil: 'loam', barns: 2 })).to.equal(true);
    expect(validate({ barns: 2 })).to.equal(false);
    expect(validate({ soil: 'loam', other: 1 })).to.equal(false);
  });

  it('sees a new category at once when it is requested by name', async () => {
    await data('/categories');
    const fresh = await aCategory(service.database);
    expect((await data(`/categories/${fresh.id}`)).slug).to.equal(fresh.slug);
  });

  it('lists plans and platforms as they were loaded', async () => {
    const { knex } = service.database;
    await knex('plans').insert([
      {
        slug: 'pro',
        name: 'Pro',
        price_monthly_cents: 9_950,
        price_yearly_cents: 99_500,
        commission_bps: 525,
      },
      { slug: 'free', name: 'Free', features: JSON.stringify(['One auction']), limits: { auctions: 1 } },
    ]);
    await knex('cross_listing_platforms').insert({ slug: 'lots', name: 'Lots', supports: ['timed'] });
    const plans = await data('/subscription-plans');
    expect(plans).to.have.length(2);
    expect(plans[0]).to.include({ slug: 'free', price_monthly: 0, price_yearly: null });
    expect(plans[0]).to.deep.include({ features: ['One auction'], limits: { auctions: 1 } });
    expect(plans[1]).to.include({ price_monthly: 99.5, price_yearly: 995, commission_percentage: 5.25 });
    const { body } = await service.get('/api/v1/cross-listing-platforms?per_page=1');
    expect(body.data[0]).to.deep.include({ slug: 'lots', supports: ['timed'], status: 'active' });
    expect(body.meta).to.deep.equal({ current_page: 1, last_page: 1, per_page: 1, total: 1 });
    expect((await service.get('/api/v1/subscription-plans?plan=x')).status).to.equal(422);
  });

  it('finds help articles, the best first, and shows where', async () => {
    const { knex } = service.database;
    const [bidding, selling] = (await knex('help_categories')
      .insert([
        { slug: 'bidding', name: 'Bidding', position: 1 },
        { slug: 'selling', name: 'Selling', position: 2 },
      ])
      .returning('id')) as { id: number }[];
    const words = 'so much text '.repeat(60);
    await knex('help_articles').insert([
      {
        help_category_id: bidding!.id,
        slug: 'proxy',
        title: 'Proxy bids',
        body: `${words} a ceiling ${words}`,
      },
      {
        help_category_id: bidding!.id,
        slug: 'limits',
        title: 'Limits',
        body: 'Proxy bids count to a limit.',
      },
      { help_category_id: selling!.id, slug: 'fees', title: 'Fees', body: 'What a sale costs.' },
    ]);
    const categories = await data('/help/categories');
    expect(categories.map((one: JsonValue) => [one.slug, one.articles_count])).to.deep.equal([
      ['bidding', 2],
      ['selling', 1],
    ]);
    const slugs = async (query: string) =>
      (await data(`/help/search?${query}`)).map((one: JsonValue) => one.slug);
    expect(await slugs('q=proxy')).to.deep.equal(['proxy', 'limits']);
    expect(await slugs('q=PROXY+bid&category=selling')).to.deep.equal([]);
    expect(await slugs(`q=fee&category=${selling!.id}`)).to.deep.equal(['fees']);
    expect(await slugs('q=proxy&per_page=1&page=2')).to.deep.equal(['limits']);
    const [hit] = await data('/help/search?q=ceiling');
    expect(hit.excerpt)
      .to.match(/^… .*ceiling.* …$/)
      .and.to.have.length.below(220);
    expect(hit.category).to.deep.equal({ id: bidding!.id, name: 'Bidding', slug: 'bidding' });
    const { body } = await service.get('/api/v1/help/search?q=proxy&page=9');
    expect([body.data, body.meta.total]).to.deep.equal([[], 2]);
    for (const query of ['', 'q=a', 'q=%20a%20', 'q=%00aa', `q=${'x'.repeat(10_000)}`]) {
      expect((await service.get(`/api/v1/help/search?${query}`)).status, query.slice(0, 9)).to.equal(422);
    }
    expect(await slugs('q=%25%25')).to.deep.equal([]);
  });
});

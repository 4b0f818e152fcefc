/**
 * Only what was once published is for others: drafts that were cancelled, and lots that were withdrawn before they were
 * public, stay hidden wherever one looks, with their files. And what a team whose approval was withdrawn still does.
 */
import { expect } from 'chai';
import { approveTeam, unapproveTeam } from '../../../src/accounts/teams/teams.ts';
import { aUser } from '../../support/builders.ts';
import { projectionOf } from '../../support/projection.ts';
import { codeOf, draft, SellingTeam } from '../../support/selling-team.ts';
import { type Service, startService } from '../../support/service.ts';

describe('what was never published', () => {
  let service: Service;
  let team: SellingTeam;
  let other: string;
  let seller: string;

  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
    other = await service.tokenFor(await aUser(service.database));
    ({ slug: seller } = await service.database.knex('teams').where('id', team.id).first('slug'));
  });
  after(() => service.close());

  const call: SellingTeam['call'] = (...args) => team.call(...args);
  const newLot = async (auction_id: number, title: string) =>
    (await call('POST', 'seller/lots', { auction_id, title, starting_bid: '100.00' })).body.data.id as number;

  let files = 0;
  async function fileOf(type: 'lot' | 'auction', id: number): Promise<string> {
    const file_key = `${type}${id}-${++files}.pdf`;
    await service.database.knex('media').insert({
      ...{ [`${type}_id`]: id, kind: 'document', file_key, file_name: 'deed.pdf' },
      ...{ mime_type: 'application/pdf', size: 1 },
    });
    return `/media/${file_key}`;
  }

  /** Statuses for a stranger of everything by which a lot or an auction could be found. */
  async function seenOf(
    auction: { id: number; slug: string },
    lot: number,
    word: string,
  ): Promise<unknown[]> {
    const gets = [
      ...[`/auctions/${auction.id}`, `/auctions/${auction.slug}`, `/lots/${lot}`],
      ...[`/api/v1/auctions/${auction.id}`, `/api/v1/lots/${lot}`, `/api/v1/lots/${lot}/bids`],
      ...[`/api/v1/lots/${lot}/journal`, `/api/v1/lots/${lot}/stream`, await fileOf('lot', lot)],
      await fileOf('auction', auction.id),
    ];
    const statuses = await Promise.all(gets.map(async (path) => (await service.get(path, other)).status));
    const bid = await service.call('POST', `/api/v1/lots/${lot}/bids`, {
      token: other,
      body: { amount: '100.00' },
    });
    const watched = await service.call('POST', `/api/v1/lots/${lot}/watchlist`, { token: other });
    const ways = [`search=${word}`, `search=${word}&min_price=1`, `auction_id=${auction.id}&sort_by=price`];
    const lists = ['all', 'withdrawn', 'scheduled'].flatMap((status) =>
      ways.map((way) => `/api/v1/lots?status=${status}&${way}`),
    );
    // Whatever lists things: feeds, maps for search engines, the seller's own pages.
    const parts = [
      ...(await service.get('/sitemap.xml')).text.matchAll(/<loc>[^<]*(\/sitemaps\/[^<]+)<\/loc>/g),
    ];
    const listings = [
      ...['/', '/auctions', '/lots?status=all', `/lots?q=${word}&status=all`, '/lots.rss?status=all'],
      ...[`/sellers/${seller}`, `/embed/sellers/${seller}`, '/api/v1/lots/geojson', '/api/v1/auctions'],
      ...parts.map(([, path = '']) => path),
    ];
    for (const path of listings) {
      const shown = await service.get(path);
      expect(shown.status, path).to.equal(200);
      expect(shown.text.toLowerCase(), path).to.not.contain(auction.slug).and.not.contain(`/lots/${lot}`);
    }
    const found = await Promise.all(
      lists.map(async (path) => {
        const { data } = (await service.get(path)).body.data;
        return data.filter(({ id }: { id: number }) => id === lot).length;
      }),
    );
    return [...new Set([...statuses, bid.status, watched.status]), ...new Set(found)];
  }

  it('is hidden once it was cancelled as it was before, with its lots and files', async () => {
    const { id, slug } = (await call('POST', 'seller/auctions', draft({ title: 'Secret plan' }))).body.data;
    const lot = await newLot(id, 'Quetzal');
    const scheduled = await newLot(id, 'Quetzalcoatl');
    await call('PATCH', `seller/lots/${scheduled}`, { status: 'scheduled' });
    expect((await call('PATCH', `seller/auctions/${id}`, { status: 'cancelled' })).body.data.status).to.equal(
      'cancelled',
    );
    for (const one of [lot, scheduled])
      expect(await seenOf({ id, slug }, one, 'quetzal')).to.deep.equal([404, 0]);
    expect((await call('GET', `lots/${lot}`, undefined, { team: null })).body.data.status).to.equal(
      'withdrawn',
    );
  });

  it('is withdrawn as a draft or under the engine, where its auction is published at once', async () => {
    for (let n = 0; n < 12; n++) {
      const { id } = (await call('POST', 'seller/auctions', draft({ title: `At once ${n}` }))).body.data;
      const lot = await newLot(id, 'Numbat');
      await call('PATCH', `seller/lots/${lot}`, { status: 'scheduled' });
      const [withdrawn] = await Promise.all([
        call('PATCH', `seller/lots/${lot}`, { status: 'withdrawn' }),
        call('PATCH', `seller/auctions/${id}`, { status: 'scheduled' }),
      ]);
      expect(withdrawn.status, withdrawn.text).to.be.oneOf([200, 409]);
      const row = await service.database.knex('lots').where('id', lot).first('status', 'published_at');
      if (row.status === 'withdrawn') expect(row.published_at).to.equal(null);
    }
  });

  it('is hidden though the rest of the sale was public: its draft lot, and one withdrawn before', async () => {
    const { id, slug } = (await call('POST', 'seller/auctions', draft({ title: 'Public plan' }))).body.data;
    const early = await newLot(id, 'Axolotl');
    await call('PATCH', `seller/lots/${early}`, { status: 'scheduled' });
    await call('PATCH', `seller/lots/${early}`, { status: 'withdrawn' });
    const shown = await newLot(id, 'Ocelot');
    await call('PATCH', `seller/auctions/${id}`, { status: 'scheduled' });
    const late = await newLot(id, 'Axolotl');
    expect((await call('PATCH', `seller/auctions/${id}`, { status: 'cancelled' })).status).to.equal(200);
    const projection = await projectionOf(service.backends);
    try {
      for (let tries = 0; tries < 200; tries++) {
        const row = await service.database.knex('lots').where('id', shown).first('status');
        if (row.status === 'withdrawn') break;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    } finally {
      await projection.close();
    }
    expect((await service.get(`/auctions/${slug}`)).status).to.equal(200);
    expect((await service.get(`/api/v1/lots/${shown}`)).body.data.status).to.equal('withdrawn');
    expect((await service.get('/api/v1/lots?status=withdrawn&search=ocelot')).body.data.total).to.equal(1);
    for (const lot of [early, late]) {
      expect((await service.get(`/api/v1/lots/${lot}`)).status).to.equal(404);
      expect((await service.get(await fileOf('lot', lot))).status).to.equal(404);
    }
    expect((await service.get('/api/v1/lots?status=all&search=axolotl')).body.data.total).to.equal(0);
  });

  it('has files that no cache may keep, until it is published', async () => {
    const { id } = (await call('POST', 'seller/auctions', draft())).body.data;
    const lot = await newLot(id, 'Pictures');
    const file = await fileOf('lot', lot);
    const headers = { 'if-none-match': `"${file.slice(7)}"` };
    const cache = async (token?: string) =>
      (await service.call('GET', file, { headers, token })).headers.get('cache-control');
    expect((await service.get(file)).status).to.equal(404);
    expect(await cache(await service.tokenFor(team.owner))).to.match(/^private/);
    await call('PATCH', `seller/auctions/${id}`, { status: 'scheduled' });
    expect(await cache()).to.match(/^public.*immutable/);
  });
});

describe('a team whose approval was withdrawn', () => {
  let service: Service;
  let team: SellingTeam;

  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
  });
  after(() => service.close());

  const call: SellingTeam['call'] = (...args) => team.call(...args);

  it('prepares, and puts nothing new before the public; what runs goes on', async () => {
    const { auctionId, lotId } = await team.liveLot({}, { buyer_premium_percentage: '10.00' });
    const lot = { auction_id: auctionId, title: 'New', starting_bid: '1.00' };
    await unapproveTeam(service.backends.knex, team.id);
    const made = await call('POST', 'seller/lots', lot);
    expect(made.status).to.equal(201);
    const refused: [string, string, object][] = [
      ['POST', 'seller/lots', { ...lot, status: 'scheduled' }],
      ['PATCH', `seller/lots/${made.body.data.id}`, { status: 'scheduled' }],
      ['PATCH', `seller/lots/${lotId}`, { starting_bid: '200.00' }],
      ['PATCH', `seller/lots/${lotId}`, { reserve_price: '200.00' }],
      ['PATCH', `seller/lots/${lotId}`, { title: 'Other' }],
      ['PATCH', `seller/auctions/${auctionId}`, { buyer_premium_percentage: '12.00' }],
      ['PATCH', `seller/auctions/${auctionId}`, { title: 'Other' }],
      ['POST', 'seller/auctions', draft({ status: 'scheduled' })],
    ];
    for (const [method, path, body] of refused)
      expect(codeOf(await call(method, path, body)), JSON.stringify(body)).to.deep.equal([
        403,
        'seller_not_approved',
      ]);
    const bulk = await call('POST', 'seller/lots/bulk', { lots: [{ ...lot, status: 'scheduled' }] });
    expect(bulk.body.data.results[0].status).to.equal('failed');
    for (const body of [{ starting_bid: '50.00' }, { reserve_price: null }])
      expect((await call('PATCH', `seller/lots/${lotId}`, body)).status, JSON.stringify(body)).to.equal(200);
    expect(
      (await call('PATCH', `seller/auctions/${auctionId}`, { buyer_premium_percentage: '5.00' })).status,
    ).to.equal(200);
    expect((await team.bid(lotId, { amount: '50.00' })).status).to.equal(201);
    for (const status of ['paused', 'active'])
      expect((await call('PATCH', `seller/auctions/${auctionId}`, { status })).status).to.equal(200);
    await approveTeam(service.backends.knex, team.id);
    expect(
      (await call('PATCH', `seller/lots/${made.body.data.id}`, { status: 'scheduled' })).status,
    ).to.equal(200);
  });

  it('is one whose owner is suspended, too', async () => {
    const admin = await aUser(service.database);
    await service.database.knex('memberships').insert({ team_id: team.id, user_id: admin.id, role: 'admin' });
    const token = await service.tokenFor(admin, ['seller']);
    await service.database.knex('users').where('id', team.owner.id).update({ suspended_at: new Date() });
    const { body } = await call('POST', 'seller/auctions', draft(), { token });
    const publishing = await call(
      'PATCH',
      `seller/auctions/${body.data.id}`,
      { status: 'scheduled' },
      { token },
    );
    expect(codeOf(publishing)).to.deep.equal([403, 'seller_not_approved']);
  });
});

/** The public list of auctions and one auction: who sees what, under which name, in which order. */
import { expect } from 'chai';
import type { Auction } from '../../../src/bidding/records/auction.model.ts';
import type { Category } from '../../../src/catalog/categories/category.model.ts';
import { aCategory, aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';

const titles = (answer: JsonValue): string[] => answer.body.data.data.map((row: JsonValue) => row.title);

describe('auctions over HTTP', () => {
  let service: Service;
  let land: Category;
  let ranches: Category;
  const made: Record<string, Auction> = {};

  before(async () => {
    service = await startService();
    const db = service.database;
    land = await aCategory(db, { name: 'Land' });
    ranches = await aCategory(db, { name: 'Ranches', parent_id: land.id });
    const make = async (title: string, columns: Parameters<typeof anAuction>[1] = {}) => {
      made[title] = await anAuction(db, { title, ...columns });
    };
    const end = (hours: number) => new Date(Date.UTC(2036, 6, 12, 10 + hours)).toISOString();
    await make('Prairie', { category_id: land.id, end_time: end(3), buyer_premium_bps: 1250 });
    await make('Valley ranch', { category_id: ranches.id, end_time: end(1) });
    await make('Tools', { end_time: end(2), start_time: '2026-07-12T10:00:00.123456Z' });
    await make('Same end', { end_time: end(2) });
    for (const status of ['draft', 'scheduled', 'paused', 'ended', 'cancelled'] as const) {
      await make(status, { status });
    }
    await make('Unlisted', { privacy_setting: 'unlisted' });
    await make('Private', { privacy_setting: 'private' });
  });
  after(() => service.close());

  it('lists active public ones only, by end, equal ends by id', async () => {
    const answer = await service.get('/api/v1/auctions');
    expect(answer.status).to.equal(200);
    expect(titles(answer)).to.deep.equal(['Valley ranch', 'Tools', 'Same end', 'Prairie']);
    expect(answer.body.data).to.include({
      current_page: 1,
      per_page: 15,
      total: 4,
      from: 1,
      to: 4,
      last_page: 1,
      next_page_url: null,
      prev_page_url: null,
    });
    expect(answer.body.message).to.be.a('string');
  });

  it('says how many lots are still open, and when the last of them ends', async () => {
    const db = service.database;
    const auction = await anAuction(db, { title: 'One after the other' });
    const ends = [
      '2036-07-12T10:00:00.000000Z',
      '2036-07-12T10:00:01.000000Z',
      '2036-07-12T09:00:00.000000Z',
    ];
    const [first, last] = await Promise.all(
      ends.map((live_end_time, at) =>
        aLot(db, { auction_id: auction.id, lot_number: at + 1, status: 'active', live_end_time }),
      ),
    );
    const read = async () => {
      const { closes_at, open_lots } = (await service.get(`/api/v1/auctions/${auction.slug}`)).body.data;
      return { closes_at, open_lots };
    };
    expect(await read()).to.deep.equal({ closes_at: ends[1], open_lots: 3 });
    const listed = (await service.get('/api/v1/auctions?search=one+after+the+other')).body.data.data[0];
    expect(listed).to.include({ closes_at: ends[1], open_lots: 3 });
    const page = async () => (await service.get(`/auctions/${auction.slug}`)).text;
    expect(await page()).not.to.contain('Closing,');
    await db.knex('lots').where('id', last!.id).update({ status: 'unsold' });
    expect(await read()).to.deep.equal({ closes_at: ends[0], open_lots: 2 });
    expect(await page()).to.contain('Closing, 2 of 3 lots left');
    await db.knex('lots').where('auction_id', auction.id).update({ status: 'unsold' });
    expect(await read()).to.deep.equal({ closes_at: null, open_lots: 0 });
    expect(first).to.include({ status: 'active' });
    await db.knex('auctions').where('id', auction.id).update({ status: 'ended' });
  });

  it('shows the fields of a list item as they are written', async () => {
    const { body } = await service.get('/api/v1/auctions?search=tools');
    expect(body.data.data[0]).to.deep.include({
      id: made['Tools']!.id,
      slug: made['Tools']!.slug,
      status: 'active',
      privacy_setting: 'public',
      buyer_premium_percentage: '0.00',
      start_time: '2026-07-12T10:00:00.123456Z',
      formatted_start_time: 'Jul 12, 2026 10:00 AM',
      formatted_end_time: 'Jul 12, 2036 12:00 PM',
      category: null,
    });
    const prairie = (await service.get('/api/v1/auctions?search=prairie')).body.data.data[0];
    expect(prairie).to.deep.include({
      buyer_premium_percentage: '12.50',
      category: { id: land.id, name: 'Land' },
    });
  });

  it('filters by a category with everything below it', async () => {
    const of = async (id: number) => titles(await service.get(`/api/v1/auctions?category_id=${id}`));
    expect(await of(land.id)).to.deep.equal(['Valley ranch', 'Prairie']);
    expect(await of(ranches.id)).to.deep.equal(['Valley ranch']);
    expect(await of(999_999)).to.deep.equal([]);
  });

  it('sorts by each of its columns in both directions', async () => {
    const by = async (query: string) => titles(await service.get(`/api/v1/auctions?${query}`));
    expect(await by('sort_by=title')).to.deep.equal(['Prairie', 'Same end', 'Tools', 'Valley ranch']);
    expect(await by('sort_by=title&sort_dir=desc')).to.deep.equal([
      'Valley ranch',
      'Tools',
      'Same end',
      'Prairie',
    ]);
    expect(await by('sort_by=id&sort_dir=desc')).to.deep.equal([
      'Same end',
      'Tools',
      'Valley ranch',
      'Prairie',
    ]);
    expect(await by('sort_dir=desc')).to.deep.equal(['Prairie', 'Tools', 'Same end', 'Valley ranch']);
    expect((await by('sort_by=start_time'))[0]).to.be.a('string');
  });

  it('pages, keeping the other parameters in the addresses of its neighbours', async () => {
    const second = await service.get('/api/v1/auctions?per_page=3&page=2&sort_by=title');
    expect(titles(second)).to.deep.equal(['Valley ranch']);
    expect(second.body.data).to.include({ total: 4, last_page: 2, from: 4, to: 4, next_page_url: null });
    const previous = second.body.data.prev_page_url as string;
    expect(previous).to.match(new RegExp(`^${service.url}/api/v1/auctions\\?`));
    const first = await (await fetch(previous)).json();
    expect((first as JsonValue).data.data).to.have.length(3);
    const beyond = (await service.get('/api/v1/auctions?page=90000000000000')).body.data;
    expect(beyond).to.deep.include({ data: [], from: null, to: null, total: 4 });
  });

  it('returns one by id and by slug, with everything', async () => {
    const { id, slug } = made['Prairie']!;
    await aLot(service.database, { auction_id: id });
    const byId = await service.get(`/api/v1/auctions/${id}`);
    expect(byId.status).to.equal(200);
    expect(byId.body.data).to.deep.include({ id, slug, media: [], lots_count: 1 });
    expect(byId.body.data.auctionable).to.include({ type: 'team' });
    expect(byId.body.data.formatted_end_time).to.equal('Jul 12, 2036 01:00 PM');
    expect((await service.get(`/api/v1/auctions/${slug}`)).text).to.equal(byId.text);
  });

  it('names the person who owns an auction', async () => {
    const owner = await aUser(service.database, { name: 'Olive Owner' });
    const own = await anAuction(service.database, { user_id: owner.id, privacy_setting: 'unlisted' });
    const { body } = await service.get(`/api/v1/auctions/${own.id}`);
    expect(body.data.auctionable).to.deep.include({ id: owner.id, type: 'user', name: 'Olive Owner' });
  });

  it('still answers to its slug after the seller has renamed it, which nobody else is given', async () => {
    const owner = await aUser(service.database, { name: 'Rena Renamer' });
    const team = await aTeam(service.database, { owner });
    const token = await service.tokenFor(owner, ['read', 'seller']);
    const headers = { 'X-Team-Id': String(team.id) };
    const times = { start_time: '2026-01-01T00:00:00.000000Z', end_time: '2036-01-01T00:00:00.000000Z' };
    const create = (title: string) =>
      service.call('POST', '/api/v1/seller/auctions', { token, headers, body: { title, ...times } });
    const { id, slug } = (await create('Old tools')).body.data;
    expect(slug).to.equal('old-tools');
    const lots = '/api/v1/seller/lots';
    const lot = (
      await service.call('POST', lots, {
        token,
        headers,
        body: { auction_id: id, title: 'Saw', starting_bid: '1' },
      })
    ).body.data;
    const rename = async (path: string) => {
      const changed = await service.call('PATCH', path, { token, headers, body: { title: 'Quite new' } });
      expect(changed.status, changed.text).to.equal(200);
      expect(changed.body.data.title).to.equal('Quite new');
    };
    await rename(`/api/v1/seller/auctions/${id}`);
    await rename(`${lots}/${lot.id}`);
    await service.database.knex('auctions').where('id', id).update({ status: 'active' });
    await service.database.knex('lots').where('id', lot.id).update({ status: 'active' });
    const { data } = (await service.get('/api/v1/auctions/old-tools')).body;
    expect(data).to.include({ id, slug: 'old-tools', title: 'Quite new' });
    expect((await service.get('/api/v1/auctions/old-tools/lots')).body.data.data[0]).to.include({
      id: lot.id,
      slug: lot.slug,
      title: 'Quite new',
    });
    expect((await create('Old tools')).body.data.slug).to.equal('old-tools-2');
    await service.database.knex('auctions').where('id', id).update({ status: 'ended' });
  });

  it('is 404 for what is not active, not there, or cannot be an id', async () => {
    const gone = ['draft', 'scheduled', 'paused', 'ended', 'cancelled', 'Private'].map(
      (title) => made[title]!.id,
    );
    for (const name of [
      ...gone,
      999_999,
      'no-such-slug',
      '0',
      '-1',
      '9'.repeat(30),
      'UPPER',
      "x'--",
      '1.5',
    ]) {
      for (const path of [`/api/v1/auctions/${name}`, `/api/v1/auctions/${name}/lots`]) {
        const { status, body } = await service.get(path);
        expect(status, path).to.equal(404);
        expect(body).to.include({ success: false });
        expect(body.message).to.be.a('string');
      }
    }
  });

  it('shows unlisted ones by name, private ones to members and registered bidders', async () => {
    const db = service.database;
    expect((await service.get(`/api/v1/auctions/${made['Unlisted']!.slug}`)).status).to.equal(200);
    const { id, team_id } = made['Private']!;
    const [member, bidder, pending, stranger] = [
      await aUser(db),
      await aUser(db),
      await aUser(db),
      await aUser(db),
    ] as const;
    await db.knex('memberships').insert({ team_id, user_id: member.id, role: 'member' });
    await db.knex('registrations').insert([
      { auction_id: id, user_id: bidder.id, status: 'approved' },
      { auction_id: id, user_id: pending.id, status: 'pending' },
    ]);
    const statusFor = async (user: typeof member) =>
      (await service.get(`/api/v1/auctions/${id}`, await service.tokenFor(user))).status;
    expect(await statusFor(member)).to.equal(200);
    expect(await statusFor(bidder)).to.equal(200);
    expect(await statusFor(pending)).to.equal(404);
    expect(await statusFor(stranger)).to.equal(404);
    await aTeam(db);
  });

  it('lists the active lots of an auction, twenty per page, by number', async () => {
    const auction = await anAuction(service.database, { privacy_setting: 'unlisted' });
    for (let n = 22; n > 0; n -= 1) {
      await aLot(service.database, { auction_id: auction.id, lot_number: n, title: `No. ${n}` });
    }
    await aLot(service.database, { auction_id: auction.id, status: 'withdrawn', lot_number: 23 });
    const first = await service.get(`/api/v1/auctions/${auction.slug}/lots`);
    expect(first.body.data).to.include({ per_page: 20, total: 22, last_page: 2 });
    expect(first.body.data.data.map((lot: JsonValue) => lot.lot_number)).to.deep.equal(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    const second = await service.get(`/api/v1/auctions/${auction.id}/lots?page=2`);
    expect(titles(second)).to.deep.equal(['No. 21', 'No. 22']);
    expect((await service.get(`/api/v1/auctions/${auction.id}/lots?per_page=5`)).status).to.equal(422);
  });

  it('shows media in order, with addresses below the caller’s', async () => {
    const { id } = made['Valley ranch']!;
    const file = { auction_id: id, kind: 'image', mime_type: 'image/jpeg', size: 10, width: 4, height: 3 };
    await service.database.knex('media').insert([
      { ...file, position: 2, file_key: 'a/2.jpg', file_name: '2.jpg' },
      { ...file, position: 1, file_key: 'a/1.jpg', thumb_key: 'a/1-thumb.jpg', file_name: '1.jpg' },
    ]);
    const { body } = await service.get(`/api/v1/auctions/${id}`);
    expect(body.data.media.map((item: JsonValue) => item.file_name)).to.deep.equal(['1.jpg', '2.jpg']);
    expect(body.data.media[0]).to.include({
      type: 'image',
      url: `${service.url}/media/a/1.jpg`,
      thumbnail_url: `${service.url}/media/a/1-thumb.jpg`,
      position: 1,
      size: 10,
    });
  });

  it('answers HEAD, and 304 to clients that have it', async () => {
    const first = await service.get('/api/v1/auctions');
    const etag = first.headers.get('etag')!;
    const again = await service.call('GET', '/api/v1/auctions', { headers: { 'If-None-Match': etag } });
    expect([again.status, again.text]).to.deep.equal([304, '']);
    const head = await service.call('HEAD', '/api/v1/auctions');
    expect([head.status, head.text]).to.deep.equal([200, '']);
  });
});

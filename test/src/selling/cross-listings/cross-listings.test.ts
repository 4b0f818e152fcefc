/** Listing lots on platforms of the directory as well: linking, following the lot, taking back, and whose they are. */
import { expect } from 'chai';
import { followListedLots } from '../../../../src/selling/cross-listings/cross-listings.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('cross-listings', () => {
  let service: Service;
  let seller: string;
  let mine: number;
  let auctionId: number;

  before(async () => {
    service = await startService();
    const db = service.database;
    const owner = await aUser(db);
    mine = (await aTeam(db, { owner })).id;
    seller = await service.tokenFor(owner, ['seller']);
    auctionId = (await anAuction(db, { team_id: mine, status: 'draft' })).id;
    await db.knex('cross_listing_platforms').insert([
      { slug: 'fields', name: 'Fields' },
      { slug: 'barns', name: 'Barns', status: 'beta' },
      { slug: 'later', name: 'Later', status: 'planned' },
    ]);
  });

  after(() => service.close());

  const call = (method: string, lotId: number, rest = '', body?: unknown) =>
    service.call(method, `/api/v1/seller/lots/${lotId}/cross-listings${rest}`, {
      token: seller,
      body,
      headers: { 'x-team-id': String(mine) },
    });
  const draft = async () =>
    (await aLot(service.database, { auction_id: auctionId, status: 'draft', title: 'Barn' })).id;
  const facts = (lotId: number): Promise<{ type: string; data: Record<string, unknown> }[]> =>
    service.database.knex('events').where('lot_id', lotId).orderBy('id');

  it('lists a lot once on each platform, however often it is requested', async () => {
    const lotId = await draft();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => call('POST', lotId, '', { platform: 'fields' })),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 200, 200, 200, 200, 201]);
    expect((await call('POST', lotId, '', { platform: 'barns' })).status).to.equal(201);
    const { body } = await call('GET', lotId, '?per_page=1');
    expect(body.meta.total).to.equal(2);
    expect(body.data[0]).to.deep.include({ lot_id: lotId, status: 'active', ended_at: null });
    expect(body.data[0].platform.slug).to.equal('barns');
    expect((await facts(lotId)).map(({ type }) => type)).to.deep.equal([
      'listing.created',
      'listing.created',
    ]);
  });

  it('follows the lot until it is over, and sends each change once', async () => {
    const { knex } = service.database;
    const lotId = await draft();
    await call('POST', lotId, '', { platform: 'fields' });
    expect(await followListedLots(knex)).to.equal(0);
    await knex('lots').where('id', lotId).update({ title: 'Red barn', starting_bid_cents: 12_345 });
    const published = await Promise.all([followListedLots(knex), followListedLots(knex)]);
    expect(published[0]! + published[1]!).to.equal(1);
    await knex('lots').where('id', lotId).update({ status: 'withdrawn' });
    expect(await followListedLots(knex)).to.equal(1);
    expect(await followListedLots(knex)).to.equal(0);
    const all = await facts(lotId);
    expect(all.map(({ type }) => type)).to.deep.equal([
      'listing.created',
      'listing.updated',
      'listing.ended',
    ]);
    expect(all[1]!.data).to.include({ platform: 'fields', title: 'Red barn', starting_bid: '123.45' });
    expect((await call('GET', lotId)).body.data[0].status).to.equal('ended');
    expect((await call('POST', lotId, '', { platform: 'barns' })).body.code).to.equal('invalid_transition');
  });

  it('takes a listing back, once', async () => {
    const lotId = await draft();
    const { id } = (await call('POST', lotId, '', { platform: 'fields' })).body.data;
    expect((await call('DELETE', lotId, `/${id}`)).status).to.equal(200);
    expect((await call('DELETE', lotId, `/${id}`)).status).to.equal(404);
    expect((await call('GET', lotId)).body.data[0].status).to.equal('removed');
    expect((await facts(lotId)).map(({ type }) => type)).to.deep.equal([
      'listing.created',
      'listing.removed',
    ]);
    expect((await call('POST', lotId, '', { platform: 'fields' })).status).to.equal(201);
  });

  it('refuses platforms that are unknown or take nothing, and the lots of others', async () => {
    const lotId = await draft();
    for (const body of [
      { platform: 'nowhere' },
      { platform: 'later' },
      { platform: 7 },
      {},
      { platform: 'fields', status: 'ended' },
    ]) {
      expect((await call('POST', lotId, '', body)).status, JSON.stringify(body)).to.equal(422);
    }
    const foreign = (await aLot(service.database)).id;
    const { id } = (await call('POST', lotId, '', { platform: 'fields' })).body.data;
    expect((await call('POST', foreign, '', { platform: 'fields' })).status).to.equal(404);
    expect((await call('GET', foreign)).status).to.equal(404);
    expect((await call('DELETE', foreign, `/${id}`)).status).to.equal(404);
    expect((await call('GET', lotId)).body.data[0].status).to.equal('active');
  });
});

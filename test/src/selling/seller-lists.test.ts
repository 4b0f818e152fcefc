/**
 * The sellers' own lots as lists: what they cost, what they show, and that sellers see their own changes at once on
 * any process.
 */
import { expect } from 'chai';
import pg from 'pg';
import { aCategory, aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { migratedDatabase } from '../../support/migrated-database.ts';
import { freshRedis } from '../../support/redis-servers.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';

describe('lists of a seller’s own lots', () => {
  let here: Service;
  let there: Service;
  let token: string;
  let teamId: number;
  let otherTeam: number;
  let auctionId: number;
  let closeAll: () => Promise<void>;

  before(async () => {
    const [database, redis] = await Promise.all([migratedDatabase(), freshRedis()]);
    const { db } = database;
    here = await startService({ database, redis });
    there = await startService({ database, redis });
    closeAll = async () => {
      await here.close();
      await there.close();
      await redis.close();
      await database.drop();
    };
    const owner = await aUser(db);
    [teamId, otherTeam] = [(await aTeam(db, { owner })).id, (await aTeam(db)).id];
    token = await here.tokenFor(owner, ['seller', 'write']);
    const category = await aCategory(db, { name: 'Land “à la carte”' });
    const auction = await anAuction(db, {
      team_id: teamId,
      category_id: category.id,
      buyer_premium_bps: 1_250,
      title: 'Sale "one"',
    });
    auctionId = auction.id;
    const land = {
      acres: '12.5000',
      lat: 31.25,
      lng: -99.5,
      utilities: ['well', 'power'],
      road_access: true,
    };
    for (let n = 1; n <= 5; n += 1) {
      await aLot(db, { auction_id: auction.id, lot_number: n, title: `Lot ${n} \\ "é"`, ...land });
    }
    await aLot(db, { auction_id: auction.id, lot_number: 6, status: 'draft', reserve_price_cents: 25_005 });
    await aLot(db, { auction_id: (await anAuction(db, { team_id: otherTeam })).id });
  });

  after(() => closeAll());

  const call = (service: Service, method: string, path: string, body?: unknown) =>
    service.call(method, `/api/v1/seller/${path}`, {
      token,
      body,
      headers: { 'x-team-id': String(teamId) },
    });
  const list = async (service: Service, query = ''): Promise<JsonValue> => {
    const { status, body } = await call(service, 'GET', `lots${query}`);
    expect(status).to.equal(200);
    return body;
  };
  const titles = async (service: Service, query = '') =>
    (await list(service, query)).data.map(({ title }: { title: string }) => title);

  it('shows each lot as it is shown alone, and what everybody may see as everybody sees it', async () => {
    const { data, meta } = await list(here);
    expect(meta).to.deep.equal({ current_page: 1, last_page: 1, per_page: 15, total: 6 });
    expect(data.map(({ lot_number }: { lot_number: number }) => lot_number)).to.deep.equal([
      6, 5, 4, 3, 2, 1,
    ]);
    expect(data[0]).to.include({ status: 'draft', reserve_price: '250.05' });
    for (const lot of data) {
      expect((await call(here, 'GET', `lots/${lot.id}`)).body.data).to.deep.equal(lot);
      if (lot.status === 'draft') continue;
      const { reserve_price, consignor_id, consignor_status, relisted_from, created_at, ...shown } = lot;
      const { amendments, ...seen } = (await here.get(`/api/v1/lots/${lot.id}`)).body.data;
      expect([seen, amendments]).to.deep.equal([shown, []]);
      const own = [reserve_price, consignor_id, consignor_status, relisted_from];
      expect(own).to.deep.equal([null, null, null, null]);
      expect(created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    }
  });

  it('pages, by auction and by state, with exact totals', async () => {
    const numbers = async (query: string) => {
      const { data, meta } = await list(here, query);
      return [data.map(({ lot_number }: { lot_number: number }) => lot_number), meta.total, meta.last_page];
    };
    expect(await numbers('?per_page=4')).to.deep.equal([[6, 5, 4, 3], 6, 2]);
    expect(await numbers('?per_page=4&page=2')).to.deep.equal([[2, 1], 6, 2]);
    expect(await numbers('?per_page=4&page=9')).to.deep.equal([[], 6, 2]);
    expect(await numbers(`?per_page=2&auction_id=${auctionId}`)).to.deep.equal([[6, 5], 6, 3]);
    expect(await numbers(`?per_page=2&auction_id=${auctionId}&status=draft`)).to.deep.equal([[6], 1, 1]);
    expect(await numbers('?per_page=2&status=active')).to.deep.equal([[5, 4], 5, 3]);
    expect(await numbers('?status=sold')).to.deep.equal([[], 0, 1]);
    const foreign = await here.database.knex('auctions').where('team_id', otherTeam).first();
    expect(await numbers(`?auction_id=${foreign.id}`)).to.deep.equal([[], 0, 1]);
  });

  it('takes one statement for a page with its total, and none where nothing has changed a moment ago', async () => {
    const original = pg.Client.prototype.query;
    const requests: string[] = [];
    await list(here);
    pg.Client.prototype.query = function (this: pg.Client, ...parts: unknown[]) {
      const text = String((parts[0] as { text?: unknown } | null)?.text);
      if (/FROM lots l/.test(text)) requests.push(text);
      return Reflect.apply(original, this, parts) as unknown;
    } as typeof original;
    try {
      for (const [query, most] of [
        ['?per_page=3', 1],
        ['?per_page=3', 0],
        ['?per_page=100', 1],
        ['?status=passed', 1],
      ] as const) {
        requests.length = 0;
        await list(here, query);
        expect(requests, query).to.have.length(most);
      }
      requests.length = 0;
      const lot = {
        auction_id: auctionId,
        title: 'One of many',
        starting_bid: '1.00',
        lot_number: undefined,
      };
      const bulk = await call(here, 'POST', 'lots/bulk', { lots: Array.from({ length: 8 }, () => lot) });
      expect(bulk.body.data.results).to.have.length(8);
      expect(requests, 'bulk').to.have.length(1);
    } finally {
      pg.Client.prototype.query = original;
    }
  });

  it('shows a seller their own changes at once, made on another process too, and those of others in a second', async () => {
    const made = await call(here, 'POST', 'lots', {
      auction_id: auctionId,
      title: 'Made here',
      starting_bid: '5.00',
    });
    const { id } = made.body.data;
    for (let run = 0; run < 5; run += 1) {
      await Promise.all([list(here), list(there)]);
      const title = `Changed ${run}`;
      expect((await call(run % 2 === 0 ? here : there, 'PATCH', `lots/${id}`, { title })).status).to.equal(
        200,
      );
      expect([(await titles(here))[0], (await titles(there))[0]]).to.deep.equal([title, title]);
      const auctionTitle = `Sale ${run}`;
      await call(there, 'PATCH', `auctions/${auctionId}`, { title: auctionTitle });
      expect((await list(here)).data[0].auction.title).to.equal(auctionTitle);
    }
    await list(here);
    await here.database.knex('lots').where('id', id).update({ title: 'By somebody else' });
    await new Promise((done) => setTimeout(done, 1_050));
    expect((await titles(here))[0]).to.equal('By somebody else');
  });

  it('continues without Redis, caches nothing then, and says that live fields may lag', async () => {
    await here.redis.kill('SIGKILL');
    const { meta } = await list(here);
    expect(meta.stale).to.equal(true);
    await here.database.knex('lots').where('lot_number', 1).update({ title: 'While Redis is unavailable' });
    expect(await titles(here, '?per_page=100')).to.include('While Redis is unavailable');
    await here.database.knex('lots').where('lot_number', 1).update({ title: 'Still away' });
    expect(await titles(here, '?per_page=100')).to.include('Still away');
    await here.redis.restart();
    while ((await here.get('/readyz')).status !== 200) await new Promise((done) => setTimeout(done, 50));
  });

  it('keeps every lot’s team that of its auction', async () => {
    const { knex } = here.database;
    const wrong = () =>
      knex('lots as l')
        .join('auctions as a', 'a.id', 'l.auction_id')
        .whereRaw('l.team_id IS DISTINCT FROM a.team_id');
    expect(await wrong()).to.deep.equal([]);
    await knex('lots').update({ team_id: otherTeam });
    expect(await wrong()).to.deep.equal([]);
    await knex('auctions').where('id', auctionId).update({ team_id: otherTeam });
    expect(await wrong()).to.deep.equal([]);
    expect(Number((await knex('lots').where('team_id', teamId).count('* as n'))[0]!['n'])).to.equal(0);
  });
});

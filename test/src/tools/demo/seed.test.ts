/** Loading the demo: one that was cut off is finished by the next, and no transaction waits for it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { saleOf } from '../../../../engine/formats/formats.ts';
import { objectsIn } from '../../../../engine/objects.ts';
import { moneyParts } from '../../../../src/app/process/money-parts.ts';
import { bookDemoCollection } from '../../../../src/tools/demo/book-collection.ts';
import { SOLD_AUCTION } from '../../../../src/tools/demo/more-auctions.ts';
import { SELLER_TEAM } from '../../../../src/tools/demo/people.ts';
import { seedDemo } from '../../../../src/tools/demo/seed.ts';
import { projectAuction, sell } from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('loading the demo', function () {
  this.timeout(300_000);
  let service: Service;
  let dataDir: string;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'rostrum-demo-'));
    service = await startService();
  });
  after(async () => {
    await service.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const load = (onBid: () => void = () => undefined) => {
    const shown: string[] = [];
    const openBar = (label: string) => ({
      update(done: number, total: number) {
        if (done === total) shown.push(label);
        if (label.includes('bidding')) onBid();
      },
      stop() {},
    });
    return { shown, done: seedDemo(service.backends, { dataDir, onProgress: () => undefined, openBar }) };
  };
  const watched = async () => {
    const { knex } = service.database;
    const rows = await knex('watchlist as w')
      .join('users as u', 'u.id', 'w.user_id')
      .where('u.email', 'like', 'buyer@%');
    return rows.length;
  };
  const sellersTeam = async () => {
    const { knex } = service.database;
    const row = await knex('users as u')
      .join('teams as t', 't.id', 'u.current_team_id')
      .where('u.email', 'like', 'seller@%')
      .first<{ name: string }>('t.name');
    return row?.name;
  };

  it('holds no transaction while it bids, and is cut off there', async () => {
    const idle: Promise<unknown[]>[] = [];
    // SQL: views of the server’s own.
    const look = async () =>
      (
        await service.database.knex.raw(
          `SELECT a.query FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
           WHERE l.locktype = 'advisory' AND a.datname = current_database() AND a.xact_start < now() - interval '1 ms'
             AND a.state LIKE 'idle in transaction%'`,
        )
      ).rows;
    let lots = 0;
    const { done } = load(() => {
      lots += 1;
      if (lots === 3) idle.push(look());
      if (lots === 5) throw new Error('cut off');
    });
    const failure = await done.then(
      () => null,
      (error: Error) => error.message,
    );
    expect(failure).to.equal('cut off');
    expect(await Promise.all(idle)).to.deep.equal([[]]);
    expect(await watched()).to.equal(0);
  });

  it('is finished by the next load, which says how far it is', async () => {
    const { shown, done } = load();
    expect(await done).to.include({ loaded: false });
    expect(shown).to.deep.equal(['Demo marketplace: bidding on lots']);
    expect(await watched()).to.be.greaterThan(0);
    expect(await sellersTeam()).to.equal(SELLER_TEAM);
  });

  it('leaves alone what its people have changed since', async () => {
    await service.database.knex('watchlist').delete();
    const searches = await service.database.knex('saved_searches');
    expect(await load().done).to.include({ loaded: false, bids: 0 });
    expect(await watched()).to.equal(0);
    expect(await service.database.knex('saved_searches')).to.have.length(searches.length);
  });

  it('has sets of tracts that lead together, and bids that only stand', async () => {
    const { journal } = service.backends;
    const lot = await service.database
      .knex('lots as l')
      .join('auctions as a', 'a.id', 'l.auction_id')
      .where({ 'a.slug': 'miller-farm', 'l.lot_number': 1 })
      .first<{ id: number; auction_id: number }>('l.id', 'l.auction_id');
    const state = (await journal.load(lot.auction_id, lot.id)) ?? expect.fail('no such sale');
    const board = saleOf(state).board();
    expect(objectsIn(board['leading']).length).to.be.above(2);
    expect(objectsIn(board['standing']).length).to.be.above(2);
  });

  it('has its buyer pay a lot and book a collection when the first sale is over', async () => {
    const { backends, database } = service;
    const { knex } = database;
    const parts = { knex, ...moneyParts(service.config) };
    const gone = new AbortController();
    gone.abort();
    await bookDemoCollection(parts, gone.signal);
    expect(await knex('collections')).to.deep.equal([]);
    const lot = await knex('lots as l')
      .join('auctions as a', 'a.id', 'l.auction_id')
      .where({ 'a.slug': SOLD_AUCTION, 'l.lot_number': 2 })
      .first('l.id', 'l.auction_id');
    const buyer = await knex('users').where('email', 'like', 'buyer@%').first();
    await sell(backends.engine, lot.id, buyer, 10_000);
    const others = await knex('lots')
      .where('auction_id', lot.auction_id)
      .whereIn('lot_number', [1, 3])
      .pluck('id');
    for (const [n, other] of (
      await knex('users').where('email', 'like', '%.%@%').orderBy('id').limit(2)
    ).entries())
      await sell(backends.engine, others[n], other, 7_000);
    await projectAuction(database, backends.redis, lot.auction_id);
    for (const _ of ['first', 'again']) await bookDemoCollection(parts, new AbortController().signal);
    const booked = await knex('collections');
    expect(booked).to.have.length(1);
    expect(booked[0]).to.include({ auction_id: lot.auction_id, user_id: buyer.id });
    expect(await knex('collection_lots').pluck('lot_id')).to.deep.equal([lot.id]);
    const disputed = await knex('payments').where('disputed_cents', '>', 0);
    expect(disputed).to.have.length(2);
    const [draft] = await knex('auctions').where('status', 'draft');
    expect(await knex('lots').where('auction_id', draft.id)).to.have.length(5);
    expect(await knex('seller_applications').where('status', 'submitted')).to.have.length(1);
    expect(await knex('lot_reports')).to.have.length(1);
  });
});

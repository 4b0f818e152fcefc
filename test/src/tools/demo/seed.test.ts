/** Loading the demo: one that was cut off is finished by the next, and no transaction waits for it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SELLER_TEAM } from '../../../../src/tools/demo/people.ts';
import { seedDemo } from '../../../../src/tools/demo/seed.ts';
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
});

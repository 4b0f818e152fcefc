/**
 * How many statements an answer costs, however many rows it has; and that reads continue, marked stale, without Redis.
 */
import { expect } from 'chai';
import pg from 'pg';
import { aCategory, aLot, anAuction, aUser } from '../../support/builders.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';

/** Path → statements at most, nothing remembered: a list may need its total, and the tree once per second. */
const COSTS: readonly (readonly [path: string, most: number])[] = [
  ['/auctions?per_page=5', 2],
  ['/auctions?per_page=5&category_id=1&search=sale', 4],
  ['/auctions/1', 1],
  ['/auctions/1/lots', 3],
  ['/lots?per_page=100', 2],
  ['/lots?per_page=100&category_id=1&min_acres=1&state=TX', 3],
  ['/lots?search=lot', 2],
  ['/lots/geojson', 1],
  ['/lots/1', 1],
  ['/categories', 2],
  ['/categories?tree=true', 2],
  ['/categories/1/children', 2],
  ['/categories/1/schema', 1],
  ['/subscription-plans', 2],
  ['/cross-listing-platforms', 2],
  ['/help/categories', 2],
  ['/help/search?q=bid', 1],
];

/** Checks of the epoch and of the projection, which run between other statements, and the setup of new connections. */
const IN_THE_BACKGROUND = /"journal_meta"|"projection_positions"|^SET TIME ZONE/;

const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : String((query as { text?: unknown } | null)?.text);

describe('what catalog reads cost', () => {
  let service: Service;
  let token: string;
  let counted = 0;
  const original = pg.Client.prototype.query;

  before(async () => {
    service = await startService();
    const db = service.database;
    const category = await aCategory(db);
    for (let n = 0; n < 8; n += 1) {
      const auction = await anAuction(db, { title: `Sale ${n}`, category_id: category.id });
      for (let m = 0; m < 5; m += 1) {
        const lot = await aLot(db, { auction_id: auction.id, acres: '5', state: 'TX', lat: n, lng: m });
        await db.knex('media').insert({
          lot_id: lot.id,
          kind: 'image',
          file_key: `lots/${lot.id}.jpg`,
          file_name: 'a.jpg',
          mime_type: 'image/jpeg',
          size: 1,
        });
      }
    }
    const user = await aUser(db);
    token = await service.tokenFor(user);
    for (const lotId of [1, 2, 3]) await db.knex('watchlist').insert({ user_id: user.id, lot_id: lotId });
    await service.get('/api/v1/me', token);
    pg.Client.prototype.query = function (this: pg.Client, ...parts: unknown[]) {
      if (!IN_THE_BACKGROUND.test(textOf(parts[0]))) counted += 1;
      return Reflect.apply(original, this, parts) as unknown;
    } as typeof original;
  });
  after(async () => {
    pg.Client.prototype.query = original;
    await service.close();
  });

  /**
   * What an answer costs, at most `most` where one of three tries comes to that: others look at the epoch meanwhile.
   */
  const cost = async (path: string, max: number, bearer?: string): Promise<number> => {
    let min = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 3 && min > max; run += 1) {
      await new Promise((done) => setTimeout(done, run === 0 ? 0 : 1_050));
      counted = 0;
      expect((await service.get(`/api/v1${path}`, bearer)).status, path).to.equal(200);
      min = Math.min(min, counted);
    }
    return min;
  };

  it('takes the same few statements for many rows as for one', async () => {
    // One more for a look at the epoch.
    for (const [path, max] of COSTS) expect(await cost(path, max + 1), path).to.be.at.most(max + 1);
    expect(await cost('/me/watchlist', 1, token)).to.be.at.most(1);
  });

  it('runs none while the answer is cached', async () => {
    let min = Number.POSITIVE_INFINITY;
    // It is kept for a moment, which may pass between the two.
    for (let run = 0; run < 3 && min > 1; run += 1) {
      await service.get('/api/v1/auctions?per_page=7');
      counted = 0;
      await service.get('/api/v1/auctions?per_page=7');
      min = Math.min(min, counted);
    }
    expect(min).to.be.at.most(1);
  });

  it('continues without Redis, and says so', async () => {
    await service.publish();
    await service.redis.kill('SIGKILL');
    for (const path of ['/lots?per_page=99', '/lots/1', '/auctions/1/lots', '/lots/geojson?limit=3']) {
      const { status, body } = await service.get(`/api/v1${path}`);
      expect(status, path).to.equal(200);
      expect(body.meta, path).to.deep.equal({ stale: true });
    }
    const list = (await service.get('/api/v1/me/watchlist', token)).body as JsonValue;
    expect(list.meta).to.include({ stale: true, total: 3 });
    expect((await service.get('/api/v1/auctions')).body.meta).to.equal(undefined);
    await service.redis.restart();
    while ((await service.get('/readyz')).status !== 200) await new Promise((done) => setTimeout(done, 50));
  });
});

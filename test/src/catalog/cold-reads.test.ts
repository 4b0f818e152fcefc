/**
 * Reads of lots that this process has not seen, while nothing is projected: every one that promises live fields returns
 * the newest price or says that it may be stale, even several at once. The list of them comes from the API's
 * description.
 */
import { expect } from 'chai';
import { pino } from 'pino';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { type Backends, openBackends } from '../../../src/app/process/backends.ts';
import { publishAuction } from '../../../src/bidding/records/publishing.ts';
import { placeBid } from '../../support/auction-house.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { projectAuction } from '../../support/money.ts';
import { redisCommand } from '../../support/redis-replicas.ts';
import { type Answer, type JsonValue, type Service, startService } from '../../support/service.ts';

/** A lot that another process has accepted bids on; this one has not read it. */
interface ColdLot {
  readonly lotId: number;
  readonly auctionId: number;
  readonly price: string;
}

describe('cold reads of live fields', () => {
  let service: Service;
  let elsewhere: Backends;
  let owner: User;
  let teamId: number;
  let token: string;
  let bidder: User;
  let bidderToken: string;
  let price = 10_000;

  before(async () => {
    service = await startService();
    const { databaseUrl, redis } = service;
    elsewhere = await openBackends({ databaseUrl, redisUrl: redis.redisUrl }, pino({ level: 'silent' }));
    owner = await aUser(service.database);
    teamId = (await aTeam(service.database, { owner })).id;
    token = await service.tokenFor(owner, ['seller', 'read', 'write']);
    bidder = await aUser(service.database);
    bidderToken = await service.tokenFor(bidder, ['read', 'write']);
  });

  after(async () => {
    await elsewhere.close();
    await service.close();
  });

  async function coldLot(): Promise<ColdLot> {
    const auction = await anAuction(service.database, { team_id: teamId });
    const lot = await aLot(service.database, { auction_id: auction.id, lat: 30, lng: -97 });
    await publishAuction(elsewhere, auction.id);
    await elsewhere.engine.submit(lot.id, { type: 'advance' });
    await projectAuction(service.database, elsewhere.redis, auction.id);
    await service.backends.knex('watchlist').insert({ lot_id: lot.id, user_id: bidder.id });
    price += 1_000;
    const result = await elsewhere.engine.submit(lot.id, placeBid(bidder.id, price, null));
    expect(result.kind === 'answer' && result.answer.kind).to.equal('bid');
    return { lotId: lot.id, auctionId: auction.id, price: (price / 100).toFixed(2) };
  }

  const asSeller = (path: string) =>
    service.call('GET', path, { token, headers: { 'x-team-id': String(teamId) } });
  const asBidder = (path: string) => service.call('GET', path, { token: bidderToken });
  const READS: Readonly<Record<string, (cold: ColdLot) => Promise<Answer>>> = {
    getLot: ({ lotId }) => service.get(`/api/v1/lots/${lotId}`),
    'getLot, signed in': ({ lotId }) => asBidder(`/api/v1/lots/${lotId}`),
    listLots: ({ auctionId }) => service.get(`/api/v1/lots?auction_id=${auctionId}`),
    getLotMap: ({ auctionId }) => service.get(`/api/v1/lots/geojson?auction_id=${auctionId}`),
    listAuctionLots: ({ auctionId }) => service.get(`/api/v1/auctions/${auctionId}/lots`),
    listMyBids: () => asBidder('/api/v1/me/bids'),
    listWatchlist: () => asBidder('/api/v1/me/watchlist'),
    readBoard: () => asBidder('/api/v1/me/board'),
    listSellerLots: ({ auctionId }) => asSeller(`/api/v1/seller/lots?auction_id=${auctionId}`),
    getSellerLot: ({ lotId }) => asSeller(`/api/v1/seller/lots/${lotId}`),
    listLotBids: ({ lotId }) => service.get(`/api/v1/lots/${lotId}/bids`),
    'page of the lot': ({ lotId }) => service.get(`/lots/${lotId}`),
  };

  it('are all exercised here', () => {
    const names = new Set(Object.keys(READS).map((name) => name.split(',')[0]));
    const document = service.web.app.document as JsonValue;
    for (const name of readsOfLivePrices(document)) expect(names).to.include(name);
  });

  for (const [name, read] of Object.entries(READS)) {
    for (const atOnce of [1, 2, 5]) {
      it(`${name}, ${atOnce} at once`, async () => {
        const cold = await coldLot();
        const answers = await Promise.all(Array.from({ length: atOnce }, () => read(cold)));
        for (const answer of answers) {
          expect(answer.status, answer.text).to.equal(200);
          if (answer.body?.meta?.stale === true) continue;
          expect(answer.text, `instead of ${cold.price}`).to.include(cold.price);
        }
      });
    }
  }

  it('report at once, each of them, that Redis has been emptied', async () => {
    const colds = new Map<string, ColdLot>();
    for (const name of Object.keys(READS)) colds.set(name, await coldLot());
    // Seen once, so that what is remembered is tried too.
    const seen = await coldLot();
    await service.get(`/api/v1/lots/${seen.lotId}`);
    await redisCommand(service.redis, ['FLUSHALL']);
    const answers = await Promise.all(
      [...colds].map(async ([name, cold]) => [name, await READS[name]!(cold)] as const),
    );
    const silent = answers.filter(([name, { text, body }]) =>
      name.startsWith('page') ? !text.includes('not up to date') : body?.meta?.stale !== true,
    );
    expect(silent.map(([name, { status }]) => `${name}: ${status}`)).to.deep.equal([]);
    expect((await service.get(`/api/v1/lots/${seen.lotId}`)).body.meta).to.deep.equal({ stale: true });
  });
});

/** The operations whose answer holds a `current_bid`. */
function readsOfLivePrices(document: JsonValue): string[] {
  const holds = (schema: JsonValue, seen: Set<unknown>): boolean => {
    if (schema === null || typeof schema !== 'object' || seen.has(schema)) return false;
    seen.add(schema);
    if (typeof schema.$ref === 'string') return holds(resolve(document, schema.$ref), seen);
    return (
      schema.properties?.current_bid !== undefined || Object.values(schema).some((part) => holds(part, seen))
    );
  };
  const reads = Object.values<JsonValue>(document.paths).flatMap((path) => (path.get ? [path.get] : []));
  return reads
    .filter((operation) => holds(operation.responses['200'], new Set()))
    .map((operation) => operation.operationId);
}

function resolve(document: JsonValue, ref: string): JsonValue {
  return ref
    .split('/')
    .slice(1)
    .reduce((at, key) => at[key], document);
}

/**
 * Placing bids over HTTP from two web processes' worth of engines: many at once, keys, and everything that must be
 * refused.
 */
import { expect } from 'chai';
import { userKey } from '../../../../engine/auction/record.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';
import { type FreshRedis, freshRedis } from '../../../support/redis-servers.ts';
import { type Answer, type JsonValue, type Service, startService } from '../../../support/service.ts';

const BIDDERS = 200;

describe('placing bids', () => {
  let redis: FreshRedis;
  let database: MigratedDatabase;
  let services: [Service, Service];
  let tokens: string[];

  before(async () => {
    redis = await freshRedis();
    database = await migratedDatabase();
    services = [await startService({ redis, database }), await startService({ redis, database })];
    const people = await Promise.all(Array.from({ length: BIDDERS }, () => aUser(database.db)));
    tokens = await Promise.all(people.map((person) => services[0].tokenFor(person)));
  });

  after(async () => {
    for (const service of services) await service.close();
    await redis.close();
    await database.drop();
  });

  async function liveLot(columns: Parameters<typeof aLot>[1] = {}) {
    const lot = await aLot(database.db, columns);
    await services[0].publish();
    return lot;
  }

  const bid = (n: number, lotId: number, body: unknown, headers: Record<string, string> = {}) =>
    services[n % 2]!.call('POST', `/api/v1/lots/${lotId}/bids`, {
      token: tokens[n % BIDDERS],
      body,
      headers,
    });
  const code = ({ status, body }: Answer) => [status, body.code ?? null];

  it('puts 200 bidders on one lot from two processes in one order, each with its sequence', async () => {
    const lot = await liveLot();
    const answers = await Promise.all(
      tokens.map((_, n) => bid(n, lot.id, { max_amount: String(100 + ((n * 7919) % 5_000)) })),
    );
    const accepted = answers.filter(({ status }) => status === 201).map(({ body }) => body.data);
    for (const answer of answers)
      expect(answer.status === 201 || answer.body.code === 'bid_too_low', answer.text).to.equal(true);
    const sequences = accepted.map(({ sequence }: JsonValue) => sequence);
    expect(new Set(sequences).size).to.equal(accepted.length);
    const seen: JsonValue[] = [];
    for (let page = 1; page <= 3; page += 1) {
      seen.push(
        ...(await services[1].get(`/api/v1/lots/${lot.id}/bids?per_page=100&page=${page}`)).body.data,
      );
    }
    expect(seen.map(({ id }) => id).sort()).to.deep.equal(accepted.map(({ id }: JsonValue) => id).sort());
    expect(seen.filter(({ status }) => status === 'leading')).to.have.length(1);
  });

  it('makes one leader and 199 clear answers of 200 equal bids at the same moment', async () => {
    const lot = await liveLot();
    const answers = await Promise.all(tokens.map((_, n) => bid(n, lot.id, { amount: '200.00' })));
    const leading = answers.filter(({ body }) => body.data?.outcome === 'leading');
    const low = answers.filter(({ body }) => body.code === 'bid_too_low');
    expect([leading.length, low.length]).to.deep.equal([1, BIDDERS - 1]);
  });

  it('makes one bid and equal answers of one key 50 times in parallel, by both paths and processes', async () => {
    const lot = await liveLot();
    const headers = { 'idempotency-key': 'the-same' };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        n % 3 === 0
          ? services[n % 2]!.call('POST', '/api/v1/bids', {
              token: tokens[0],
              body: { lot_id: lot.id, amount: 100 },
              headers,
            })
          : services[n % 2]!.call('POST', `/api/v1/lots/${lot.id}/bids`, {
              token: tokens[0],
              body: { amount: '100.00' },
              headers,
            }),
      ),
    );
    expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
    expect(answers[0]!.status).to.equal(201);
    expect(answers.filter(({ headers: own }) => own.get('idempotency-replayed') === null)).to.have.length(1);
    expect((await services[0].get(`/api/v1/lots/${lot.id}`)).body.data.bid_count).to.equal(1);
    const other = await services[0].call('POST', `/api/v1/lots/${lot.id}/bids`, {
      token: tokens[0],
      body: { amount: '110' },
      headers,
    });
    expect(code(other)).to.deep.equal([422, 'idempotency_key_reused']);
  });

  it('registers nobody by what is answered again under a key', async () => {
    const lot = await liveLot();
    const headers = { 'idempotency-key': 'low-at-first' };
    expect(code(await bid(0, lot.id, { amount: '50.00' }, headers))).to.deep.equal([422, 'bid_too_low']);
    const otherwise = await bid(0, lot.id, { amount: '200.00' }, headers);
    expect(code(otherwise)).to.deep.equal([422, 'idempotency_key_reused']);
    const { status, text } = await bid(0, lot.id, { amount: '50.00' }, headers);
    expect(status, text).to.equal(422);
    const key = userKey((await services[0].get('/api/v1/me', tokens[0])).body.data.id);
    const known = await services[1].backends.journal.loadBidders(lot.auction_id, [key]);
    expect(known.get(key)?.bidder ?? null).to.equal(null);
    expect((await bid(0, lot.id, { amount: '200.00' })).status).to.equal(201);
  });

  it('gives a refusal again under its key, but not one that asks for confirmation', async () => {
    const auction = await anAuction(database.db, { confirm_factor: 10 });
    const lot = await liveLot({ auction_id: auction.id });
    const low = { 'idempotency-key': 'low' };
    const first = await bid(0, lot.id, { amount: '50.00' }, low);
    expect(code(first)).to.deep.equal([422, 'bid_too_low']);
    await bid(1, lot.id, { amount: '200.00' });
    const again = await bid(0, lot.id, { amount: '50.00' }, low);
    expect([again.text, again.headers.get('idempotency-replayed')]).to.deep.equal([first.text, 'true']);
    const high = { 'idempotency-key': 'high' };
    expect(code(await bid(2, lot.id, { amount: '9000.00' }, high))).to.deep.equal([
      409,
      'bid_confirmation_required',
    ]);
    expect((await bid(2, lot.id, { amount: '9000.00', confirm: true }, high)).status).to.equal(201);
    expect((await bid(2, lot.id, { amount: '9000.00' }, high)).headers.get('idempotency-replayed')).to.equal(
      'true',
    );
  });

  it('refuses lots that are unknown, closed, of the future, withdrawn, paused by nobody, or one’s own', async () => {
    const owner = await aUser(database.db);
    const own = await services[0].tokenFor(owner);
    const team = await aTeam(database.db, { owner });
    const auction = await anAuction(database.db, { team_id: team.id });
    const lot = await liveLot({ auction_id: auction.id });
    const hour = (n: number) => new Date(Date.now() + n * 3_600_000).toISOString();
    const future = await anAuction(database.db, {
      status: 'scheduled',
      start_time: hour(1),
      end_time: hour(2),
    });
    const later = await liveLot({ auction_id: future.id, status: 'scheduled' });
    const past = await anAuction(database.db, { start_time: hour(-2), end_time: hour(-1) });
    const over = await liveLot({ auction_id: past.id });
    const gone = await liveLot();
    await services[0].backends.engine.submit(gone.id, { type: 'withdraw', reason: 'test', byAdmin: true });
    const body = { amount: '100.00' };
    expect(code(await bid(0, 987_654_321, body))).to.deep.equal([404, null]);
    expect(code(await bid(0, later.id, body))).to.deep.equal([409, 'lot_not_started']);
    expect(code(await bid(0, over.id, body))).to.deep.equal([409, 'lot_closed']);
    expect(code(await bid(0, gone.id, body))).to.deep.equal([409, 'lot_withdrawn']);
    const mine = await services[0].call('POST', `/api/v1/lots/${lot.id}/bids`, { token: own, body });
    expect(code(mine)).to.deep.equal([403, 'seller_cannot_bid']);
  });

  it('refuses every amount that is none, and records nothing', async () => {
    const lot = await liveLot();
    const bad: unknown[] = [
      '-5',
      '0',
      '0.00',
      '100.001',
      '1e3',
      'NaN',
      '0x10',
      ' 5',
      '5 ',
      '',
      '1000000000000000',
      '.5',
      '5.',
      '1,000',
      '+5',
      '１００',
      -5,
      0,
      100.001,
      1e15,
      true,
      null,
      [],
      ['5'],
      {},
      { amount: '5' },
    ];
    for (const amount of bad) {
      for (const field of ['amount', 'max_amount']) {
        const refused = await bid(0, lot.id, { [field]: amount });
        expect([amount, field, ...code(refused)]).to.deep.equal([amount, field, 422, 'validation_failed']);
        expect(refused.body.errors, JSON.stringify(amount)).to.have.property(field);
      }
    }
    const wrong: unknown[] = [
      {},
      { confirm: true },
      { amount: '100', max_amount: '99' },
      { amount: '100', extra: 1 },
      { amount: '100', currency: 'dollars' },
      { amount: '100', confirm: 'yes' },
      [],
      'text',
      7,
      null,
    ];
    for (const body of wrong) {
      const refused = await bid(0, lot.id, body);
      expect([JSON.stringify(body), refused.status]).to.deep.equal([JSON.stringify(body), 422]);
    }
    expect(code(await bid(0, lot.id, { amount: '100', currency: 'EUR' }))).to.deep.equal([
      422,
      'currency_mismatch',
    ]);
    for (const key of ['x'.repeat(256), 'two words', 'tab\there']) {
      const refused = await bid(0, lot.id, { amount: '100' }, { 'idempotency-key': key });
      expect([refused.status, Object.keys(refused.body.errors)]).to.deep.equal([422, ['idempotency_key']]);
    }
    const kept = await services[0].get(`/api/v1/lots/${lot.id}`);
    expect(kept.body.data).to.include({ bid_count: 0, current_bid: '0.00' });
  });

  it('refuses callers who are anonymous or may not write', async () => {
    const lot = await liveLot();
    const reader = await services[0].tokenFor(await aUser(database.db), ['read']);
    const call = (token: string | undefined) =>
      services[0].call('POST', `/api/v1/lots/${lot.id}/bids`, { token, body: { amount: '100.00' } });
    expect(code(await call(undefined))).to.deep.equal([401, 'unauthenticated']);
    expect(code(await call('rst_wrong'))).to.deep.equal([401, 'unauthenticated']);
    const refused = await call(reader);
    expect(code(refused)).to.deep.equal([403, 'missing_ability']);
    expect(refused.body.data.required).to.equal('write');
  });
});

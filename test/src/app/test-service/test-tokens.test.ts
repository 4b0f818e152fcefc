/** Test tokens over two services: a real one, and the test service that it passes them on to. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { freePort } from '../../../../adapters/embedded/ports.ts';
import { suspendUser } from '../../../../src/accounts/people/accounts.ts';
import { announceAccountChange } from '../../../../src/accounts/tokens/account-changes.ts';
import { createToken, revokeToken } from '../../../../src/accounts/tokens/tokens.ts';
import { FIRST_TEST_ID } from '../../../../src/app/test-service/ids-apart.ts';
import { bearerOf } from '../../../../src/app/test-service/test-callers.ts';
import { keepTestSale } from '../../../../src/app/test-service/test-sale.ts';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aCategory, aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { readStream } from '../../../support/event-stream.ts';
import { aSale } from '../../../support/money.ts';
import { type Answer, type Service, startService } from '../../../support/service.ts';

const SECRET = 'the-secret-of-the-test-service';

describe('test tokens', () => {
  let real: Service;
  let tests: Service;
  let token: string;
  let tokenId: number;
  /** Ids of something real, by the part of a path before them. */
  const known: Record<string, string | number> = {};
  let sold: { readonly lots: number; readonly auctions: number };

  before(async () => {
    tests = await startService({ env: { TEST_SERVICE_SECRET: SECRET, TRUST_PROXY: '127.0.0.1' } });
    real = await startService({ env: { TEST_SERVICE_SECRET: SECRET, TEST_SERVICE_URL: tests.url } });
    expect(await keepTestSale(tests.backends)).to.equal(true);
    const { database } = real;
    const owner = await aUser(database, { verified: true });
    const team = await aTeam(database, { owner });
    const category = await aCategory(database);
    const auction = await anAuction(database, { team_id: team.id, category_id: category.id });
    const lot = await aLot(database, { auction_id: auction.id });
    await real.publish();
    const made = await createToken(database.knex, {
      email: owner.email,
      abilities: ['read', 'write', 'seller'],
      kind: 'test',
    });
    ({ token, id: tokenId } = made);
    Object.assign(known, {
      lots: lot.id,
      auctions: auction.id,
      teams: team.id,
      categories: category.id,
      users: owner.id,
      members: owner.id,
    });
    sold = { lots: await count('lots'), auctions: await count('auctions') };
  });
  after(async () => {
    await real?.close();
    await tests?.close();
  });

  const count = async (table: string): Promise<number> => {
    const [row] = await real.database.knex(table).count<{ count: number }[]>();
    return Number(row?.count);
  };
  const firstLot = async (): Promise<Answer['body']> =>
    (await real.get('/api/v1/lots?per_page=1', token)).body.data.data[0];

  it('find the test sale and nothing else, and bid on it', async () => {
    expect(token).to.match(/^rst_test_/);
    const { body } = await real.get('/api/v1/lots?per_page=50', token);
    expect(body.data.total).to.equal(10);
    for (const { id, title } of body.data.data) {
      expect(id).to.be.at.least(FIRST_TEST_ID);
      expect(title).to.match(/^Test lot 1\./);
    }
    expect(body.data.next_page_url).to.equal(null);
    const lot = await firstLot();
    const placed = await real.call('POST', `/api/v1/lots/${lot.id}/bids`, {
      token,
      body: { max_amount: '40.00' },
      headers: { 'idempotency-key': 'a-test' },
    });
    expect([placed.status, placed.body.data.outcome]).to.deep.equal([201, 'leading']);
    const stream = await readStream(`${real.url}/api/v1/lots/${lot.id}/stream`, {
      token,
      enough: (events) => events.length > 0,
    });
    expect(stream.events[0]?.data).to.include({ id: lot.id, bid_count: 1 });
    const own = await real.get('/api/v1/me/bids', token);
    expect(own.body.data.map(({ lot: { id } }: { lot: { id: number } }) => id)).to.deep.equal([lot.id]);
  });

  it('are answered 404 for everything real, whatever they are sent to', async () => {
    const routes = real.web.app.endpoints.filter(({ undocumented, path }) => {
      return undocumented !== true && /\{(?!key|code|number|platform)/.test(path);
    });
    expect(routes.length).to.be.above(60);
    const before = await snapshot(real);
    const seen: string[] = [];
    let missing = 0;
    for (const { method, path } of routes) {
      const filled = path.replaceAll(
        /\/([^/]+)\/\{[^}]+\}/g,
        (_, part: string) => `/${part}/${known[part] ?? 1}`,
      );
      const answer = await real.call(method, filled, { token, ...(method === 'GET' ? {} : { body: {} }) });
      // A body that is not valid is refused before anything is looked for.
      if (answer.status === 404) missing += 1;
      if (![403, 404, 422].includes(answer.status)) seen.push(`${method} ${filled}: ${answer.status}`);
      else if (answer.status === 422 && method === 'GET') seen.push(`${method} ${filled}: 422`);
    }
    expect(seen.filter((line) => !HARMLESS.test(line))).to.deep.equal([]);
    expect(missing).to.be.above(30);
    expect(await snapshot(real)).to.deep.equal(before);
  });

  it('are seen by nobody else: what they do is in no list of the real service', async () => {
    const { body } = await real.get('/api/v1/lots?per_page=50');
    expect(body.data.data.map(({ id }: { id: number }) => id)).to.deep.equal([known['lots']]);
    expect((await real.get(`/api/v1/lots/${(await firstLot()).id}`)).status).to.equal(404);
    const { text } = await real.get('/sitemaps/lots-1.xml');
    expect(text).not.to.contain(String(FIRST_TEST_ID));
    expect([await count('lots'), await count('auctions')]).to.deep.equal([sold.lots, sold.auctions]);
    expect(await count('bids')).to.equal(0);
  });

  it('belong to an account of their own, which is no admin and no more than the token says', async () => {
    const { body } = await real.get('/api/v1/me', token);
    expect(body.data.email).to.equal(`user-${known['users']}@test.invalid`);
    const admin = await aUser(real.database, { is_admin: true });
    const refusal = await createToken(real.backends.knex, {
      email: admin.email,
      abilities: ['admin'],
      kind: 'test',
    }).catch(String);
    expect(refusal).to.contain('"admin" is not for test tokens');
    const reader = await createToken(real.backends.knex, {
      email: admin.email,
      abilities: ['read'],
      kind: 'test',
    });
    const lot = await firstLot();
    const answer = await real.call('POST', `/api/v1/lots/${lot.id}/bids`, {
      token: reader.token,
      body: { amount: '100.00' },
    });
    expect([answer.status, answer.body.code]).to.deep.equal([403, 'missing_ability']);
  });

  it('follow their account while they are used all the time', async () => {
    const { knex } = tests.database;
    const { id } = await knex('users').where('email', `user-${known['users']}@test.invalid`).first('id');
    const suspend = (suspended_at: Date | null) => knex('users').where({ id }).update({ suspended_at });
    const path = `/api/v1/lots/${(await firstLot()).id}/watchlist`;
    const answered = async (code: string | undefined) => {
      const deadline = performance.now() + 5_000;
      while ((await real.call('POST', path, { token })).body.code !== code) {
        expect(performance.now()).to.be.below(deadline);
        await sleep(50);
      }
    };
    await suspend(new Date());
    await answered('account_suspended');
    await suspend(null);
    await answered(undefined);
  });

  it('sell on the test service too', async () => {
    const answer = await real.call('POST', '/api/v1/seller/auctions', {
      token,
      body: {
        title: 'A sale to try',
        start_time: new Date(Date.now() + 60_000).toISOString(),
        end_time: new Date(Date.now() + 3_600_000).toISOString(),
      },
    });
    expect(answer.status).to.equal(201);
    expect(answer.body.data.id).to.be.at.least(FIRST_TEST_ID);
    expect(await count('auctions')).to.equal(sold.auctions);
  });

  it('pay with sandbox money, at the address that the invoice names', async () => {
    const { invoice } = await aSale(tests, 5_000);
    const answer = await fetch(`${real.url}/sandbox/pay/${invoice.invoice_number}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: new URLSearchParams({ outcome: 'paid' }),
    });
    expect(answer.status).to.equal(200);
    const { status } = await tests.database.knex('invoices').where('id', invoice.id).first('status');
    expect(status).to.equal('paid');
    expect(await count('invoices')).to.equal(0);
  });

  it('are 401 once revoked, and where they are unknown', async () => {
    expect((await real.get('/api/v1/me', 'rst_test_none')).status).to.equal(401);
    await revokeToken(real.backends.knex, tokenId);
    await announceAccountChange(real.backends.pubSub, { tokenIds: [tokenId] });
    const deadline = performance.now() + 5_000;
    while ((await real.get('/api/v1/me', token)).status !== 401) {
      expect(performance.now()).to.be.below(deadline);
      await sleep(50);
    }
  });

  it('let nobody past their front', async () => {
    const caller = { id: 1, name: 'Somebody', abilities: ['read' as const] };
    const answerTo = async (bearer?: string) => (await tests.get('/api/v1/lots', bearer)).status;
    expect(await answerTo()).to.equal(404);
    expect(await answerTo(bearerOf('another-secret', caller))).to.equal(404);
    expect(await answerTo(`${SECRET}.nonsense`)).to.equal(401);
    expect(await answerTo(bearerOf(SECRET, caller))).to.equal(200);
    expect((await tests.get('/healthz')).status).to.equal(200);
  });

  it('are made on the page, which says what they are for', async () => {
    const user = await aUser(real.database, { password_hash: quickHash('a long enough password') });
    const browser = new BrowserLike(real.url);
    await signIn(browser, user.email, 'a long enough password');
    const path = '/account/developer/tokens';
    expect((await browser.get(path)).text).to.contain('<option value="test">Test: acts on the test sale');
    const page = await browser.post(path, { name: 'Robot', kind: 'test', read: '1' });
    expect(page.status).to.equal(201);
    const [, made = ''] = /data-token>([^<]+)</.exec(page.text) ?? [];
    expect((await real.get('/api/v1/me', made)).body.data.email).to.equal(`user-${user.id}@test.invalid`);
    expect((await browser.get(path)).text).to.contain('<span class="pill">test</span>');
    expect((await real.get('/docs/quick-start')).text).to.contain('of the kind <strong>Test</strong>');
    const live = await browser.post(path, { name: 'Robot', read: '1' });
    expect(/data-token>(rst_(?!test_)[^<]+)</.exec(live.text)).not.to.equal(null);
  });

  it('are suspended with their person', async () => {
    const user = await aUser(real.database);
    const made = await createToken(real.backends.knex, {
      email: user.email,
      abilities: ['read'],
      kind: 'test',
    });
    await suspendUser(real.backends.knex, user.email);
    const { status, body } = await real.get('/api/v1/me', made.token);
    expect([status, body.code]).to.deep.equal([403, 'account_suspended']);
  });

  it('are answered 503 while their service is away, and 401 where there is none', async () => {
    const user = await aUser(real.database);
    const { token: made } = await createToken(real.backends.knex, {
      email: user.email,
      abilities: ['read'],
      kind: 'test',
    });
    const answerTo = async (env: Record<string, string>) => {
      const { database, databaseUrl, redis } = real;
      const other = await startService({ env, redis, database: { db: database, databaseUrl } });
      try {
        return await other.get('/api/v1/lots', made);
      } finally {
        await other.close();
      }
    };
    const away = await answerTo({
      TEST_SERVICE_SECRET: SECRET,
      TEST_SERVICE_URL: `http://127.0.0.1:${await freePort()}`,
    });
    expect([away.status, away.headers.get('retry-after')]).to.deep.equal([503, '1']);
    expect((await answerTo({})).status).to.equal(401);
  });

  it('have another round of the sale before the last one is over', async () => {
    expect(await keepTestSale(tests.backends)).to.equal(false);
    expect(await keepTestSale(tests.backends, Date.now() + 51 * 60_000)).to.equal(true);
    const { knex } = tests.database;
    expect(await knex('auctions').whereLike('slug', 'test-sale-%').orderBy('id').pluck('slug')).to.deep.equal(
      ['test-sale-1', 'test-sale-2'],
    );
  });
});

/** Answers about things that have no id of anybody's: of the list of a lot's or nobody's. Uploads take no JSON. */
const HARMLESS = /^DELETE \S+\/(follow|watchlist): 200$|\/photos: 415$/;

/** What a process notes by itself, whoever calls. */
const NOTED = /^journal_(marks|epochs|writers|gaps|meta)$/;

/** How much there is of everything. */
async function snapshot({ database: { knex } }: Service): Promise<Record<string, number>> {
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema() ORDER BY 1',
  );
  const counts: Record<string, number> = {};
  for (const { name } of rows.filter((row) => !NOTED.test(row.name))) {
    const [row] = await knex(name).count<{ count: number }[]>();
    counts[name] = Number(row?.count);
  }
  return counts;
}

/**
 * Every operation of the API while a part of the service is unavailable: callers get 503 or an answer from what is
 * left, at once, and never an internal error. The operations come from the service's own document.
 */
import { expect } from 'chai';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { type MigratedDatabase, migratedDatabase } from '../../support/migrated-database.ts';
import { type Service, startService } from '../../support/service.ts';
import { slowness } from '../../support/slowness.ts';
import { openWire, type Wire } from '../../support/wire.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const AT_ONCE_MS = 3_000 * slowness();

interface Operation {
  readonly method: string;
  readonly path: string;
}

function operationsOf(service: Service): Operation[] {
  const { paths } = service.web.app.document as unknown as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter((method) => METHODS.includes(method))
      .map((method) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{[^}]+\}/g, '1') })),
  );
}

/** What is wrong with the answers: a bug's status, or a wait. */
async function faultsOf(service: Service, token: string): Promise<string[]> {
  const faults: string[] = [];
  for (const { method, path } of operationsOf(service)) {
    if (path.endsWith('/stream')) continue;
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: { amount: '100.00' } };
    const request = async () => {
      const started = performance.now();
      const { status, headers } = await service.call(method, path, { token, ...body });
      return { status, headers, tookMs: performance.now() - started };
    };
    let answer = await request();
    // What waits for a part waits each time; a machine that is busy elsewhere does not.
    if (answer.tookMs > AT_ONCE_MS) answer = await request();
    const { status, headers, tookMs } = answer;
    const says = status !== 503 || headers.get('retry-after') !== null;
    if (status === 500 || tookMs > AT_ONCE_MS || !says)
      faults.push(`${method} ${path}: ${status} after ${tookMs.toFixed()} ms`);
  }
  return faults;
}

describe('the whole API while a part is unavailable', () => {
  let database: MigratedDatabase;
  let wire: Wire;
  let service: Service;
  let token: string;

  beforeEach(async () => {
    database = await migratedDatabase();
    const url = new URL(database.databaseUrl);
    wire = await openWire(Number(url.port));
    url.port = String(wire.port);
    service = await startService({ database: { db: database.db, databaseUrl: url.href } });
    const user = await aUser(database.db);
    const auction = await anAuction(database.db);
    await aLot(database.db, { auction_id: auction.id });
    await service.publish();
    token = await service.tokenFor(user, ['read', 'write', 'seller']);
    // Known to the process, as the tokens of people who bid are.
    expect((await service.get('/api/v1/me', token)).status).to.equal(200);
  });

  afterEach(async () => {
    await service.close();
    await wire.close().catch(() => undefined);
    await database.drop();
  });

  it('says so when it is Postgres', async () => {
    await wire.close();
    expect(await faultsOf(service, token)).to.deep.equal([]);
    expect((await service.get('/api/v1/invoices', token)).status).to.equal(503);
  });

  it('says so when it is Postgres that hangs, and shows what it read last as not up to date', async () => {
    const reads = ['/api/v1/auctions', '/api/v1/lots/1', '/api/v1/categories', '/api/v1/lots/geojson'];
    for (const path of reads) expect((await service.get(path)).status, path).to.equal(200);
    const page = (path: string) => service.call('GET', path, { headers: { accept: 'text/html' } });
    expect((await page('/')).text).to.not.include('not up to date');
    wire.hang(true);
    const startMs = performance.now();
    const waited = await Promise.all([
      service.get('/api/v1/invoices', token),
      service.get('/api/v1/auctions?per_page=7'),
      page('/lots/1'),
    ]);
    expect(performance.now() - startMs).to.be.within(3_000, 6_000);
    for (const answer of waited) {
      expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '1']);
    }
    expect(waited[2]?.headers.get('content-type')).to.match(/^text\/html/);
    expect(await faultsOf(service, token)).to.deep.equal([]);
    // What comes from memory looks nobody up: a token that the process does not know is no reason to wait.
    for (const path of ['/healthz', '/docs/api/openapi.json']) {
      expect([path, (await service.get(path, 'a token of nobody')).status]).to.deep.equal([path, 200]);
    }
    for (const path of reads) {
      const { status, body } = await service.get(path);
      expect([path, status, body.meta?.stale]).to.deep.equal([path, 200, true]);
    }
    const start = await page('/');
    expect(start.status).to.equal(200);
    expect(start.text)
      .to.include('not up to date')
      .and.to.match(/name="csrf-token" content=""/);
    wire.hang(false);
    const deadlineMs = performance.now() + 60_000;
    while ((await service.get('/api/v1/invoices', token)).status !== 200) {
      expect(performance.now()).to.be.lessThan(deadlineMs);
    }
    expect((await service.get('/api/v1/auctions')).body).to.not.have.property('meta');
  });

  it('says so when it is Redis', async () => {
    const password = 'a long enough password';
    const person = await aUser(database.db, { password_hash: quickHash(password) });
    const [signedIn, visitor] = [new BrowserLike(service.url), new BrowserLike(service.url)];
    expect((await signIn(signedIn, person.email, password)).status).to.equal(303);
    await service.redis.kill();
    // Sessions are in Redis: whose page it would be is not known, and nobody is signed out by that.
    const [theirs, anybodys] = await Promise.all([signedIn.get('/lots/1'), visitor.get('/lots/1')]);
    expect([theirs.status, theirs.headers.get('set-cookie')]).to.deep.equal([503, null]);
    expect([anybodys.status, anybodys.text.includes('not up to date')]).to.deep.equal([200, true]);
    expect(await faultsOf(service, token)).to.deep.equal([]);
    // Whether lists are behind is looked up every second or so.
    const markedMs = performance.now() + 60_000;
    while ((await service.get('/api/v1/auctions')).body.meta?.stale !== true) {
      expect(performance.now()).to.be.lessThan(markedMs);
    }
    for (const path of ['/api/v1/auctions', '/api/v1/auctions/1', '/api/v1/lots/1', '/api/v1/lots']) {
      const { status, body } = await service.get(path);
      expect([path, status, body.meta]).to.deep.equal([path, 200, { stale: true }]);
    }
    await service.redis.restart();
  });

  it('says so when the schema is not there yet', async () => {
    await database.db.knex.raw('ALTER SCHEMA public RENAME TO elsewhere; CREATE SCHEMA public');
    expect(await faultsOf(service, token)).to.deep.equal([]);
    expect((await service.get('/api/v1/auctions')).status).to.equal(503);
  });
});

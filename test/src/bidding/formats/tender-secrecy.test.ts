/**
 * What a tender hides: no answer to anybody but the bidder changes by a bid, and nothing that is kept tells an amount.
 */
import { expect } from 'chai';
import { makeCheckpoint } from '../../../../src/bidding/fairness/checkpoints.ts';
import { lotsWithoutKey } from '../../../../src/bidding/records/sealing-keys.ts';
import { nodeSeals } from '../../../../src/shared/node-seals.ts';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aUser } from '../../../support/builders.ts';
import { readStream } from '../../../support/event-stream.ts';
import { everythingKept } from '../../../support/everything-kept.ts';
import { PASSWORD, type Sale } from '../../../support/format-sales.ts';
import { projectAuction } from '../../../support/money.ts';
import { type FreshRedis, freshRedis } from '../../../support/redis-servers.ts';
import { type Service, startService } from '../../../support/service.ts';
import { SEAL_KEY, TenderSales } from '../../../support/tender-sales.ts';

/** Parts of a page that differ from one request to the next. */
const FLEETING = [
  /<meta name="csrf-token"[^>]*>/g,
  /name="_csrf" value="[^"]*"/g,
  /<meta name="server-time"[^>]*>/g,
  /since=\d+/g,
  /<lastBuildDate>[^<]*/g,
  /name="key" value="[^"]*"/g,
  /nonce="[^"]*"/g,
  /\d+ (seconds?|minutes?) ago/g,
  /name="idempotency_key" value="[^"]*"/g,
  /data-(now|since|server-time)="[^"]*"/g,
];

describe('the secrecy of a tender', () => {
  let redis: FreshRedis;
  let service: Service;
  let sales: TenderSales;

  before(async () => {
    redis = await freshRedis();
    service = await startService({ env: { SEAL_KEY }, redis });
    sales = await TenderSales.of(service);
  });

  after(async () => {
    await service.close();
    await redis.close();
  });

  const project = ({ id }: Sale) => projectAuction(service.database, service.backends.redis, id);
  const checkpoint = () =>
    makeCheckpoint(
      { knex: service.backends.knex, secrets: service.config.appSecrets, name: 'test/j' },
      'live',
    );

  /** Everything that somebody may look at, as it is now. */
  async function seen(
    { id, slug, lots: [lot] }: Sale,
    tokens: readonly (string | undefined)[],
    pages: BrowserLike[],
    people: readonly number[],
  ) {
    const api = [
      ...[`/api/v1/lots/${lot}`, `/api/v1/lots/${lot}/bids`, `/api/v1/lots/${lot}/journal`],
      ...[`/api/v1/lots/${lot}/proof`, `/api/v1/lots/${lot}/journal/openings`, '/api/v1/lots?status=all'],
      ...['/api/v1/lots/geojson', '/api/v1/auctions'],
      ...[`/api/v1/auctions/${slug}`, `/api/v1/auctions/${id}/lots`],
      ...['/api/v1/checkpoints', '/api/v1/checkpoints/latest/note', '/api/v1/me/board', '/api/v1/me/bids'],
      ...['/api/v1/me/watchlist', '/api/v1/events', '/api/v1/seller/lots', `/api/v1/seller/lots/${lot}`],
      ...[`/api/v1/seller/auctions/${id}`, `/api/v1/seller/auctions/${id}/registrations`],
      ...['/api/v1/me/notifications', '/api/v1/invoices', '/api/v1/settlements'],
    ];
    const shown = [
      ...[`/lots/${lot}`, `/auctions/${slug}`, '/lots', '/lots.rss', '/auctions', `/lots/${lot}/standing`],
      ...[`/seller/auctions/${id}`, `/seller/auctions/${id}/live`, `/seller/auctions/${id}/results`],
      ...[`/seller/auctions/${id}/results.csv`, `/seller/lots/${lot}`],
      ...['/seller/lots', '/seller', '/seller/activity'],
      ...[
        `/seller/auctions/${id}/registrations`,
        '/office/queue',
        `/office/auctions/${id}`,
        `/office/lots/${lot}`,
      ],
      ...['/office/activity', '/office/people', ...people.map((one) => `/office/people/${one}`)],
    ];
    const found = new Map<string, string>();
    // What nobody here may see would be the same before and after, whatever it tells.
    const unseen = new Set([...api, ...shown]);
    for (const [index, token] of tokens.entries())
      for (const path of api) {
        const headers = { 'x-team-id': String(sales.team.id) };
        const answer = await service.call(
          'GET',
          path,
          index === 1 ? { token: token ?? '', headers } : { ...(token ? { token } : {}) },
        );
        if (answer.status === 200) unseen.delete(path);
        found.set(`${index} ${path}`, `${answer.status} ${answer.headers.get('etag')} ${answer.text}`);
      }
    for (const [index, browser] of pages.entries())
      for (const path of shown) {
        // The standing is for a script; whoever opens it as a page is sent to the lot.
        const accept = path.endsWith('/standing') ? 'application/json' : 'text/html';
        const page = await browser.get(path, { accept });
        if (page.status === 200) unseen.delete(path);
        const text = FLEETING.reduce((left, part) => left.replaceAll(part, ''), page.text);
        found.set(`page ${index} ${path}`, `${page.status} ${text}`);
      }
    expect([...unseen]).to.deep.equal([]);
    const stream = await readStream(`${service.url}/api/v1/lots/${lot}/stream`, {
      enough: (some) => some.length > 0,
    });
    found.set('stream', JSON.stringify(stream.events));
    const metrics = await service.get('/metrics');
    found.set(
      'metrics',
      metrics.text
        .split('\n')
        .filter((line) => line.includes('lot="') || line.includes('lot_id="'))
        .join(),
    );
    return found;
  }

  it('shows nobody but the bidder that there is a bid, in no answer, page, list, stream or proof', async function () {
    this.timeout(120_000);
    const tender = await sales.open([
      { tender_may_withdraw: true, tender_may_lower: true, reserve_price: '200.00' },
    ]);
    const [lot] = tender.lots;
    const [ann, bob] = [await sales.registered(tender), await sales.registered(tender)];
    const watcher = await sales.bidder();
    await service.call('POST', `/api/v1/lots/${lot}/watch`, { token: watcher.token });
    const pages: BrowserLike[] = [new BrowserLike(service.url)];
    const admin = await aUser(service.database, {
      is_admin: true,
      password_hash: quickHash(PASSWORD),
    });
    for (const user of [sales.owner, watcher.user, admin]) {
      const browser = new BrowserLike(service.url);
      expect((await signIn(browser, user.email, PASSWORD)).status).to.equal(303);
      pages.push(browser);
    }
    await project(tender);
    await checkpoint();
    const tokens = [undefined, sales.seller, watcher.token];
    const people = [ann.user.id, bob.user.id];
    await seen(tender, tokens, pages, people);
    const before = await seen(tender, tokens, pages, people);
    const live: { readonly id: string | null }[] = [];
    const heard = readStream(`${service.url}/api/v1/lots/${lot}/stream`, {
      enough: (events) => {
        live.splice(0, live.length, ...events);
        return false;
      },
      timeoutMs: 3_000,
    });
    const moved = readStream(`${service.url}/auctions/${tender.slug}/stream`, {
      enough: (events) => events.some(({ event }) => event !== 'tick'),
      timeoutMs: 3_000,
    });
    const made = await sales.bid(ann, lot, '250.00');
    expect(made.status, made.text).to.equal(201);
    expect((await sales.bid(bob, lot, '300.00')).status).to.equal(201);
    const other = await sales.bid(bob, lot, '150.00');
    expect(other.status, other.text).to.equal(201);
    expect((await sales.withdraw(bob, other.body.data.id)).status).to.equal(200);
    await project(tender);
    await checkpoint();
    const after = await seen(tender, tokens, pages, people);
    expect(
      [...before].flatMap(([what, text]) => differences(what, text, after.get(what) ?? '')),
    ).to.deep.equal([]);
    await heard;
    expect(live).to.have.length(1);
    const resumed = await readStream(`${service.url}/api/v1/lots/${lot}/stream`, {
      ...{ lastEventId: live[0]?.id ?? '', enough: (events) => events.length > 0, timeoutMs: 1_000 },
    });
    expect(resumed).to.deep.include({ status: 200, events: [] });
    expect((await sales.bid(bob, lot, '0.01')).body.code).to.equal('bid_too_low');
    await service.web.flush();
    for (const notes of ['bids_from', 'refused_bids'])
      expect(await service.backends.knex(notes).where('lot_id', lot), notes).to.deep.equal([]);
    expect((await moved).events.map(({ event }) => event)).to.deep.equal(['tick']);
  });

  it('keeps amounts nowhere: not in Redis, not in Postgres, not in the data folder', async function () {
    this.timeout(60_000);
    const tender = await sales.open([{ tender_final_round: 2 }, {}], {
      registration: { bid_limit: '9000000.00' },
    });
    const [lot, other] = tender.lots;
    const [ann, bob] = [await sales.registered(tender), await sales.registered(tender)];
    const bids = [
      await sales.bid(ann, lot, '71345.67', 'a-key'),
      await sales.bid(ann, lot, '71345.66', 'b-key'),
      await sales.bid(bob, lot, '71399.13', 'c-key'),
      await sales.bid(ann, lot, '71488.29', 'd-key'),
      await sales.bid(ann, other, '71522.31'),
      await sales.bid(bob, other, '9071522.31', 'e-key'),
    ];
    expect(bids.map(({ status }) => status)).to.deep.equal([201, 422, 201, 201, 201, 403]);
    await sales.end({ ...tender, lots: [lot ?? 0] });
    const last = await sales.bid(bob, lot, '71601.97', 'f-key');
    expect(last.status, last.text).to.equal(201);
    const found = () => everythingKept(redis, service);
    for (const moment of ['before it is projected', 'after']) {
      const kept = await found();
      expect(kept.length).to.be.greaterThan(10_000);
      const amounts = /71345\.?6[67]|71399\.?13|71488\.?29|71522\.?31|71601\.?97|142867\.?|143010\.?/;
      expect(amounts.exec(kept)?.[0] ?? null, moment).to.equal(null);
      await project(tender);
    }
    await sales.end(tender);
    await project(tender);
    expect(await found()).to.include('7160197');
  });

  it('seals a small amount as long as a large one', () => {
    const seals = nodeSeals([SEAL_KEY]);
    const key = seals.newLotKey() ?? '';
    const lengths = ['salt:1', 'salt:99999999999999'].map((text) => seals.seal(key, text)?.length);
    expect(lengths[0]).to.be.above(0).and.equal(lengths[1]);
  });

  it('waits for the key, says so, and closes when it is back', async () => {
    const tender = await sales.open([{}]);
    const [lot = 0] = tender.lots;
    const ann = await sales.registered(tender);
    await sales.bid(ann, lot, '250.00');
    await project(tender);
    const { knex } = service.backends;
    expect(await lotsWithoutKey(knex, nodeSeals([SEAL_KEY]))).to.not.include(lot);
    expect(await lotsWithoutKey(knex, nodeSeals([]))).to.include(lot);
    const rotated = nodeSeals(['cd'.repeat(32), SEAL_KEY]);
    expect(await lotsWithoutKey(knex, rotated)).to.not.include(lot);
    expect(await lotsWithoutKey(knex, nodeSeals(['cd'.repeat(32)]))).to.include(lot);
    const ready = (await service.get('/readyz')).body.data;
    expect(ready.degraded.map(({ name }: { name: string }) => name)).to.not.include('sealing');
    const keyless = await startService({
      database: { db: service.database, databaseUrl: service.databaseUrl },
      redis,
    });
    try {
      const [degraded] = (await keyless.get('/readyz')).body.data.degraded.filter(
        ({ name }: { name: string }) => name === 'sealing',
      );
      expect(degraded.detail).to.include('SEAL_KEY').and.include(String(lot));
      const refused = await keyless.call('POST', `/api/v1/lots/${lot}/bids`, {
        token: ann.token,
        body: { amount: '300.00' },
      });
      expect([refused.status, refused.body.code]).to.deep.equal([409, 'sealing_unavailable']);
      const { journal, engine } = keyless.backends;
      const record = (await journal.loadRecord(tender.id))!;
      await journal.saveRecord({ ...record, endsAtUs: journal.nowUs() - 1, version: record.version + 1 });
      await engine.submit(lot, { type: 'advance' });
      expect((await sales.lot(lot)).status).to.equal('active');
    } finally {
      await keyless.close();
    }
    await sales.advance(tender);
    expect(await sales.lot(lot)).to.include({ status: 'sold', hammer_price: '250.00' });
  });
});

/** The lines of an answer that are others than before. */
function differences(what: string, before: string, after: string): string[] {
  const lines = new Set(before.split('\n'));
  return after
    .split('\n')
    .filter((line) => !lines.has(line))
    .map((line) => `${what}: ${line.slice(0, 300)}`);
}

/**
 * What may happen to a journal on Redis and must harm no bid: errors in the middle of a script, calls that run twice
 * or are forgotten, a Redis that is another one, full, hanging, set back, or gone.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createClient } from 'redis';
import { answerInTime } from '../../../adapters/redis/answer-in-time.ts';
import { type OpenLink, openLink } from '../../../adapters/redis/link.ts';
import { RedisJournal } from '../../../adapters/redis/redis-journal.ts';
import { ShardDirectory } from '../../../adapters/redis/shard-directory.ts';
import { shardKeys, shardOf } from '../../../adapters/redis/shards.ts';
import { JournalUnavailable, Overloaded } from '../../../engine/actor/journal.ts';
import { userKey } from '../../../engine/auction/record.ts';
import { expectChain } from '../../contracts/commits.contract.ts';
import { answerOf, keyOf, Market, taken, wordOf } from '../../contracts/market.ts';
import { EPOCH, type RedisStore, redisStore, SCRIPTS } from '../../contracts/redis-store.ts';
import { aBid, aBidder, aPerson } from '../../support/engine-terms.ts';
import { type FreshRedis, freshRedis } from '../../support/redis-servers.ts';
import { slowness } from '../../support/slowness.ts';
import { cutSuite } from './cut-suite.ts';

const BUCKET_US = 86_400 * 1_000_000;

describe('the journal on Redis, when things go wrong', () => {
  let server: FreshRedis;
  let store: RedisStore;
  let market: Market;
  let raw: ReturnType<typeof clientOf>;

  const clientOf = (url: string) => createClient({ url });

  before(async () => {
    server = await freshRedis();
    store = await redisStore(server.redisUrl);
    market = new Market(store);
    raw = clientOf(server.redisUrl);
    raw.on('error', () => undefined);
    await raw.connect();
  });
  after(async () => {
    raw.destroy();
    await store.close();
    await server.close();
  });

  /** A lot with a bid of $100.00 by user 1, in an auction of its own. */
  async function aLotWithABid() {
    const { journal, engine } = await market.process();
    const record = await market.auction(journal);
    const lotId = market.lot(record);
    await taken(engine, lotId, aBid(), keyOf(lotId, 1, 'first'));
    const { auctionId } = record;
    return { journal, engine, record, auctionId, lotId, keys: shardKeys(shardOf(auctionId, null)) };
  }

  const secondBid = () => aBid({ bidder: aPerson(1), straightCents: 20_000 });

  async function expectFault(
    pending: Promise<unknown>,
    kind: new (message?: string) => Error = JournalUnavailable,
  ) {
    const fault = await pending.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(fault).to.be.instanceOf(kind);
  }

  /** All that a shard holds but its heartbeat, which continues whatever is refused. */
  async function contents(tag: string): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const key of (await raw.keys(`${tag}:*`)).sort()) found.set(key, await textOf(key));
    return found;
  }

  async function textOf(key: string): Promise<string> {
    const isMeta = key.endsWith(':meta') && (await raw.type(key)) === 'hash';
    if (!isMeta) return JSON.stringify(await raw.sendCommand(['DUMP', key]));
    const { beat: _, ...rest } = await raw.hGetAll(key);
    return JSON.stringify(rest);
  }

  describe('an error in the middle of a script', () => {
    const range = () => Math.floor((Date.now() * 1_000) / BUCKET_US);
    const names = ['ver', 'lot', 'aver', 'due', 'log', 'meta', 'exp'] as const;
    for (const name of [...names, 'keys'] as const) {
      it(`where ${name} is of a wrong type leaves nothing half written, and all continues after a repair`, async () => {
        const { engine, auctionId, lotId, keys } = await aLotWithABid();
        const key = name === 'keys' ? keys.keys(range()) : keys[name];
        const tag = key.slice(0, key.indexOf(':'));
        await raw.rename(key, 'put-aside');
        await raw.set(key, 'of a wrong type');
        const before = await contents(tag);
        await expectFault(engine.submit(lotId, secondBid(), keyOf(lotId, 1, 'k')));
        expect(await contents(tag)).to.deep.equal(before);
        await raw.rename('put-aside', key);
        const bid = await taken(engine, lotId, secondBid(), keyOf(lotId, 1, 'k'));
        expect(bid.lot.bidCount).to.equal(2);
        expectChain(await market.entries(auctionId, lotId));
      });
    }

    for (const name of ['aver', 'rec', 'log', 'meta'] as const) {
      it(`that saves a record, where ${name} is of a wrong type, leaves nothing half written`, async () => {
        const { journal, record, keys } = await aLotWithABid();
        await raw.rename(keys[name], 'put-aside');
        await raw.set(keys[name], 'of a wrong type');
        const tag = keys.ver.slice(0, keys.ver.indexOf(':'));
        const before = await contents(tag);
        await expectFault(journal.saveRecord({ ...record, version: 2 }));
        if (name !== 'rec') await expectFault(journal.saveBidder(record.auctionId, aBidder(5), null));
        expect(await contents(tag)).to.deep.equal(before);
        await raw.rename('put-aside', keys[name]);
        expect(await journal.saveRecord({ ...record, version: 2 })).to.equal(true);
      });
    }
  });

  describe('a call that runs twice', () => {
    /** A link that sends every script call twice and returns only the second reply, as after a lost one. */
    function twice(open: OpenLink): OpenLink {
      const link = Object.create(open.link) as OpenLink['link'];
      link.send = async (key, command) => {
        await open.link.send(key, command);
        return open.link.send(key, command);
      };
      return { ...open, link };
    }

    it('makes one bid for each key', async () => {
      const { journal, record, lotId, auctionId } = await aLotWithABid();
      await journal.register(
        auctionId,
        Array.from({ length: 20 }, (_, index) => ({
          key: userKey(index + 1),
          userId: index + 1,
          alias: `a${index}`,
          paddle: null,
        })),
      );
      const open = await openLink(server.redisUrl);
      const doubled = await new RedisJournal(twice(open), {
        guard: EPOCH,
        shards: new ShardDirectory(async () => null),
        scripts: SCRIPTS,
      }).start();
      const engine = market.engineOn(doubled);
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const bidder = aPerson(index + 1);
          const straightCents = 1_000_000 * (index + 1);
          return answerOf(engine, lotId, aBid({ bidder, straightCents }), keyOf(lotId, index + 1, 'k'));
        }),
      );
      expect(new Set(results.map(wordOf))).to.deep.equal(new Set(['leading']));
      expect(await journal.load(record.auctionId, lotId)).to.include({ bidCount: 21 });
      expectChain(await market.entries(auctionId, lotId));
      doubled.stop();
      open.link.destroy();
    });
  });

  it('continues when Redis has forgotten the scripts', async () => {
    const { engine, lotId } = await aLotWithABid();
    await raw.scriptFlush();
    await taken(engine, lotId, secondBid());
  });

  it('accepts nothing on a Redis of another epoch, or without one', async () => {
    const { journal, engine, record, auctionId, lotId, keys } = await aLotWithABid();
    const tag = keys.ver.slice(0, keys.ver.indexOf(':'));
    for (const epoch of ['another', null]) {
      if (epoch === null) await raw.hDel(keys.meta, 'epoch');
      else await raw.hSet(keys.meta, 'epoch', epoch);
      const before = await contents(tag);
      await expectFault(engine.submit(lotId, secondBid()));
      await expectFault(journal.saveRecord({ ...record, version: 2 }));
      await expectFault(journal.register(auctionId, [{ ...aBidder(9), paddle: null }]));
      await expectFault(journal.saveBidder(auctionId, aBidder(9), null));
      expect(await contents(tag)).to.deep.equal(before);
    }
    await raw.hSet(keys.meta, 'epoch', EPOCH);
    await taken(engine, lotId, secondBid());
  });

  it('is overloaded when the log is full, and records nothing', async () => {
    const { auctionId, lotId, keys, engine } = await aLotWithABid();
    const tag = keys.ver.slice(0, keys.ver.indexOf(':'));
    const before = await contents(tag);
    const full = market.engineOn(await store.journal({ maxLogBytes: 10 }));
    await expectFault(full.submit(lotId, secondBid(), keyOf(lotId, 1, 'k')), Overloaded);
    expect(await contents(tag)).to.deep.equal(before);
    await taken(engine, lotId, secondBid(), keyOf(lotId, 1, 'k'));
    expectChain(await market.entries(auctionId, lotId));
  });

  it('stays at the same moment when the clock of Redis is set back, and never goes earlier', async () => {
    const { engine, lotId, keys } = await aLotWithABid();
    const aheadUs = (await store.clockUs()) + 30_000_000;
    await raw.hSet(keys.meta, 'clock', String(aheadUs));
    for (let index = 2; index < 10; index += 1) {
      const bid = await taken(engine, lotId, aBid({ straightCents: index * 100_000 }));
      expect(bid.placedAtUs).to.equal(aheadUs);
      await sleep(20);
    }
  });

  describe('an event loop that is stalled', () => {
    const LIMIT_MS = 200;

    async function aQuickJournal() {
      const lot = await aLotWithABid();
      const engine = market.engineOn(await store.journal({ timeoutMs: LIMIT_MS }));
      await taken(engine, lot.lotId, aBid({ bidder: aPerson(2), straightCents: 12_000 }));
      return { ...lot, engine };
    }

    function blockLoop(ms: number): void {
      const untilMs = performance.now() + ms;
      while (performance.now() < untilMs);
    }

    it('beyond the bound gives the reply that has come meanwhile', async () => {
      const { engine, lotId } = await aQuickJournal();
      const bid = taken(engine, lotId, secondBid());
      // Far enough for the call to be on its way.
      await new Promise((done) => setImmediate(done));
      blockLoop(3 * LIMIT_MS);
      expect(await bid).to.include({ outcome: 'leading' });
    });

    it('before the call is written gives the server time to return', async () => {
      const pending = answerInTime(raw.sendCommand(['TIME']), LIMIT_MS, () => new Error('late'));
      blockLoop(3 * LIMIT_MS);
      expect(await pending).to.have.length(2);
    });
  });

  cutSuite({
    aLotWithABid,
    get server() {
      return server;
    },
    get market() {
      return market;
    },
    expectFault,
    secondBid,
  });

  it('says that a hanging Redis is unavailable, and continues when it answers', async () => {
    const { lotId, auctionId } = await aLotWithABid();
    const engine = market.engineOn(await store.journal({ timeoutMs: 1_000 }));
    await taken(engine, lotId, aBid({ bidder: aPerson(2), straightCents: 12_000 }));
    await server.kill('SIGSTOP');
    const sinceMs = performance.now();
    await expectFault(engine.submit(lotId, secondBid(), keyOf(lotId, 1, 'k')));
    expect(performance.now() - sinceMs).to.be.below(2_000 * slowness());
    await server.kill('SIGCONT');
    const again = () => answerOf(engine, lotId, secondBid(), keyOf(lotId, 1, 'k')).catch(() => null);
    let bid = await again();
    while (bid === null) {
      await sleep(50);
      bid = await again();
    }
    expect(wordOf(bid)).to.equal('leading');
    expect(await (await store.journal()).load(auctionId, lotId)).to.include({ bidCount: 3 });
  });

  it('has everything that was acknowledged after Redis was killed', async () => {
    const victim = await freshRedis();
    const before = await redisStore(victim.redisUrl);
    const house = new Market(before);
    const { journal, engine } = await house.process();
    const record = await house.auction(journal);
    const lotId = house.lot(record);
    const acknowledged: string[] = [];
    const bidding = (async () => {
      for (let index = 1; ; index += 1) {
        const bid = await taken(engine, lotId, aBid({ straightCents: index * 1_000_000 }));
        acknowledged.push(bid.bidId);
      }
    })();
    const ended = expectFault(bidding);
    await sleep(250);
    await victim.kill('SIGKILL');
    await ended;
    await before.close();
    await victim.restart();
    const after = await redisStore(victim.redisUrl);
    const entries = await new Market(after).entries(record.auctionId, lotId);
    expectChain(entries);
    const events = entries.map(({ privateText }) => privateText).join();
    expect(acknowledged.length).to.be.above(0);
    for (const bidId of acknowledged) expect(events).to.include(`"${bidId}"`);
    await after.close();
    await victim.close();
  });
});

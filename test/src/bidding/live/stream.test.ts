/** The live stream of a lot over real HTTP: joining, resuming on another process, snapshots, and how it ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { writeEpoch } from '../../../../adapters/redis/epoch.ts';
import { dumpGroup, journalGroups, restoreKeys } from '../../../../adapters/redis/shard-dump.ts';
import { present } from '../../../../engine/first-of.ts';
import { readShard } from '../../../../src/bidding/records/auction-shards.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { type ReadEvents, readStream } from '../../../support/event-stream.ts';
import { eventually } from '../../../support/market.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';
import { type FreshRedis, freshRedis, startRedisCluster } from '../../../support/redis-servers.ts';
import { type Service, startService } from '../../../support/service.ts';

/** What the services need of a Redis, alone or as a cluster. */
type Servers = Pick<FreshRedis, 'redisUrl' | 'close'>;

async function cluster(): Promise<Servers> {
  const { nodes, close } = await startRedisCluster();
  return { redisUrl: `redis://${nodes.map(({ host, port }) => `${host}:${port}`).join(',')}`, close };
}

/** A stream that is read a piece at a time, with pauses. */
async function openSlowly(url: string, lastEventId: string) {
  const response = await fetch(url, { headers: { 'last-event-id': lastEventId } });
  return {
    async *ids(): AsyncGenerator<number> {
      let rest = '';
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) {
        await sleep(2);
        rest += decoder.decode(chunk, { stream: true });
        const blocks = rest.split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const id = /^id: (\d+)$/m.exec(block)?.[1];
          if (id !== undefined) yield Number(id);
        }
      }
    },
  };
}

describeStream('the live stream of a lot', freshRedis);
describeStream('the live stream of a lot, on a Redis Cluster', cluster);

function describeStream(name: string, open: () => Promise<Servers>): void {
  describe(name, () => {
    let redis: Servers;
    let database: MigratedDatabase;
    let first: Service;
    let second: Service;
    let tokens: string[];

    before(async () => {
      redis = await open();
      database = await migratedDatabase();
      first = await startService({ redis: redis as FreshRedis, database });
      second = await startService({ redis: redis as FreshRedis, database });
      const people = await Promise.all([aUser(database.db), aUser(database.db)]);
      tokens = await Promise.all(people.map((person) => first.tokenFor(person)));
    });

    after(async () => {
      await first.close();
      await second.close();
      await redis.close();
      await database.drop();
    });

    async function liveLot(columns: Parameters<typeof aLot>[1] = {}) {
      const lot = await aLot(database.db, columns);
      await first.publish();
      return lot;
    }

    const bid = (service: Service, lotId: number, who: number, body: object) =>
      service.call('POST', `/api/v1/lots/${lotId}/bids`, { token: tokens[who], body });

    const urlOf = (service: Service, lotId: number) => `${service.url}/api/v1/lots/${lotId}/stream`;

    it('starts over if a failover has lost what was sent, for followers and for clients that return', async () => {
      const lot = await liveLot();
      await bid(first, lot.id, 0, { amount: '100.00' });
      const { redis: open, knex } = first.backends;
      const shard = await readShard(knex, lot.auction_id);
      const group = present(journalGroups(Date.now() * 1_000)[shard]);
      const kept = await dumpGroup(open, group);
      const lose = async () => {
        for (const { key } of kept) await open.link.del(key);
        await restoreKeys(open, kept);
        // The life that a rebuild begins: what was acknowledged in the one before counts no more.
        const next = knex.raw('fence + 1');
        const fence = { fence: next, rebuilt_fence: next, runs: null, fence_closed_at: knex.fn.now() };
        await knex('journal_meta').update({ epoch: 'after the failover', ...fence });
        for (const table of ['projection_positions', 'journal_marks']) await knex(table).delete();
        await writeEpoch(open, 'after the failover');
        for (const { backends } of [first, second]) await backends.epoch.check();
        for (const { url } of [first, second])
          await eventually(async () => (await fetch(`${url}/readyz`)).status === 200);
      };
      const told: ReadEvents[] = [];
      const read = readStream(urlOf(first, lot.id), {
        enough: (events) => {
          told.splice(0, told.length, ...events);
          return events.length === 4;
        },
        onOpen: () => void bid(first, lot.id, 1, { amount: '500.00' }),
      });
      await eventually(async () => told.length === 2);
      await lose();
      await eventually(async () => told.length === 3);
      const back = readStream(urlOf(first, lot.id), {
        lastEventId: '4',
        enough: ({ length }) => length === 1,
      });
      expect((await back).events[0]).to.include({ event: 'lot.snapshot', id: '3' });
      await bid(first, lot.id, 1, { amount: '200.00' });
      const events = (await read).events.map(({ event, id, data }) => {
        const { current_bid } = data.lot ?? data;
        return `${id} ${event} ${current_bid}`;
      });
      expect(events).to.deep.equal([
        '3 lot.snapshot 100.00',
        '4 bid.placed 500.00',
        '3 lot.snapshot 100.00',
        '4 bid.placed 200.00',
      ]);
    });

    it('begins with the lot in full, then sends each bid as it is placed on another process', async () => {
      const lot = await liveLot();
      const read = readStream(urlOf(first, lot.id), {
        enough: (events) => events.length === 2,
        onOpen: () => void bid(second, lot.id, 0, { amount: '100.00' }),
      });
      const [snapshot, placed] = (await read).events;
      expect(snapshot).to.include({ event: 'lot.snapshot', id: '2' });
      expect(snapshot!.data).to.include({ id: lot.id, current_bid: '0.00', status: 'active' });
      expect(placed).to.include({ event: 'bid.placed', id: '3' });
      expect(placed!.data).to.include({ amount: '100.00', status: 'leading', is_mine: false });
      expect(placed!.data.lot).to.include({
        current_bid: '100.00',
        minimum_next_bid: '110.00',
        bid_count: 1,
      });
      expect(placed!.data.lot).not.to.have.property('is_high_bidder');
    });

    // The same code on either; on the cluster it is the journal that differs.
    const cuts = open === cluster ? 15 : 50;
    it(`misses nothing and repeats nothing over ${cuts} cuts on changing processes under load`, async () => {
      const lot = await liveLot();
      const bids = 4 * cuts;
      const placing = (async () => {
        for (let n = 0; n < bids; n += 1) {
          const { status } = await bid(n % 2 ? first : second, lot.id, n % 2, {
            amount: String(100 + n * 1_000),
          });
          expect(status).to.equal(201);
        }
      })();
      const seen: string[] = [];
      let lastEventId: string | null = '2';
      for (let cut = 0; seen.length < bids; cut += 1) {
        const share = cut < cuts ? 1 + (cut % 4) : bids;
        const left = bids - seen.length;
        const read = await readStream(urlOf(cut % 2 ? first : second, lot.id), {
          lastEventId,
          enough: (events) => events.filter(({ id }) => id !== null).length >= Math.min(share, left),
          timeoutMs: 15_000,
        });
        const told = read.events.filter(({ id }) => id !== null);
        expect(told, `cut ${cut} after ${seen.length}`).not.to.deep.equal([]);
        seen.push(...told.slice(0, share).map(({ id }) => id!));
        lastEventId = seen.at(-1)!;
      }
      await placing;
      expect(seen).to.deep.equal(Array.from({ length: bids }, (_, n) => String(n + 3)));
    });

    // The same code reads Postgres wherever the journal lies: once is enough.
    const alone = open === cluster ? () => {} : it;
    alone(
      'brings a client up to date that was away for long and reads slowly, in little memory',
      async () => {
        const lot = await liveLot();
        const count = 2_000;
        for (let n = 0; n < count; n += 100) {
          const placed = Array.from({ length: 100 }, (_, at) =>
            bid(first, lot.id, at % 2, { amount: String(1_000 * (n + at + 1)) }),
          );
          await Promise.all(placed);
        }
        const parts = second.backends;
        const head = await parts.journal.load(lot.auction_id, lot.id);
        const source = await openSlowly(`${urlOf(second, lot.id)}`, '2');
        // More than a megabyte waits in the journal; meanwhile the lot continues.
        await new Promise((done) => setTimeout(done, 500));
        await bid(first, lot.id, 0, { amount: String(1_000 * (count + 10)) });
        const ids: number[] = [];
        for await (const id of source.ids()) {
          ids.push(id);
          if (id > (head?.sequence ?? 0)) break;
        }
        const sorted = [...new Set(ids)].toSorted((one, two) => one - two);
        expect(ids).to.deep.equal(sorted);
        expect(ids.length).to.be.greaterThan(500);
        expect(ids.at(-1)).to.equal((head?.sequence ?? 0) + 1);
      },
    );

    it('tells an extension under the sequence of its bid', async () => {
      const auction = await anAuction(database.db, {
        end_time: new Date(Date.now() + 60_000).toISOString(),
        soft_close_window_seconds: 120,
        soft_close_extension_seconds: 300,
      });
      const lot = await liveLot({ auction_id: auction.id });
      await bid(first, lot.id, 0, { amount: '100.00' });
      const whole = await readStream(urlOf(second, lot.id), {
        lastEventId: '2',
        enough: (events) => events.length === 2,
      });
      expect(whole.events.map(({ id, event }) => [id, event])).to.deep.equal([
        ['3', 'bid.placed'],
        ['3.1', 'lot.extended'],
      ]);
      const rest = await readStream(urlOf(second, lot.id), {
        lastEventId: '3',
        enough: (events) => events.length === 1,
      });
      expect(rest.events.map(({ id, event }) => [id, event])).to.deep.equal([['3.1', 'lot.extended']]);
    });

    it('says nothing of a raise, but shows the lot anew where one lifts the price to the reserve', async () => {
      const lot = await liveLot({ reserve_price_cents: 50_000 });
      await bid(first, lot.id, 0, { max_amount: '200.00' });
      await bid(first, lot.id, 0, { max_amount: '300.00' });
      await bid(first, lot.id, 0, { max_amount: '700.00' });
      const read = await readStream(urlOf(second, lot.id), {
        lastEventId: '2',
        enough: (events) => events.length === 2,
      });
      expect(read.events.map(({ id, event }) => [id, event])).to.deep.equal([
        ['3', 'bid.placed'],
        ['5', 'lot.snapshot'],
      ]);
      expect(read.events[1]!.data).to.include({ current_bid: '500.00', reserve_met: true });
      expect(JSON.stringify(read.events)).not.to.include('700.00');
    });

    it('ends with the close, and tells clients not to come back', async () => {
      const lot = await liveLot({ buy_now_price_cents: 90_000 });
      const read = readStream(urlOf(first, lot.id), {
        enough: () => false,
        onOpen: () =>
          void second.call('POST', `/api/v1/lots/${lot.id}/buy-now`, { token: tokens[1], body: {} }),
      });
      const { events, ended } = await read;
      expect(ended).to.equal(true);
      expect(events.map(({ id, event }) => [id, event])).to.deep.equal([
        ['2', 'lot.snapshot'],
        ['3', 'bid.placed'],
        ['4', 'lot.closed'],
      ]);
      expect(events[2]!.data).to.include({ lot_id: lot.id, status: 'sold', hammer_price: '900.00' });
      const back = await readStream(urlOf(second, lot.id), { lastEventId: '4', enough: () => false });
      expect(back.status).to.equal(204);
      const beyond = await readStream(urlOf(second, lot.id), { lastEventId: '50', enough: () => false });
      expect(beyond.status).to.equal(204);
      const half = await readStream(urlOf(second, lot.id), { lastEventId: '3', enough: () => false });
      expect(half.events.map(({ event }) => event)).to.deep.equal(['lot.closed']);
      expect(half.ended).to.equal(true);
      const late = await readStream(urlOf(second, lot.id), { enough: () => false });
      expect(late.events.map(({ id, event }) => [id, event])).to.deep.equal([
        ['4', 'lot.snapshot'],
        ['4', 'lot.closed'],
      ]);
      expect(late.events[1]!.data).to.deep.equal(events[2]!.data);
      expect(late.ended).to.equal(true);
    });

    it('refuses what is no id of a stream, and lots that are not there or not public', async () => {
      const lot = await liveLot();
      const bad = await first.call('GET', `/api/v1/lots/${lot.id}/stream`, {
        headers: { 'last-event-id': 'x; drop' },
      });
      expect([bad.status, bad.body.code]).to.deep.equal([422, 'validation_failed']);
      expect((await first.get('/api/v1/lots/999999/stream')).status).to.equal(404);
      const auction = await anAuction(database.db, { privacy_setting: 'private' });
      const hidden = await liveLot({ auction_id: auction.id });
      expect((await first.get(`/api/v1/lots/${hidden.id}/stream`)).status).to.equal(404);
    });
  });
}

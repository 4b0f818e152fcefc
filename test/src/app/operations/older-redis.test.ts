/**
 * A Redis that comes back older takes no bid, on any process, busy or idle, before it is rebuilt; one that comes back
 * with its own disk goes on by itself. Many returns under load: `npm run test:older`.
 */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { shardKeys } from '../../../../adapters/redis/shards.ts';
import { DiscardedFile, showOnlyInRedis } from '../../../../src/app/commands/discarded.ts';
import { rebuildJournal } from '../../../../src/bidding/journal/rebuild.ts';
import { verifyJournal } from '../../../../src/bidding/journal/verify.ts';
import { readShard } from '../../../../src/bidding/records/auction-shards.ts';
import { aloneServer, type OlderServers } from '../../../faults/older-copies.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';
import { projectionOf } from '../../../support/projection.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('a Redis that comes back', () => {
  let servers: OlderServers;
  let database: MigratedDatabase;
  let busy: Service;
  let idle: Service;
  let token: string;
  let lot: { readonly id: number; readonly auction_id: number };
  let amount = 100;
  const sequences: number[] = [];

  const start = () => startService({ redis: servers.server, database });

  before(async () => {
    [servers, database] = await Promise.all([aloneServer(), migratedDatabase()]);
    [busy, idle] = [await start(), await start()];
    token = await busy.tokenFor(await aUser(database.db, { name: 'Ada', email: 'ada@example.com' }));
    const auction = await anAuction(database.db);
    lot = await aLot(database.db, { auction_id: auction.id });
    await busy.publish();
  });
  after(async () => {
    await Promise.all([busy.close(), idle.close()]);
    await database.drop();
    await servers.close();
  });

  async function bid(service: Service) {
    amount += 1_000;
    const body = { amount: `${amount}.00` };
    const answer = await service.call('POST', `/api/v1/lots/${lot.id}/bids`, { token, body });
    if (answer.status === 201) sequences.push(answer.body.data.sequence);
    return answer;
  }
  const untilTaken = (service: Service) => eventually(async () => (await bid(service)).status === 201);
  const isRefused = async (service: Service) => {
    const [answer, ready] = [await bid(service), await service.get('/readyz')];
    expect([answer.status, answer.body.code]).to.deep.equal([503, 'journal_unavailable']);
    expect(ready.status).to.equal(503);
    return ready.text.includes('journal rebuild');
  };
  const refusedBy = async (services: readonly Service[]) => {
    for (const service of services) await eventually(() => isRefused(service));
  };
  const rebuild = () => rebuildJournal({ ...busy.backends, onLotClosed: [] });

  it('with its own disk takes bids again, and says so only then', async () => {
    await untilTaken(busy);
    await servers.end();
    await servers.comeBack('as it is');
    // Each process says it of itself.
    for (const one of [busy, idle]) await eventually(async () => (await one.get('/readyz')).status === 200);
    for (let count = 0; count < 20; count += 1) {
      const answer = await bid(count % 2 === 0 ? busy : idle);
      expect(answer.status, `bid ${count}: ${answer.text}`).to.equal(201);
    }
  });

  it('without its newest commit takes none, at the process that was told of it and at one that was not', async () => {
    await untilTaken(busy);
    await servers.end();
    await servers.comeBack(null);
    await refusedBy([idle, busy]);
    await rebuild();
    expect(new Set(sequences).size).to.equal(sequences.length);
    await untilTaken(idle);
    await untilTaken(busy);
  });

  it('older, while every process is started again too, takes none', async () => {
    await untilTaken(busy);
    await servers.keep('now');
    await untilTaken(idle);
    await Promise.all([busy.close(), idle.close()]);
    await servers.end();
    await servers.comeBack('now');
    [busy, idle] = [await start(), await start()];
    await refusedBy([busy, idle]);
    await servers.keep('earlier life');
    await rebuild();
    await untilTaken(busy);
  });

  it('from an earlier life is an older Redis, and the same command is enough', async () => {
    await servers.end();
    await servers.comeBack('earlier life');
    await refusedBy([busy, idle]);
    await rebuild().catch((error: Error) => expect(error.message).to.include('--show'));
    await rebuildJournal({ ...busy.backends, onLotClosed: [] }, { discard: async () => undefined }).catch(
      (error: Error) => expect(error.message).to.include('in order'),
    );
    await untilTaken(busy);
  });

  it('has what continues projected by the rebuild, and keeps the rest in a file', async () => {
    await untilTaken(busy);
    const { knex } = busy.backends;
    const shown = await showOnlyInRedis(busy.backends);
    expect(shown.text).to.match(
      new RegExp(
        `^lot ${lot.id}  \\d+  ${amount}.00  Ada <ada@example.com>  [0-9a-f]{64}  \\(a rebuild`,
        'm',
      ),
    );
    const projection = await projectionOf(busy.backends);
    await eventually(async () => (await projection.lag()).entries === 0);
    await projection.close();
    await untilTaken(busy);
    // As another history would: Postgres was projected from a message that this log does not have.
    const shard = await readShard(knex, lot.auction_id);
    const { stream_id } = await knex('projection_positions').where({ shard }).first('stream_id');
    const parted = `${stream_id.split('-')[0]}-999`;
    await knex('projection_positions').where({ shard }).update({ stream_id: parted });
    await busy.backends.epoch.check();
    const message = await rebuild().then(String, (error: Error) => error.message);
    expect(message).to.match(/commits that Postgres does not have \(1\).* --show/);
    const folder = await mkdtemp(join(tmpdir(), 'rostrum-discarded-'));
    const kept = new DiscardedFile(folder);
    await rebuildJournal(
      { ...busy.backends, onLotClosed: [] },
      { discard: (entries) => kept.write(entries) },
    );
    await kept.close();
    const [line] = (await readFile(kept.path ?? '', 'utf8')).split('\n');
    const discarded = JSON.parse(line ?? '');
    expect(discarded).to.include({ lot_id: lot.id, bidder_name: 'Ada', continues: false });
    expect(discarded.entry.private).to.include(discarded.bid_id);
    expect((await stat(kept.path ?? '')).mode & 0o077).to.equal(0);
    await rm(folder, { recursive: true });
    await untilTaken(idle);
  });

  it('is recognized by a commit where an older copy was loaded into the running server', async () => {
    await untilTaken(busy);
    const { meta } = shardKeys(await readShard(busy.backends.knex, lot.auction_id));
    const at = await busy.backends.redis.link.hGet(meta, 'at');
    await busy.backends.redis.link.hSet(meta, { at: '1-1' });
    expect((await bid(busy)).status).to.equal(503);
    await refusedBy([busy]);
    await busy.backends.redis.link.hSet(meta, { at: at ?? '' });
    await untilTaken(busy);
  });

  it('has given out no sequence twice, and the journal verifies', async () => {
    expect(new Set(sequences).size).to.equal(sequences.length);
    expect(await verifyJournal(busy.backends, null)).to.include({ ok: true });
  });
});

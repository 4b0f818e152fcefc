/**
 * `journal verify` and `journal rebuild`: what is in order passes, every kind of damage is found, and nothing is used
 * twice.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createClient } from 'redis';
import { shardKeys } from '../../../../adapters/redis/shards.ts';
import { rebuildJournal } from '../../../../src/bidding/journal/rebuild.ts';
import { verifyJournal } from '../../../../src/bidding/journal/verify.ts';
import type { Projection } from '../../../../src/bidding/projection/projection.ts';
import { readShard } from '../../../../src/bidding/records/auction-shards.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { projectionOf } from '../../../support/projection.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('journal verify and rebuild', () => {
  let service: Service;
  let tokens: string[];
  let projection: Projection | null = null;

  beforeEach(async () => {
    service = await startService();
    const people = await Promise.all([aUser(service.database), aUser(service.database)]);
    tokens = await Promise.all(people.map((person) => service.tokenFor(person)));
  });

  afterEach(async () => {
    await projection?.close();
    projection = null;
    await service.close();
  });

  async function livelyLot(): Promise<{ id: number; auction_id: number }> {
    const auction = await anAuction(service.database);
    const lot = await aLot(service.database, { auction_id: auction.id, reserve_price_cents: 150_000 });
    await service.publish();
    for (const [who, body] of [
      [0, { amount: '100.00' }],
      [1, { max_amount: '900.00' }],
      [1, { max_amount: '2000.00' }],
      [0, { amount: '1600.00' }],
      [0, { amount: '2500.00', max_amount: '4000.00' }],
    ] as const) {
      const { status } = await service.call('POST', `/api/v1/lots/${lot.id}/bids`, {
        token: tokens[who],
        body,
      });
      expect(status).to.equal(201);
    }
    return { id: lot.id, auction_id: auction.id };
  }

  async function project(): Promise<void> {
    projection ??= await projectionOf(service.backends);
    for (let tries = 0; tries < 1_200; tries += 1) {
      const lot = await service.database.knex('lots').where('journal_opened', false).first('id');
      const behind = await service.backends
        .knex('lot_states')
        .max('sequence as top')
        .first<{ top: number | null }>();
      if (lot === undefined && (behind?.top ?? 0) >= 7) return;
      await sleep(50);
    }
    throw new Error('the projection did not come to the end');
  }

  const verify = () => verifyJournal(service.backends, null);

  it('finds everything in order, projected or not', async () => {
    await livelyLot();
    expect(await verify()).to.deep.equal({ ok: true, lots: 1, entries: 6 });
    await project();
    expect(await verify()).to.deep.equal({ ok: true, lots: 1, entries: 6 });
  });

  it('says that there is no such lot', async () => {
    const failed = await verifyJournal(service.backends, 999_999).catch((error: Error) => error);
    expect(failed).to.include({ message: 'lot: there is no lot 999999' });
  });

  it('finds a flipped byte, a swapped pair, a dropped entry and a changed row', async () => {
    const lot = await livelyLot();
    await project();
    const { knex } = service.backends;
    const damages: [name: string, damage: string, repair: string][] = [
      [
        'a byte of the public form',
        "UPDATE journal_entries SET public_text = replace(public_text, '1600.00', '1601.00') WHERE lot_id = ? AND sequence = 6",
        "UPDATE journal_entries SET public_text = replace(public_text, '1601.00', '1600.00') WHERE lot_id = ? AND sequence = 6",
      ],
      [
        'a byte of the private form',
        "UPDATE journal_entries SET private_text = replace(private_text, '160000', '160001') WHERE lot_id = ? AND sequence = 6",
        "UPDATE journal_entries SET private_text = replace(private_text, '160001', '160000') WHERE lot_id = ? AND sequence = 6",
      ],
      [
        'a swapped pair',
        'UPDATE journal_entries SET sequence = 9 - sequence + 100 WHERE lot_id = ? AND sequence IN (4, 5)',
        'UPDATE journal_entries SET sequence = 9 - (sequence - 100) WHERE lot_id = ? AND sequence IN (104, 105)',
      ],
      [
        'a row of the bids',
        'UPDATE bids SET amount_cents = amount_cents + 1 WHERE lot_id = ? AND sequence = 4',
        'UPDATE bids SET amount_cents = amount_cents - 1 WHERE lot_id = ? AND sequence = 4',
      ],
      [
        'the row of the lot',
        'UPDATE lots SET bid_count = bid_count + 1 WHERE id = ?',
        'UPDATE lots SET bid_count = bid_count - 1 WHERE id = ?',
      ],
    ];
    for (const [name, damage, repair] of damages) {
      await knex.raw(damage, [lot.id]);
      const found = await verify();
      expect([name, found.ok]).to.deep.equal([name, false]);
      expect(found.difference, name).to.include(`lot ${lot.id}`);
      await knex.raw(repair, [lot.id]);
      expect([name, (await verify()).ok]).to.deep.equal([name, true]);
    }
    for (const sequence of [3, 5, 7]) {
      const row = await knex('journal_entries').where({ lot_id: lot.id, sequence }).first();
      await knex('journal_entries').where({ lot_id: lot.id, sequence }).delete();
      expect([sequence, (await verify()).ok]).to.deep.equal([sequence, false]);
      await knex('journal_entries').insert(row);
    }
    expect((await verify()).ok).to.equal(true);
  });

  it('finds a snapshot in Redis that differs from its journal', async () => {
    const lot = await livelyLot();
    const redis = await createClient({ url: service.redis.redisUrl }).connect();
    const key = shardKeys(await readShard(service.database.knex, lot.auction_id)).lot;
    const text = (await redis.hGet(key, String(lot.id)))!;
    await redis.hSet(key, String(lot.id), text.replace('250000', '250100'));
    const found = await verify();
    await redis.close();
    expect(found.ok).to.equal(false);
    expect(found.difference).to.include('the snapshot in Redis');
  });

  /** Reads with live fields that do not say that they may be behind. */
  const staleReads = async (lot: { id: number; auction_id: number }) => {
    const paths = [
      `lots/${lot.id}`,
      'lots?sort_by=id',
      `auctions/${lot.auction_id}/lots`,
      `lots/${lot.id}/bids`,
    ];
    const answers = await Promise.all(paths.map((path) => service.get(`/api/v1/${path}`)));
    return paths.filter((_, at) => answers[at]?.status !== 200 || answers[at]?.body.meta?.stale !== true);
  };

  it('says so in every read while Redis is older than what was projected from it', async () => {
    const lot = await livelyLot();
    await project();
    await projection?.close();
    projection = null;
    expect(await staleReads(lot)).to.have.length(4);
    const { knex } = service.database;
    const shard = await readShard(knex, lot.auction_id);
    const kept = await knex('projection_positions').where({ shard }).first('stream_id');
    await knex('projection_positions').where({ shard }).update({ stream_id: '99999999999999-0' });
    expect(await verify()).to.include({ ok: false, lots: 0 });
    expect(await staleReads(lot)).to.deep.equal([]);
    await knex('projection_positions').where({ shard }).update(kept);
    await service.backends.epoch.check();
    expect(await staleReads(lot)).to.have.length(4);
  });

  it('restores live lots after Redis was wiped under bids, and reuses no sequence', async () => {
    const lot = await livelyLot();
    await project();
    const bid = (amount: number) =>
      service.call('POST', `/api/v1/lots/${lot.id}/bids`, { token: tokens[1], body: { amount } });
    const before = await bid(5_000);
    expect(before.status).to.equal(201);
    const redis = await createClient({ url: service.redis.redisUrl }).connect();
    const [, refused] = await Promise.all([redis.flushAll(), bid(6_000)]);
    await redis.close();
    expect(await staleReads(lot)).to.deep.equal([]);
    expect(await verify()).to.include({ ok: false, lots: 0 });
    await service.backends.epoch.check();
    expect((await service.get('/api/v1/auctions')).body.meta).to.deep.equal({ stale: true });
    expect((await bid(7_000)).body.code).to.equal('journal_unavailable');
    expect((await service.get('/readyz')).status).to.equal(503);

    const [resumed] = await rebuildJournal({ ...service.backends, onLotClosed: [] });
    const highest = Math.max(before.body.data.sequence, refused.body.data?.sequence ?? 0);
    expect(resumed!.lotId).to.equal(lot.id);
    expect(resumed!.resumesAt).to.be.greaterThan(highest);
    const after = await bid(8_000);
    expect(after.status).to.equal(201);
    expect(after.body.data.sequence).to.be.greaterThan(resumed!.resumesAt);
    for (let tries = 0; tries < 1_200; tries += 1) {
      const row = await service.database.knex('lots').where('id', lot.id).first('sequence');
      if (row.sequence === after.body.data.sequence) break;
      await sleep(50);
    }
    expect((await verify()).ok).to.equal(true);
    const recovered = await service.database
      .knex('journal_entries')
      .where('lot_id', lot.id)
      .whereLike('public_text', '%lot_recovered%')
      .first('sequence');
    expect(recovered.sequence).to.equal(resumed!.resumesAt);
    expect((await service.get('/readyz')).status).to.equal(200);
  });

  it('gives the first answers under their keys again after Redis lost everything', async () => {
    const auction = await anAuction(service.database);
    const terms = { auction_id: auction.id };
    const lot = await aLot(service.database, terms);
    const sold = await aLot(service.database, { ...terms, buy_now_price_cents: 50_000 });
    await service.publish();
    const bid = (lotId: number, key: string, body: object, who = 0) =>
      service.call(
        'POST',
        `/api/v1/lots/${lotId}/${'amount' in body || 'max_amount' in body ? 'bids' : 'buy-now'}`,
        {
          token: tokens[who],
          body,
          headers: { 'idempotency-key': key },
        },
      );
    const requests: [lotId: number, key: string, body: object, who: number][] = [
      [lot.id, 'first', { amount: '100.00', max_amount: '300.00' }, 0],
      [lot.id, 'outbid', { amount: '200.00' }, 1],
      [lot.id, 'first', { amount: '110.00' }, 1],
      [lot.id, 'raised', { max_amount: '900.00' }, 0],
      [sold.id, 'bought', { currency: 'usd' }, 1],
      [sold.id, 'late', { amount: '100.00' }, 0],
    ];
    const send = async () => {
      const answers = [];
      for (const request of requests) {
        const { status, body, headers } = await bid(...request);
        answers.push({ status, body, replayed: headers.get('idempotency-replayed') });
      }
      return answers;
    };
    const first = await send();
    expect(first.map(({ status, body }) => `${status} ${body.code ?? body.data.outcome}`)).to.deep.equal([
      '201 leading',
      '201 outbid',
      '422 bid_too_low',
      '201 max_raised',
      '201 won',
      '409 lot_closed',
    ]);
    projection ??= await projectionOf(service.backends);
    const lag = async () => (await projection?.lag())?.entries;
    for (let tries = 0; tries < 1_200 && (await lag()) !== 0; tries += 1) await sleep(50);
    // What only Redis knows of goes with it, and its key too.
    await projection.close();
    projection = null;
    expect((await bid(lot.id, 'lost', { amount: '1000.00' }, 1)).status).to.equal(201);
    const redis = await createClient({ url: service.redis.redisUrl }).connect();
    await redis.flushAll();
    await redis.close();
    await service.backends.epoch.check();
    await rebuildJournal({ ...service.backends, onLotClosed: [] });
    expect(await send()).to.deep.equal(first.map((answer) => ({ ...answer, replayed: 'true' })));
    for (const [lotId, key, , who] of requests)
      expect((await bid(lotId, key, { amount: '5000.00' }, who)).body.code).to.equal(
        'idempotency_key_reused',
      );
    const again = await bid(lot.id, 'lost', { amount: '1000.00' }, 1);
    expect([again.status, again.headers.get('idempotency-replayed')]).to.deep.equal([201, null]);
    expect((await verify()).ok).to.equal(true);
  });

  it('does not touch a journal that is in order, nor that of another deployment', async () => {
    await livelyLot();
    const refusal = async () =>
      rebuildJournal({ ...service.backends, onLotClosed: [] }).then(String, (error: Error) => error.message);
    expect(await refusal()).to.include('nothing to rebuild');
    await service.backends.knex('journal_meta').update({ epoch: 'of somebody else' });
    await service.backends.knex('journal_epochs').delete();
    expect(await refusal()).to.include('a different journal');
  });
});

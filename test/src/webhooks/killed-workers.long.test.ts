/**
 * Workers that are killed with SIGKILL in the middle of delivering: every event arrives all the same, under one id on
 * each try.
 */
import { expect } from 'chai';
import { createSubscription } from '../../../src/webhooks/webhook-subscriptions.ts';
import { aTeam } from '../../support/builders.ts';
import { append, bidFact } from '../../support/facts.ts';
import { type Market, openMarket, type WorkerProcess } from '../../support/market.ts';
import { type Receiver, startReceiver, verify } from '../../support/webhook-receiver.ts';

const EVENTS = 160;
const KILLS = 1;
const DELIVERING = { WEBHOOK_ALLOW_LOOPBACK: '1', WEBHOOK_RETRY_SCHEDULE: '0,0.5,0.5,0.5,1,1,1,1,1,1' };

describe('deliveries while workers are killed', () => {
  let market: Market;
  let receiver: Receiver;

  before(async () => {
    [market, receiver] = await Promise.all([openMarket(), startReceiver()]);
  });

  after(async () => {
    await receiver.die();
    await market.close();
  });

  it('deliver each event at least once, with the same id and body on every attempt', async () => {
    const team = await aTeam(market.db);
    const { secret } = await createSubscription(market.knex, ['only-for-tests'], team.id, {
      url: `${receiver.url}/hook`,
      events: ['lot.bid_placed'],
    });
    // Slow enough that a kill finds deliveries on their way, and failing now and then.
    receiver.behave = ({ id }) => ({
      status: id.endsWith('7') && Math.random() < 0.5 ? 500 : 204,
      afterMs: 20,
    });
    await append(
      market.db,
      Array.from({ length: EVENTS }, (_, n) => bidFact(team.id, (n % 12) + 1, n + 1)),
    );
    let worker: WorkerProcess = await market.worker(DELIVERING);
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const enough = (EVENTS / (KILLS + 1)) * kill;
      await receiver.until((got) => got.length >= enough, 60_000);
      const next = market.worker(DELIVERING);
      await worker.kill('SIGKILL');
      worker = await next;
    }
    const wanted: string[] = (await market.knex('events').where('type', 'lot.bid_placed').pluck('id')).map(
      (id: number) => `evt_${id}`,
    );
    expect(wanted).to.have.length(EVENTS);
    await receiver.until((got) => new Set(got.map(({ id }) => id)).size === EVENTS, 60_000);
    expect([...new Set(receiver.received.map(({ id }) => id))]).to.have.members(wanted);
    const texts = new Map<string, string>();
    for (const delivery of receiver.received) {
      verify(delivery, secret);
      expect(delivery.text, delivery.id).to.equal(texts.get(delivery.id) ?? delivery.text);
      texts.set(delivery.id, delivery.text);
    }
    const keys = [...texts.values()].map((text) => JSON.parse(text).data.event_key);
    expect(new Set(keys).size).to.equal(EVENTS);
  });
});

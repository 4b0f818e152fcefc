/** Deliveries from the outbox to a receiver that does its worst. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { Team } from '../../../src/accounts/models/team.model.ts';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { suspendUser, unsuspendUser } from '../../../src/accounts/people/accounts.ts';
import { startWebhooks, type Webhooks } from '../../../src/app/jobs/start-webhooks.ts';
import { openLog } from '../../../src/shared/log.ts';
import { passOverMissed } from '../../../src/webhooks/upkeep.ts';
import { webhookMetrics } from '../../../src/webhooks/webhook-metrics.ts';
import { aTeam, aUser } from '../../support/builders.ts';
import { append, auctionFact, bidFact, closedFact } from '../../support/facts.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';
import { slowness } from '../../support/slowness.ts';
import { type Received, type Receiver, startReceiver, verify } from '../../support/webhook-receiver.ts';
import { byHandSuite } from './by-hand-suite.ts';

const log = openLog('silent', 'test');

describe('Delivering webhooks', () => {
  let service: Service;
  let webhooks: Webhooks;
  let owner: User;
  let team: Team;
  let token: string;
  let receiver: Receiver;

  const start = () => startWebhooks(service.config, service.backends, webhookMetrics(new Registry()), log);
  const call = (method: string, path: string, body?: unknown) =>
    service.call(method, `/api/v1/webhook-subscriptions${path}`, {
      token,
      ...(body === undefined ? {} : { body }),
      headers: { 'x-team-id': String(team.id) },
    });

  async function subscribe(url: string, events: readonly string[] = ['*']): Promise<JsonValue> {
    const { status, body } = await call('POST', '', { url, events });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body.data;
  }

  /** Waits until the log of a subscription is as wanted. */
  async function logOf(id: number, wanted: (rows: JsonValue[]) => boolean): Promise<JsonValue[]> {
    for (let round = 0; round < 500; round += 1) {
      const { body } = await call('GET', `/${id}/deliveries?per_page=100`);
      if (wanted(body.data)) return body.data;
      await sleep(20);
    }
    const { text } = await call('GET', `/${id}/deliveries?per_page=100`);
    throw new Error(`the log did not become as wanted: ${text}`);
  }

  before(async () => {
    service = await startService({
      env: { WEBHOOK_ALLOW_LOOPBACK: '1', WEBHOOK_RETRY_SCHEDULE: '0,0.3,0.3,0.3,0.3' },
    });
    webhooks = await start();
  });

  beforeEach(async () => {
    owner = await aUser(service.database);
    team = await aTeam(service.database, { owner });
    token = await service.tokenFor(owner, ['seller']);
    receiver = await startReceiver();
  });

  afterEach(async () => {
    await receiver.die();
    await service.backends.knex('webhook_subscriptions').update({ is_active: false });
  });

  after(async () => {
    await webhooks.close();
    await service.close();
  });

  it('pauses for a team with its owner, and passes over what is older than three days', async () => {
    const { knex } = service.backends;
    await subscribe(receiver.url, ['bid.placed']);
    await suspendUser(knex, owner.email);
    await append(service.database, [bidFact(team.id, 1, 1)]);
    await knex('events')
      .where('team_id', team.id)
      .update({ created_at: new Date(Date.now() - 73 * 3_600_000) });
    await append(service.database, [bidFact(team.id, 1, 2)]);
    await sleep(1_500);
    await passOverMissed(knex);
    await unsuspendUser(knex, owner.email);
    await receiver.until((got) => got.length > 0);
    expect(receiver.received.map(({ body }) => body.data.amount)).to.deep.equal(['2.00']);
  });

  it('tells a team’s facts once each, signed, with the ids of the event list', async () => {
    const { id, secret } = await subscribe(`${receiver.url}/hook`);
    const other = await aTeam(service.database);
    await append(service.database, [
      bidFact(other.id, 1, 1),
      bidFact(team.id, 2, 1),
      closedFact(team.id, 3, 'unsold'),
      closedFact(team.id, 4, 'passed'),
    ]);
    await receiver.until((got) => got.length === 5);
    const list = await service.call('GET', '/api/v1/events', {
      token,
      headers: { 'x-team-id': String(team.id) },
    });
    const byId = new Map(receiver.received.map((delivery) => [delivery.id, delivery]));
    expect(byId.size).to.equal(5);
    expect(list.body.data.map((event: JsonValue) => event.type)).to.deep.equal([
      'lot.bid_placed',
      'bid.placed',
      'lot.unsold',
      'lot.passed',
      'lot.unsold',
    ]);
    for (const { id: eventId, ...event } of list.body.data) {
      const delivery = byId.get(eventId) as Received;
      expect(delivery.body).to.deep.equal(event);
      verify(delivery, secret);
    }
    const [bid, twin] = list.body.data;
    expect(bid.data.event_key).to.equal(twin.data.event_key);
    const rows = await logOf(id, (all) => all.length === 5);
    expect(rows.map(({ status, attempt, response_body }) => [status, attempt, response_body])).to.deep.equal(
      Array(5).fill(['success', 1, '']),
    );
  });

  it('begins with what is committed after the subscription was created, and sends only what was requested', async () => {
    await append(service.database, [bidFact(team.id, 1, 1)]);
    await sleep(50);
    await subscribe(receiver.url, ['bid.placed']);
    await append(service.database, [
      auctionFact(team.id, 5),
      bidFact(team.id, 1, 2),
      auctionFact(team.id, 6),
    ]);
    await receiver.until((got) => got.length > 0);
    await sleep(200);
    expect(receiver.received.map(({ body }) => [body.type, body.data.amount])).to.deep.equal([
      ['bid.placed', '2.00'],
    ]);
  });

  it('delivers every event at least once, under one id, to a receiver that fails, hangs, resets and dies', async () => {
    const seen = new Map<string, number>();
    receiver.behave = ({ id }) => {
      const n = (seen.get(id) ?? 0) + 1;
      seen.set(id, n);
      const row = Number(/\d+/.exec(id)?.[0]);
      if (n > 2) return 200;
      return row % 3 === 0 ? 500 : row % 3 === 1 ? 'reset' : n === 1 ? 302 : 503;
    };
    const { id, secret } = await subscribe(receiver.url, ['lot.bid_placed']);
    const facts = Array.from({ length: 30 }, (_, n) => bidFact(team.id, n % 7, n + 1));
    await append(service.database, facts.slice(0, 15));
    await receiver.until((got) => got.length >= 15);
    await receiver.die();
    await append(service.database, facts.slice(15));
    await sleep(150);
    await receiver.rise();
    const rows = await logOf(
      id,
      (all) => all.length === 30 && all.every(({ status }) => status === 'success'),
    );
    const keys = new Set(receiver.received.map(({ body }) => body.data.event_key));
    expect(keys.size).to.equal(30);
    const idOfKey = new Map<string, Set<string>>();
    for (const { id: eventId, body } of receiver.received) {
      idOfKey.set(body.data.event_key, (idOfKey.get(body.data.event_key) ?? new Set()).add(eventId));
    }
    expect([...idOfKey.values()].every((ids) => ids.size === 1)).to.equal(true);
    for (const delivery of receiver.received) verify(delivery, secret);
    expect(rows.some(({ attempt }) => attempt > 1)).to.equal(true);
  });

  it('takes up again what a worker that was killed had not recorded', async () => {
    await subscribe(receiver.url, ['lot.bid_placed']);
    receiver.behave = () => 'hang';
    await append(service.database, [bidFact(team.id, 1, 1), bidFact(team.id, 2, 1)]);
    await receiver.until((got) => got.length === 2);
    await webhooks.close();
    receiver.behave = () => 200;
    await append(service.database, [bidFact(team.id, 3, 1)]);
    webhooks = await start();
    await receiver.until((got) => new Set(got.slice(2).map(({ id }) => id)).size === 3);
    expect(new Set(receiver.received.map(({ id }) => id)).size).to.equal(3);
  });

  it('keeps the order of each lot on the first try', async () => {
    const last = new Map<number, number>();
    let outOfOrder = 0;
    const tried = new Set<string>();
    receiver.behave = ({ id, body }) => {
      if (tried.has(id)) return 200;
      tried.add(id);
      if (body.data.sequence <= (last.get(body.data.lot_id) ?? 0)) outOfOrder += 1;
      last.set(body.data.lot_id, body.data.sequence);
      return { status: Math.random() < 0.2 ? 500 : 200, afterMs: Math.random() * 5 };
    };
    await subscribe(receiver.url, ['lot.bid_placed']);
    for (let n = 1; n <= 60; n += 1) {
      await append(
        service.database,
        [1, 2, 3, 4, 5].map((lot) => bidFact(team.id, lot, n)),
      );
    }
    await receiver.until(() => tried.size === 300);
    expect(outOfOrder).to.equal(0);
    expect(receiver.max()).to.be.within(2, 32);
  });

  it('is not delayed by another receiver that hangs', async () => {
    const stuck = await startReceiver();
    stuck.behave = () => 'hang';
    await subscribe(stuck.url, ['lot.bid_placed']);
    await subscribe(receiver.url, ['lot.bid_placed']);
    const facts = Array.from({ length: 400 }, (_, n) => bidFact(team.id, n, 1));
    const sentAtMs = Date.now();
    await append(service.database, facts);
    await receiver.until((got) => got.length === 400);
    expect(Date.now() - sentAtMs).to.be.lessThan(5_000 * slowness());
    expect(stuck.max()).to.be.within(1, 32);
    await stuck.die();
  });

  it('gives up when the plan is at its end', async () => {
    receiver.behave = () => 500;
    const { id } = await subscribe(receiver.url, ['auction.published']);
    await append(service.database, [auctionFact(team.id, 9)]);
    const [row] = await logOf(id, ([first]) => first?.status === 'exhausted');
    expect(row).to.include({
      attempt: 5,
      response_status: 500,
      response_body: 'thank you',
      next_attempt_at: null,
    });
    expect(receiver.received.length).to.equal(5);
    const gaps = receiver.received.slice(1).map(({ atMs }, at) => atMs - receiver.received[at]!.atMs);
    for (const gap of gaps) expect(gap).to.be.within(190, 2_500);
  });

  byHandSuite({
    get receiver() {
      return receiver;
    },
    subscribe,
    get service() {
      return service;
    },
    get team() {
      return team;
    },
    logOf,
    call,
  });
  it('skips nothing that commits late', async () => {
    await subscribe(receiver.url, ['lot.bid_placed']);
    const late = await service.backends.knex.transaction();
    await late.raw('SELECT pg_current_xact_id()');
    await append(service.database, [bidFact(team.id, 1, 1)]);
    await sleep(200);
    expect(receiver.received).to.have.length(0);
    const { appendEvents } = await import('../../../src/events/outbox.ts');
    await appendEvents(late, [bidFact(team.id, 2, 1)]);
    await late.commit();
    await receiver.until((got) => got.length === 2);
    expect(receiver.received.map(({ body }) => body.data.lot_id)).to.have.members([1, 2]);
  });

  it('sends people’s verification to the teams that they are in', async () => {
    const [inside, outside] = [await aUser(service.database), await aUser(service.database)];
    await service.backends
      .knex('memberships')
      .insert({ team_id: team.id, user_id: inside.id, role: 'member' });
    await subscribe(receiver.url, ['user.verified']);
    const { verifyUser } = await import('../../../src/accounts/people/accounts.ts');
    for (const person of [outside, inside]) await verifyUser(service.backends.knex, person.email);
    await receiver.until((got) => got.length > 0);
    await sleep(100);
    expect(receiver.received.map(({ body }) => body.data.user_id)).to.deep.equal([inside.id]);
  });
});

/** What turns a subscription off, rotates its secrets, and sends by hand. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Team } from '../../../src/accounts/models/team.model.ts';
import { append, auctionFact } from '../../support/facts.ts';
import type { Answer, JsonValue, Service } from '../../support/service.ts';
import { type Receiver, verify } from '../../support/webhook-receiver.ts';

/** What the tests have from their service. */
export interface ByHandWorld {
  readonly receiver: Receiver;
  readonly subscribe: (url: string, events?: readonly string[]) => Promise<JsonValue>;
  readonly service: Service;
  readonly team: Team;
  readonly logOf: (id: number, wanted: (rows: JsonValue[]) => boolean) => Promise<JsonValue[]>;
  readonly call: (method: string, path: string, body?: unknown) => Promise<Answer>;
}

/** What turns a subscription off, rotates its secrets, and sends by hand. */
export function byHandSuite(world: ByHandWorld): void {
  const { subscribe, logOf, call } = world;

  it('turns a subscription off at 410, and skips what happens until it is on again', async () => {
    world.receiver.behave = () => 410;
    const { id } = await subscribe(world.receiver.url, ['auction.published']);
    await append(world.service.database, [auctionFact(world.team.id, 9)]);
    const [row] = await logOf(id, (all) => all.length === 1);
    expect(row).to.include({ status: 'exhausted', response_status: 410 });
    const { body } = await call('GET', `/${id}`);
    expect(body.data).to.include({ is_active: false, disabled_reason: 'gone' });
    await append(world.service.database, [auctionFact(world.team.id, 10)]);
    await sleep(100);
    world.receiver.behave = () => 200;
    const on = await call('PATCH', `/${id}`, { is_active: true });
    expect(on.body.data).to.include({ is_active: true, disabled_reason: null });
    await append(world.service.database, [auctionFact(world.team.id, 11)]);
    await world.receiver.until((got) => got.length === 2);
    expect(world.receiver.received[1]!.body.data.auction_id).to.equal(11);
  });

  it('turns a subscription off after five days of failures, and not before', async () => {
    world.receiver.behave = () => 500;
    const { id } = await subscribe(world.receiver.url, ['auction.published']);
    const failingFor = (interval: string) =>
      world.service.backends.knex.raw(
        'UPDATE webhook_subscriptions SET failing_since = now() - ?::interval WHERE id = ?',
        [interval, id],
      );
    await failingFor('4 days 23 hours');
    await append(world.service.database, [auctionFact(world.team.id, 1)]);
    await logOf(id, ([first]) => first?.status === 'exhausted');
    expect((await call('GET', `/${id}`)).body.data.is_active).to.equal(true);
    world.receiver.behave = () => 200;
    await append(world.service.database, [auctionFact(world.team.id, 2)]);
    await logOf(id, (all) => all.length === 2 && all[0].status === 'success');
    expect((await call('GET', `/${id}`)).body.data.failing_since).to.equal(null);
    world.receiver.behave = () => 500;
    await failingFor('5 days 1 second');
    await append(world.service.database, [auctionFact(world.team.id, 3)]);
    const rows = await logOf(id, (all) => all.length === 3);
    expect((await call('GET', `/${id}`)).body.data).to.include({
      is_active: false,
      disabled_reason: 'failing',
    });
    await logOf(id, (all) => all.find((row) => row.id === rows[0].id).status === 'exhausted');
  });

  it('signs with both secrets after a rotation, until the old one’s day is over', async () => {
    const { id, secret: old } = await subscribe(world.receiver.url, ['auction.published']);
    const rotated = await call('POST', `/${id}/rotate-secret`);
    const { secret: fresh, previous_secret_valid_until: until } = rotated.body.data;
    expect(fresh)
      .to.match(/^whsec_[A-Za-z0-9+/]+=*$/)
      .and.not.equal(old);
    expect(Date.parse(until) - Date.now()).to.be.within(86_300_000, 86_400_000);
    await append(world.service.database, [auctionFact(world.team.id, 1)]);
    await world.receiver.until((got) => got.length === 1);
    for (const secret of [old, fresh]) verify(world.receiver.received[0]!, secret);
    await world.service.backends.knex.raw(
      'UPDATE webhook_subscriptions SET previous_valid_until = now() WHERE id = ?',
      [id],
    );
    await append(world.service.database, [auctionFact(world.team.id, 2)]);
    await world.receiver.until((got) => got.length === 2);
    verify(world.receiver.received[1]!, fresh);
    expect(() => verify(world.receiver.received[1]!, old)).to.throw();
  });

  it('sends a test once, and an event again under its id', async () => {
    const { id, secret } = await subscribe(`${world.receiver.url}/a`, ['auction.published']);
    const test = await call('POST', `/${id}/test`);
    expect(test.status).to.equal(202);
    await world.receiver.until((got) => got.length === 1);
    const [sent] = world.receiver.received;
    verify(sent!, secret);
    expect(sent!.body.type).to.equal('webhook.test');
    expect(sent!.id).to.equal(test.body.data.event_id);
    await append(world.service.database, [auctionFact(world.team.id, 1)]);
    await world.receiver.until((got) => got.length === 2);
    await call('PATCH', `/${id}`, { url: `${world.receiver.url}/b` });
    const [row] = await logOf(id, (all) => all.length === 2);
    expect((await call('POST', `/${id}/deliveries/${row.id}/redeliver`)).status).to.equal(202);
    await world.receiver.until((got) => got.length === 3);
    expect(world.receiver.received[2]).to.include({ id: world.receiver.received[1]!.id, path: '/b' });
    expect(world.receiver.received[2]!.text).to.equal(world.receiver.received[1]!.text);
    const rows = await logOf(id, ([first]) => first.status === 'success' && first.id !== row.id);
    expect(rows).to.have.length(3);
  });
}

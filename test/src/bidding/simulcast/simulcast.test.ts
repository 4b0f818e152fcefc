/** Simulcast events over HTTP: signatures, every status, batches, who a paddle is, and the floor's word. */
import { expect } from 'chai';
import { signSimulcast } from '../../../../adapters/webhooks/simulcast-signature.ts';
import { addPlatform, rotatePlatform } from '../../../../src/bidding/simulcast/platform-registry.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { type Answer, type JsonValue, type Service, startService } from '../../../support/service.ts';

describe('simulcast events', () => {
  let service: Service;
  let secret: string;
  let bidder: string;
  let counter = 0;

  before(async () => {
    service = await startService();
    secret = (await addPlatform(service.backends.knex, service.config.appSecrets, 'hall')).secret;
    bidder = await service.tokenFor(await aUser(service.database));
  });

  after(() => service.close());

  const LET_IN = { simulcast_platforms: ['hall', 'loft', 'yard'] };

  async function liveLot(
    columns: Parameters<typeof aLot>[1] = {},
    terms: Parameters<typeof anAuction>[1] = {},
  ) {
    const auctionId = columns?.auction_id ?? (await anAuction(service.database, { ...LET_IN, ...terms })).id;
    const lot = await aLot(service.database, { ...columns, auction_id: auctionId });
    await service.publish();
    return lot;
  }

  interface How {
    readonly platform?: string;
    readonly secret?: string;
    readonly atSeconds?: number;
    readonly signature?: string;
    readonly text?: string;
  }

  async function send(kind: 'bid' | 'sold', body: unknown, how: How = {}): Promise<Answer> {
    const text = how.text ?? JSON.stringify(body);
    const timestamp = how.atSeconds ?? Math.floor(Date.now() / 1_000);
    const response = await fetch(`${service.url}/webhooks/${kind}/${how.platform ?? 'hall'}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-timestamp': String(timestamp),
        'x-signature': how.signature ?? signSimulcast(how.secret ?? secret, timestamp, JSON.stringify(body)),
      },
      body: text,
    });
    const answer = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text: answer,
      body: JSON.parse(answer) as JsonValue,
    };
  }

  const event = (lotId: number, sequence: number, amount: string, more: object = {}) => {
    counter += 1;
    return {
      event_id: `e-${counter}`,
      sequence,
      lot_id: lotId,
      amount,
      bidder: { paddle: '88', external_id: 'b-9' },
      ...more,
    };
  };
  const sale = (lotId: number, sequence: number, more: object = {}) => {
    counter += 1;
    const bidderOf = { paddle: '88', external_id: 'b-9' };
    return {
      event_id: `e-${counter}`,
      sequence,
      lot_id: lotId,
      result: 'sold',
      hammer_price: '700.00',
      bidder: bidderOf,
      ...more,
    };
  };

  it('tells applied, outbid, duplicate, stale and rejected apart', async () => {
    const lot = await liveLot();
    const first = event(lot.id, 5, '150.00');
    const applied = (await send('bid', first)).body.data;
    expect(applied).to.include({ event_id: first.event_id, status: 'applied' });
    expect((await send('bid', first)).body.data).to.deep.equal({ ...applied, status: 'duplicate' });
    expect((await send('bid', { ...first, amount: '999.00' })).body.data.status).to.equal('duplicate');
    expect((await send('bid', event(lot.id, 5, '300.00'))).body.data.status).to.equal('stale');
    const low = await send('bid', event(lot.id, 6, '151.00'));
    expect(low.body.data).to.include({ status: 'rejected', code: 'bid_too_low' });
    await service.call('POST', `/api/v1/lots/${lot.id}/bids`, {
      token: bidder,
      body: { max_amount: '5000.00' },
    });
    expect((await send('bid', event(lot.id, 6, '400.00'))).body.data.status).to.equal('outbid');
    const rows = await service.get(`/api/v1/lots/${lot.id}/bids`);
    expect(rows.body.data.map(({ channel }: { channel: string }) => channel)).to.deep.equal([
      'floor',
      'online',
      'floor',
    ]);
  });

  it('answers whatever an id is made of, with its length', async () => {
    const lot = await liveLot();
    for (const [at, id] of ['plain 1', 'é', 'a"b', 'a\\b', '\u2028', '👍'].entries()) {
      const bid = { ...event(lot.id, at + 1, `${at + 2}00.00`), event_id: `${id}|${lot.id}` };
      const { text, headers, body } = await send('bid', bid);
      expect(body.data).to.include({ event_id: bid.event_id, status: 'applied' });
      expect(Number(headers.get('content-length'))).to.equal(Buffer.byteLength(text));
    }
  });

  it('keeps the order of a batch, for bidders whom nobody has seen before too, and answers each item', async () => {
    const lot = await liveLot();
    const events = Array.from({ length: 40 }, (_, n) =>
      event(lot.id, n + 1, `${100 + n * 1_000}.00`, { bidder: { paddle: `p${n}`, external_id: `x-${n}` } }),
    );
    const answers = await send('bid', [...events, { event_id: 'broken' }, event(987_654, 1, '5.00')]);
    expect(answers.status).to.equal(200);
    const statuses = answers.body.data.map(({ status, code }: JsonValue) => code ?? status);
    expect(statuses).to.deep.equal([...events.map(() => 'applied'), 'validation_failed', 'unknown_lot']);
    const again = await send('bid', events);
    expect(again.body.data.every(({ status }: JsonValue) => status === 'duplicate')).to.equal(true);
    expect((await service.get(`/api/v1/lots/${lot.id}`)).body.data.bid_count).to.equal(40);
  });

  it('takes an event’s id once from a platform, whichever lot it names and however many come at once', async () => {
    const lots = [await liveLot(), await liveLot(), await liveLot()];
    expect(new Set(lots.map((lot) => lot.auction_id % 64)).size).to.equal(3);
    const { event_id } = event(lots[0]!.id, 1, '100.00');
    const same = lots.map((lot) => ({ ...event(lot.id, 1, '100.00'), event_id }));
    const answers = await Promise.all([...same, ...same].map((one) => send('bid', one)));
    const statuses = answers.map(({ body }) => body.data.status).sort();
    expect(statuses).to.deep.equal(['applied', ...Array.from({ length: 5 }, () => 'duplicate')]);
    const answer = await send('bid', [event(lots[0]!.id, 2, '500.00'), ...same]);
    expect(answer.body.data.map(({ status }: JsonValue) => status)).to.deep.equal([
      'applied',
      'duplicate',
      'duplicate',
      'duplicate',
    ]);
    const elsewhere = (await addPlatform(service.backends.knex, service.config.appSecrets, 'loft')).secret;
    const other = await send(
      'bid',
      { ...same[1], amount: '700.00' },
      { platform: 'loft', secret: elsewhere },
    );
    expect(other.body.data.status).to.equal('applied');
  });

  it('takes an absentee amount as a ceiling, and a registered paddle as its user', async () => {
    const lot = await liveLot();
    await send('bid', event(lot.id, 1, '900.00', { channel: 'absentee' }));
    expect((await service.get(`/api/v1/lots/${lot.id}`)).body.data.current_bid).to.equal('100.00');
    const other = await liveLot({ auction_id: lot.auction_id });
    const bid = await service.call('POST', `/api/v1/lots/${lot.id}/bids`, {
      token: bidder,
      body: { amount: '1000.00' },
    });
    const paddle = bid.body.data.paddle_number;
    const asked = await service.call('POST', `/api/v1/auctions/${lot.auction_id}/registration`, {
      token: bidder,
      body: { floor_paddle: true },
    });
    expect(asked.body.data, asked.text).to.include({ floor_paddle: true, paddle_number: paddle });
    expect(
      (await send('bid', event(other.id, 1, '100.00', { bidder: { paddle } }))).body.data.status,
    ).to.equal('applied');
    expect((await service.get(`/api/v1/lots/${other.id}`, bidder)).body.data.viewer.is_high_bidder).to.equal(
      true,
    );
  });

  it('finds lots by auction and number, and by SKU', async () => {
    const lot = await liveLot({ sku: `SKU-${process.pid}` });
    const { lot_id: _, ...named } = event(lot.id, 1, '100.00');
    const byNumber = await send('bid', { ...named, auction_id: lot.auction_id, lot_number: lot.lot_number });
    expect(byNumber.body.data.status).to.equal('applied');
    const { lot_id: __, ...again } = event(lot.id, 2, '500.00');
    expect((await send('bid', { ...again, sku: lot.sku })).body.data.status).to.equal('applied');
    const { lot_id: ___, ...nowhere } = event(lot.id, 3, '900.00');
    expect((await send('bid', nowhere)).status).to.equal(422);
    expect((await send('bid', event(123_456_789, 1, '1.00'))).status).to.equal(422);
  });

  it('applies the floor’s word as given, once', async () => {
    const lot = await liveLot({ reserve_price_cents: 90_000 }, { type: 'simulcast' });
    await service.call('POST', `/api/v1/lots/${lot.id}/bids`, { token: bidder, body: { amount: '800.00' } });
    const sold = await send('sold', sale(lot.id, 1));
    expect(sold.body.data).to.include({ status: 'applied' });
    expect(sold.body.data.flags).to.have.members([
      'not_the_leader',
      'hammer_below_current',
      'reserve_not_met',
    ]);
    expect((await send('sold', sale(lot.id, 2))).body.data.status).to.equal('duplicate');
    const other = await send('sold', sale(lot.id, 3, { hammer_price: '701.00' }));
    expect([other.status, other.body.code]).to.deep.equal([409, 'lot_already_sold']);
    expect((await service.get(`/api/v1/lots/${lot.id}`)).body.data.status).to.equal('sold');
    const passed = await liveLot({}, { type: 'simulcast' });
    await liveLot({ auction_id: passed.auction_id });
    const { hammer_price: _, bidder: __, ...word } = sale(passed.id, 1, { result: 'passed' });
    expect((await send('sold', word)).body.data.status).to.equal('applied');
    expect((await send('sold', [sale(passed.id, 9)])).body.data[0]).to.include({ status: 'applied' });
    expect((await send('sold', [sale(passed.id, 10, { result: 'passed' })])).body.data[0]).to.include({
      status: 'rejected',
      code: 'lot_already_sold',
    });
  });

  it('closes a lot of a simulcast auction by the floor alone', async () => {
    const end = new Date(Date.now() - 1_000).toISOString();
    const auction = await anAuction(service.database, { ...LET_IN, type: 'simulcast', end_time: end });
    const lot = await liveLot({ auction_id: auction.id });
    expect((await send('bid', event(lot.id, 1, '200.00'))).body.data.status).to.equal('applied');
    expect((await send('sold', sale(lot.id, 2, { hammer_price: '200.00' }))).body.data.flags).to.deep.equal(
      [],
    );
  });

  it('believes nothing that is not signed by the platform, now', async () => {
    const lot = await liveLot();
    const good = event(lot.id, 1, '100.00');
    const now = Math.floor(Date.now() / 1_000);
    const other = (await addPlatform(service.backends.knex, service.config.appSecrets, 'barn')).secret;
    const wrong: [string, How][] = [
      ['a changed byte', { text: JSON.stringify(good).replace('100', '101') }],
      ['a changed byte that is no JSON', { text: `${JSON.stringify(good)}}` }],
      ['too old', { atSeconds: now - 301 }],
      ['too far ahead', { atSeconds: now + 302 }],
      ['another platform’s secret', { secret: other }],
      ['no signature', { signature: '' }],
      ['a short one', { signature: 'sha256=abcd' }],
      ['no hex', { signature: `sha256=${'z'.repeat(64)}` }],
    ];
    for (const [name, how] of wrong) {
      const refused = await send('bid', good, how);
      expect([name, refused.status, refused.body.code]).to.deep.equal([name, 401, 'invalid_signature']);
    }
    expect((await send('bid', good, { platform: 'nowhere' })).status).to.equal(404);
    const plain = { method: 'POST', body: JSON.stringify(good), headers: { 'content-type': 'text/plain' } };
    const unsigned = await fetch(`${service.url}/webhooks/bid/hall`, plain);
    expect(unsigned.status, 'neither signed nor JSON').to.equal(401);
    const headers = {
      ...plain.headers,
      'x-timestamp': String(now),
      'x-signature': signSimulcast(secret, now, plain.body),
    };
    const signed = await fetch(`${service.url}/webhooks/bid/hall`, { ...plain, headers });
    expect(signed.status, 'signed, but not JSON').to.equal(415);
    expect((await send('bid', good)).body.data.status).to.equal('applied');
  });

  it('takes the old secret and the new one for a day after a rotation', async () => {
    const lot = await liveLot();
    const before = (await addPlatform(service.backends.knex, service.config.appSecrets, 'yard')).secret;
    const { secret: after } = await rotatePlatform(service.backends.knex, service.config.appSecrets, 'yard');
    for (const [sequence, key] of [
      [1, before],
      [2, after],
    ] as const) {
      const answer = await send('bid', event(lot.id, sequence, `${sequence}000.00`), {
        platform: 'yard',
        secret: key,
      });
      expect(answer.body.data.status).to.equal('applied');
    }
    await service.backends
      .knex('simulcast_platforms')
      .where({ slug: 'yard' })
      .update({ previous_valid_until: new Date() });
    await new Promise((done) => setTimeout(done, 1_100));
    const late = await send('bid', event(lot.id, 3, '9000.00'), { platform: 'yard', secret: before });
    expect(late.status).to.equal(401);
  });

  it('refuses amounts that are no strings, unknown fields, and more than 500 events', async () => {
    const lot = await liveLot();
    expect((await send('bid', { ...event(lot.id, 1, '1'), amount: 150 })).status).to.equal(422);
    expect((await send('bid', event(lot.id, 1, '0.00'))).status).to.equal(422);
    expect((await send('bid', event(lot.id, 1, '100.00', { hammer: 1 }))).status).to.equal(422);
    const many = Array.from({ length: 501 }, (_, n) => event(lot.id, n + 1, '100.00'));
    const tooMany = await send('bid', many);
    expect(tooMany.status).to.equal(422);
    expect(Object.values(tooMany.body.errors).flat()).to.deep.equal([
      'The body must be one event, or a list of 1 to 500; send longer lists in several requests.',
    ]);
    expect((await send('bid', [])).status).to.equal(422);
    expect((await service.get(`/api/v1/lots/${lot.id}`)).body.data.bid_count).to.equal(0);
  });
});

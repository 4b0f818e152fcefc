/** Lists of simulcast events of which some hold text that must not come in. */
import { expect } from 'chai';
import { signSimulcast } from '../../../../adapters/webhooks/simulcast-signature.ts';
import { addPlatform } from '../../../../src/bidding/simulcast/platform-registry.ts';
import { aLot, anAuction } from '../../../support/builders.ts';
import { type JsonValue, type Service, startService } from '../../../support/service.ts';

describe('hostile text in a list of simulcast events', () => {
  let service: Service;
  let secret: string;
  let lotId: number;

  before(async () => {
    service = await startService();
    secret = (await addPlatform(service.backends.knex, service.config.appSecrets, 'hall')).secret;
    const auction = await anAuction(service.database, { simulcast_platforms: ['hall'], type: 'simulcast' });
    lotId = (await aLot(service.database, { auction_id: auction.id })).id;
    await service.publish();
  });
  after(() => service.close());

  async function send(kind: 'bid' | 'sold', body: unknown): Promise<{ status: number; body: JsonValue }> {
    const text = JSON.stringify(body);
    const timestamp = Math.floor(Date.now() / 1_000);
    const response = await fetch(`${service.url}/webhooks/${kind}/hall`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-timestamp': String(timestamp),
        'x-signature': signSimulcast(secret, timestamp, text),
      },
      body: text,
    });
    return { status: response.status, body: await response.json() };
  }

  const event = (sequence: number, more: object) => ({
    event_id: `e-${sequence}`,
    sequence,
    lot_id: lotId,
    bidder: { external_id: 'b-9' },
    ...more,
  });
  const bid = (sequence: number, more: object = {}) =>
    event(sequence, { amount: `${sequence}000.00`, ...more });

  it('is refused with its item alone', async () => {
    const hostile = [
      bid(1, { event_id: 'a\ud83d' }),
      bid(2, { bidder: { paddle: '\u0000' } }),
      bid(3, { bidder: { external_id: '\udc00' } }),
      bid(4, { 'x\ud83d': 1 }),
      bid(5, { bidder: JSON.parse('{"__proto__":{"paddle":"1"}}') }),
      '\ud83d',
      ['\u0000'],
    ];
    const taken = bid(6, { bidder: { paddle: '\ud83d\udc0e', external_id: 'é"\\' } });
    const { status, body } = await send('bid', [...hostile, taken]);
    expect(status).to.equal(200);
    const answered = body.data.map(({ event_id, status: what, code }: JsonValue) => [event_id, code ?? what]);
    const refused = [null, 'e-2', 'e-3', 'e-4', 'e-5', null, null].map((id) => [id, 'validation_failed']);
    expect(answered).to.deep.equal([...refused, ['e-6', 'applied']]);
    expect(body.data[1].errors).to.have.keys(['bidder.paddle']);
    const sale = event(7, { result: 'sold', hammer_price: '9000.00' });
    const sold = await send('sold', ['\ud83d', sale]);
    expect(sold.body.data.map(({ status: what }: JsonValue) => what)).to.deep.equal(['rejected', 'applied']);
  });

  it('refuses an event that comes alone', async () => {
    expect((await send('bid', bid(8, { event_id: '\u0000' }))).status).to.equal(422);
  });
});

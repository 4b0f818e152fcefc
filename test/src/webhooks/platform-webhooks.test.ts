/** What a platform's webhook receives: the listings of its lots, whoever owns them, and nothing else. */
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { startWebhooks, type Webhooks } from '../../../src/app/jobs/start-webhooks.ts';
import { addPlatform, rotatePlatform } from '../../../src/bidding/simulcast/platform-registry.ts';
import { followListedLots } from '../../../src/selling/cross-listings/cross-listings.ts';
import { openLog } from '../../../src/shared/log.ts';
import {
  checkPlatformWebhook,
  dropPlatformWebhook,
  setPlatformWebhook,
} from '../../../src/webhooks/platform-webhooks.ts';
import { webhookMetrics } from '../../../src/webhooks/webhook-metrics.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { append, bidFact } from '../../support/facts.ts';
import { type Service, startService } from '../../support/service.ts';
import { type Receiver, startReceiver, verify } from '../../support/webhook-receiver.ts';

describe('the webhook of a platform', () => {
  let service: Service;
  let webhooks: Webhooks;
  let receiver: Receiver;

  before(async () => {
    service = await startService({
      env: { WEBHOOK_ALLOW_LOOPBACK: '1', WEBHOOK_RETRY_SCHEDULE: '0,0.3,0.3' },
    });
    webhooks = await startWebhooks(
      service.config,
      service.backends,
      webhookMetrics(new Registry()),
      openLog('silent', 'test'),
    );
  });

  beforeEach(async () => {
    receiver = await startReceiver();
  });

  afterEach(() => receiver.die());

  after(async () => {
    await webhooks.close();
    await service.close();
  });

  async function platform(slug: string, secret?: string): Promise<string> {
    const { knex } = service.backends;
    const added = await addPlatform(knex, service.config.appSecrets, slug, secret);
    await setPlatformWebhook(knex, slug, `${receiver.url}/${slug}`);
    return added.secret;
  }

  /** A seller's draft lot, and a way to list it. */
  async function aSellersLot() {
    const owner = await aUser(service.database);
    const team = await aTeam(service.database, { owner });
    const auction = await anAuction(service.database, { team_id: team.id, status: 'draft' });
    const lot = await aLot(service.database, { auction_id: auction.id, status: 'draft', title: 'Barn' });
    const token = await service.tokenFor(owner, ['seller']);
    const headers = { 'x-team-id': String(team.id) };
    const path = `/api/v1/seller/lots/${lot.id}/cross-listings`;
    return {
      lotId: lot.id,
      teamId: team.id,
      list: (slug: string) => service.call('POST', path, { token, headers, body: { platform: slug } }),
      remove: (id: number) => service.call('DELETE', `${path}/${id}`, { token, headers }),
    };
  }

  it('is notified of its listings from the first to the last, of every seller, signed with its secret', async () => {
    const secret = await platform('field');
    await platform('elsewhere');
    const [one, two] = [await aSellersLot(), await aSellersLot()];
    expect((await one.list('field')).status).to.equal(201);
    const second = (await two.list('field')).body.data.id;
    expect((await two.list('elsewhere')).status).to.equal(201);
    await append(service.database, [bidFact(one.teamId, one.lotId, 1)]);
    await service.backends.knex('lots').where('id', one.lotId).update({ title: 'Red barn' });
    await followListedLots(service.backends.knex);
    await service.backends.knex('lots').where('id', one.lotId).update({ status: 'withdrawn' });
    await followListedLots(service.backends.knex);
    expect((await two.remove(second)).status).to.equal(200);
    const mine = () => receiver.received.filter(({ path }) => path === '/field');
    await receiver.until(() => mine().length >= 5);
    await receiver.until((got) => got.some(({ path }) => path === '/elsewhere'));
    for (const delivery of mine()) verify(delivery, secret);
    const deliveriesOf = (lotId: number) =>
      mine()
        .filter(({ body }) => body.data.lot_id === lotId)
        .map(({ body }) => body.type);
    expect(deliveriesOf(one.lotId)).to.deep.equal(['listing.created', 'listing.updated', 'listing.ended']);
    expect(deliveriesOf(two.lotId)).to.deep.equal(['listing.created', 'listing.removed']);
    expect(receiver.received.filter(({ path }) => path === '/elsewhere')).to.have.length(1);
  });

  it('tries again, with the new secret and the one before after a rotation', async () => {
    const before = await platform('turning');
    const { secret } = await rotatePlatform(service.backends.knex, service.config.appSecrets, 'turning');
    let tries = 0;
    receiver.behave = () => (++tries === 1 ? 500 : 204);
    await (await aSellersLot()).list('turning');
    await receiver.until((got) => got.length === 2);
    expect(new Set(receiver.received.map(({ id }) => id))).to.have.property('size', 1);
    for (const delivery of receiver.received) for (const key of [before, secret]) verify(delivery, key);
  });

  it('takes a secret of any form: as bytes, and as base64 where it is', async () => {
    await platform('plain', 'a plain secret');
    await platform('coded', Buffer.from('0123456789abcdef0123').toString('base64'));
    const lot = await aSellersLot();
    await lot.list('plain');
    await lot.list('coded');
    await receiver.until((got) => got.length === 2);
    const [plain, coded] = ['/plain', '/coded'].map(
      (path) => receiver.received.find((delivery) => delivery.path === path)!,
    );
    verify(plain!, Buffer.from('a plain secret').toString('base64'));
    for (const bytes of ['0123456789abcdef0123', Buffer.from('0123456789abcdef0123').toString('base64')])
      verify(coded!, Buffer.from(bytes).toString('base64'));
  });

  it('is changed and removed, and refused if its URL is not acceptable', async () => {
    const { knex } = service.backends;
    await platform('moving');
    await setPlatformWebhook(knex, 'moving', `${receiver.url}/moved`);
    const lot = await aSellersLot();
    const { id } = (await lot.list('moving')).body.data;
    await receiver.until((got) => got.length === 1);
    expect(receiver.received[0]!.path).to.equal('/moved');
    await dropPlatformWebhook(knex, 'moving');
    await lot.remove(id);
    await receiver.until(() => true);
    expect(receiver.received).to.have.length(1);
    const refusals: (() => Promise<unknown>)[] = [
      () => dropPlatformWebhook(knex, 'moving'),
      () => setPlatformWebhook(knex, 'nobody', 'https://example.com/hook'),
      () => checkPlatformWebhook('under_score', 'https://example.com/hook', { allowLoopback: false }),
      () => checkPlatformWebhook('hall', 'http://127.0.0.1/hook', { allowLoopback: false }),
      () => checkPlatformWebhook('hall', 'https://10.0.0.1/hook', { allowLoopback: false }),
      () => checkPlatformWebhook('hall', 'no url', { allowLoopback: false }),
    ];
    for (const refused of refusals) {
      const code = await refused().then(String, ({ code }) => code);
      expect(code).to.equal('validation_failed');
    }
  });
});

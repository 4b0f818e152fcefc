/** Every kind of event from the operation that causes it, delivered, and checked against the AsyncAPI document. */
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { Team } from '../../../src/accounts/models/team.model.ts';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { createUser, verifyUser } from '../../../src/accounts/people/accounts.ts';
import { approveTeam } from '../../../src/accounts/teams/teams.ts';
import { type RunningJobs, startWorkerJobs } from '../../../src/app/jobs/worker-jobs.ts';
import { voidBid } from '../../../src/bidding/staff/void-bid.ts';
import { EVENT_KINDS } from '../../../src/events/event-names.ts';
import { acceptOffer, declineOffer, expireOffers } from '../../../src/sales/offers/answer-offer.ts';
import { offerSecondChance } from '../../../src/sales/offers/offers.ts';
import { openLog } from '../../../src/shared/log.ts';
import { staffOf } from '../../support/billing.ts';
import { aTeam, aUser } from '../../support/builders.ts';
import { paymentOf, report } from '../../support/money.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';
import { type Received, type Receiver, startReceiver, verify } from '../../support/webhook-receiver.ts';

describe('Every kind of event', () => {
  let service: Service;
  let jobs: RunningJobs;
  let receiver: Receiver;
  let team: Team;
  let owner: User;
  let token: string;
  let secret: string;
  let document: JsonValue;
  const lots: number[] = [];

  const seller = (method: string, path: string, body?: unknown) =>
    service.call(method, `/api/v1${path}`, { token, body, headers: { 'x-team-id': String(team.id) } });
  const got = (type: string) => receiver.received.filter(({ body }) => body.type === type);

  before(async () => {
    service = await startService({ env: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
    jobs = await startWorkerJobs(service.config, service.backends, new Registry(), openLog('silent', 'test'));
    receiver = await startReceiver();
    owner = await aUser(service.database);
    team = await aTeam(service.database, { owner, approved: false });
    token = await service.tokenFor(owner, ['seller']);
    const made = await seller('POST', '/webhook-subscriptions', { url: receiver.url, events: ['*'] });
    secret = made.body.data.secret;
    document = (await service.get('/docs/api/asyncapi.json')).body;
  });

  after(async () => {
    await receiver.die();
    await jobs.close();
    await service.close();
  });

  it('is described by a document that is valid AsyncAPI 3', () => {
    const schema = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0-without-$id.json');
    const validate = new Ajv({ strict: false, logger: false, validateFormats: false }).compile(schema);
    expect(validate(document), JSON.stringify(validate.errors, null, 1)).to.equal(true);
    expect(Object.keys(document.components.messages)).to.have.members([...EVENT_KINDS, 'webhook.test']);
  });

  it('comes of people and teams', async () => {
    await verifyUser(service.backends.knex, owner.email);
    await approveTeam(service.backends.knex, team.id);
    await approveTeam(service.backends.knex, team.id);
    await createUser(service.backends.knex, { email: 'elsewhere@example.com', verified: true });
    await receiver.until(() => got('seller.approved').length > 0 && got('user.verified').length > 0);
    expect(got('user.verified').map(({ body }) => body.data.user_id)).to.deep.equal([owner.id]);
    expect(got('seller.approved').map(({ body }) => body.data.team_id)).to.deep.equal([team.id]);
  });

  it('comes of an auction from its publication to its last invoice', async () => {
    const bidder = await aUser(service.database);
    const buyer = await service.tokenFor(bidder, ['read', 'write']);
    const now = Date.now();
    const auction = await seller('POST', '/seller/auctions', {
      title: 'Every kind',
      start_time: new Date(now + 300).toISOString(),
      end_time: new Date(now + 5_000).toISOString(),
      soft_close: null,
    });
    expect(auction.status, auction.text).to.equal(201);
    const auctionId: number = auction.body.data.id;
    for (const reserve_price of [undefined, '900.00', undefined]) {
      const lot = await seller('POST', '/seller/lots', {
        auction_id: auctionId,
        title: 'A lot',
        starting_bid: '100.00',
        ...(reserve_price === undefined ? {} : { reserve_price }),
      });
      expect(lot.status, lot.text).to.equal(201);
      lots.push(lot.body.data.id);
    }
    const published = await seller('PATCH', `/seller/auctions/${auctionId}`, { status: 'scheduled' });
    expect(published.status, published.text).to.equal(200);
    await receiver.until(() => got('auction.started').length > 0);
    for (const lot of lots) {
      const bid = await service.call('POST', `/api/v1/lots/${lot}/bids`, {
        token: buyer,
        body: { amount: '100.00' },
      });
      expect(bid.status, bid.text).to.equal(201);
      if (lot !== lots[2]) continue;
      await voidBid(service.backends, bid.body.data.id, 'a slip');
      await receiver.until(() => got('bid.voided').length > 0);
      expect(got('bid.voided')[0]!.body.data).to.include({ bid_id: bid.body.data.id, bid_count: 0 });
    }
    await receiver.until(() => got('auction.ended').length > 0, 60_000);
    await receiver.until(() => got('invoice.created').length > 0 && got('lot.unsold').length > 1);
    expect(got('lot.sold').map(({ body }) => body.data.lot_id)).to.deep.equal([lots[0]]);
    expect(got('lot.passed').map(({ body }) => body.data.lot_id)).to.deep.equal([lots[1]]);
    expect(got('lot.unsold').map(({ body }) => body.data.lot_id)).to.have.members(lots.slice(1));
    expect(got('bid.placed')).to.have.length(3);
    const [sold] = got('lot.sold');
    const invoice = await service.backends.knex('invoices').where('lot_id', lots[0]!).first();
    expect(sold!.body.data.invoice_number).to.equal(invoice.invoice_number);
    await report(service, { type: 'payment_intent.payment_failed', object: paymentOf(invoice) });
    await report(service, { object: paymentOf(invoice) });
    await receiver.until(() => got('invoice.paid').length > 0 && got('invoice.payment_failed').length > 0);
    await staffOf(service).refund(invoice.invoice_number);
    await receiver.until(() => got('invoice.refunded').length > 0);
    expect(got('invoice.refunded')[0]!.body.data).to.include({
      invoice_number: invoice.invoice_number,
      amount_refunded: 100,
      status: 'refunded',
    });
  });

  it('comes of second chances', async () => {
    const { knex } = service.backends;
    const staff = staffOf(service);
    await staff.defaultLot(lots[0]!);
    const model = await knex('bids').where('lot_id', lots[0]!).first();
    const others: User[] = [];
    for (const name of ['a', 'b', 'c']) {
      const user = await aUser(service.database);
      others.push(user);
      await knex('bids').insert({
        ...model,
        bid_id: `second-${name}`,
        sequence: model.sequence + 10 + others.length,
        user_id: user.id,
        bidder_key: `u:${user.id}`,
      });
    }
    const [declines, forgets, accepts] = others as [User, User, User];
    await declineOffer(knex, (await offerSecondChance(knex, lots[0]!)).id, declines.id);
    const { id } = await offerSecondChance(knex, lots[0]!);
    await knex('offers')
      .where({ id, user_id: forgets.id })
      .update({ expires_at: new Date(0) });
    await expireOffers(knex);
    await acceptOffer(knex, (await offerSecondChance(knex, lots[0]!)).id, accepts.id);
    await receiver.until(() => got('offer.accepted').length > 0 && got('offer.expired').length > 0);
    expect(got('offer.created')).to.have.length(3);
    expect(got('offer.declined')).to.have.length(1);
  });

  it('comes of the team’s subscription', async () => {
    await service.backends.knex('plans').insert({ slug: 'pro', name: 'Pro', price_monthly_cents: 9_900 });
    await report(service, {
      type: 'customer.subscription.created',
      object: {
        id: 'sub_1',
        status: 'active',
        current_period_end: Math.floor(Date.now() / 1_000) + 2_592_000,
        cancel_at_period_end: false,
        metadata: { team_id: String(team.id), plan: 'pro' },
      },
    });
    await receiver.until(() => got('subscription.updated').length > 0);
    await service.backends.knex('plans').insert({ slug: 'max', name: 'Max', price_monthly_cents: 19_900 });
    const subscribed = await seller('POST', '/subscriptions', { plan: 'max' });
    expect(subscribed.status, subscribed.text).to.equal(201);
    const open = await service.backends
      .knex('invoices')
      .where({ kind: 'subscription', status: 'open' })
      .first();
    await staffOf(service).voidInvoice(open.invoice_number);
    await receiver.until(() => got('invoice.voided').length > 0);
  });

  it('comes of lots that are listed elsewhere', async () => {
    const { knex } = service.backends;
    await knex('cross_listing_platforms').insert({ slug: 'elsewhere', name: 'Elsewhere' });
    const now = Date.now();
    const auction = await seller('POST', '/seller/auctions', {
      title: 'Listed',
      start_time: new Date(now + 3_600_000).toISOString(),
      end_time: new Date(now + 7_200_000).toISOString(),
    });
    const made = await seller('POST', '/seller/lots', {
      auction_id: auction.body.data.id,
      title: 'Listed',
      starting_bid: '1.00',
    });
    const path = `/seller/lots/${made.body.data.id}/cross-listings`;
    const first = await seller('POST', path, { platform: 'elsewhere' });
    expect(first.status, first.text).to.equal(201);
    await seller('DELETE', `${path}/${first.body.data.id}`);
    await seller('POST', path, { platform: 'elsewhere' });
    await seller('PATCH', `/seller/lots/${made.body.data.id}`, { title: 'Listed anew' });
    await receiver.until(() => got('listing.updated').length > 0, 60_000);
    await seller('PATCH', `/seller/auctions/${auction.body.data.id}`, { status: 'scheduled' });
    await seller('PATCH', `/seller/lots/${made.body.data.id}`, { status: 'withdrawn' });
    await receiver.until(() => got('listing.ended').length > 0, 60_000);
    expect(got('listing.removed').map(({ body }) => body.data.listing_id)).to.deep.equal([
      first.body.data.id,
    ]);
  });

  it('was delivered once, signed, as the document and the list describe it', async () => {
    expect(new Set(receiver.received.map(({ body }) => body.type))).to.have.all.keys(...EVENT_KINDS);
    const ajv = new Ajv2020({ strict: false });
    for (const delivery of receiver.received) {
      verify(delivery, secret);
      const { payload } = document.components.messages[delivery.body.type];
      const validate = ajv.compile(payload);
      expect(validate(delivery.body), `${delivery.text} ${JSON.stringify(validate.errors)}`).to.equal(true);
    }
    const { body } = await seller('GET', '/events?limit=500');
    const delivered = new Map(receiver.received.map((delivery: Received) => [delivery.id, delivery.body]));
    expect(delivered.size).to.equal(receiver.received.length);
    expect(body.data.length).to.equal(delivered.size);
    for (const { id, ...event } of body.data) expect(delivered.get(id)).to.deep.equal(event);
  });
});

/** What the ledger makes of the provider's events in orders and shapes that nobody planned for; the books always agree. */
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { publishAuction } from '../../../../src/bidding/records/publishing.ts';
import { openDepositInvoice } from '../../../../src/billing/deposits/deposits.ts';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import { listSetAside } from '../../../../src/billing/payments/money-tries.ts';
import { Settlement } from '../../../../src/billing/settlements/settlement.model.ts';
import { settleAuctions, waitingFor } from '../../../../src/billing/settlements/settlements.ts';
import { billOwners } from '../../../../src/billing/subscriptions/renewal.ts';
import { acceptOffer } from '../../../../src/sales/offers/answer-offer.ts';
import { offerSecondChance } from '../../../../src/sales/offers/offers.ts';
import { placeBid } from '../../../support/auction-house.ts';
import { refusalOf, type Staff, withService } from '../../../support/billing.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import {
  aSale,
  invoiceNow,
  paymentOf,
  projectAuction,
  report,
  reportDispute,
  sell,
} from '../../../support/money.ts';
import type { Service } from '../../../support/service.ts';

describe('Money, as the provider tells of it', () => {
  let service: Service;
  let staff: Staff;
  let knex: Knex;
  withService((parts) => {
    ({ service, staff, knex } = parts);
  });

  const now = (invoice: Pick<Invoice, 'id'>) => invoiceNow(service.database, invoice);
  const refund = (payment: Record<string, unknown>, more: object = {}) =>
    report(service, { type: 'charge.refunded', object: { ...payment, ...more } });
  const dispute = (payment: Record<string, unknown>, kind: 'created' | 'closed', more: object) =>
    reportDispute(service, payment, kind, more);
  const expectBooks = async (auctionId: number | null) =>
    expect((await staff.books(auctionId!)).differences).to.deep.equal([]);

  /** A buyer's deposit of 250.00 for an auction in which they won one lot for `hammerCents`. */
  async function aDeposit(hammerCents: number) {
    const auction = await anAuction(service.database, {
      registration_mode: 'deposit',
      registration_deposit_cents: 25_000,
    });
    const lot = await aLot(service.database, { auction_id: auction.id });
    await publishAuction(service.backends, auction.id);
    const buyer = await aUser(service.database);
    const deposit = (await knex.transaction((trx) => openDepositInvoice(trx, auction.id, buyer.id)))!;
    const payment = paymentOf(deposit);
    await report(service, { object: payment });
    const end = async () => {
      await sell(service.backends.engine, lot.id, buyer, hammerCents);
      await projectAuction(service.database, service.backends.redis, auction.id);
      await settleAuctions(knex);
      return (await knex('invoices').where('lot_id', lot.id).first()) as Invoice;
    };
    return { auction, lot, buyer, deposit, payment, end };
  }

  it('keeps a refund for its payment, whatever the invoice is in, and reverses nothing for an unknown charge', async () => {
    const { invoice, auction } = await aSale(service, 10_000);
    await report(service, { object: paymentOf(invoice) });
    const double = paymentOf(invoice);
    expect((await refund(double)).status).to.equal('pending');
    const cent = { id: 'ch_nobody', amount: 1, currency: 'usd', metadata: double['metadata'] };
    expect((await refund(cent)).status).to.equal('pending');
    expect(await now(invoice)).to.include({ status: 'paid', amount_refunded_cents: 0 });
    expect((await report(service, { object: double })).status).to.equal('unallocated');
    expect(await knex('payments').where('payment_id', String(double['id'])).first()).to.include({
      status: 'refunded',
    });
    expect(await now(invoice)).to.include({
      status: 'paid',
      amount_paid_cents: 10_000,
      amount_refunded_cents: 0,
    });
    await staff.returnSurplus();
    await expectBooks(auction.id);
  });

  it('confirms what we sent back ourselves in every shape, and books it once', async () => {
    for (const shape of ['ours', 'counted', 'charge'] as const) {
      const { invoice, auction } = await aSale(service, 10_000);
      const payment = paymentOf(invoice, { amount: 10_900, latest_charge: `ch_${invoice.id}` });
      await report(service, { object: payment });
      await staff.returnSurplus();
      expect(await now(invoice)).to.include({ status: 'paid', amount_refunded_cents: 900 });
      const shapes = {
        ours: { id: payment['id'], amount: 900 },
        counted: { id: payment['id'], amount: 10_900, amount_refunded: 900 },
        charge: { id: `ch_${invoice.id}`, amount: 10_900, amount_refunded: 900 },
      };
      expect((await refund({ currency: 'usd' }, shapes[shape])).status, shape).to.equal('duplicate');
      expect(await now(invoice)).to.include({ status: 'paid', amount_refunded_cents: 900 });
      await expectBooks(auction.id);
      const under = await knex('ledger_entries as e')
        .join('payments as p', 'p.id', 'e.payment_id')
        .where({ 'p.payment_id': String(payment['id']), 'e.account': 'refunds_under_way' })
        .sum('e.amount as cents')
        .first();
      expect(Number(under?.['cents'])).to.equal(0);
    }
  });

  it('tells a refund of the provider’s from our own of the same amount, whichever is told first', async () => {
    for (const shape of ['each', 'counted'] as const) {
      const { invoice, auction } = await aSale(service, 10_000);
      const payment = paymentOf(invoice, { amount: 10_900 });
      await report(service, { object: payment });
      await staff.returnSurplus();
      for (const inAll of [900, 1_800]) {
        const more = shape === 'each' ? { amount: 900 } : { amount: 10_900, amount_refunded: inAll };
        await refund(payment, more);
      }
      expect(await now(invoice), shape).to.include({ amount_refunded_cents: 1_800 });
      await expectBooks(auction.id);
    }
  });

  it('sends back what was paid twice or too much, once, with the newest payment first', async () => {
    const { invoice, auction } = await aSale(service, 10_000);
    await report(service, { object: paymentOf(invoice) });
    const second = paymentOf(invoice);
    expect((await report(service, { object: second })).status).to.equal('unallocated');
    staff.provider.sent.clear();
    await Promise.all([staff.returnSurplus(), staff.returnSurplus()]);
    await staff.returnSurplus();
    expect([...staff.provider.sent.values()]).to.deep.equal([{ paymentId: second['id'], cents: 10_000 }]);
    expect(await now(invoice)).to.include({
      status: 'paid',
      amount_paid_cents: 20_000,
      amount_refunded_cents: 10_000,
    });
    const told = await knex('events')
      .where({ type: 'invoice.refunded' })
      .whereRaw(`data ->> 'invoice_id' = ?`, [String(invoice.id)]);
    expect(told).to.have.length(1);
    await expectBooks(auction.id);
  });

  it('releases what a deposit covers when the deposit is refunded or disputed', async () => {
    for (const how of ['refund', 'part', 'dispute'] as const) {
      const { auction, deposit, payment, end } = await aDeposit(20_000);
      const invoice = await end();
      await staff.returnDeposits();
      expect(await now(invoice)).to.include({ status: 'paid', credited_cents: 20_000 });
      const settlement = await Settlement.query(knex).findOne('auction_id', auction.id).throwIfNotFound();
      expect(await waitingFor(knex, settlement)).to.deep.equal([]);
      if (how === 'dispute') await dispute(payment, 'created', { amount: 25_000 });
      else await refund(payment, { amount: how === 'part' ? 12_000 : 20_000 });
      const missing = how === 'part' ? 12_000 : 20_000;
      expect(await now(invoice), how).to.include({ status: 'open', owed_cents: missing });
      expect(await waitingFor(knex, settlement)).to.deep.equal([invoice.invoice_number]);
      await expectBooks(auction.id);
      if (how === 'dispute') {
        expect((await dispute(payment, 'created', { amount: 25_000 })).status).to.equal('duplicate');
        expect((await dispute(payment, 'closed', { amount: 25_000, status: 'lost' })).status).to.equal(
          'applied',
        );
      }
      await report(service, { object: paymentOf(invoice, { amount: missing }) });
      expect(await now(invoice)).to.include({ status: 'paid' });
      await staff.returnDeposits();
      expect((await now(deposit)).amount_refunded_cents).to.equal(how === 'part' ? 17_000 : 25_000);
      await expectBooks(auction.id);
    }
  });

  it('lets a deposit be completed of which a part went back', async () => {
    const { deposit, payment, auction, end } = await aDeposit(10_000);
    await refund(payment, { amount: 5_000 });
    expect(await now(deposit)).to.include({
      status: 'open',
      amount_due_cents: 25_000,
      amount_paid_cents: 25_000,
      amount_refunded_cents: 5_000,
    });
    await report(service, { object: paymentOf(deposit, { amount: 5_000 }) });
    expect(await now(deposit)).to.include({ status: 'paid', amount_paid_cents: 30_000 });
    const invoice = await end();
    await staff.returnDeposits();
    expect(await now(invoice)).to.include({ status: 'paid', credited_cents: 10_000 });
    await expectBooks(auction.id);
  });

  it('credits a deposit twice on one invoice, and sets aside what fails ten times', async () => {
    const { deposit, auction, end, payment } = await aDeposit(10_000);
    await end();
    staff.provider.failure = new Error('the card is gone');
    for (let round = 0; round < 12; round += 1) {
      await staff.tryAtOnce();
      await staff.returnDeposits();
    }
    expect(await knex('money_tries').first()).to.include({ invoice_id: deposit.id, tries: 10 });
    expect(await listSetAside(knex)).to.deep.equal([
      { invoice_number: deposit.invoice_number, reason: 'the card is gone' },
    ]);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).to.match(/^rostrum_money_set_aside 1$/m);
    staff.provider.failure = null;
    await staff.retry(deposit.invoice_number);
    expect((await now(deposit)).amount_refunded_cents).to.equal(15_000);
    expect((await refund(payment, { amount: 15_000 })).status).to.equal('duplicate');
    await expectBooks(auction.id);
  });

  it('takes any amount that an invoice can have by one event', async () => {
    const { invoice, auction } = await aSale(service, 99_999_999_999_999);
    expect(
      (await report(service, { object: paymentOf(invoice, { amount: Number.MAX_SAFE_INTEGER }) })).status,
    ).to.equal('applied');
    expect(await now(invoice)).to.include({ status: 'paid' });
    await expectBooks(auction.id);
  });

  it('does not let figures be written by hand', async () => {
    const { invoice } = await aSale(service, 10_000);
    const written = knex('invoices').where('id', invoice.id).update({ amount_paid_cents: 1 });
    expect(await written.then(String, String)).to.include('are sums over postings');
  });

  it('offers no second chance to the selling side or the suspended, nor lets them accept one', async () => {
    const owner = await aUser(service.database);
    const team = await aTeam(service.database, { owner });
    const auction = await anAuction(service.database, { team_id: team.id });
    const lot = await aLot(service.database, { auction_id: auction.id });
    const [first, second, winner] = [
      await aUser(service.database),
      await aUser(service.database),
      await aUser(service.database),
    ];
    await publishAuction(service.backends, auction.id);
    await service.backends.engine.submit(lot.id, placeBid(second.id, null, 12_000));
    await service.backends.engine.submit(lot.id, placeBid(first.id, null, 15_000));
    await sell(service.backends.engine, lot.id, winner, 20_000);
    await projectAuction(service.database, service.backends.redis, auction.id);
    await staff.defaultLot(lot.id);
    await knex('memberships').insert({ team_id: team.id, user_id: first.id, role: 'member' });
    const offer = await offerSecondChance(knex, lot.id);
    expect(offer.user_id).to.equal(second.id);
    await knex('users').where('id', second.id).update({ suspended_at: new Date() });
    expect((await refusalOf(acceptOffer(knex, offer.id, second.id))).code).to.equal('bidder_suspended');
    await knex('users').where('id', second.id).update({ suspended_at: null });
    const accepting = knex.transaction(async (trx) => {
      await trx('users').where('id', second.id).update({ suspended_at: new Date() });
      const accepted = refusalOf(acceptOffer(knex, offer.id, second.id));
      await setTimeout(200);
      return { accepted };
    });
    expect((await (await accepting).accepted).code).to.equal('bidder_suspended');
    await knex('users').where('id', second.id).update({ suspended_at: null });
    const left = (days: number) => new Date(Date.now() - days * 86_400_000);
    await knex('left_memberships').insert({ team_id: team.id, user_id: second.id, left_at: left(29) });
    expect((await refusalOf(acceptOffer(knex, offer.id, second.id))).code).to.equal('seller_cannot_bid');
    await knex('left_memberships')
      .where('user_id', second.id)
      .update({ left_at: left(31) });
    await knex('lots').where('id', lot.id).update({ named_consignor_id: second.id });
    expect((await refusalOf(acceptOffer(knex, offer.id, second.id))).code).to.equal('seller_cannot_bid');
  });

  it('bills and tells the owner when the member who ordered a subscription has left', async () => {
    const [owner, member] = [await aUser(service.database), await aUser(service.database)];
    const team = await aTeam(service.database, { owner });
    const plan = { slug: `plan-${team.id}`, name: 'Plan', commission_bps: 300, price_monthly_cents: 4_900 };
    await knex('plans').insert(plan);
    await knex('memberships').insert({ team_id: team.id, user_id: member.id, role: 'admin' });
    const token = await service.tokenFor(member, ['seller']);
    const ordered = await service.call('POST', '/api/v1/subscriptions', {
      token,
      headers: { 'x-team-id': String(team.id) },
      body: { plan: plan.slug },
    });
    expect(ordered.status).to.equal(201);
    await knex('memberships').where({ team_id: team.id, user_id: member.id }).delete();
    await billOwners(knex);
    const { id } = ordered.body.data.invoice;
    expect(await knex('invoices').where('id', id).first('user_id')).to.deep.equal({ user_id: owner.id });
    const told = await knex('events').where('event_key', `invoice-${id}-created-for-${owner.id}`);
    expect(told).to.have.length(1);
  });
});

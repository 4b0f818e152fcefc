/** Payment events over HTTP: signatures, every status, and once whatever comes how often and in which order. */
import { expect } from 'chai';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import {
  aSale,
  eventBody,
  invoiceNow,
  paymentOf,
  report,
  sendRaw,
  sendSigned,
  stripe,
} from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('payment events', () => {
  let service: Service;

  before(async () => {
    service = await startService();
  });

  after(() => service.close());

  const sold = async (cents = 10_000): Promise<Invoice> => (await aSale(service, cents)).invoice;
  const now = (invoice: Invoice) => invoiceNow(service.database, invoice);
  const eventsOf = async (invoice: Invoice): Promise<string[]> =>
    service.database
      .knex('events')
      .whereRaw("data->>'invoice_number' = ?", [invoice.invoice_number])
      .where('type', 'like', 'invoice.%')
      .orderBy('id')
      .pluck('type');

  describe('signatures', () => {
    const unix = () => Math.floor(Date.now() / 1_000);

    it('are those of Stripe’s library, both ways', async () => {
      const invoice = await sold();
      const body = eventBody({ object: paymentOf(invoice) });
      const header = stripe.webhooks.generateTestHeaderString({
        payload: body,
        secret: service.config.paymentWebhookSecret,
      });
      const event = stripe.webhooks.constructEvent(body, header, service.config.paymentWebhookSecret);
      expect(event.type).to.equal('payment_intent.succeeded');
      const answer = await sendRaw(service, body, { 'payment-signature': header });
      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.equal({ success: true, data: { status: 'applied' } });
      expect(answer.headers.get('x-ratelimit-limit')).to.equal(null);
    });

    it('that are not right are 401, before anything is read', async () => {
      const body = eventBody({ object: { id: 'pi_1' } });
      const secret = service.config.paymentWebhookSecret;
      const good = stripe.webhooks.generateTestHeaderString({ payload: body, secret });
      const other = stripe.webhooks.generateTestHeaderString({ payload: body, secret: 'whsec_other' });
      const hex = good.split('v1=')[1]!;
      const bad = [
        '',
        'nonsense',
        't=,v1=',
        `t=${unix()}`,
        `v1=${hex}`,
        `t=${unix()},v1=${hex.slice(0, 63)}`,
        `t=${unix()},v1=${'zz'.repeat(32)}`,
        `t=${unix()},v0=${hex}`,
        `t=${unix()},t=${unix()},v1=${hex}`,
        `t=-1,v1=${hex}`,
        `t=1e9,v1=${hex}`,
        other,
        good.replace(/t=\d+/, `t=${unix() - 1}`),
      ];
      for (const header of bad) {
        const answer = await sendRaw(service, body, { 'payment-signature': header });
        expect([answer.status, answer.body.code], header).to.deep.equal([401, 'invalid_signature']);
        const untyped = await sendRaw(service, body, {
          'payment-signature': header,
          'content-type': 'text/plain',
        });
        expect(untyped.status, header).to.equal(401);
      }
      expect((await sendRaw(service, body, {})).status).to.equal(401);
      for (const changed of [`${body} `, body.replace('{', '['), body.slice(0, -1), '']) {
        expect((await sendRaw(service, changed, { 'payment-signature': good })).status, changed).to.equal(
          401,
        );
      }
      const two = `${good.split(',')[0]},v1=${'0'.repeat(64)},v1=${hex}`;
      expect((await sendRaw(service, body, { 'payment-signature': two })).status).to.equal(422);
    });

    it('hold for 300 seconds either way', async () => {
      const body = eventBody({ type: 'charge.updated', object: {} });
      expect((await sendSigned(service, body, unix() - 301)).status).to.equal(401);
      expect((await sendSigned(service, body, unix() + 302)).status).to.equal(401);
      expect((await sendSigned(service, body, unix() - 298)).status).to.equal(200);
      expect((await sendSigned(service, body, unix() + 298)).status).to.equal(200);
    });
  });

  it('refuses ambiguous orders, and uses up nothing', async () => {
    const invoice = await sold();
    for (const wrong of [
      { amount: 100.5 },
      { amount: '10000' },
      { amount: -1 },
      { amount: 0 },
      { currency: 5 },
      { id: '' },
      { metadata: 'x' },
    ]) {
      const answer = await sendSigned(
        service,
        eventBody({ id: 'evt_bad', object: paymentOf(invoice, wrong) }),
      );
      expect([answer.status, answer.body.code], JSON.stringify(wrong)).to.deep.equal([
        422,
        'validation_failed',
      ]);
    }
    expect(await report(service, { id: 'evt_bad', object: paymentOf(invoice) })).to.deep.equal({
      status: 'applied',
    });
    for (const broken of ['{', '[]', '"x"', '{"id":"e","type":"t","created":1,"data":{"object":[]}}']) {
      expect((await sendSigned(service, broken)).status, broken).to.be.oneOf([400, 422]);
    }
    expect(await report(service, { type: 'invoice.finalized', object: {} })).to.deep.equal({
      status: 'ignored',
    });
  });

  it('marks an invoice paid once for each event id and each payment id', async () => {
    const invoice = await sold();
    const payment = paymentOf(invoice);
    const event = { id: `evt_${invoice.id}`, object: payment };
    expect((await report(service, event)).status).to.equal('applied');
    expect((await report(service, event)).status).to.equal('duplicate');
    expect((await report(service, { object: payment })).status).to.equal('duplicate');
    expect(await report(service, { object: paymentOf(invoice) })).to.deep.equal({
      status: 'unallocated',
      code: 'not_open',
    });
    const paid = await now(invoice);
    expect(paid).to.include({ status: 'paid', amount_paid_cents: invoice.amount_due_cents });
    expect(paid.paid_at).to.be.a('string');
    expect(await eventsOf(invoice)).to.deep.equal(['invoice.created', 'invoice.paid']);
  });

  it('has one effect of a hundred at once, under one event id or many', async () => {
    const invoice = await sold();
    const payment = paymentOf(invoice, { amount: 4_000 });
    const body = eventBody({ object: payment });
    const same = await Promise.all(Array.from({ length: 100 }, () => sendSigned(service, body)));
    const others = await Promise.all(
      Array.from({ length: 30 }, () => report(service, { object: payment }).then(({ status }) => status)),
    );
    const statuses = [...same.map((answer) => answer.body.data.status), ...others];
    expect(statuses.filter((status) => status === 'applied')).to.have.length(1);
    expect(new Set(statuses)).to.deep.equal(new Set(['applied', 'duplicate']));
    expect(await now(invoice)).to.include({ status: 'open', amount_paid_cents: 4_000 });
    const rest = await Promise.all(
      Array.from({ length: 20 }, () => report(service, { object: paymentOf(invoice, { amount: 6_000 }) })),
    );
    expect(rest.filter(({ status }) => status === 'applied')).to.have.length(1);
    expect(await now(invoice)).to.include({ status: 'paid', amount_paid_cents: 10_000 });
    expect(await eventsOf(invoice)).to.deep.equal(['invoice.created', 'invoice.paid']);
  });

  it('adds part payments, takes over-payments, and refuses what is not for it', async () => {
    const invoice = await sold();
    const wrong = paymentOf(invoice, { currency: 'eur' });
    expect(await report(service, { object: wrong })).to.deep.equal({
      status: 'rejected',
      code: 'wrong_currency',
    });
    expect(await report(service, { object: paymentOf(invoice, { metadata: null }) })).to.deep.equal({
      status: 'rejected',
      code: 'unknown_invoice',
    });
    expect((await report(service, { object: paymentOf(invoice, { amount: 9_999 }) })).status).to.equal(
      'applied',
    );
    expect(await now(invoice)).to.include({ status: 'open', amount_paid_cents: 9_999, paid_at: null });
    expect((await report(service, { object: paymentOf(invoice, { amount: 500 }) })).status).to.equal(
      'applied',
    );
    expect(await now(invoice)).to.include({ status: 'paid', amount_paid_cents: 10_499 });
  });

  it('leaves an invoice open when a payment fails, and reports it once', async () => {
    const invoice = await sold();
    const failed = { type: 'payment_intent.payment_failed', object: paymentOf(invoice) };
    expect((await report(service, failed)).status).to.equal('applied');
    expect((await report(service, failed)).status).to.equal('duplicate');
    expect(await now(invoice)).to.include({ status: 'open', amount_paid_cents: 0 });
    expect((await report(service, { object: failed.object })).status).to.equal('applied');
    expect(await now(invoice)).to.include({ status: 'paid' });
    expect(await report(service, { ...failed, object: paymentOf(invoice) })).to.deep.equal({
      status: 'rejected',
      code: 'not_open',
    });
    expect(await eventsOf(invoice)).to.deep.equal([
      'invoice.created',
      'invoice.payment_failed',
      'invoice.paid',
    ]);
  });

  it('keeps a refund that comes before its payment, and stays paid until all is refunded', async () => {
    const invoice = await sold();
    const payment = paymentOf(invoice);
    const refund = (amount: number) => ({ type: 'charge.refunded', object: { ...payment, amount } });
    const early = { id: `evt_early_${invoice.id}`, ...refund(3_000) };
    expect((await report(service, early)).status).to.equal('pending');
    expect((await report(service, early)).status).to.equal('duplicate');
    expect(await now(invoice)).to.include({ status: 'open', amount_paid_cents: 0 });
    expect((await report(service, { object: payment })).status).to.equal('applied');
    expect(await now(invoice)).to.include({ status: 'paid', amount_refunded_cents: 3_000 });
    expect((await report(service, refund(2_000))).status).to.equal('applied');
    expect(await now(invoice)).to.include({ status: 'paid', amount_refunded_cents: 5_000 });
    expect((await report(service, refund(5_000))).status).to.equal('applied');
    expect(await now(invoice)).to.include({ status: 'refunded', amount_refunded_cents: 10_000 });
    expect((await report(service, refund(5_000))).status).to.equal('duplicate');
  });

  it('applies a whole refund that came first right after its payment', async () => {
    const invoice = await sold();
    const payment = paymentOf(invoice);
    expect((await report(service, { type: 'charge.refunded', object: payment })).status).to.equal('pending');
    expect((await report(service, { object: payment })).status).to.equal('applied');
    expect(await now(invoice)).to.include({ status: 'refunded', amount_refunded_cents: 10_000 });
    expect((await report(service, { object: payment })).status).to.equal('duplicate');
  });

  it('understands a provider that counts refunds of a charge up', async () => {
    const invoice = await sold();
    const payment = paymentOf(invoice);
    await report(service, { object: payment });
    const charge = (all: number) => ({
      type: 'charge.refunded',
      object: {
        ...payment,
        id: `ch_${invoice.id}`,
        payment_intent: payment['id'],
        metadata: {},
        amount_refunded: all,
      },
    });
    expect((await report(service, charge(4_000))).status).to.equal('applied');
    expect((await report(service, charge(4_000))).status).to.equal('duplicate');
    expect((await report(service, charge(10_000))).status).to.equal('applied');
    expect(await now(invoice)).to.include({ status: 'refunded', amount_refunded_cents: 10_000 });
  });

  it('accepts a late payment, and restores no debt for money that was never taken', async () => {
    const invoice = await sold();
    await service.database
      .knex('invoices')
      .where('id', invoice.id)
      .update({ due_at: '2020-01-01T00:00:00Z' });
    await report(service, { object: paymentOf(invoice) });
    const double = paymentOf(invoice);
    expect((await report(service, { object: double })).status).to.equal('unallocated');
    expect((await report(service, { type: 'charge.refunded', object: double })).status).to.equal('applied');
    expect(await now(invoice)).to.include({ status: 'paid', amount_refunded_cents: 0, overdue_at: null });
  });
});

/** Money that two sides lay claim to at once: its payer’s bank, the provider, staff, and the clock. */
import { expect } from 'chai';
import type { Knex } from 'knex';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import { Payment } from '../../../../src/billing/invoices/payment.model.ts';
import { orderUnallocated } from '../../../../src/billing/payments/refund-orders.ts';
import { sendOrders } from '../../../../src/billing/payments/send-refunds.ts';
import {
  approveSettlement,
  paySettlement,
} from '../../../../src/billing/settlements/settlement-decisions.ts';
import { settleAuctions } from '../../../../src/billing/settlements/settlements.ts';
import { readFigures } from '../../../../src/pages/office/figures.ts';
import { refusalOf, type Staff, withService } from '../../../support/billing.ts';
import { aTeam, aUser } from '../../../support/builders.ts';
import { aSale, invoiceNow, paymentOf, report, reportDispute } from '../../../support/money.ts';
import type { Service } from '../../../support/service.ts';

describe('Money that is contested', () => {
  let service: Service;
  let staff: Staff;
  let knex: Knex;
  withService((parts) => {
    ({ service, staff, knex } = parts);
  });

  beforeEach(() => staff.provider.sent.clear());

  const now = (invoice: Pick<Invoice, 'id'>) => invoiceNow(service.database, invoice);
  const paymentNow = (payment: Record<string, unknown>) =>
    Payment.query(knex).findOne('payment_id', String(payment['id'])).throwIfNotFound();
  const sent = () => [...staff.provider.sent.values()];
  const balanceOf = async (account: string, invoiceId: number) => {
    const own = { account, invoice_id: invoiceId };
    const row = await knex('ledger_entries').where(own).sum('amount as cents').first();
    return Number(row?.['cents'] ?? 0);
  };
  const expectBooks = async (auctionId: number) =>
    expect((await staff.books(auctionId)).differences).to.deep.equal([]);

  it('is no loss where its payer had paid twice, and goes back once', async () => {
    for (const disputed of [0, 1] as const) {
      for (const status of ['lost', 'won'] as const) {
        staff.provider.sent.clear();
        const { invoice, auction } = await aSale(service, 10_000);
        const payments = [paymentOf(invoice), paymentOf(invoice)] as const;
        for (const object of payments) await report(service, { object });
        const payment = payments[disputed];
        await reportDispute(service, payment, 'created', { amount: 10_000 });
        await staff.returnSurplus();
        expect(sent(), 'sent while it is disputed').to.deep.equal([]);
        await expectBooks(auction.id);
        await reportDispute(service, payment, 'closed', { amount: 10_000, status });
        await staff.returnSurplus();
        await staff.returnSurplus();
        expect(sent()).to.have.length(status === 'won' ? 1 : 0);
        expect(await now(invoice), `${disputed} ${status}`).to.include({
          status: 'paid',
          amount_paid_cents: 20_000,
          amount_refunded_cents: 10_000,
          owed_cents: 0,
        });
        expect(await balanceOf('chargeback_losses', invoice.id)).to.equal(0);
        await expectBooks(auction.id);
      }
    }
  });

  it('is a loss only as far as it was not paid beyond what was due', async () => {
    const { invoice, auction } = await aSale(service, 10_000);
    const payment = paymentOf(invoice, { amount: 13_000 });
    await report(service, { object: payment });
    await reportDispute(service, payment, 'created', { amount: 4_000 });
    await staff.returnSurplus();
    await reportDispute(service, payment, 'closed', { amount: 4_000, status: 'lost' });
    await staff.returnSurplus();
    expect(sent()).to.deep.equal([]);
    expect(await now(invoice)).to.include({ status: 'paid', amount_refunded_cents: 3_000, owed_cents: 0 });
    expect(await balanceOf('chargeback_losses', invoice.id)).to.equal(1_000);
    await expectBooks(auction.id);
  });

  it('of a platform fee is its seller’s debt again, and nobody’s loss', async () => {
    for (const isPaidOut of [false, true]) {
      const team = await aTeam(service.database, { owner: await aUser(service.database) });
      const { invoice, auction } = await aSale(service, 10_000, { team_id: team.id });
      await report(service, { object: paymentOf(invoice) });
      await settleAuctions(knex);
      const settlement = await knex('settlements').where('auction_id', auction.id).first();
      await approveSettlement(knex, settlement.id);
      const own = { auction_id: auction.id, kind: 'platform_fee' };
      const fee = (await knex('invoices').where(own).first()) as Invoice;
      const payment = paymentOf(fee);
      await report(service, { object: payment });
      if (isPaidOut) await paySettlement(knex, settlement.id);
      const dispute = { amount: fee.amount_due_cents };
      await reportDispute(service, payment, 'created', dispute);
      await reportDispute(service, payment, 'closed', { ...dispute, status: 'lost' });
      await expectBooks(auction.id);
      expect(await balanceOf('chargeback_losses', fee.id)).to.equal(0);
      if (!isPaidOut) {
        await approveSettlement(knex, settlement.id);
        await paySettlement(knex, settlement.id);
      }
      const rows = await knex('settlement_adjustments').where({ auction_id: auction.id, kind: 'sale' });
      expect(rows.map(({ amount_cents: cents }) => cents)).to.deep.equal(
        isPaidOut ? [-fee.amount_due_cents] : [],
      );
      await expectBooks(auction.id);
    }
  });

  it('is found by a name of its payment that comes later', async () => {
    const { invoice, auction } = await aSale(service, 10_000);
    const payment = paymentOf(invoice);
    const charge = `ch_${invoice.id}`;
    const refund = (more: object) =>
      report(service, { type: 'charge.refunded', object: { id: charge, currency: 'usd', ...more } });
    expect((await refund({ amount: 3_000 })).status).to.equal('pending');
    await report(service, { object: payment });
    expect(await now(invoice)).to.include({ amount_refunded_cents: 0 });
    expect((await refund({ payment_intent: payment['id'], amount: 2_000 })).status).to.equal('applied');
    expect(await now(invoice)).to.include({ amount_refunded_cents: 5_000 });
    const { invoice: other, auction: second } = await aSale(service, 10_000);
    const again = paymentOf(other);
    const early = { id: `ch_${other.id}`, currency: 'usd', amount: 3_000 };
    await report(service, { type: 'charge.refunded', object: early });
    await report(service, { object: again });
    const named = await report(service, { object: { ...again, latest_charge: `ch_${other.id}` } });
    expect(named.status).to.equal('duplicate');
    expect(await now(other)).to.include({ amount_refunded_cents: 3_000 });
    for (const { id } of [auction, second]) await expectBooks(id);
  });

  it('is not sent by the clock what staff are about to send', async () => {
    const { invoice: first } = await aSale(service, 5_000);
    const { invoice, auction } = await aSale(service, 10_000);
    for (const amount of [5_000, 700]) await report(service, { object: paymentOf(first, { amount }) });
    const double = paymentOf(invoice);
    for (const object of [paymentOf(invoice), double]) await report(service, { object });
    // While the clock sends something else, staff order it.
    const { provider } = staff;
    const send = provider.refund.bind(provider);
    const ordered: Awaited<ReturnType<typeof orderUnallocated>> = [];
    provider.refund = async (...what) => {
      if (ordered.length === 0)
        ordered.push(
          ...(await knex.transaction(async (trx) =>
            orderUnallocated(trx, staff.parts, await paymentNow(double), 10_000),
          )),
        );
      return send(...what);
    };
    await staff.returnSurplus();
    provider.refund = send;
    await sendOrders(staff.parts, ordered);
    await staff.returnSurplus();
    const own = sent().filter(({ paymentId }) => paymentId === double['id']);
    expect(own).to.deep.equal([{ paymentId: double['id'], cents: 10_000 }]);
    expect(await now(invoice)).to.include({ status: 'paid', owed_cents: 0 });
    await expectBooks(auction.id);
  });

  it('pays no invoice while its payer disputes it', async () => {
    const { invoice } = await aSale(service, 10_000);
    const { invoice: other, auction } = await aSale(service, 10_000);
    await staff.voidInvoice(invoice.invoice_number);
    const payment = paymentOf(invoice);
    const id = String(payment['id']);
    await report(service, { object: payment });
    const allocate = () => refusalOf(staff.allocate(id, other.invoice_number));
    await reportDispute(service, payment, 'created', { amount: 10_000 });
    expect((await allocate()).code).to.equal('invalid_transition');
    expect((await refusalOf(staff.refundPayment(id))).code).to.equal('invalid_transition');
    expect(await now(other)).to.include({ status: 'open', amount_paid_cents: 0 });
    await reportDispute(service, payment, 'closed', { amount: 10_000, status: 'won' });
    // Of one that is disputed in part, the rest can be used.
    const part = { id: `dp_part_${id}`, amount: 4_000 };
    await reportDispute(service, payment, 'created', part);
    expect((await allocate()).code).to.equal('done');
    expect(await now(other)).to.include({ status: 'open', amount_paid_cents: 6_000 });
    expect((await allocate()).code).to.equal('invalid_transition');
    expect((await refusalOf(staff.refundPayment(id))).code).to.equal('invalid_transition');
    await reportDispute(service, payment, 'closed', { ...part, status: 'lost' });
    expect(await now(other)).to.include({ amount_paid_cents: 6_000, amount_refunded_cents: 0 });
    expect(await paymentNow(payment)).to.include({ status: 'applied', unallocated_cents: 0 });
    expect(await balanceOf('chargeback_losses', other.id)).to.equal(0);
    await expectBooks(auction.id);
  });

  it('counts once in the reports, in the month in which the dispute began', async () => {
    const { invoice, auction } = await aSale(service, 10_000, { currency: 'chf' });
    await knex('auctions').where('id', auction.id).update({ status: 'ended' });
    const payment = paymentOf(invoice);
    await report(service, { object: payment });
    for (const kind of ['created', 'closed'] as const)
      await reportDispute(service, payment, kind, { amount: 4_000, status: 'won', currency: 'chf' });
    for (const by of ['month', 'auction'] as const) {
      const figures = await readFigures(knex, { by, currency: 'chf' });
      expect(figures.at(-1), by).to.include({ disputes: 1, disputedCents: 4_000n });
    }
  });
});

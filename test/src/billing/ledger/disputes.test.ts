/** Money that the provider withholds because its payer disputes it, until it is given back or lost. */
import { expect } from 'chai';
import type { Knex } from 'knex';
import { Settlement } from '../../../../src/billing/settlements/settlement.model.ts';
import { settleAuctions, waitingFor } from '../../../../src/billing/settlements/settlements.ts';
import { refusalOf, type Staff, withService } from '../../../support/billing.ts';
import { aSale, invoiceNow, paymentOf, report, reportDispute } from '../../../support/money.ts';
import type { Service } from '../../../support/service.ts';

describe('Disputed money', () => {
  let service: Service;
  let staff: Staff;
  let knex: Knex;
  withService((parts) => {
    ({ service, staff, knex } = parts);
  });

  const dispute = (payment: Record<string, unknown>, kind: 'created' | 'closed', more: object) =>
    reportDispute(service, payment, kind, more);
  const expectBooks = async (auctionId: number) =>
    expect((await staff.books(auctionId)).differences).to.deep.equal([]);

  it('holds a settlement back during a dispute, and books what is lost once', async () => {
    const { invoice, auction } = await aSale(service, 10_000);
    const payment = paymentOf(invoice);
    const early = await dispute(payment, 'created', { amount: 10_000 });
    expect(early.status).to.equal('pending');
    await report(service, { object: payment });
    await settleAuctions(knex);
    const settlement = await Settlement.query(knex).findOne('auction_id', auction.id).throwIfNotFound();
    expect(settlement.status).to.equal('draft');
    expect(await waitingFor(knex, settlement)).to.deep.equal([invoice.invoice_number]);
    staff.provider.sent.clear();
    await refusalOf(staff.refund(invoice.invoice_number));
    expect(staff.provider.sent.size, 'what is withheld is not sent').to.equal(0);
    expect((await dispute(payment, 'closed', { amount: 10_000, status: 'lost' })).status).to.equal('applied');
    expect((await dispute(payment, 'closed', { amount: 10_000, status: 'lost' })).status).to.equal(
      'duplicate',
    );
    expect(await Settlement.query(knex).findById(settlement.id)).to.include({ status: 'pending' });
    await expectBooks(auction.id);
    const lost = await knex('ledger_entries')
      .where({ account: 'chargeback_losses', invoice_id: invoice.id })
      .sum('amount as cents')
      .first();
    expect(Number(lost?.['cents'])).to.equal(10_000);
    const { invoice: other, auction: second } = await aSale(service, 5_000);
    const back = paymentOf(other);
    await report(service, { object: back });
    expect((await dispute(back, 'closed', { amount: 5_000, status: 'won' })).status).to.equal('applied');
    expect((await dispute(back, 'created', { amount: 5_000 })).status).to.equal('duplicate');
    expect(await knex('payments').where('payment_id', String(back['id'])).first()).to.include({
      left_cents: 5_000,
      disputed_cents: 0,
    });
    await expectBooks(second.id);
  });

  it('keeps a refund of what is withheld until its dispute is over, and books it by how that ended', async () => {
    for (const status of ['won', 'lost'] as const) {
      const { invoice, auction } = await aSale(service, 8_000);
      const payment = paymentOf(invoice);
      await report(service, { object: payment });
      await dispute(payment, 'created', { amount: 8_000 });
      const told = await report(service, {
        type: 'charge.refunded',
        object: { ...payment, amount_refunded: 8_000 },
      });
      expect(told.status).to.equal('pending');
      expect(await invoiceNow(service.database, invoice)).to.include({
        status: 'paid',
        amount_refunded_cents: 0,
      });
      await expectBooks(auction.id);
      expect((await dispute(payment, 'closed', { amount: 8_000, status })).status).to.equal('applied');
      const refunded = status === 'won' ? 8_000 : 0;
      expect(await invoiceNow(service.database, invoice), status).to.include({
        amount_refunded_cents: refunded,
      });
      await expectBooks(auction.id);
      const waiting = await knex('payment_events').whereNotNull('waits_for').where('status', 'pending');
      expect(waiting.filter(({ waits_for }) => waits_for.includes(payment['id']))).to.deep.equal([]);
    }
  });
});

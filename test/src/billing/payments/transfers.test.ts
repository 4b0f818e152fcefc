/** Bank transfers that staff record: each once, under its own name, and sent back by people where it was too much. */
import { expect } from 'chai';
import type { Knex } from 'knex';
import { moneyParts } from '../../../../src/app/process/money-parts.ts';
import { markSent, refundsToSend } from '../../../../src/billing/payments/sent-refunds.ts';
import { recordTransfer } from '../../../../src/billing/staff/record-transfer.ts';
import { refusalOf, type Staff, withService } from '../../../support/billing.ts';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aUser } from '../../../support/builders.ts';
import { aSale, invoiceNow, paymentOf, report, reportDispute } from '../../../support/money.ts';
import type { Service } from '../../../support/service.ts';

const PASSWORD = 'a long enough password';
/** Banks give their transfers numbers. */
const BANK_NUMBER = '202611270417';

describe('bank transfers', () => {
  let service: Service;
  let staff: Staff;
  let knex: Knex;
  withService((parts) => {
    ({ service, staff, knex } = parts);
  });

  const transfer = (reference: string, amount: string, id: string, currency = 'USD') =>
    recordTransfer({ knex, ...moneyParts(service.config) }, { reference, amount, currency, id });

  it('are booked once under one name, and not silently under that of another', async () => {
    const { invoice } = await aSale(service, 10_000);
    const { invoice_number: number } = invoice;
    expect((await transfer(number, '40.00', 'bank-1')).outcome).to.equal('applied');
    expect((await transfer(number, '40.00', 'bank-1')).outcome).to.equal('duplicate');
    for (const [amount, currency] of [
      ['60.00', 'usd'],
      ['40.00', 'eur'],
    ] as const) {
      const other = await transfer(number, amount, 'bank-1', currency).catch((error) => error);
      expect(other).to.include({ code: 'validation_failed' });
      expect(other.errors.id).to.deep.equal(['bank-1 was booked before, as 40.00 usd by bank_transfer.']);
    }
    const payment = paymentOf(invoice, { amount: 1_000, latest_charge: 'ch_taken' });
    await report(service, { object: payment });
    for (const name of [String(payment['id']), 'ch_taken'])
      expect((await refusalOf(transfer(number, '10.00', name))).code).to.equal('validation_failed');
    expect((await invoiceNow(service.database, invoice)).amount_paid_cents).to.equal(5_000);
  });

  it('go back by hand where they were too much: staff see what is to be sent, and say that it was', async () => {
    const { auction, buyer, invoice } = await aSale(service, 10_000);
    const { invoice_number: number } = invoice;
    await transfer(number, '105.00', 'bank-2');
    await transfer(number, '10.00', BANK_NUMBER);
    staff.provider.sent.clear();
    await staff.returnSurplus();
    expect(staff.provider.sent.size).to.equal(0);
    const toSend = async () =>
      (await refundsToSend(knex, 10)).rows.map(({ payment, cents }) => [payment.payment_id, cents]);
    expect(await toSend()).to.deep.equal([
      ['bank-2', 500],
      [BANK_NUMBER, 1_000],
    ]);
    const admin = await aUser(service.database, { is_admin: true, password_hash: quickHash(PASSWORD) });
    const browser = new BrowserLike(service.url);
    await signIn(browser, admin.email, PASSWORD);
    const queue = (await browser.get('/office/queue')).text;
    expect(queue)
      .to.match(/Refunds to send[\s\S]*bank-2[\s\S]*\$5\.00/)
      .and.to.include(buyer.name);
    const { id } = await knex('payments').where('payment_id', 'bank-2').first();
    await browser.post(`/office/money/payments/${id}/sent`, { reason: 'wired', back: 'queue' });
    expect(await toSend()).to.deep.equal([[BANK_NUMBER, 1_000]]);
    expect((await refusalOf(markSent(knex, 'bank-2'))).code).to.equal('invalid_transition');
    expect((await markSent(knex, BANK_NUMBER)).cents).to.equal(1_000);
    expect((await refusalOf(markSent(knex, 'bank-9'))).code).to.equal('not_found');
    expect(await toSend()).to.deep.equal([]);
    expect((await staff.books(auction.id)).differences).to.deep.equal([]);
    const amounts: number[] = await knex('ledger_entries')
      .where('account', 'refunds_under_way')
      .pluck('amount');
    expect(amounts.reduce((sum, amount) => sum + Number(amount), 0)).to.equal(0);
  });

  it('and payments are not said to be refunded while their payer disputes them', async () => {
    const { invoice } = await aSale(service, 10_000);
    const payment = paymentOf(invoice);
    await report(service, { object: payment });
    await reportDispute(service, payment, 'created', { amount: 4_000 });
    staff.provider.sent.clear();
    const refused = await refusalOf(staff.refund(invoice.invoice_number));
    expect(refused.code).to.equal('invalid_transition');
    expect(staff.provider.sent.size).to.equal(0);
    await reportDispute(service, payment, 'closed', { amount: 4_000, status: 'won' });
    await staff.refund(invoice.invoice_number);
    expect((await invoiceNow(service.database, invoice)).status).to.equal('refunded');
  });
});

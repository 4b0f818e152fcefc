/** Credit notes: one for what each refund takes off an invoice, numbered without gaps, with a document of its own. */
import { expect } from 'chai';
import type { Knex } from 'knex';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { publishAuction } from '../../../../src/bidding/records/publishing.ts';
import { openDepositInvoice } from '../../../../src/billing/deposits/deposits.ts';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import { refundByNumber } from '../../../../src/billing/staff/invoice-orders.ts';
import { type Staff, withService } from '../../../support/billing.ts';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { aSale, invoiceNow, paymentOf, projectAuction, report, sell } from '../../../support/money.ts';
import { pdfText } from '../../../support/pdf-text.ts';
import type { Service } from '../../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('credit notes', () => {
  let service: Service;
  let staff: Staff;
  let knex: Knex;
  withService((parts) => {
    ({ service, staff, knex } = parts);
  });

  async function paid(hammerCents: number, columns: Parameters<typeof aSale>[2] = {}) {
    const sale = await aSale(service, hammerCents, columns);
    const payment = paymentOf(sale.invoice);
    await report(service, { object: payment });
    return { ...sale, payment };
  }
  const notesOf = async (buyer: User, invoice: Invoice) =>
    (await service.get(`/api/v1/invoices/${invoice.id}`, await service.tokenFor(buyer, ['read']))).body.data
      .credit_notes;
  /** The amounts of an invoice's notes, and that the ledger says the same. */
  async function amountsOf(invoice: Invoice): Promise<number[]> {
    const amounts: number[] = (
      await knex('credit_notes').where('invoice_id', invoice.id).orderBy('id').pluck('amount_cents')
    ).map(Number);
    const [ledger] = await knex('ledger_entries as e')
      .join('ledger_postings as p', 'p.id', 'e.posting_id')
      .where({ 'p.kind': 'credit_note', 'e.invoice_id': invoice.id, 'e.account': 'receivable' })
      .sum({ cents: 'e.amount' });
    expect(Number(ledger?.cents ?? 0)).to.equal(-amounts.reduce((sum, cents) => sum + cents, 0));
    return amounts;
  }

  it('are one for what is refunded, and none while nothing is', async () => {
    const { invoice, buyer } = await paid(10_000, { buyer_premium_bps: 1_000 });
    expect(await notesOf(buyer, invoice)).to.deep.equal([]);
    await staff.refund(invoice.invoice_number);
    const [note, ...more] = await notesOf(buyer, invoice);
    expect(more).to.deep.equal([]);
    expect(note).to.have.all.keys('number', 'amount', 'created_at');
    expect(note.number).to.match(/^CN-\d{4}-\d{5}$/);
    expect(note.amount).to.equal(110);
    expect(note.created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(await amountsOf(invoice)).to.deep.equal([11_000]);
  });

  it('are one for each refund of a part, and none for what was paid beyond the invoice or stays owed', async () => {
    const { invoice, payment } = await paid(10_000);
    const back = (inAll: number, of: object = payment) =>
      report(service, { type: 'charge.refunded', object: { ...of, amount_refunded: inAll } });
    await back(2_500);
    await back(4_000);
    expect(await amountsOf(invoice)).to.deep.equal([2_500, 1_500]);
    const over = await aSale(service, 10_000);
    await report(service, { object: { ...paymentOf(over.invoice), amount: 10_700 } });
    await staff.returnSurplus();
    expect((await invoiceNow(service.database, over.invoice)).amount_refunded_cents).to.equal(700);
    expect(await amountsOf(over.invoice)).to.deep.equal([]);
    const part = await aSale(service, 10_000);
    const few = { ...paymentOf(part.invoice), amount: 3_000 };
    await report(service, { object: few });
    await back(3_000, few);
    expect((await invoiceNow(service.database, part.invoice)).status).to.equal('open');
    expect(await amountsOf(part.invoice)).to.deep.equal([]);
  });

  it('are one though several payments go back', async () => {
    const { invoice } = await aSale(service, 10_000);
    await report(service, { object: { ...paymentOf(invoice), amount: 6_000 } });
    await report(service, { object: { ...paymentOf(invoice), amount: 4_000 } });
    await staff.refund(invoice.invoice_number);
    expect(await amountsOf(invoice)).to.deep.equal([10_000]);
  });

  it('are one where a deposit covers a part, and one for the deposit that is given back', async () => {
    const { database: db, backends } = service;
    const auction = await anAuction(db, { registration_mode: 'deposit', registration_deposit_cents: 25_000 });
    const lot = await aLot(db, { auction_id: auction.id });
    await publishAuction(backends, auction.id);
    const bidder = await aUser(db);
    const deposit = await knex.transaction((trx) => openDepositInvoice(trx, auction.id, bidder.id));
    await report(service, { object: paymentOf(deposit!) });
    await sell(backends.engine, lot.id, bidder, 30_000);
    await projectAuction(db, backends.redis, auction.id);
    await knex('auctions').where('id', auction.id).update({ status: 'ended' });
    await staff.returnDeposits();
    const invoice = await knex('invoices').where('lot_id', lot.id).first<Invoice>();
    expect(await amountsOf(deposit!)).to.deep.equal([]);
    await report(service, { object: paymentOf(invoice!, { amount: 5_000 }) });
    await staff.refund(invoice!.invoice_number);
    expect(await amountsOf(invoice!)).to.deep.equal([30_000]);
    await staff.returnDeposits();
    expect((await invoiceNow(db, deposit!)).status).to.equal('refunded');
    expect(await knex('credit_notes').where('invoice_id', deposit!.id).pluck('amount_cents')).to.deep.equal([
      25_000,
    ]);
  });

  it('are numbered without gaps, many at once and where a refund fails', async () => {
    const sales = [];
    for (const cents of [1_000, 2_000, 3_000, 4_000, 5_000, 6_000]) sales.push(await paid(cents));
    const broken = await paid(9_000);
    const followUps = [() => Promise.reject(new Error('no'))];
    const refundDeposit = () => Promise.reject(new Error('no'));
    const failing = refundByNumber(
      { ...staff.parts, followUps, refundDeposit },
      broken.invoice.invoice_number,
    );
    const outcomes = await Promise.allSettled([
      failing,
      ...sales.map(({ invoice }) => staff.refund(invoice.invoice_number)),
    ]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', ...sales.map(() => 'fulfilled')]);
    const numbers: string[] = await knex('credit_notes').orderBy('number').pluck('number');
    expect(numbers.map((number) => Number(number.slice(-5)))).to.deep.equal(
      numbers.map((_, index) => index + 1),
    );
  });

  it('have a page and a PDF for the payer alone, with the tax that they are of', async () => {
    const { invoice, buyer } = await paid(10_000, { sales_tax_ppm: 82_500 });
    await knex('users')
      .where('id', buyer.id)
      .update({
        postal_address: '1 Main Street\nEmporia, KS',
        password_hash: quickHash(PASSWORD),
      });
    await staff.refund(invoice.invoice_number);
    const [{ number }] = await notesOf(buyer, invoice);
    const path = `/api/v1/credit-notes/${number}/document`;
    const authorization = `Bearer ${await service.tokenFor(buyer, ['read'])}`;
    const page = await fetch(`${service.url}${path}`, { headers: { authorization } });
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    const pdf = await fetch(`${service.url}${path}`, {
      headers: { authorization, accept: 'application/pdf' },
    });
    expect(pdf.headers.get('content-type')).to.equal('application/pdf');
    const texts = [await page.text(), pdfText(Buffer.from(await pdf.arrayBuffer()))];
    for (const text of texts) {
      for (const part of [`Credit note ${number}`, invoice.invoice_number, '108.25 USD', '8.25 USD'])
        expect(text).to.include(part);
      expect(text).to.include('Emporia, KS').and.to.include('Of which tax');
    }
    const browser = new BrowserLike(service.url);
    await signIn(browser, buyer.email, PASSWORD);
    const shown = await browser.get(`/account/invoices/${invoice.invoice_number}`);
    expect(shown.text).to.include('Credit notes').and.to.include(`href="${path}"`);
    expect((await browser.get(path)).text).to.include(`Credit note ${number}`);
    const file = await browser.get(`/account/credit-notes/${number}/pdf`);
    expect(file.headers.get('content-type')).to.equal('application/pdf');
    const other = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    const token = await service.tokenFor(other, ['read']);
    expect((await service.get(path, token)).status).to.equal(403);
    expect((await service.get('/api/v1/credit-notes/CN-2019-00001/document', token)).status).to.equal(404);
    await signIn(browser, other.email, PASSWORD);
    expect((await browser.get(`/account/credit-notes/${number}/pdf`)).status).to.equal(404);
  });
});

/** One payment for several invoices: shared out in the order given, taken back from what it paid, in the books to the cent. */
import { expect } from 'chai';
import type { Knex } from 'knex';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { moneyParts } from '../../../../src/app/process/money-parts.ts';
import { publishAuction } from '../../../../src/bidding/records/publishing.ts';
import { readAccounts } from '../../../../src/billing/books/accounts-read.ts';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import { readReference, referenceOf } from '../../../../src/billing/invoices/references.ts';
import { settleAuctions, waitingFor } from '../../../../src/billing/settlements/settlements.ts';
import { recordTransfer } from '../../../../src/billing/staff/record-transfer.ts';
import { refusalOf, type Staff, staffOf } from '../../../support/billing.ts';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import {
  invoiceNow,
  paymentOf,
  projectAuction,
  report,
  reportDispute,
  sell,
} from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('checkouts', () => {
  let service: Service;
  let staff: Staff;
  let knex: Knex;
  let payments = 0;

  before(async () => {
    service = await startService();
    staff = staffOf(service);
    knex = service.database.knex;
  });

  after(() => service.close());

  /** Invoices of one buyer, each of an auction of its own. */
  async function bought(hammers: readonly number[], currency = 'usd') {
    const { database: db, backends } = service;
    const buyer = await aUser(db, { password_hash: quickHash(PASSWORD) });
    const invoices: Invoice[] = [];
    for (const hammer of hammers) {
      const auction = await anAuction(db, { currency });
      const lot = await aLot(db, { auction_id: auction.id });
      await publishAuction(backends, auction.id);
      await sell(backends.engine, lot.id, buyer, hammer);
      await projectAuction(db, backends.redis, auction.id);
      invoices.push((await knex('invoices').where('lot_id', lot.id).first()) as Invoice);
    }
    await settleAuctions(knex);
    return { buyer, invoices, numbers: invoices.map(({ invoice_number }) => invoice_number) };
  }

  const order = async (buyer: User, numbers: readonly string[]) =>
    service.call('POST', '/api/v1/me/checkouts', {
      token: await service.tokenFor(buyer),
      body: { invoice_numbers: numbers },
    });
  const paymentFor = (checkoutId: number, amount: number, more: object = {}) => {
    payments += 1;
    const id = `pi_checkout_${payments}`;
    return { id, amount, currency: 'usd', metadata: { checkout_id: String(checkoutId) }, ...more };
  };
  const states = async (invoices: readonly Invoice[]) =>
    Promise.all(
      invoices.map(async (invoice) => {
        const now = await invoiceNow(service.database, invoice);
        return `${now.status} ${now.amount_paid_cents - now.amount_refunded_cents}`;
      }),
    );
  const expectBooks = async (invoices: readonly Invoice[]) => {
    for (const { auction_id } of invoices)
      expect((await staff.books(auction_id!)).differences).to.deep.equal([]);
  };
  const transfer = (reference: string, amount: string, id: string) =>
    recordTransfer({ knex, ...moneyParts(service.config) }, { reference, amount, currency: 'USD', id });

  it('pay all their invoices by one payment, and less in the order given', async () => {
    const { buyer, invoices, numbers } = await bought([10_000, 20_000, 5_000]);
    const made = await order(buyer, [numbers[2]!, numbers[0]!, numbers[1]!]);
    expect(made.status).to.equal(201);
    expect(made.body.data).to.include({ amount_due: 350, currency: 'usd' });
    const { id, url, reference } = made.body.data;
    expect(url).to.equal(`${service.url}/sandbox/pay/CO-${id}`);
    expect(readReference(reference)).to.deep.equal({ kind: 'checkout', id });
    expect(await report(service, { object: paymentFor(id, 12_000) })).to.deep.equal({ status: 'applied' });
    expect(await states(invoices)).to.deep.equal(['open 7000', 'open 0', 'paid 5000']);
    await expectBooks(invoices);
    expect(await report(service, { object: paymentFor(id, 23_000) })).to.deep.equal({ status: 'applied' });
    expect(await states(invoices)).to.deep.equal(['paid 10000', 'paid 20000', 'paid 5000']);
    await expectBooks(invoices);
  });

  it('send back what is beyond their sum, and a payment that comes twice', async () => {
    const { buyer, invoices, numbers } = await bought([10_000, 20_000]);
    const { id } = (await order(buyer, numbers)).body.data;
    await report(service, { object: paymentFor(id, 30_500) });
    expect(await report(service, { object: paymentFor(id, 30_000) })).to.deep.equal({
      status: 'unallocated',
      code: 'not_open',
    });
    staff.provider.sent.clear();
    await staff.returnSurplus();
    expect([...staff.provider.sent.values()].map(({ cents }) => cents).sort()).to.deep.equal([30_000, 500]);
    expect(await states(invoices)).to.deep.equal(['paid 10000', 'paid 20000']);
    await expectBooks(invoices);
  });

  it('go back whole where one invoice was paid alone and the other voided, in whatever order', async () => {
    for (const positions of [
      [0, 1],
      [1, 0],
    ]) {
      const { buyer, invoices, numbers } = await bought([10_000, 20_000]);
      const { id } = (
        await order(
          buyer,
          positions.map((at) => numbers[at]!),
        )
      ).body.data;
      await report(service, { object: paymentOf(invoices[0]!) });
      await staff.voidInvoice(numbers[1]!);
      staff.provider.sent.clear();
      await report(service, { object: paymentFor(id, 30_000) });
      await staff.returnSurplus();
      expect([...staff.provider.sent.values()].map(({ cents }) => cents)).to.deep.equal([30_000]);
      expect(await states(invoices)).to.deep.equal(['paid 10000', 'voided 0']);
      await expectBooks(invoices);
    }
  });

  it('take back from one invoice what is refunded of it, and nothing from the others', async () => {
    const { buyer, invoices, numbers } = await bought([10_000, 10_000, 10_000]);
    const { id } = (await order(buyer, numbers)).body.data;
    const payment = paymentFor(id, 30_000);
    await report(service, { object: payment });
    staff.provider.sent.clear();
    await Promise.all([staff.refund(numbers[0]!), staff.refund(numbers[1]!)]);
    expect([...staff.provider.sent.values()].map(({ cents }) => cents)).to.deep.equal([10_000, 10_000]);
    expect(await states(invoices)).to.deep.equal(['refunded 0', 'refunded 0', 'paid 10000']);
    const echo = (inAll: number) =>
      report(service, { type: 'charge.refunded', object: { ...payment, amount_refunded: inAll } });
    expect((await echo(20_000)).status).to.equal('duplicate');
    expect((await echo(24_000)).status).to.equal('applied');
    expect(await states(invoices)).to.deep.equal(['refunded 0', 'refunded 0', 'paid 6000']);
    await expectBooks(invoices);
  });

  it('take a refund of the provider’s from the invoice that it names, else from the last first', async () => {
    const { buyer, invoices, numbers } = await bought([10_000, 20_000]);
    const payment = paymentFor((await order(buyer, numbers)).body.data.id, 30_000);
    const refund = (more: object) =>
      report(service, { type: 'charge.refunded', object: { ...payment, ...more } });
    expect((await refund({ amount: 2_000 })).status).to.equal('pending');
    await report(service, { object: payment });
    await refund({ amount: 4_000, metadata: { invoice_number: numbers[0] } });
    expect(await states(invoices)).to.deep.equal(['paid 6000', 'paid 18000']);
    await expectBooks(invoices);
  });

  it('go back whole, once, after part refunds and a lost dispute over several of their invoices', async () => {
    const { buyer, invoices, numbers } = await bought([10_000, 20_000]);
    const payment = paymentFor((await order(buyer, numbers)).body.data.id, 30_000);
    await report(service, { object: payment });
    for (const inAll of [5_000, 10_000]) {
      await report(service, { type: 'charge.refunded', object: { ...payment, amount_refunded: inAll } });
      await reportDispute(service, payment, 'created', { amount: 12_000 });
      await expectBooks(invoices);
    }
    expect((await refusalOf(staff.refund(numbers[1]!))).code).to.equal('invalid_transition');
    await reportDispute(service, payment, 'closed', { amount: 12_000, status: 'lost' });
    expect(await states(invoices)).to.deep.equal(['paid 10000', 'paid 10000']);
    await expectBooks(invoices);
    staff.provider.sent.clear();
    for (const number of numbers) await staff.refund(number);
    expect(await states(invoices)).to.deep.equal(['refunded 0', 'refunded 0']);
    const sent = [...staff.provider.sent.values()].reduce((sum, { cents }) => sum + cents, 0);
    expect(sent, 'of 30,000 the payer has 22,000').to.equal(8_000);
    for (const invoice of numbers) {
      const losses = await readAccounts(knex, { account: 'chargeback_losses', invoice });
      expect(losses.map(({ balance }) => balance)).to.deep.equal([0n]);
    }
    await expectBooks(invoices);
  });

  it('keep the settlements of all their auctions waiting while they are disputed', async () => {
    const { buyer, invoices, numbers } = await bought([10_000, 20_000]);
    const { id } = (await order(buyer, numbers)).body.data;
    const payment = paymentFor(id, 30_000);
    await report(service, { object: payment });
    const waiting = async () =>
      Promise.all(
        invoices.map(async ({ auction_id }) =>
          waitingFor(knex, await knex('settlements').where('auction_id', auction_id).first()),
        ),
      );
    expect(await waiting()).to.deep.equal([[], []]);
    await reportDispute(service, payment, 'created', { amount: 25_000 });
    expect(await waiting()).to.deep.equal([[numbers[0]], [numbers[1]]]);
    await reportDispute(service, payment, 'closed', { amount: 25_000, status: 'lost' });
    expect(await waiting()).to.deep.equal([[], []]);
    const losses = await knex('ledger_entries')
      .where('account', 'chargeback_losses')
      .whereIn(
        'invoice_id',
        invoices.map((one) => one.id),
      )
      .orderBy('invoice_id')
      .pluck('amount');
    expect(losses.map(Number)).to.deep.equal([5_000, 20_000]);
    await expectBooks(invoices);
  });

  it('leave the money of an invoice that is voided to staff, and the others as they are', async () => {
    const { buyer, invoices, numbers } = await bought([10_000, 20_000]);
    const { id } = (await order(buyer, numbers)).body.data;
    await report(service, { object: paymentFor(id, 16_000) });
    await staff.voidInvoice(numbers[1]!);
    await staff.returnSurplus();
    expect(await states(invoices)).to.deep.equal(['paid 10000', 'voided 0']);
    const held = await knex('payments').where('invoice_id', invoices[1]!.id).first();
    expect(held).to.include({ status: 'unallocated', unallocated_cents: 6_000, left_cents: 16_000 });
    staff.provider.sent.clear();
    await staff.refundPayment(String(held.id));
    expect([...staff.provider.sent.values()].map(({ cents }) => cents)).to.deep.equal([6_000]);
    expect(await states(invoices)).to.deep.equal(['paid 10000', 'voided 0']);
    await expectBooks(invoices);
  });

  it('are of one’s own open invoices in one currency', async () => {
    const { buyer, numbers } = await bought([10_000]);
    const other = await bought([10_000]);
    const yen = await bought([10_000], 'jpy');
    const answer = async (names: readonly string[]) => {
      const { status, body } = await order(buyer, names);
      return [status, body.code];
    };
    expect(await answer([numbers[0]!, 'INV-2019-00001'])).to.deep.equal([404, undefined]);
    expect(await answer(other.numbers)).to.deep.equal([403, undefined]);
    expect(await answer([])).to.deep.equal([422, 'validation_failed']);
    expect(await answer([numbers[0]!, numbers[0]!])).to.deep.equal([422, 'validation_failed']);
    await knex('invoices').where('id', yen.invoices[0]!.id).update({ user_id: buyer.id });
    expect(await answer([numbers[0]!, yen.numbers[0]!])).to.deep.equal([422, 'validation_failed']);
    await staff.voidInvoice(numbers[0]!);
    expect(await answer(numbers)).to.deep.equal([409, 'invalid_transition']);
  });

  it('and invoices are found by the reference of a transfer, once for each id', async () => {
    const { buyer, invoices, numbers } = await bought([10_000, 20_000]);
    const token = await service.tokenFor(buyer);
    const { reference } = (await service.get(`/api/v1/invoices/${numbers[0]}`, token)).body.data;
    expect(reference).to.equal(referenceOf({ kind: 'invoice', id: invoices[0]!.id }));
    const part = await transfer(reference.toLowerCase().replace(/(.{4})/g, '$1 '), '40.00', 'bank-1');
    expect(part.outcome).to.equal('applied');
    expect((await transfer(reference, '40.00', 'bank-1')).outcome).to.equal('duplicate');
    expect(await states(invoices)).to.deep.equal(['open 4000', 'open 0']);
    const made = (await order(buyer, numbers)).body.data;
    expect(made.amount_due).to.equal(260);
    expect((await transfer(made.reference, '260.00', 'bank-2')).outcome).to.equal('applied');
    expect(await states(invoices)).to.deep.equal(['paid 10000', 'paid 20000']);
    const mistyped = reference.replace(/.$/, (digit: string) => String((Number(digit) + 1) % 10));
    const unknown = await transfer(mistyped, '10.00', 'bank-3');
    expect(unknown.payment).to.include({ status: 'unallocated', unallocated_cents: 1_000 });
    for (const amount of ['0', '-1', '1.001', 'ten'])
      expect((await refusalOf(transfer(reference, amount, `bank-${amount}`))).code).to.equal(
        'validation_failed',
      );
    await expectBooks(invoices);
  });

  it('are made by one button on the invoices page, and paid in the sandbox', async () => {
    const { buyer, invoices } = await bought([10_000, 20_000]);
    const browser = new BrowserLike(service.url);
    await signIn(browser, buyer.email, PASSWORD);
    const list = await browser.get('/account/invoices');
    expect(list.text)
      .to.match(/>Pay all<\/button>/)
      .and.to.include('$300.00');
    const made = await browser.post('/account/checkouts', { currency: 'usd' });
    const page = await browser.get(made.location ?? '/');
    expect(page.text)
      .to.include('$300.00')
      .and.to.match(/<strong>RF[0-9]{2}C[0-9]{6}<\/strong>/);
    const pay = await browser.get(`${made.location}/pay`);
    const path = new URL(pay.location ?? '').pathname;
    expect((await browser.get(path)).text).to.include('$300.00');
    expect((await browser.post(path, { outcome: 'paid' })).text).to.include('data-outcome>applied');
    expect(await states(invoices)).to.deep.equal(['paid 10000', 'paid 20000']);
    expect((await browser.get(made.location ?? '/')).text).to.include('Nothing is owed on these invoices.');
    expect((await browser.get('/account/invoices')).text).not.to.include('Pay all');
    const stranger = new BrowserLike(service.url);
    const other = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    await signIn(stranger, other.email, PASSWORD);
    expect((await stranger.get(made.location ?? '/')).status).to.equal(404);
  });
});

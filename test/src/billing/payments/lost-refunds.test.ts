/** Refunds of ours that were sent and not booked: whatever comes before they are tried again, they are sent once. */
import { expect } from 'chai';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import { returnSurplus } from '../../../../src/billing/payments/return-surplus.ts';
import { RefundRefused } from '../../../../src/billing/providers/provider.ts';
import { refusalOf, type Staff, withService } from '../../../support/billing.ts';
import { aSale, invoiceNow, paymentOf, report, reportDispute } from '../../../support/money.ts';
import type { Service } from '../../../support/service.ts';

describe('A refund that was sent and not booked', () => {
  let service: Service;
  let staff: Staff;
  withService((parts) => {
    ({ service, staff } = parts);
  });

  beforeEach(() => staff.provider.sent.clear());

  const now = (invoice: Pick<Invoice, 'id'>) => invoiceNow(service.database, invoice);
  const sent = () => [...staff.provider.sent.values()].map(({ cents }) => cents);
  const lost = async (work: () => Promise<unknown>): Promise<void> => {
    staff.provider.losesAnswers = true;
    await work();
    staff.provider.losesAnswers = false;
    await staff.tryAtOnce();
  };
  const reportBack = (payment: Record<string, unknown>, shape: Shape, cents: number, inAll: number) =>
    report(service, {
      type: 'charge.refunded',
      object: { ...payment, ...(shape === 'each' ? { amount: cents } : { amount_refunded: inAll }) },
    });
  const expectBooks = async (auctionId: number) =>
    expect((await staff.books(auctionId)).differences).to.deep.equal([]);

  type Shape = 'each' | 'counted';

  /** A sale of 100.00 that was paid with 150.00; the 50.00 too much were sent back, and nobody booked it. */
  async function overpaid() {
    const { invoice, auction, buyer } = await aSale(service, 10_000);
    const payment = paymentOf(invoice, { amount: 15_000 });
    await report(service, { object: payment });
    await lost(() => staff.returnSurplus());
    expect(sent()).to.deep.equal([5_000]);
    expect(await now(invoice)).to.include({ amount_refunded_cents: 0 });
    return { invoice, auction, buyer, payment };
  }

  for (const shape of ['each', 'counted'] as const)
    it(`is sent once when another refund comes before the next try (${shape})`, async () => {
      const { invoice, auction, payment } = await overpaid();
      // Somebody gives back 30.00 at the provider; what we sent is told later.
      await reportBack(payment, shape, 3_000, 3_000);
      await staff.returnSurplus();
      await reportBack(payment, shape, 5_000, 8_000);
      await staff.returnSurplus();
      expect(sent()).to.deep.equal([5_000]);
      expect(await now(invoice)).to.include({ amount_refunded_cents: 8_000, status: 'paid' });
      await expectBooks(auction.id);
    });

  for (const shape of ['each', 'counted'] as const)
    it(`is ours when the provider tells of it before the next try (${shape})`, async () => {
      const { invoice, auction, payment } = await overpaid();
      await reportBack(payment, shape, 5_000, 5_000);
      expect(await now(invoice)).to.include({ amount_refunded_cents: 5_000, status: 'paid', owed_cents: 0 });
      await reportBack(payment, shape, 3_000, 8_000);
      await staff.returnSurplus();
      expect(sent()).to.deep.equal([5_000]);
      expect(await now(invoice)).to.include({ amount_refunded_cents: 8_000 });
      await expectBooks(auction.id);
    });

  it('is sent once when staff repeat it, and ends by itself where nobody does', async () => {
    for (const repeats of [true, false]) {
      const { invoice, auction } = await aSale(service, 10_000);
      const payment = paymentOf(invoice);
      await report(service, { object: payment });
      staff.provider.sent.clear();
      await lost(() => staff.refund(invoice.invoice_number));
      expect(await now(invoice)).to.include({ status: 'paid', amount_refunded_cents: 0 });
      if (repeats) await staff.refund(invoice.invoice_number);
      else await staff.returnSurplus();
      expect(sent()).to.deep.equal([10_000]);
      expect(await now(invoice)).to.include({ status: 'refunded', amount_refunded_cents: 10_000 });
      expect((await reportBack(payment, 'each', 10_000, 10_000)).status).to.equal('duplicate');
      await expectBooks(auction.id);
    }
  });

  it('is not ordered any more when the provider refuses it', async () => {
    const { invoice, auction } = await aSale(service, 10_000);
    await report(service, { object: paymentOf(invoice) });
    staff.provider.failure = new RefundRefused('the account is closed');
    const refused = await refusalOf(staff.refund(invoice.invoice_number));
    expect(refused).to.deep.equal({ code: 'refund_refused', said: 'the account is closed' });
    staff.provider.failure = null;
    await staff.returnSurplus();
    expect(sent()).to.deep.equal([]);
    expect(await now(invoice)).to.include({ status: 'paid', amount_refunded_cents: 0 });
    await expectBooks(auction.id);
  });

  it('keeps an unallocated payment where it is until that is known', async () => {
    const { invoice } = await aSale(service, 10_000);
    const other = await aSale(service, 10_000);
    await staff.voidInvoice(invoice.invoice_number);
    const payment = paymentOf(invoice);
    expect((await report(service, { object: payment })).status).to.equal('unallocated');
    const id = String(payment['id']);
    await lost(() => staff.refundPayment(id));
    const { code } = await refusalOf(staff.allocate(id, other.invoice.invoice_number));
    expect(code).to.equal('invalid_transition');
    expect((await staff.refundPayment(id)).status).to.equal('refunded');
    expect(sent()).to.deep.equal([10_000]);
    await expectBooks(other.auction.id);
  });

  it('waits for the end of a dispute over the same money', async () => {
    const { invoice, auction, payment } = await overpaid();
    await reportDispute(service, payment, 'created', { id: 'dp_lost_refund', amount: 12_000 });
    const failures: unknown[] = [];
    await returnSurplus({ ...staff.parts, onError: (error) => failures.push(String(error)) });
    expect(failures.join()).to.include('more of payment');
    await reportDispute(service, payment, 'closed', { id: 'dp_lost_refund', amount: 12_000, status: 'won' });
    await staff.tryAtOnce();
    await staff.returnSurplus();
    expect(sent()).to.deep.equal([5_000]);
    expect(await now(invoice)).to.include({ status: 'paid', amount_refunded_cents: 5_000 });
    await expectBooks(auction.id);
  });
});

/** One search over the office: people, lots, invoices, payments, mails. */
import { expect } from 'chai';
import type { Invoice } from '../../../src/billing/invoices/invoice.model.ts';
import { referenceOf } from '../../../src/billing/invoices/references.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, aUser } from '../../support/builders.ts';
import { aSale, paymentOf, report } from '../../support/money.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('The search of the office', () => {
  let service: Service;
  let office: BrowserLike;
  let invoice: Invoice;
  let payment: Record<string, unknown>;

  before(async () => {
    service = await startService();
    const admin = await aUser(service.database, { password_hash: quickHash(PASSWORD), is_admin: true });
    office = new BrowserLike(service.url);
    await signIn(office, admin.email, PASSWORD);
    const sale = await aSale(service, 45_600);
    ({ invoice } = sale);
    payment = paymentOf(invoice);
    await report(service, { object: payment });
    const { knex } = service.database;
    await knex('users')
      .where('id', sale.buyer.id)
      .update({ name: 'Percy Plough', email: 'percy@example.com' });
    await aLot(service.database, { title: 'A plough of iron' });
    await knex('mails').insert({
      ...{ event_key: 'x', recipient: 'plough@example.com', kind: 'security', about: 'new_sign_in' },
      sealed: 'https://here/reset/secret',
    });
  });
  after(() => service.close());

  const search = async (q: string) => {
    const { text } = await office.get(`/office/search?q=${encodeURIComponent(q)}`);
    return { text, headings: [...text.matchAll(/<h2>([^<]+)<\/h2>/g)].map(([, heading]) => heading) };
  };

  it('finds all that has a word in it, and is on every page of the office', async () => {
    const { text, headings } = await search(' plough ');
    expect(headings).to.deep.equal(['People', 'Lots', 'Invoices', 'Payments', 'Mails']);
    expect(text).to.include('Percy Plough').and.include('A plough of iron').and.include('plough@example.com');
    expect(text).to.include(invoice.invoice_number).and.not.include('secret');
    const { text: queue } = await office.get('/office/queue');
    expect(queue).to.match(/<form[^>]* action="\/office\/search"[\s\S]*?name="q"/);
    expect((await search('nothing-of-the-kind')).text).to.include(
      'Nothing was found for “nothing-of-the-kind”.',
    );
    expect((await search('')).headings).to.deep.equal([]);
  });

  it('finds money by number, by what a transfer names and by its exact amount', async () => {
    const reference = referenceOf({ kind: 'invoice', id: invoice.id });
    for (const q of [invoice.invoice_number, reference, '$456.00', 'percy@'])
      expect((await search(q)).headings, q).to.include.members(['Invoices', 'Payments']);
    expect((await search(String(payment['id']))).headings).to.deep.equal(['Payments']);
    expect((await search('456.01')).headings).to.deep.equal([]);
    for (const [currency, cents, q] of [
      ['jpy', 22_000, '22,000.00'],
      ['kwd', 1_234, '1.234'],
    ] as const) {
      await aSale(service, cents, { currency });
      expect((await search(q)).headings, currency).to.deep.equal(['Invoices']);
    }
    expect((await search('new sign in')).headings).to.deep.equal(['Mails']);
    expect((await search('100%_')).headings, 'signs mean themselves').to.deep.equal([]);
  });
});

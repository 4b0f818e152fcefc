/** Tax numbers: sent by a buyer, decided by staff, and from then on no tax on that buyer's invoices, which name them. */
import { expect } from 'chai';
import type { Knex } from 'knex';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { decideTaxNumber } from '../../../src/accounts/tax-numbers/tax-numbers.ts';
import { publishAuction } from '../../../src/bidding/records/publishing.ts';
import type { Invoice } from '../../../src/billing/invoices/invoice.model.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { projectAuction, sell } from '../../support/money.ts';
import { pdfText } from '../../support/pdf-text.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';
const RESALE = { kind: 'resale', number: 'KS-004-1234567', region: 'Kansas' };

describe('tax numbers', () => {
  let service: Service;
  let knex: Knex;

  before(async () => {
    service = await startService();
    knex = service.database.knex;
  });

  after(() => service.close());

  const send = async (user: User, body: object) =>
    service.call('POST', '/api/v1/me/tax-numbers', { token: await service.tokenFor(user), body });

  /** A lot at $100.00 with 10 % premium and 8.25 % tax, sold to somebody: its invoice and its event. */
  async function bought(buyer: User) {
    const { database: db, backends } = service;
    const auction = await anAuction(db, { buyer_premium_bps: 1_000 });
    await knex('auctions').where('id', auction.id).update({ sales_tax_ppm: 82_500 });
    const lot = await aLot(db, { auction_id: auction.id });
    await publishAuction(backends, auction.id);
    await sell(backends.engine, lot.id, buyer, 10_000);
    await projectAuction(db, backends.redis, auction.id);
    const invoice = (await knex('invoices').where('lot_id', lot.id).first()) as Invoice;
    const path = `/api/v1/invoices/${invoice.invoice_number}`;
    const token = await service.tokenFor(buyer, ['read']);
    const event = await knex('events').where({ lot_id: lot.id, type: 'lot.sold' }).first();
    return { path, token, answer: (await service.get(path, token)).body.data, sold: event.data };
  }

  it('take the tax off later invoices once they are approved, and stand on them', async () => {
    const buyer = await aUser(service.database);
    const sent = await send(buyer, RESALE);
    expect(sent.status).to.equal(201);
    expect(sent.body.data).to.include({ ...RESALE, status: 'pending', decided_at: null });
    const before = await bought(buyer);
    expect(before.answer).to.include({ amount_due: 119.08, tax_number: null });
    expect(before.sold).to.include({ tax: '9.08', total: '119.08' });
    await decideTaxNumber(knex, sent.body.data.id, 'approved');
    const { answer, sold, path, token } = await bought(buyer);
    expect(answer).to.include({ amount_due: 110, tax_number: RESALE.number });
    expect(answer.lines.map(({ kind }: { kind: string }) => kind)).to.deep.equal(['hammer', 'premium']);
    expect(sold).to.include({ tax: '0.00', total: '110.00' });
    const page = await service.get(`${path}/document`, token);
    const pdf = await fetch(`${service.url}${path}/document`, {
      headers: { authorization: `Bearer ${token}`, accept: 'application/pdf' },
    });
    for (const text of [page.text, pdfText(Buffer.from(await pdf.arrayBuffer()))])
      expect(text).to.include(`Resale certificate ${RESALE.number}, Kansas`);
    expect((await service.get(before.path, token)).body.data.amount_due).to.equal(119.08);
    await decideTaxNumber(knex, sent.body.data.id, 'refused');
    expect((await bought(buyer)).answer).to.include({ amount_due: 119.08, tax_number: null });
    expect((await service.get(path, token)).body.data.tax_number).to.equal(RESALE.number);
  });

  it('are listed to their holder alone, and one that waits is sent once', async () => {
    const buyer = await aUser(service.database);
    const token = await service.tokenFor(buyer);
    const first = await send(buyer, RESALE);
    const again = await send(buyer, { ...RESALE, number: ` ${RESALE.number} ` });
    expect(again.body.data.id).to.equal(first.body.data.id);
    await send(buyer, { kind: 'vat', number: 'DE129273398', region: 'DE' });
    const list = await service.get('/api/v1/me/tax-numbers', token);
    expect(list.body.data.map(({ kind }: { kind: string }) => kind)).to.deep.equal(['vat', 'resale']);
    const other = await service.tokenFor(await aUser(service.database));
    expect((await service.get('/api/v1/me/tax-numbers', other)).body.data).to.deep.equal([]);
    for (const bad of [{ kind: 'other' }, { number: '' }, { number: ' ' }, { region: 'x'.repeat(101) }])
      expect((await send(buyer, { ...RESALE, ...bad })).status, JSON.stringify(bad)).to.equal(422);
    const answers = [];
    for (let n = 0; n < 19; n += 1) answers.push((await send(buyer, { ...RESALE, number: `N${n}` })).status);
    expect(answers.slice(0, 18)).to.deep.equal(Array(18).fill(201));
    expect(answers[18]).to.equal(422);
  });

  it('are sent on a page of the account, and decided on one of the office', async () => {
    const buyer = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    const browser = new BrowserLike(service.url);
    await signIn(browser, buyer.email, PASSWORD);
    expect((await browser.get('/account/tax-numbers')).text).to.include('<h1>Tax numbers</h1>');
    const sent = await browser.post('/account/tax-numbers', RESALE);
    expect(sent.location).to.equal('/account/tax-numbers');
    expect((await browser.get('/account/tax-numbers')).text)
      .to.include(RESALE.number)
      .and.to.include('Waiting for our staff');
    const { id } = await knex('tax_numbers').where('user_id', buyer.id).first('id');
    const admin = await aUser(service.database, { is_admin: true, password_hash: quickHash(PASSWORD) });
    const office = new BrowserLike(service.url);
    await signIn(office, admin.email, PASSWORD);
    const queue = await office.get('/office/money/tax-numbers');
    expect(queue.text).to.include(RESALE.number).and.to.include(`href="/office/people/${buyer.id}"`);
    const form = { tax_number: String(id), reason: 'The certificate is genuine.' };
    expect((await office.post('/office/money/tax-numbers/approve', form)).status).to.equal(303);
    expect((await browser.get('/account/tax-numbers')).text).to.include('Approved');
    await office.get('/office/money/tax-numbers');
    expect((await office.post('/office/money/tax-numbers/approve', form)).status).to.equal(409);
    expect((await office.get(`/office/people/${buyer.id}`)).text).to.include('(Kansas), approved');
  });
});

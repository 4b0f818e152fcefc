/** Invoices over HTTP: created with the sale, read only by whoever owes them, printed, and paid in the sandbox. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect } from 'chai';
import { publishAuction } from '../../../../src/bidding/records/publishing.ts';
import { markOverdue } from '../../../../src/billing/invoices/overdue.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { aSale, invoiceNow, paymentOf, projectAuction, report, sell } from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('invoices', () => {
  let service: Service;

  before(async () => {
    service = await startService();
  });

  after(() => service.close());

  it('are created with the sale, hammer and premium each rounded half up, and named by lot.sold', async () => {
    const { invoice, lot, auction, buyer } = await aSale(service, 10_005, { buyer_premium_bps: 1_000 });
    const token = await service.tokenFor(buyer, ['read']);
    const { status, body } = await service.get(`/api/v1/invoices/${invoice.id}`, token);
    expect(status).to.equal(200);
    expect(body.data).to.deep.include({
      id: invoice.id,
      invoice_number: invoice.invoice_number,
      kind: 'winner',
      status: 'open',
      amount_due: 110.06,
      amount_paid: 0,
      currency: 'usd',
      is_overdue: false,
      paid_at: null,
      lot: { id: lot.id, title: lot.title, slug: lot.slug },
      auction_id: auction.id,
    });
    expect(invoice.invoice_number).to.match(/^INV-\d{4}-\d{5}$/);
    expect(body.data.due_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(body.data.lines.map((line: { amount: number }) => line.amount)).to.deep.equal([100.05, 10.01]);
    expect((await service.get(`/api/v1/invoices/${invoice.invoice_number}`, token)).body.data).to.deep.equal(
      body.data,
    );
    const events = await service.database.knex('events').where('lot_id', lot.id).orderBy('id');
    expect(events.map((event) => event.type)).to.deep.equal([
      'lot.bid_placed',
      'lot.sold',
      'invoice.created',
    ]);
    expect(events[1].data).to.deep.include({ invoice_number: invoice.invoice_number, total: '110.06' });
    expect(events[2].data).to.deep.include({ invoice_id: invoice.id, amount_due: 110.06, status: 'open' });
    expect(events[1].team_id).to.equal(auction.team_id);
  });

  it('have a tax line where the auction has a tax, and none goes to a bidder without an account', async () => {
    const { invoice } = await aSale(service, 10_000, { buyer_premium_bps: 500, sales_tax_ppm: 82_500 });
    expect(invoice.amount_due_cents).to.equal(10_000 + 500 + 866);
    const auction = await anAuction(service.database);
    const lot = await aLot(service.database, { auction_id: auction.id });
    await publishAuction(service.backends, auction.id);
    await sell(service.backends.engine, lot.id, null, 5_000);
    await projectAuction(service.database, service.backends.redis, auction.id);
    expect(await service.database.knex('invoices').where('lot_id', lot.id)).to.deep.equal([]);
    const sold = await service.database.knex('events').where({ lot_id: lot.id, type: 'lot.sold' }).first();
    expect(sold.data.invoice_number).to.equal(null);
  });

  it('are listed to whoever owes them, by kind and status, page by page', async () => {
    const { buyer, invoice } = await aSale(service, 2_000);
    const token = await service.tokenFor(buyer, ['read']);
    const list = async (query: string) => (await service.get(`/api/v1/invoices${query}`, token)).body;
    expect((await list('')).meta).to.deep.equal({ current_page: 1, last_page: 1, per_page: 15, total: 1 });
    expect((await list('?status=open&kind=winner')).data[0].id).to.equal(invoice.id);
    expect((await list('?status=paid')).data).to.deep.equal([]);
    expect((await list('?kind=deposit')).meta.total).to.equal(0);
    expect((await list('?page=2')).data).to.deep.equal([]);
    for (const bad of ['?status=late', '?kind=x', '?per_page=0', '?per_page=101', '?page=0', '?x=1']) {
      expect((await service.get(`/api/v1/invoices${bad}`, token)).status, bad).to.equal(422);
    }
  });

  it('belong to nobody else: 403 without a code, for an admin too; 404 where there is none', async () => {
    const { invoice, buyer } = await aSale(service, 2_000);
    const admin = await aUser(service.database, { is_admin: true });
    for (const token of [
      await service.tokenFor(await aUser(service.database)),
      await service.tokenFor(admin, ['admin']),
    ]) {
      for (const path of [`${invoice.id}`, invoice.invoice_number, `${invoice.id}/document`]) {
        const answer = await service.get(`/api/v1/invoices/${path}`, token);
        expect(answer.status, path).to.equal(403);
        expect(answer.body).to.have.all.keys('success', 'message');
      }
    }
    const token = await service.tokenFor(buyer, ['read']);
    for (const path of ['999999999', 'INV-2019-00001', 'nonsense', '0', '-1', '1e3']) {
      expect((await service.get(`/api/v1/invoices/${path}`, token)).status, path).to.equal(404);
    }
    expect((await service.get(`/api/v1/invoices/${invoice.id}`)).status).to.equal(401);
    const writer = await service.tokenFor(buyer, ['write']);
    expect((await service.get(`/api/v1/invoices/${invoice.id}`, writer)).body.code).to.equal(
      'missing_ability',
    );
  });

  it('can be printed, with everything escaped', async () => {
    const { invoice, buyer } = await aSale(service, 123_456);
    const token = await service.tokenFor(buyer, ['read']);
    const page = await service.get(`/api/v1/invoices/${invoice.invoice_number}/document`, token);
    expect(page.status).to.equal(200);
    expect(page.headers.get('content-type')).to.match(/^text\/html/);
    expect(page.text)
      .to.include('1234.56 USD')
      .and.to.include('Forty &lt;b&gt;acres')
      .and.to.include(buyer.email);
    expect(page.text).to.not.include('<b>acres');
  });

  it('become overdue by the clock, and a payment ends that', async () => {
    const { invoice, buyer } = await aSale(service, 2_000);
    const { knex } = service.database;
    await knex('invoices')
      .where('id', invoice.id)
      .update({ due_at: new Date(Date.now() - 1_000).toISOString() });
    expect(await markOverdue(knex)).to.equal(1);
    expect(await markOverdue(knex)).to.equal(0);
    const token = await service.tokenFor(buyer, ['read']);
    const read = async () => (await service.get(`/api/v1/invoices/${invoice.id}`, token)).body.data;
    expect(await read()).to.include({ is_overdue: true, status: 'open' });
    await report(service, { object: paymentOf(invoice) });
    expect(await read()).to.include({ is_overdue: false, status: 'paid', amount_paid: 20 });
  });

  it('are paid and declined on the sandbox’s page, by the event that a provider would send', async () => {
    const { invoice, buyer } = await aSale(service, 4_200);
    const token = await service.tokenFor(buyer, ['read']);
    const path = `/api/v1/invoices/${invoice.id}`;
    const { payment_url } = (await service.get(path, token)).body.data;
    expect(payment_url).to.equal(`${service.url}/sandbox/pay/${invoice.invoice_number}`);
    const page = await fetch(payment_url);
    const cookie = page.headers.get('set-cookie')!.split(';')[0]!;
    const text = await page.text();
    expect(text).to.include('>$42.00<').and.to.include(`href="/account/invoices/${invoice.invoice_number}"`);
    expect(text).to.match(/<link rel="stylesheet" href="\/assets\/site\.[0-9a-f]+\.css">/);
    const csrf = /name="_csrf" value="([^"]+)"/.exec(text)![1]!;
    const press = (outcome: string, sent = csrf) =>
      fetch(payment_url, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ _csrf: sent, outcome }).toString(),
      });
    expect((await press('paid', 'forged')).status).to.equal(403);
    // The event goes to this process, whatever address the request names.
    const elsewhere = request(payment_url, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded', host: '127.0.0.1:1' },
    }).end(new URLSearchParams({ _csrf: csrf, outcome: 'declined' }).toString());
    const [answer] = (await once(elsewhere, 'response')) as [IncomingMessage];
    expect(answer.statusCode).to.equal(200);
    answer.resume();
    expect(await (await press('declined')).text()).to.include('data-outcome>applied');
    expect(await invoiceNow(service.database, invoice)).to.include({ status: 'open' });
    expect(await (await press('paid')).text()).to.include('data-status>paid');
    expect(await invoiceNow(service.database, invoice)).to.include({
      status: 'paid',
      amount_paid_cents: 4_200,
    });
    expect((await service.get(path, token)).body.data).to.not.have.property('payment_url');
    expect((await fetch(`${service.url}/sandbox/pay/INV-2019-00001`)).status).to.equal(404);
  });
});

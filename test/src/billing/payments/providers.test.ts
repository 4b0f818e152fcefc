/**
 * The Stripe-shaped provider against a server that answers as Stripe does, and which provider a configuration gives.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { demoEnvironment, loadConfig } from '../../../../src/app/config/config.ts';
import { moneyParts } from '../../../../src/app/process/money-parts.ts';
import { readBooks } from '../../../../src/billing/books/books.ts';
import { returnSurplus } from '../../../../src/billing/payments/return-surplus.ts';
import { openProvider as paymentProvider } from '../../../../src/billing/providers/payment-settings.ts';
import { refundByNumber } from '../../../../src/billing/staff/invoice-orders.ts';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aUser } from '../../../support/builders.ts';
import { aSale, invoiceNow, paymentOf, report } from '../../../support/money.ts';
import { draft, SellingTeam } from '../../../support/selling-team.ts';
import { type Service, startService } from '../../../support/service.ts';

interface Call {
  readonly path: string;
  readonly key: string;
  readonly authorization: string;
  readonly fields: URLSearchParams;
}

const PASSWORD = 'a long enough password';

describe('payment providers', () => {
  const calls: Call[] = [];
  let server: Server;
  let service: Service;
  let failing = false;
  let silent = false;

  before(async () => {
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      calls.push({
        path: request.url ?? '',
        key: String(request.headers['idempotency-key']),
        authorization: String(request.headers.authorization),
        fields: new URLSearchParams(Buffer.concat(chunks).toString()),
      });
      if (silent) {
        request.socket.destroy();
        return;
      }
      response.writeHead(failing ? 402 : 200, { 'content-type': 'application/json' });
      const session = {
        url: `https://checkout.stripe.test/c/${calls.length}`,
        expires_at: Date.now() / 1000 + 3600,
      };
      response.end(JSON.stringify(failing ? { error: { message: 'no such key' } } : session));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    service = await startService({
      env: {
        STRIPE_SECRET_KEY: 'sk_test_1',
        STRIPE_API_URL: `http://127.0.0.1:${port}`,
        PAYMENT_SANDBOX: '0',
      },
    });
  });

  after(async () => {
    await service.close();
    server.close();
  });

  it('gives an open invoice a checkout link, once while it lasts', async () => {
    const { invoice, buyer } = await aSale(service, 7_700);
    const token = await service.tokenFor(buyer, ['read']);
    const read = async () => (await service.get(`/api/v1/invoices/${invoice.id}`, token)).body.data;
    failing = true;
    expect(await read())
      .to.include({ status: 'open' })
      .and.to.not.have.property('payment_url');
    failing = false;
    calls.length = 0;
    const { payment_url } = await read();
    expect(payment_url).to.equal('https://checkout.stripe.test/c/1');
    expect((await read()).payment_url).to.equal(payment_url);
    expect(calls).to.have.length(1);
    expect(calls[0]).to.include({ path: '/v1/checkout/sessions', authorization: 'Bearer sk_test_1' });
    expect(calls[0]!.key).to.include(invoice.invoice_number);
    const { fields } = calls[0]!;
    expect(fields.get('line_items[0][price_data][unit_amount]')).to.equal('7700');
    expect(fields.get('payment_intent_data[metadata][invoice_number]')).to.equal(invoice.invoice_number);
    expect((await fetch(`${service.url}/sandbox/pay/${invoice.invoice_number}`)).status).to.equal(404);
  });

  it('creates the link again under the site’s other address, to which it returns', async () => {
    const { invoice, buyer } = await aSale(service, 8_800);
    const token = await service.tokenFor(buyer, ['read']);
    const linkAt = async (url: string, path: string) => {
      const answer = await fetch(`${url}/api/v1/${path}`, { headers: { authorization: `Bearer ${token}` } });
      const { data } = (await answer.json()) as { data: object };
      return [data].flat().find((one) => 'payment_url' in one)?.payment_url;
    };
    const elsewhere = service.url.replace('127.0.0.1', 'localhost');
    calls.length = 0;
    const here = await linkAt(service.url, `invoices/${invoice.id}`);
    expect(await linkAt(elsewhere, 'invoices'), 'in a list').to.equal(undefined);
    const there = await linkAt(elsewhere, `invoices/${invoice.id}`);
    expect(there).to.be.a('string').and.not.to.equal(here);
    expect(await linkAt(elsewhere, 'invoices')).to.equal(there);
    const [first, second] = calls;
    expect(first?.fields.get('success_url')).to.match(/^http:\/\/127\.0\.0\.1/);
    expect(second?.fields.get('success_url')).to.contain(elsewhere);
    expect(first?.key).not.to.equal(second?.key);
  });

  it('sends a refund of a payment', async () => {
    calls.length = 0;
    await paymentProvider(service.config)!.refund('pi_9', 250, 'usd', 'refund-1');
    expect(calls[0]).to.include({ path: '/v1/refunds', key: 'refund-1' });
    expect(Object.fromEntries(calls[0]!.fields)).to.deep.equal({ payment_intent: 'pi_9', amount: '250' });
    failing = true;
    const said = await paymentProvider(service.config)!
      .refund('pi_9', 250, 'usd', 'refund-1')
      .then(String, String);
    failing = false;
    expect(said).to.match(
      /The payment provider refuses this refund\. It says: Stripe answered 402: no such key/,
    );
  });

  it('tells staff that a refund is refused, and what the provider says', async () => {
    const admin = await aUser(service.database, { password_hash: quickHash(PASSWORD), is_admin: true });
    const browser = new BrowserLike(service.url);
    await signIn(browser, admin.email, PASSWORD);
    const { invoice } = await aSale(service, 6_600);
    await report(service, { object: paymentOf(invoice) });
    failing = true;
    const path = `/office/money/invoices/${invoice.invoice_number}`;
    await browser.get(path);
    const said = await browser.post(`${path}/refund`, { reason: 'asked for by telephone' });
    failing = false;
    expect(said.status).to.equal(409);
    expect(said.text).to.include('The payment provider refuses this refund.').and.to.include('no such key');
    expect(await invoiceNow(service.database, invoice)).to.include({ status: 'paid' });
    expect((await browser.post(`${path}/refund`, { reason: 'once more' })).status).to.equal(303);
  });

  it('is asked again by the clock where it gives staff no answer, and staff are told so', async () => {
    const admin = await aUser(service.database, { password_hash: quickHash(PASSWORD), is_admin: true });
    const browser = new BrowserLike(service.url);
    await signIn(browser, admin.email, PASSWORD);
    const { knex } = service.database;
    const parts = { knex, ...moneyParts(service.config), onError: () => undefined };
    const paid = async () => {
      const { invoice } = await aSale(service, 6_600);
      const payment = paymentOf(invoice);
      await report(service, { object: payment });
      return { path: `/office/money/invoices/${invoice.invoice_number}`, payment, invoice };
    };
    const forNoInvoice = async () => {
      const object = { id: `pi_none_${randomUUID()}`, amount: 700, currency: 'usd', metadata: {} };
      await report(service, { object });
      const { id } = await knex('payments').where('payment_id', object.id).first('id');
      return { path: `/office/money/payments/${id}`, payment: object };
    };
    for (const make of [paid, forNoInvoice]) {
      const { path, payment } = await make();
      await browser.get(path);
      calls.length = 0;
      silent = true;
      const said = await browser.post(`${path}/refund`, { reason: 'asked for by telephone' });
      silent = false;
      expect(said.status, said.text).to.equal(303);
      expect((await browser.get(said.location ?? '')).text)
        .to.include('The refund is ordered, but the provider has not answered.')
        .and.to.not.include('refunded to the payer');
      const done = await knex('activity').orderBy('id', 'desc').first();
      expect(done.detail.reason).to.equal('asked for by telephone');
      await knex('money_tries').update({ next_at: new Date(0) });
      await returnSurplus(parts);
      const now = await knex('payments').where('payment_id', String(payment['id'])).first();
      expect(now, path).to.include({ status: 'refunded' });
      const own = calls.filter(({ fields }) => fields.get('payment_intent') === payment['id']);
      expect(own).to.have.length(2);
      expect(own[0]?.key).to.equal(own[1]?.key);
    }
    const { invoice } = await paid();
    const row = `row-${invoice.invoice_number}`;
    silent = true;
    const many = { action: 'refund', reason: 'all of them', [row]: '1' };
    const { status, text } = await browser.post('/office/money/invoices/many', many);
    silent = false;
    expect(status).to.equal(200);
    expect(text).to.include('done for 1 of 1').and.to.include('The refund is ordered');
  });

  it('is asked for amounts in each currency’s own smallest unit, and understood in its own', async () => {
    for (const [currency, cents, asked] of [
      ['jpy', 22_000, '22000'],
      ['isk', 22_000, '2200000'],
    ] as const) {
      const { invoice, buyer, auction } = await aSale(service, cents, { currency });
      calls.length = 0;
      const shown = await service.get(`/api/v1/invoices/${invoice.id}`, await service.tokenFor(buyer));
      expect(shown.body.data).to.include({ amount_due: cents, currency });
      expect(calls[0]!.fields.get('line_items[0][price_data][unit_amount]'), currency).to.equal(asked);
      const payment = paymentOf(invoice, { amount: Number(asked), amount_received: Number(asked) });
      await report(service, { object: payment });
      expect(await invoiceNow(service.database, invoice)).to.include({ status: 'paid', owed_cents: 0 });
      calls.length = 0;
      const { provider, followUps } = moneyParts(service.config);
      const parts = { knex: service.database.knex, provider, followUps };
      await refundByNumber({ ...parts, refundDeposit: () => Promise.reject() }, invoice.invoice_number);
      expect(calls.map(({ path, fields }) => [path, fields.get('amount')])).to.deep.equal([
        ['/v1/refunds', asked],
      ]);
      expect((await readBooks(service.database.knex, auction.id)).differences).to.deep.equal([]);
    }
  });

  it('lets no auction be in a currency of which it takes not every amount', async () => {
    const team = await SellingTeam.of(service);
    const { status, body } = await team.call('POST', 'seller/auctions', draft({ currency: 'kwd' }));
    expect([status, Object.keys(body.errors ?? {})]).to.deep.equal([422, ['currency']]);
    expect((await team.call('POST', 'seller/auctions', draft({ currency: 'jpy' }))).status).to.equal(201);
  });

  it('is the sandbox if configured, and none otherwise', () => {
    const secrets = {
      APP_SECRET: 'x'.repeat(32),
      PAYMENT_WEBHOOK_SECRET: 'whsec_0123456789',
      SIMULCAST_SECRETS: 'demo=0123456789abcdef',
      PUBLIC_URL: 'https://auctions.example',
      DATA_DIR: service.config.dataDir,
    };
    const of = (env: Record<string, string>) =>
      paymentProvider(loadConfig({ ...secrets, ...env }))?.name ?? null;
    expect(of({})).to.equal(null);
    expect(of({ PAYMENT_SANDBOX: '1' })).to.equal('sandbox');
    expect(of({ ...demoEnvironment({}) } as Record<string, string>)).to.equal('sandbox');
    for (const env of [{ PAYMENT_SANDBOX: '0' }, { NODE_ENV: 'production' }, { STRIPE_SECRET_KEY: 'sk' }]) {
      expect(demoEnvironment(env)).to.equal(env);
    }
    expect(of({ NODE_ENV: 'production' })).to.equal(null);
    expect(of({ NODE_ENV: 'production', PAYMENT_SANDBOX: '1' })).to.equal('sandbox');
    expect(of({ PAYMENT_SANDBOX: '0' })).to.equal(null);
    expect(of({ STRIPE_SECRET_KEY: 'sk' })).to.equal('stripe');
  });
});

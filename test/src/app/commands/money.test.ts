/**
 * What staff decide about money, on the command line: one line of JSON each, and a sentence and exit code 1 for what
 * cannot be.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { sendTaxNumber } from '../../../../src/accounts/tax-numbers/tax-numbers.ts';
import { settleAuctions } from '../../../../src/billing/settlements/settlements.ts';
import { aTeam, aUser } from '../../../support/builders.ts';
import { runCommand } from '../../../support/commands.ts';
import { aSale, paymentOf, report } from '../../../support/money.ts';
import { type JsonValue, type Service, startService } from '../../../support/service.ts';

describe('the command line on money', () => {
  let service: Service;
  let folder: string;

  before(async () => {
    service = await startService({ moneyByHand: true });
    folder = await mkdtemp(join(tmpdir(), 'rostrum-money-'));
  });

  after(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async (...args: string[]): Promise<{ code: number; said: JsonValue }> => {
    const { databaseUrl, redis } = service;
    const variables = { DATABASE_URL: databaseUrl, REDIS_URL: redis.redisUrl, DATA_DIR: folder };
    const { code, out, err } = await runCommand([...args, '--json'], variables);
    return { code, said: JSON.parse(out + err) };
  };

  it('approves and pays settlements', async () => {
    const { invoice, auction } = await aSale(service, 10_000);
    await settleAuctions(service.database.knex);
    const { id } = await service.database.knex('settlements').where('auction_id', auction.id).first('id');
    for (const step of ['approve', 'pay']) {
      const early = await run('settlement', step, '--id', String(id));
      expect(early.code).to.equal(1);
      expect(early.said).to.deep.include({
        code: 'invalid_transition',
        waiting_for: [invoice.invoice_number],
      });
    }
    await report(service, { object: paymentOf(invoice) });
    const approved = { id, status: 'approved' };
    expect((await run('settlement', 'approve', '--id', String(id))).said).to.include(approved);
    const reopen = ['settlement', 'reopen', '--id', String(id)];
    expect((await run(...reopen)).code).to.equal(1);
    expect((await run(...reopen, '--reason', 'a second look')).said).to.include({ status: 'pending' });
    expect((await run('settlement', 'approve', '--id', String(id))).said).to.include(approved);
    const books = await run('books', '--auction', String(auction.id));
    expect(books).to.deep.include({ code: 0 });
    expect(books.said).to.deep.include({ ok: true, currency: 'usd', differences: [] });
    expect(books.said.totals).to.include({ hammer_cents: 10_000, owed_to_seller_cents: 9_500 });
    expect((await run('settlement', 'pay', '--id', String(id))).said).to.include({
      status: 'paid',
      payout: 95,
    });
  });

  it('voids and refunds invoices', async () => {
    const { invoice } = await aSale(service, 10_000);
    const number = ['--number', invoice.invoice_number];
    expect((await run('invoice', 'refund', ...number)).said.error).to.match(
      /is open; it may become paid or voided/,
    );
    expect((await run('invoice', 'void', ...number)).said).to.include({ status: 'voided' });
    const other = (await aSale(service, 10_000)).invoice;
    await report(service, { object: paymentOf(other) });
    const refunded = await run('invoice', 'refund', '--number', other.invoice_number);
    expect(refunded.said).to.include({ status: 'refunded', amount_due: 100 });
    expect((await run('invoice', 'void', '--number', other.invoice_number)).code).to.equal(1);
  });

  it('marks defaults, and says when nobody is left to offer a lot to', async () => {
    const { lot, invoice } = await aSale(service, 10_000);
    const { said } = await run('lot', 'default', '--lot', String(lot.id));
    expect(said).to.include({ lot_id: lot.id, invoice_number: invoice.invoice_number, status: 'voided' });
    const none = await run('lot', 'second-chance', '--lot', String(lot.id));
    expect([none.code, none.said.error]).to.deep.equal([1, `lot: no other account has bid on lot ${lot.id}`]);
  });

  it('keeps what no invoice took, allocates it and sends it back', async () => {
    const { invoice } = await aSale(service, 10_000);
    await report(service, { object: paymentOf(invoice) });
    const [late, later] = [paymentOf(invoice, { amount: 2_500 }), paymentOf(invoice, { amount: 700 })];
    for (const object of [late, later])
      expect(await report(service, { object })).to.deep.equal({ status: 'unallocated', code: 'not_open' });
    const listed = await run('payment', 'list', '--unallocated');
    expect(listed.said.payments.map((row: JsonValue) => [row.payment_id, row.amount])).to.deep.equal([
      [later['id'], 7],
      [late['id'], 25],
    ]);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).to.match(/^rostrum_payments_unallocated 2$/m);
    const other = (await aSale(service, 2_500)).invoice;
    const allocate = ['payment', 'allocate', '--id', String(late['id']), '--invoice'];
    expect((await run(...allocate, invoice.invoice_number)).said.code).to.equal('invalid_transition');
    expect((await run(...allocate, 'INV-1999-00001')).said.code).to.equal('not_found');
    const theirs = await run(...allocate, other.invoice_number);
    expect(theirs.said.error).to.include('--other-payer');
    const put = await run(...allocate, other.invoice_number, '--other-payer');
    const payer = await service.database.knex('users').where('id', invoice.user_id).first('email');
    expect(put.said).to.include({
      status: 'applied',
      invoice_number: other.invoice_number,
      invoice_status: 'paid',
      payer: payer.email,
    });
    expect((await run(...allocate, other.invoice_number)).code).to.equal(1);
    const { id } = listed.said.payments[0];
    const refund = ['payment', 'refund', '--id', String(id)];
    expect((await run(...refund)).said).to.include({ id, status: 'refunded', amount_refunded: 7 });
    expect((await run(...refund)).said.code).to.equal('invalid_transition');
    expect((await run('payment', 'list', '--unallocated')).said).to.deep.equal({ payments: [], total: 0 });
    for (const auction of [invoice.auction_id, other.auction_id])
      expect((await run('books', '--auction', String(auction))).code).to.equal(0);
  });

  it('says where the books do not balance', async () => {
    const { invoice, auction } = await aSale(service, 10_000);
    const payment = paymentOf(invoice);
    await report(service, { object: payment });
    await service.database.knex('payments').where('invoice_id', invoice.id).update({ amount_cents: 9_999 });
    const { code, said } = await run('books', '--auction', String(auction.id));
    expect(code).to.equal(1);
    expect(said.ok).to.equal(false);
    expect(said.differences).to.deep.include({
      what: `payment ${payment['id']}: payments`,
      expected_cents: 10_000,
      found_cents: 9_999,
    });
    expect((await run('books', '--auction', '999999')).said.code).to.equal('not_found');
  });

  it('shows the books by account, and closes a month', async () => {
    const { invoice, auction, lot } = await aSale(service, 10_000);
    const payment = paymentOf(invoice);
    await report(service, { object: payment });
    const filters = [
      ['--auction', String(auction.id)],
      ['--lot', String(lot.id)],
      ['--invoice', invoice.invoice_number],
      ['--team', String(auction.team_id)],
    ];
    for (const filter of filters) {
      const { code, said } = await run('books', ...filter);
      expect(code).to.equal(0);
      const balances = said.accounts.map((row: JsonValue) => [row.account, row.currency, row.balance]);
      expect(balances, filter.join(' ')).to.deep.equal([
        ['owed_to_sellers', 'usd', -10_000],
        ['provider', 'usd', 10_000],
        ['receivable', 'usd', 0],
        ['unallocated', 'usd', 0],
      ]);
      const provider = said.accounts.find((row: JsonValue) => row.account === 'provider');
      expect(provider.postings).to.have.length(1);
      expect(provider.postings[0]).to.include({
        kind: 'payment',
        amount: 10_000,
        payment_id: payment['id'],
        invoice_number: invoice.invoice_number,
      });
      expect(said.set_aside).to.deep.equal([]);
    }
    const all = await run('books');
    expect([all.code, all.said.ok]).to.deep.equal([0, true]);
    const one = await run('books', '--account', 'receivable', '--invoice', invoice.invoice_number);
    expect(one.said.accounts.map((row: JsonValue) => row.account)).to.deep.equal(['receivable']);
    expect((await run('books', '--account', 'pocket')).code).to.equal(1);
    const month = new Date().toISOString().slice(0, 7);
    expect((await run('books', 'close', '--month', '2999-01')).said.error).to.include('has not begun');
    expect((await run('books', 'close', '--month', month)).said).to.include({ month });
    await report(service, { type: 'charge.refunded', object: { ...payment, amount: 100 } });
    const inMonth = (await run('books', '--month', month, '--invoice', invoice.invoice_number)).said.accounts;
    expect(inMonth.find((row: JsonValue) => row.account === 'provider').balance).to.equal(10_000);
    const now = (await run('books', '--invoice', invoice.invoice_number)).said.accounts;
    expect(now.find((row: JsonValue) => row.account === 'provider').balance).to.equal(9_900);
    expect((await run('books', '--month', '2026-13')).code).to.equal(1);
  });

  it('prints every entry of the books as CSV, which adds up to the balances', async () => {
    const { invoice, lot } = await aSale(service, 10_000);
    const transfer = ['--reference', invoice.invoice_number, '--amount', '100', '--currency', 'usd'];
    await run('payment', 'record', ...transfer, '--id', '=HYPERLINK("x")');
    const { databaseUrl, redis } = service;
    const variables = { DATABASE_URL: databaseUrl, REDIS_URL: redis.redisUrl, DATA_DIR: folder };
    const { out } = await runCommand(['books', '--invoice', invoice.invoice_number, '--csv'], variables);
    const records: Record<string, string>[] = parse(out, { bom: true, columns: true });
    const sums = new Map<string, number>();
    for (const { account = '', amount, lot_id, team_id } of records) {
      sums.set(account, (sums.get(account) ?? 0) + Number(amount));
      expect([lot_id, team_id]).to.deep.equal([String(lot.id), String(invoice.team_id)]);
    }
    const { accounts } = (await run('books', '--invoice', invoice.invoice_number)).said;
    const balances = accounts.map((row: JsonValue) => [row.account, row.balance]);
    expect([...sums].sort()).to.deep.equal(balances);
    expect(accounts.map((row: JsonValue) => row.entries)).to.deep.equal([1, 1, 2, 2]);
    expect(out).to.include(`"'=HYPERLINK(""x"")"`);
  });

  it('adds no money of another currency to the books', async () => {
    const { invoice, auction } = await aSale(service, 10_000);
    await report(service, { object: paymentOf(invoice, { currency: 'eur' }) });
    const { totals } = (await run('books', '--auction', String(auction.id))).said;
    expect(totals.unallocated_cents).to.equal(0);
    await report(service, { object: paymentOf(invoice) });
    await report(service, { object: paymentOf(invoice, { amount: 700 }) });
    const later = (await run('books', '--auction', String(auction.id))).said;
    expect(later.totals.unallocated_cents).to.equal(700);
    await service.database.knex('payments').where('status', 'unallocated').update({ status: 'refunded' });
  });

  it('grants subscriptions', async () => {
    const team = await aTeam(service.database);
    await service.database.knex('plans').insert({ slug: 'gold', name: 'Gold', price_monthly_cents: 100 });
    const granted = await run('subscription', 'grant', '--team', String(team.id), '--plan', 'gold');
    expect(granted.said).to.include({ team_id: team.id, plan: 'gold', status: 'active' });
    expect((await run('subscription', 'grant', '--team', '999999', '--plan', 'gold')).code).to.equal(1);
  });

  it('lists, approves and refuses tax numbers', async () => {
    const { id: user } = await aUser(service.database);
    const sent = await sendTaxNumber(service.database.knex, user, {
      kind: 'vat',
      number: 'DE1',
      region: 'DE',
    });
    const id = String(sent.id);
    const list = await run('tax-number', 'list');
    expect(list.said.tax_numbers).to.have.length(1);
    expect(list.said.tax_numbers[0]).to.include({
      id: sent.id,
      user_id: user,
      number: 'DE1',
      status: 'pending',
    });
    expect((await run('tax-number', 'approve', '--id', id)).said).to.include({ status: 'approved' });
    const again = await run('tax-number', 'approve', '--id', id);
    expect(again.code).to.equal(1);
    expect(again.said).to.include({ code: 'invalid_transition' });
    expect((await run('tax-number', 'list')).said.tax_numbers).to.deep.equal([]);
    expect((await run('tax-number', 'refuse', '--id', id)).said).to.include({ status: 'refused' });
    expect((await run('tax-number', 'list', '--all')).said.tax_numbers).to.have.length(1);
    expect((await run('tax-number', 'approve', '--id', '987654')).code).to.equal(1);
  });
});

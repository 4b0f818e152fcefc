/**
 * Money of before the ledger: rows of the schema as it was are carried over into postings. Each figure is then what it
 * was, and the books agree.
 */
import { expect } from 'chai';
import { type Database, openDatabase } from '../../../../adapters/postgres/database.ts';
import { migrateToLatest } from '../../../../adapters/postgres/migrate.ts';
import { readAccounts } from '../../../../src/billing/books/accounts-read.ts';
import { readBooks } from '../../../../src/billing/books/books.ts';
import { type FreshDatabase, freshDatabase } from '../../../support/servers.ts';
import {
  insertInvoices,
  insertSales,
  insertSettlements,
  migrateUpToLedger,
  OPEN,
  PAID_OUT,
} from './old-money.ts';

const FIGURES = [
  ...[
    'invoice_number',
    'status',
    'amount_due_cents',
    'amount_paid_cents',
    'amount_refunded_cents',
    'credited_cents',
  ],
];

describe('money from before the ledger', () => {
  let fresh: FreshDatabase;
  let db: Database;
  let figures: unknown[];
  let payments: unknown[];
  const readInvoices = () => db.knex('invoices').select(FIGURES).orderBy('id');
  const readPayments = () =>
    db.knex('payments').select('payment_id', 'amount_cents', 'refunded_cents', 'currency').orderBy('id');

  before(async () => {
    fresh = await freshDatabase();
    db = openDatabase(fresh.databaseUrl);
    await migrateUpToLedger(db.knex);
    await insertSales(db.knex);
    await insertInvoices(db.knex);
    await insertSettlements(db.knex);
    [figures, payments] = [await readInvoices(), await readPayments()];
    await migrateToLatest(db);
  });

  after(async () => {
    await db.close();
    await fresh.drop();
  });

  it('says of every invoice and payment what it said before', async () => {
    expect(await readInvoices()).to.deep.equal(figures);
    expect(await readPayments()).to.deep.equal(payments);
    expect(
      await db.knex('deposit_credits').select('deposit_invoice_id', 'invoice_id', 'amount_cents'),
    ).to.deep.equal([{ deposit_invoice_id: 7, invoice_id: 1, amount_cents: 3_000 }]);
    const waiting = await db.knex('payment_events').where('status', 'pending').first();
    expect(waiting.waits_for).to.have.members(['pi_unknown', 'ch_unknown']);
  });

  it('has books that agree', async () => {
    for (const auction of [OPEN, PAID_OUT])
      expect((await readBooks(db.knex, auction)).differences).to.deep.equal([]);
    const { totals } = await readBooks(db.knex, OPEN);
    expect(totals).to.include({ hammer_cents: 41_000n, received_cents: 35_100n, refunded_cents: 4_180n });
    expect(totals).to.include({ deposits_credited_cents: 3_000n, deposits_refunded_cents: 3_000n });
    expect(totals).to.include({ owed_by_buyers_cents: 7_000n, unallocated_cents: 5_500n });
  });

  it('has balances that sum to zero in each currency, with what the provider holds', async () => {
    const accounts = await readAccounts(db.knex);
    const balance = (account: string, currency: string) =>
      accounts.find((one) => one.account === account && one.currency === currency)?.balance ?? 0n;
    for (const currency of ['usd', 'eur']) {
      const own = accounts.filter((one) => one.currency === currency);
      expect(own.reduce((sum, one) => sum + one.balance, 0n)).to.equal(0n);
    }
    expect(balance('provider', 'usd')).to.equal(19_000n + 4_000n + 5_500n + 8_800n - 880n + 3_000n);
    expect(balance('provider', 'eur')).to.equal(24_200n - 2_420n);
    expect(balance('paid_out', 'eur')).to.equal(-20_900n);
    // What was paid out beyond what the sale has come to.
    expect(balance('owed_to_sellers', 'eur')).to.equal(2_090n);
  });
});

/** The ledger's table: what the database itself refuses, and that a cause posts once. */
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { postgresCodeOf } from '../../../../adapters/postgres/postgres-error.ts';
import { closeMonth } from '../../../../src/billing/books/months.ts';
import { type Entry, post } from '../../../../src/billing/ledger/post.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';

const entry = (account: Entry['account'], amount: number): Entry => ({ account, amount });

describe('The ledger', () => {
  let database: MigratedDatabase;
  let knex: Knex;

  before(async () => {
    database = await migratedDatabase();
    knex = database.db.knex;
  });

  after(() => database.drop());

  const posting = (cause: string, entries: readonly Entry[], currency = 'usd') =>
    knex.transaction((trx) => post(trx, { cause, kind: 'payment', currency, entries }));
  const codeOf = (work: Promise<unknown>) => work.then(() => 'done', postgresCodeOf);
  const come = [entry('provider', 500), entry('unallocated', -500)];

  it('posts each cause once, with entries that sum to zero', async () => {
    expect(await posting('payment:1', come)).to.equal(1);
    expect(await posting('payment:1', come)).to.equal(0);
    expect(await posting('payment:2', [])).to.equal(0);
    const many = await Promise.all(Array.from({ length: 10 }, () => posting('payment:3', come)));
    expect(many.filter((count) => count === 1)).to.have.length(1);
    const rows = await knex('ledger_entries as e')
      .join('ledger_postings as p', 'p.id', 'e.posting_id')
      .orderBy('e.id')
      .select('p.cause', 'e.account', 'e.currency', 'e.amount');
    expect(rows.slice(0, 2)).to.deep.equal([
      { cause: 'payment:1', account: 'provider', currency: 'usd', amount: 500 },
      { cause: 'payment:1', account: 'unallocated', currency: 'usd', amount: -500 },
    ]);
    expect(rows).to.have.length(4);
  });

  it('is refused by the database where it does not sum to zero, or in two currencies', async () => {
    expect(await codeOf(posting('lost', [entry('provider', 500), entry('unallocated', -499)]))).to.equal(
      '23514',
    );
    expect(await codeOf(posting('one', [entry('provider', 500)]))).to.equal('23514');
    const inTwo = knex.transaction(async (trx) => {
      const [{ id }] = await trx('ledger_postings').insert({ cause: 'two', kind: 'payment' }).returning('id');
      await trx('ledger_entries').insert([
        { posting_id: id, account: 'provider', currency: 'usd', amount: 500 },
        { posting_id: id, account: 'unallocated', currency: 'eur', amount: -500 },
      ]);
    });
    expect(await codeOf(inTwo)).to.equal('23514');
    expect(await codeOf(knex('ledger_postings').insert({ cause: 'none', kind: 'payment' }))).to.equal(
      '23514',
    );
    const { id } = await knex('ledger_postings').where('cause', 'payment:1').first();
    const late = { posting_id: id, account: 'provider', currency: 'usd', amount: 1 };
    expect(await codeOf(knex('ledger_entries').insert(late))).to.equal('23514');
    expect(await knex('ledger_postings').whereIn('cause', ['lost', 'one', 'two', 'none'])).to.have.length(0);
  });

  it('is never changed, only added to', async () => {
    for (const table of ['ledger_postings', 'ledger_entries']) {
      expect(await codeOf(knex(table).update({ id: knex.raw('id') }))).to.equal('23001');
      expect(await codeOf(knex(table).delete())).to.equal('23001');
      expect(await codeOf(knex.raw(`TRUNCATE ${table} CASCADE`))).to.equal('23001');
    }
    expect(await knex('ledger_entries')).to.have.length(4);
  });

  it('puts a posting into the month after the last that is closed', async () => {
    const { month } = await knex('ledger_postings')
      .where('cause', 'payment:1')
      .first(knex.raw('month::text AS month'));
    const now = new Date().toISOString().slice(0, 7);
    expect(month).to.equal(`${now}-01`);
    // What is being posted in it belongs to it; what comes while it is closed waits, and belongs to the next.
    const before = await knex.transaction();
    await post(before, { cause: 'payment:4', kind: 'payment', currency: 'usd', entries: come });
    let isClosed = false;
    const closing = closeMonth(knex, now).finally(() => {
      isClosed = true;
    });
    await setTimeout(300);
    const late = posting('payment:late', come);
    await setTimeout(300);
    expect(isClosed, 'while something is being posted').to.equal(false);
    await before.commit();
    expect((await closing).postings).to.equal(3);
    await late;
    const counted = await knex('ledger_postings')
      .where('cause', 'payment:late')
      .first(knex.raw("(month - interval '1 month')::date::text AS before"));
    expect(counted.before).to.equal(month);
    expect((await closeMonth(knex, now)).postings, 'closed once').to.equal(3);
  });
});

/** Facts that wait for the end of their transaction: appended there, in their order, and once. */
import { expect } from 'chai';
import type { Knex } from 'knex';
import { appendLast, type OutboxEvent } from '../../../src/events/outbox.ts';
import { inTransaction } from '../../../src/shared/transactions.ts';
import { type MigratedDatabase, migratedDatabase } from '../../support/migrated-database.ts';

const fact = (eventKey: string): OutboxEvent => ({
  ...{ eventKey, type: 'invoice.voided', teamId: null, userId: null, auctionId: null, lotId: null },
  data: {},
});

describe('Facts that wait', () => {
  let database: MigratedDatabase;
  let knex: Knex;

  before(async () => {
    database = await migratedDatabase();
    knex = database.db.knex;
  });
  after(() => database.drop());

  const keys = (db: Knex = knex) => db('events').orderBy('id').pluck('event_key');

  it('are appended last, in their order', async () => {
    await inTransaction(knex, async (trx) => {
      await appendLast(trx, fact('first'));
      await appendLast(trx, fact('second'), fact('third'));
      expect(await keys(trx)).to.deep.equal([]);
    });
    expect(await keys()).to.deep.equal(['first', 'second', 'third']);
  });

  it('are forgotten where it is rolled back or tried again', async () => {
    await knex('events').delete();
    let tries = 0;
    await inTransaction(knex, async (trx) => {
      tries += 1;
      await appendLast(trx, fact(`try ${tries}`));
      if (tries === 1) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
    });
    const failing = inTransaction(knex, async (trx) => {
      await appendLast(trx, fact('never'));
      throw new Error('no');
    });
    await failing.catch(() => null);
    expect(await keys()).to.deep.equal(['try 2']);
  });

  it('are appended at once in any other transaction', async () => {
    await knex('events').delete();
    await knex.transaction(async (trx) => {
      await appendLast(trx, fact('now'));
      expect(await keys(trx)).to.deep.equal(['now']);
    });
  });
});

/** What two requests at once make of a statement, and what they are answered. */
import { expect } from 'chai';
import { conflictOf } from '../../../adapters/postgres/postgres-error.ts';
import { REFUSAL_ANSWERS } from '../../../src/app/web/refusal-answers.ts';
import { aLot, aUser } from '../../support/builders.ts';
import { type MigratedDatabase, migratedDatabase } from '../../support/migrated-database.ts';

describe('conflicts of two requests', () => {
  let database: MigratedDatabase;
  before(async () => {
    database = await migratedDatabase();
  });
  after(() => database.drop());

  const faultOf = (work: PromiseLike<unknown>) =>
    Promise.resolve(work).then(
      () => null,
      (error: unknown) => error,
    );

  it('are 404 where what a row belongs to is gone, 409 where it is there already', async () => {
    const { db } = database;
    const user = await aUser(db);
    const lot = await aLot(db);
    const watch = (lot_id: number) => db.knex('watchlist').insert({ user_id: user.id, lot_id });
    await watch(lot.id);
    const [gone, faster] = [await faultOf(watch(999_999)), await faultOf(watch(lot.id))];
    expect([conflictOf(gone), conflictOf(faster)]).to.deep.equal(['gone', 'faster']);
    expect(REFUSAL_ANSWERS.problemOf(gone)).to.include({ status: 404 });
    expect(REFUSAL_ANSWERS.problemOf(faster)).to.include({ status: 409 });
    expect(conflictOf(new Error('other'))).to.equal(null);
  });
});

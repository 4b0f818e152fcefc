/** Who is outbid is told once of a price, however often the facts of a bid say it. */
import { expect } from 'chai';
import { FIRST_POSITION } from '../../../../src/events/read-events.ts';
import { putOutbidNotices } from '../../../../src/notifications/inbox/outbid-notices.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';

describe('outbid notices', () => {
  let database: MigratedDatabase;
  before(async () => {
    database = await migratedDatabase();
  });
  after(() => database.drop());

  it('are told again of another price, not of the same where a lot is ahead of its facts', async () => {
    const { knex } = database.db;
    await knex('journal_meta').insert({ epoch: 'of this test' });
    const [ann, rival] = [await aUser(database.db), await aUser(database.db)];
    const auction = await anAuction(database.db);
    const lot = await aLot(database.db, {
      auction_id: auction.id,
      status: 'active',
      current_bid_cents: 25_000,
      leader_user_id: rival.id,
    });
    const led = {
      type: 'lot.bid_placed',
      event_key: 'led',
      lot_id: lot.id,
      auction_id: auction.id,
      data: { leaders: [ann.id] },
    };
    await knex('events').insert(led);
    const range = {
      after: FIRST_POSITION,
      upTo: { tx: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER },
    };
    const told = async () => {
      await knex.transaction((trx) => putOutbidNotices(trx, range));
      const [notice] = await knex('outbid_notices').where('user_id', ann.id);
      return notice;
    };
    const first = await told();
    expect(first.current_bid_cents).to.equal(25_000);
    expect((await told()).created_at).to.equal(first.created_at);
    await knex('lots').where('id', lot.id).update({ current_bid_cents: 30_000 });
    const second = await told();
    expect(second.current_bid_cents).to.equal(30_000);
    expect(second.created_at > first.created_at).to.equal(true);
    // Later it may be another time at which they led.
    await knex('outbid_notices').update({ created_at: knex.raw("now() - interval '1 minute'") });
    const later = await told();
    expect(later.created_at > second.created_at).to.equal(true);
  });
});

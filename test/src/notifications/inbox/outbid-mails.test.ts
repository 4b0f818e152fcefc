/** What gathering the mails about outbid lots reads, where Postgres has no statistics yet, and how often they come. */
import { expect } from 'chai';
import { insertUsers } from '../../../../src/accounts/people/accounts.ts';
import { takeRecipients } from '../../../../src/notifications/inbox/mail-recipients.ts';
import {
  awaitOutbidMails,
  noteOutbidMails,
  readOutbidLots,
} from '../../../../src/notifications/inbox/outbid-mails.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';

const PEOPLE = 30;
const LOTS = 300;
const NOTICES = 5;

describe('outbid mails', () => {
  let database: MigratedDatabase;
  before(async () => {
    database = await migratedDatabase();
  });
  after(() => database.drop());

  it('are collected from the lots that they name, without reading any other', async () => {
    const { knex } = database.db;
    const auction = await anAuction(database.db);
    const lots: { id: number }[] = await knex('lots')
      .insert(
        Array.from({ length: LOTS }, (_, at) => ({
          auction_id: auction.id,
          lot_number: at + 1,
          title: `Lot ${at}`,
          slug: `lot-${at}`,
          starting_bid_cents: 100,
          status: 'active',
        })),
      )
      .returning('id');
    await knex.transaction(async (trx) => {
      const users = await insertUsers(
        trx,
        Array.from({ length: PEOPLE }, (_, at) => ({
          email: `bidder-${at}@example.com`,
          name: `Bidder ${at}`,
          password_hash: null,
          is_admin: false,
        })),
      );
      const ids = users.map(({ id }) => id);
      await awaitOutbidMails(trx, ids);
      await trx('outbid_notices').insert(
        ids.flatMap((id, person) =>
          lots
            .slice(person * NOTICES, (person + 1) * NOTICES)
            .map((lot) => ({ user_id: id, lot_id: lot.id, current_bid_cents: 100, on_page: true })),
        ),
      );
      const read = async () => {
        const { rows } = await trx.raw(
          `SELECT (seq_tup_read + idx_tup_fetch)::int AS n FROM pg_stat_xact_user_tables WHERE relname = 'lots'`,
        );
        return rows[0].n;
      };
      const before = await read();
      const recipients = await takeRecipients(trx);
      const mails = await readOutbidLots(
        trx,
        recipients.map(({ user_id }) => user_id),
      );
      expect([...mails.values()].map(({ length }) => length)).to.deep.equal(Array(PEOPLE).fill(NOTICES));
      expect((await read()) - before).to.be.at.most(PEOPLE * NOTICES);
    });
  });

  it('come seldom to whoever is outbid again and again, and soon again after a quiet hour', async () => {
    const { knex } = database.db;
    const { id: person, email } = await aUser(database.db);
    const { id: auction } = await anAuction(database.db);
    const gaps: number[] = [];
    for (const secondsSinceLast of [0, 100, 1_000, 3_000, 3_601, 10]) {
      const lot = await aLot(database.db, { auction_id: auction, status: 'active' });
      const notice = { user_id: person, lot_id: lot.id, current_bid_cents: 100, on_page: true };
      await knex('outbid_notices').insert(notice);
      const mailedAt = knex.raw("now() - ? * interval '1 second'", [secondsSinceLast]);
      await knex('mail_recipients')
        .where('user_id', person)
        .update({ mailed_at: mailedAt, due_at: knex.fn.now() });
      await knex.transaction(async (trx) => {
        await awaitOutbidMails(trx, [person]);
        await trx('mail_recipients').update({ waits_since: new Date(0) });
        expect(await takeRecipients(trx)).to.deep.include({
          user_id: person,
          email,
          allowed: 4,
          outbid: true,
        });
        const lots = await readOutbidLots(trx, [person]);
        expect(lots.size).to.equal(1);
        await noteOutbidMails(trx, [person], [...lots.values()]);
      });
      gaps.push((await knex('mail_recipients').where('user_id', person).first('gap_seconds')).gap_seconds);
    }
    expect(gaps).to.deep.equal([60, 600, 1_200, 1_200, 60, 600]);
  });
});

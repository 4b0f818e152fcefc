/** What the clock does row by row: one that fails is named and done by the next pass, and keeps no other back. */
import { expect } from 'chai';
import type { Knex } from 'knex';
import { followDeposits, openDepositInvoice } from '../../../src/billing/deposits/deposits.ts';
import { settleAuctions } from '../../../src/billing/settlements/settlements.ts';
import { billOwners, renewSubscriptions } from '../../../src/billing/subscriptions/renewal.ts';
import { grantSubscription } from '../../../src/billing/subscriptions/subscriptions.ts';
import { expireOffers } from '../../../src/sales/offers/answer-offer.ts';
import { recordResales } from '../../../src/sales/offers/record-resales.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { aSale, paymentOf, report } from '../../support/money.ts';
import { type Service, startService } from '../../support/service.ts';

const MINUTE_AGO = new Date(Date.now() - 60_000).toISOString();

interface Kind {
  /** What a row that fails is called. */
  readonly what: string;
  /** Where a row is written, and the column that names it. */
  readonly table: string;
  readonly column: string;
  /** SQL: whether it is done. */
  readonly done: string;
  /** Makes one that is due; gives what names it. */
  readonly due: () => Promise<number>;
  readonly pass: () => Promise<number>;
}

describe('The clock’s work on many rows', () => {
  let service: Service;
  let knex: Knex;

  before(async () => {
    service = await startService({ moneyByHand: true });
    knex = service.database.knex;
    await knex('plans').insert({ slug: 'pro', name: 'Pro', price_monthly_cents: 0, commission_bps: 300 });
  });
  after(() => service.close());

  const inserted = async (table: string, columns: object): Promise<number> =>
    (await knex(table).insert(columns).returning('id'))[0].id;
  const offer = async (columns: {
    lot_id: number;
    auction_id: number;
    user_id: number;
    invoice_id?: number;
  }) => inserted('offers', { ...columns, amount_cents: 10_000, currency: 'usd', expires_at: MINUTE_AGO });
  async function subscription(change: (stranger: number) => object) {
    const { id } = await grantSubscription(knex, (await aTeam(service.database)).id, 'pro');
    await knex('subscriptions')
      .where('id', id)
      .update(change((await aUser(service.database)).id));
    return id;
  }
  async function paidDeposit() {
    const { database: db } = service;
    const auction = await anAuction(db, { registration_mode: 'deposit', registration_deposit_cents: 5_000 });
    const { id: userId } = await aUser(db);
    const invoice = await knex.transaction((trx) => openDepositInvoice(trx, auction.id, userId));
    await report(service, { object: paymentOf(invoice!) });
    await knex('invoices').where('id', invoice!.id).update({ deposit_applied_at: null });
    return invoice!.id;
  }

  const kinds: Readonly<Record<string, Kind>> = {
    'settles auctions': {
      what: 'the settlement of auction',
      ...{ table: 'settlements', column: 'auction_id', done: 'true' },
      due: async () => (await anAuction(service.database, { status: 'ended' })).id,
      pass: () => settleAuctions(knex),
    },
    'ends offers': {
      what: 'offer',
      ...{ table: 'offers', column: 'id', done: "status = 'expired'" },
      due: async () => {
        const { id: lot_id, auction_id } = await aLot(service.database);
        return offer({ lot_id, auction_id, user_id: (await aUser(service.database)).id });
      },
      pass: () => expireOffers(knex),
    },
    'has the journal say what was bought by offers': {
      what: 'the sale by offer',
      ...{ table: 'offers', column: 'id', done: 'recorded_at IS NOT NULL' },
      due: async () => {
        const { auction, lot, invoice } = await aSale(service, 10_000);
        const buyer = await aUser(service.database);
        const columns = { lot_id: lot.id, auction_id: auction.id, user_id: buyer.id };
        return offer({ ...columns, ...{ status: 'accepted' }, invoice_id: invoice.id });
      },
      pass: () => recordResales(service.backends),
    },
    'renews subscriptions': {
      what: 'subscription',
      ...{ table: 'subscriptions', column: 'id', done: 'current_period_end > now()' },
      due: () => subscription(() => ({ current_period_end: MINUTE_AGO })),
      pass: () => renewSubscriptions(knex),
    },
    'bills owners for members who have left': {
      what: 'subscription',
      ...{ table: 'subscriptions', column: 'id' },
      done: 'EXISTS (SELECT FROM memberships m WHERE m.team_id = subscriptions.team_id AND m.user_id = subscriptions.user_id)',
      due: () => subscription((user_id) => ({ user_id })),
      pass: () => billOwners(knex),
    },
    'has the journal follow deposits': {
      what: 'deposit',
      ...{ table: 'invoices', column: 'id', done: 'deposit_applied_at IS NOT NULL' },
      due: paidDeposit,
      pass: () => followDeposits(service.backends),
    },
  };

  for (const [does, { what, table, column, done, due, pass }] of Object.entries(kinds)) {
    it(`${does}, whichever of them fails`, async () => {
      const [bad, ...others] = [await due(), await due(), await due()];
      const finished = () =>
        knex(table)
          .whereIn(column, [bad, ...others])
          .whereRaw(done)
          .orderBy(column)
          .pluck(column);
      await knex.raw(`
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
          AS $$ BEGIN RAISE EXCEPTION 'refused for a test'; END $$;
        CREATE TRIGGER refuses BEFORE INSERT OR UPDATE ON ${table}
          FOR EACH ROW WHEN (NEW.${column} = ${bad}) EXECUTE FUNCTION refuse()`);
      const error = await pass().catch((thrown: AggregateError) => thrown);
      expect(error).to.be.instanceOf(AggregateError);
      const said = (error as AggregateError).errors.map(({ message }) => message);
      expect(said).to.have.length(1);
      expect(said[0]).to.match(new RegExp(`^${what} ${bad}: .*refused for a test`, 's'));
      expect(await finished()).to.deep.equal(others);
      await knex.raw(`DROP TRIGGER refuses ON ${table}; DROP FUNCTION refuse()`);
      expect(await pass(), 'the next pass').to.equal(1);
      expect(await finished()).to.deep.equal([bad, ...others]);
      expect(await pass(), 'and none after it').to.equal(0);
    });
  }
});

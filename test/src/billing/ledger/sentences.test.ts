/** Sentences about money that no other test says in full: from the payer's event to what each reader is shown. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { MONEY_JOBS } from '../../../../src/app/jobs/money-jobs.ts';
import { publishAuction } from '../../../../src/bidding/records/publishing.ts';
import { openDepositInvoice } from '../../../../src/billing/deposits/deposits.ts';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import {
  approveSettlement,
  paySettlement,
} from '../../../../src/billing/settlements/settlement-decisions.ts';
import { settleAuctions } from '../../../../src/billing/settlements/settlements.ts';
import { BUYER_KINDS } from '../../../../src/notifications/kinds/money-kinds.ts';
import { offerSecondChance } from '../../../../src/sales/offers/offers.ts';
import { placeBid } from '../../../support/auction-house.ts';
import { refusalOf, type Staff, staffOf } from '../../../support/billing.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { runCommand } from '../../../support/commands.ts';
import {
  aSale,
  invoiceNow,
  paymentOf,
  projectAuction,
  report,
  reportDispute,
  sell,
} from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('Money, as it is said to its readers', () => {
  let service: Service;
  let staff: Staff;
  let knex: Knex;
  let folder: string;

  before(async () => {
    service = await startService({ env: { DISPUTES_BORNE_BY: 'seller' } });
    staff = staffOf(service);
    knex = service.database.knex;
    folder = await mkdtemp(join(tmpdir(), 'rostrum-sentences-'));
  });

  after(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  const now = (invoice: Pick<Invoice, 'id'>) => invoiceNow(service.database, invoice);
  const expectBooks = async (auctionId: number) =>
    expect((await staff.books(auctionId)).differences).to.deep.equal([]);

  it('credits a deposit to one invoice a second time when more of it comes', async () => {
    const auction = await anAuction(service.database, {
      registration_mode: 'deposit',
      registration_deposit_cents: 25_000,
    });
    const lot = await aLot(service.database, { auction_id: auction.id });
    await publishAuction(service.backends, auction.id);
    const buyer = await aUser(service.database);
    const deposit = (await knex.transaction((trx) => openDepositInvoice(trx, auction.id, buyer.id)))!;
    await report(service, { object: paymentOf(deposit, { amount: 5_000 }) });
    await sell(service.backends.engine, lot.id, buyer, 20_000);
    await projectAuction(service.database, service.backends.redis, auction.id);
    const invoice = (await knex('invoices').where('lot_id', lot.id).first()) as Invoice;
    await staff.returnDeposits();
    expect(await now(invoice)).to.include({ status: 'open', credited_cents: 5_000, owed_cents: 15_000 });
    await report(service, { object: paymentOf(deposit, { amount: 20_000 }) });
    await staff.returnDeposits();
    expect(await now(invoice)).to.include({ status: 'paid', credited_cents: 20_000, owed_cents: 0 });
    expect(await now(deposit)).to.include({ amount_paid_cents: 25_000, amount_refunded_cents: 5_000 });
    await expectBooks(auction.id);
  });

  it('says to the buyer what went back of what they paid beyond their invoice', async () => {
    const { invoice, auction, buyer } = await aSale(service, 10_000);
    for (const amount of [10_000, 10_000]) await report(service, { object: paymentOf(invoice, { amount }) });
    await staff.returnSurplus();
    const token = await service.tokenFor(buyer);
    const { data } = (await service.get(`/api/v1/invoices/${invoice.id}`, token)).body;
    expect(data).to.include({ status: 'paid', amount_due: 100, amount_paid: 200, amount_refunded: 100 });
    const facts = await knex('events')
      .where('type', 'invoice.refunded')
      .whereRaw(`data ->> 'invoice_id' = ?`, [String(invoice.id)]);
    expect(facts).to.have.length(1);
    const { source, text } = BUYER_KINDS.refund;
    const select = 'select' in source ? source.select : '';
    // SQL: what mails and notifications read.
    const { rows } = await knex.raw(`SELECT * FROM (${select}) AS n (user_id, key, lot, data)
      WHERE user_id = ${buyer.id}`);
    expect(rows).to.have.length(1);
    const { body } = text(rows[0].data, null);
    expect(body).to.equal(`$100.00 of ${invoice.invoice_number} was refunded.`);
    expect(BUYER_KINDS.refund).to.include({ byMail: true });
    await expectBooks(auction.id);
  });

  it('is sent back, credited and applied by the clock, well within a minute', () => {
    for (const name of ['return-surplus', 'return-deposits', 'apply-deposits'])
      expect(MONEY_JOBS[name]?.everyMs, name).to.be.at.most(10_000);
  });

  it('names in the books what ten tries could not send back', async () => {
    const { invoice, auction } = await aSale(service, 10_000);
    for (const amount of [10_000, 700]) await report(service, { object: paymentOf(invoice, { amount }) });
    staff.provider.failure = new Error('the card is gone');
    for (let round = 0; round < 11; round += 1) {
      await staff.tryAtOnce();
      await staff.returnSurplus();
    }
    staff.provider.failure = null;
    const { databaseUrl, redis } = service;
    const variables = { DATABASE_URL: databaseUrl, REDIS_URL: redis.redisUrl, DATA_DIR: folder };
    const { out } = await runCommand(['books', '--json'], variables);
    expect(JSON.parse(out).set_aside).to.deep.equal([
      { invoice_number: invoice.invoice_number, reason: 'the card is gone' },
    ]);
    await expectBooks(auction.id);
  });

  it('offers a second chance to no consignor and nobody suspended', async () => {
    const auction = await anAuction(service.database);
    const lot = await aLot(service.database, { auction_id: auction.id });
    const bidders = [];
    for (let n = 0; n < 3; n += 1) bidders.push(await aUser(service.database));
    const [third, second, first] = bidders;
    await publishAuction(service.backends, auction.id);
    for (const [at, { id }] of bidders.entries())
      await service.backends.engine.submit(lot.id, placeBid(id, null, 12_000 + at * 3_000));
    await sell(service.backends.engine, lot.id, await aUser(service.database), 20_000);
    await projectAuction(service.database, service.backends.redis, auction.id);
    await staff.defaultLot(lot.id);
    await knex('lots').where('id', lot.id).update({ named_consignor_id: first!.id });
    await knex('users').where('id', second!.id).update({ suspended_at: new Date() });
    expect((await offerSecondChance(knex, lot.id)).user_id).to.equal(third!.id);
    expect((await refusalOf(offerSecondChance(knex, lot.id))).code).to.equal('invalid_transition');
  });

  it('makes a lost dispute and what goes back of a fee an adjustment of the seller’s', async () => {
    const owner = await aUser(service.database);
    const team = await aTeam(service.database, { owner });
    const { invoice, auction } = await aSale(service, 10_000, { team_id: team.id });
    const payment = paymentOf(invoice);
    await report(service, { object: payment });
    await settleAuctions(knex);
    const settlement = await knex('settlements').where('auction_id', auction.id).first();
    await approveSettlement(knex, settlement.id);
    const fee = (await knex('invoices')
      .where({ auction_id: auction.id, kind: 'platform_fee' })
      .first()) as Invoice;
    const paidFee = paymentOf(fee);
    expect((await report(service, { object: paidFee })).status).to.equal('applied');
    await paySettlement(knex, settlement.id);
    const adjusted = async () => {
      const rows = await knex('settlement_adjustments').where('auction_id', auction.id).orderBy('id');
      return rows.map(({ amount_cents }) => Number(amount_cents));
    };
    expect(await adjusted()).to.deep.equal([]);
    expect(
      (await report(service, { type: 'charge.refunded', object: { ...paidFee, amount: 100 } })).status,
    ).to.equal('applied');
    expect(await adjusted(), 'of the fee').to.deep.equal([-100]);
    const dispute = { id: `dp_${invoice.id}`, amount: 4_000 };
    await reportDispute(service, payment, 'created', dispute);
    await reportDispute(service, payment, 'closed', { ...dispute, status: 'lost' });
    expect(await adjusted(), 'of the dispute').to.deep.equal([-100, -4_000]);
    await expectBooks(auction.id);
  });
});

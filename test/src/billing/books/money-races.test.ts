/** Several at once, and the same thing twice: each takes effect once, and the books balance whichever came first. */
import { expect } from 'chai';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import type { Auction } from '../../../../src/bidding/records/auction.model.ts';
import { publishAuction } from '../../../../src/bidding/records/publishing.ts';
import { openDepositInvoice } from '../../../../src/billing/deposits/deposits.ts';
import { createInvoices } from '../../../../src/billing/invoices/create-invoices.ts';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import { RefundRefused } from '../../../../src/billing/providers/provider.ts';
import {
  approveSettlement,
  paySettlement,
} from '../../../../src/billing/settlements/settlement-decisions.ts';
import { settleAuctions } from '../../../../src/billing/settlements/settlements.ts';
import { offerSecondChance } from '../../../../src/sales/offers/offers.ts';
import { placeBid } from '../../../support/auction-house.ts';
import { refusalOf, type Staff, withService } from '../../../support/billing.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { eventBody, paymentOf, projectAuction, report, sell, sendSigned } from '../../../support/money.ts';
import type { Service } from '../../../support/service.ts';

describe('money, several at once', () => {
  let service: Service;
  let staff: Staff;
  withService((parts) => {
    ({ service, staff } = parts);
  });

  const knex = () => service.database.knex;

  /** A settled auction with one sale. */
  async function sale(deposit = false) {
    const { database: db, backends } = service;
    const columns = deposit
      ? { registration_mode: 'deposit' as const, registration_deposit_cents: 3_000 }
      : {};
    const auction = await anAuction(db, columns);
    const lot = await aLot(db, { auction_id: auction.id });
    const [buyer, behind] = [await aUser(db), await aUser(db)] as [User, User];
    await publishAuction(backends, auction.id);
    if (deposit) {
      const made = await knex().transaction((trx) => openDepositInvoice(trx, auction.id, buyer.id));
      await report(service, { object: paymentOf(made!) });
    } else await backends.engine.submit(lot.id, placeBid(behind.id, null, 12_000));
    await sell(backends.engine, lot.id, buyer, 20_000);
    await projectAuction(db, backends.redis, auction.id);
    await settleAuctions(knex());
    const invoice = (await knex()('invoices').where({ lot_id: lot.id }).first()) as Invoice;
    const { id: settlementId } = await knex()('settlements').where('auction_id', auction.id).first();
    return { auction, lot, invoice, settlementId, number: invoice.invoice_number };
  }

  /** A lot of this auction that somebody has bought, as the projection leaves it. */
  async function soldTo(auction: Auction, buyer: User): Promise<Invoice> {
    const lot = await aLot(service.database, { auction_id: auction.id });
    await knex()('lots')
      .where('id', lot.id)
      .update({ status: 'sold', hammer_price_cents: 20_000, winner_user_id: buyer.id });
    const { id: auction_id, team_id, currency } = auction;
    const lines = [{ kind: 'hammer' as const, description: 'a lot', amount_cents: 20_000 }];
    const wanted = {
      kind: 'winner' as const,
      ...{ user_id: buyer.id, team_id, auction_id, lot_id: lot.id },
      currency,
      lines,
    };
    const { invoices } = await knex().transaction((trx) => createInvoices(trx, [wanted]));
    return invoices[0]!;
  }

  const codes = async (works: readonly (() => Promise<unknown>)[]): Promise<string[]> =>
    Promise.all(works.map(async (work) => (await refusalOf(work())).code));
  const five = (work: () => Promise<unknown>) => Array.from({ length: 5 }, () => work);
  const once = ['done', ...Array.from({ length: 4 }, () => 'invalid_transition')];
  const now = async (id: number): Promise<Invoice> => knex()('invoices').where('id', id).first();

  async function expectBooks(auctionId: number): Promise<void> {
    expect((await staff.books(auctionId)).differences).to.deep.equal([]);
  }

  it('does once what staff request five times at once', async () => {
    const { auction, lot, invoice, settlementId, number } = await sale();
    await report(service, { object: paymentOf(invoice) });
    expect((await codes(five(() => approveSettlement(knex(), settlementId)))).sort()).to.deep.equal(once);
    expect((await codes(five(() => paySettlement(knex(), settlementId)))).sort()).to.deep.equal(once);
    staff.provider.sent.clear();
    expect((await codes(five(() => staff.refund(number)))).sort()).to.deep.equal(once);
    expect([...staff.provider.sent.values()]).to.have.length(1);
    expect((await codes(five(() => staff.defaultLot(lot.id)))).sort()).to.deep.equal(once);
    expect((await codes(five(() => offerSecondChance(knex(), lot.id)))).sort()).to.deep.equal(once);
    expect(await knex()('settlement_adjustments').where('auction_id', auction.id)).to.have.length(1);
    await expectBooks(auction.id);
  });

  it('allocates or sends back an unallocated payment, once', async () => {
    const { auction, invoice, number } = await sale();
    const other = await sale();
    await staff.voidInvoice(number);
    const late = paymentOf(invoice);
    expect((await report(service, { object: late })).status).to.equal('unallocated');
    staff.provider.sent.clear();
    const id = String(late['id']);
    const both = [() => staff.allocate(id, other.number), () => staff.refundPayment(id)];
    expect((await codes([...both, ...both, ...both])).filter((code) => code === 'done')).to.have.length(1);
    const paid = (await now(other.invoice.id)).status === 'paid';
    expect(staff.provider.sent.size).to.equal(paid ? 0 : 1);
    await expectBooks(auction.id);
    await expectBooks(other.auction.id);
  });

  it('lets somebody open a deposit while the last lot of the sale closes', async () => {
    const { database: db, backends } = service;
    const auction = await anAuction(db, {
      registration_mode: 'deposit' as const,
      registration_deposit_cents: 3_000,
    });
    const [first, lot] = [
      await aLot(db, { auction_id: auction.id }),
      await aLot(db, { auction_id: auction.id, lot_number: 2 }),
    ];
    const [buyer, other] = [await aUser(db), await aUser(db)] as [User, User];
    await publishAuction(backends, auction.id);
    await sell(backends.engine, first.id, buyer, 10_000);
    await projectAuction(db, backends.redis, auction.id);
    await sell(backends.engine, lot.id, buyer, 20_000);
    let projected: Promise<unknown> = Promise.resolve();
    const deposit = await knex().transaction(async (trx) => {
      await trx.raw("SET LOCAL deadlock_timeout = '50ms'");
      await trx('auctions').where('id', auction.id).forShare().select('id');
      projected = projectAuction(db, backends.redis, auction.id);
      for (let waits = 0; waits === 0; ) {
        const { rows } = await knex().raw(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        waits = rows.length;
      }
      return openDepositInvoice(trx, auction.id, other.id);
    });
    await projected;
    expect(deposit).to.include({ status: 'open', user_id: other.id });
    expect(await knex()('invoices').where({ lot_id: lot.id, user_id: buyer.id })).to.have.length(1);
    await expectBooks(auction.id);
  });

  const refusedThere = (error: unknown) => {
    if (!(error instanceof RefundRefused)) throw error;
  };

  it('lets payments, refunds, voids and approvals come in any order', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { auction, invoice, settlementId, number } = await sale(round % 2 === 1);
      const payment = paymentOf(await now(invoice.id));
      const half = paymentOf(invoice, { amount: 9_000 });
      // What goes back at the provider itself: an order from before we hear of it is refused there.
      staff.provider.left.set(String(half['id']), 9_000 - 4_000);
      await Promise.all([
        report(service, { object: payment }),
        report(service, { object: half }),
        report(service, { type: 'charge.refunded', object: { ...half, amount: 4_000 } }),
        ...(await Promise.all([
          refusalOf(approveSettlement(knex(), settlementId)),
          refusalOf(staff.voidInvoice(number)),
          refusalOf(staff.refund(number)).catch(refusedThere),
          staff.returnDeposits().catch(refusedThere),
          staff.returnDeposits().catch(refusedThere),
        ])),
      ]);
      await expectBooks(auction.id);
      staff.provider.left.set(String(payment['id']), Number(payment['amount']) - 1_000);
      await Promise.all([
        refusalOf(staff.refund(number)).catch(refusedThere),
        refusalOf(approveSettlement(knex(), settlementId)),
        refusalOf(paySettlement(knex(), settlementId)),
        report(service, { type: 'charge.refunded', object: { ...payment, amount: 1_000 } }),
        staff.returnDeposits().catch(refusedThere),
      ]);
      await expectBooks(auction.id);
      const settlement = await knex()('settlements').where('id', settlementId).first();
      const owed = await knex()('invoices').where({ auction_id: auction.id, kind: 'winner', status: 'open' });
      expect(settlement.status === 'draft').to.equal(owed.length > 0);
    }
  });

  it('gives the provider 200 for thirty winners’ payments at once, beside refunds, disputes and staff', async () => {
    const { database: db } = service;
    const auction = await anAuction(db, { status: 'ended' });
    const invoices: Invoice[] = [];
    for (let at = 0; at < 30; at += 1) invoices.push(await soldTo(auction, await aUser(db)));
    await settleAuctions(knex());
    const { id: settlementId } = await knex()('settlements').where('auction_id', auction.id).first();
    const payments = invoices.map((invoice) => paymentOf(invoice));
    const send = (type: string, object: object) =>
      sendSigned(service, eventBody({ type, object: { ...object } }));
    const part = (at: number) => ({ ...payments[at], amount: 1_000 });
    const dispute = (at: number) => ({
      ...{ id: `dp_${payments[at]?.['id']}`, payment_intent: payments[at]?.['id'] },
      ...{ amount: 2_000, currency: 'usd', status: 'lost' },
    });
    const number = (at: number) => invoices[at]?.invoice_number ?? '';
    const commands = () => [
      ...[0, 1, 2, 3, 4].map((at) => refusalOf(staff.refund(number(at)))),
      ...[5, 6, 7].map((at) => refusalOf(staff.voidInvoice(number(at)))),
      ...[approveSettlement, paySettlement].map((decide) => refusalOf(decide(knex(), settlementId))),
      ...[staff.returnSurplus(), staff.returnDeposits(), settleAuctions(knex())],
    ];
    const [answers] = await Promise.all([
      Promise.all([
        ...payments.map((object) => send('payment_intent.succeeded', object)),
        ...[8, 9, 10, 11, 12].map((at) => send('charge.refunded', part(at))),
        ...[13, 14, 15].flatMap((at) => [
          send('charge.dispute.closed', dispute(at)),
          send('charge.dispute.created', dispute(at)),
        ]),
        // Paid twice: it goes back at the same time.
        ...[16, 17, 18].map((at) => send('payment_intent.succeeded', paymentOf(invoices[at]!))),
      ]),
      ...commands(),
    ]);
    await Promise.all(commands());
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200));
    await staff.returnSurplus();
    await expectBooks(auction.id);
    for (const at of [19, 20, 29]) expect(await now(invoices[at]!.id)).to.include({ status: 'paid' });
  });
});

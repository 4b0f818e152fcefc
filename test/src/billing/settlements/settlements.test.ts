/**
 * Settlements: one for each ended auction, never paid out before the buyers have paid; sales that fall through; money
 * adds up.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { publishAuction } from '../../../../src/bidding/records/publishing.ts';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import {
  approveSettlement,
  paySettlement,
  reopenSettlement,
} from '../../../../src/billing/settlements/settlement-decisions.ts';
import { settleAuctions } from '../../../../src/billing/settlements/settlements.ts';
import { grantSubscription } from '../../../../src/billing/subscriptions/subscriptions.ts';
import { refusalOf, type Staff, withService } from '../../../support/billing.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { invoiceNow, paymentOf, projectAuction, report, sell } from '../../../support/money.ts';
import type { Service } from '../../../support/service.ts';
import { laterChangesSuite } from './later-changes-suite.ts';

describe('settlements', () => {
  let service: Service;
  let staff: Staff;
  withService((parts) => {
    ({ service, staff } = parts);
  });

  interface Sold {
    readonly hammerCents: number;
    /** False: a floor bidder without an account. */
    readonly account: boolean;
  }

  interface Shape {
    readonly premiumBps?: number;
    readonly taxBps?: number;
    readonly plan?: string;
  }

  /** An auction of a team with an owner, all its lots closed and projected. */
  async function ended(lots: readonly Sold[], shape: Shape = {}) {
    const { database: db, backends } = service;
    const owner = await aUser(db);
    const team = await aTeam(db, { owner });
    if (shape.plan !== undefined) await grantSubscription(db.knex, team.id, shape.plan);
    const auction = await anAuction(db, { team_id: team.id, buyer_premium_bps: shape.premiumBps ?? 0 });
    await db
      .knex('auctions')
      .where('id', auction.id)
      .update({ sales_tax_ppm: (shape.taxBps ?? 0) * 100 });
    const rows = [];
    for (let at = 0; at < Math.max(1, lots.length); at += 1)
      rows.push(await aLot(db, { auction_id: auction.id }));
    await publishAuction(backends, auction.id);
    for (const [at, { hammerCents, account }] of lots.entries()) {
      await sell(backends.engine, rows[at]!.id, account ? await aUser(db) : null, hammerCents);
    }
    if (lots.length === 0) {
      const command = {
        type: 'record_sale',
        bidId: randomUUID(),
        salt: randomUUID(),
        auctionRuns: true,
        result: 'unsold',
        hammerCents: null,
        winner: null,
        currency: null,
      } as const;
      await backends.engine.submit(rows[0]!.id, { ...command, floor: { platform: 'floor', sequence: 1 } });
    }
    await project(auction.id);
    return { owner, team, auction, lots: rows };
  }

  const project = (auctionId: number) => projectAuction(service.database, service.backends.redis, auctionId);
  const knex = () => service.database.knex;
  const invoicesOf = (auctionId: number, kind: string): Promise<Invoice[]> =>
    knex()('invoices').where({ auction_id: auctionId, kind }).orderBy('id');
  const settlementOf = (auctionId: number) => knex()('settlements').where('auction_id', auctionId).first();
  const lineOf = (lotId: number) => knex()('settlement_lines').where('lot_id', lotId).first();
  const pay = (invoice: Invoice, amount = invoice.amount_due_cents) =>
    report(service, { object: paymentOf(invoice, { amount }) });
  async function plan(bps: number): Promise<string> {
    const slug = `plan-${bps}-${Math.random().toString(36).slice(2, 8)}`;
    await knex()('plans').insert({
      slug,
      name: `Plan ${bps}`,
      commission_bps: bps,
      price_monthly_cents: 4_900,
    });
    return slug;
  }

  it('are created once for an ended auction, at the commission of the team’s plan, with the fee’s invoice', async () => {
    const { owner, team, auction, lots } = await ended(
      [
        { hammerCents: 10_005, account: true },
        { hammerCents: 20_000, account: false },
      ],
      { premiumBps: 1_000, plan: await plan(1_250) },
    );
    await Promise.all([settleAuctions(knex()), settleAuctions(knex()), settleAuctions(knex())]);
    expect(await knex()('settlements').where('auction_id', auction.id)).to.have.length(1);
    const token = await service.tokenFor(owner, ['seller']);
    const asTeam = { token, headers: { 'x-team-id': String(team.id) } };
    const { status, body } = await service.call('GET', '/api/v1/settlements', asTeam);
    expect(status).to.equal(200);
    expect(body.meta.total).to.equal(1);
    const [settlement] = body.data;
    expect(settlement).to.deep.include({
      auction_id: auction.id,
      status: 'draft',
      currency: 'usd',
      payout: null,
    });
    expect(settlement.statement_number).to.match(/^SET-\d{4}-\d{5}$/);
    expect(settlement.lines.map((line: object) => ({ ...line, title: '' }))).to.deep.equal([
      {
        lot_id: lots[0]!.id,
        lot_number: 1,
        title: '',
        hammer: 100.05,
        commission_rate: 12.5,
        commission: 12.51,
        fees: [],
        net: 87.54,
        adjustment: 0,
        auction_id: auction.id,
        kind: 'sale',
        buyer_paid: false,
        settled_by: 'invoice',
      },
      {
        lot_id: lots[1]!.id,
        lot_number: 2,
        title: '',
        hammer: 200,
        commission_rate: 12.5,
        commission: 25,
        fees: [],
        net: 175,
        adjustment: 0,
        auction_id: auction.id,
        kind: 'sale',
        buyer_paid: true,
        settled_by: 'platform',
      },
    ]);
    expect(settlement.totals).to.deep.equal({
      hammer: 300.05,
      commission: 37.51,
      fees: 0,
      adjustments: 0,
      net: 262.54,
    });
    const [winner] = await invoicesOf(auction.id, 'winner');
    expect(settlement.waiting_for).to.deep.equal([winner!.invoice_number]);
    const [fee, ...more] = await invoicesOf(auction.id, 'platform_fee');
    expect(more).to.deep.equal([]);
    expect(fee).to.include({ user_id: owner.id, amount_due_cents: 3_751, status: 'draft' });
    const stranger = await service.tokenFor(await aUser(service.database), ['seller']);
    const foreign = await service.call('GET', '/api/v1/settlements', { ...asTeam, token: stranger });
    expect([foreign.status, foreign.body.code]).to.deep.equal([403, 'not_a_team_member']);
    expect((await service.get('/api/v1/settlements', stranger)).body.data).to.deep.equal([]);
    expect((await service.get('/api/v1/settlements', await service.tokenFor(owner))).body.code).to.equal(
      'missing_ability',
    );
  });

  it('are pending at once where no invoice is waited for: all was sold on the floor, or nothing', async () => {
    for (const sold of [[{ hammerCents: 10_000, account: false }], []]) {
      const { auction, lots } = await ended(sold);
      await settleAuctions(knex());
      expect((await settlementOf(auction.id)).status, `${sold.length} sold`).to.equal('pending');
      if (sold.length > 0) expect(await lineOf(lots[0]!.id)).to.include({ settled_by: 'platform' });
    }
  });

  it('go from draft to paid in their order, and say whom they wait for', async () => {
    const { auction } = await ended([{ hammerCents: 50_000, account: true }], { premiumBps: 500 });
    await settleAuctions(knex());
    const { id } = await settlementOf(auction.id);
    const [winner] = await invoicesOf(auction.id, 'winner');
    const waits = { code: 'invalid_transition', allowed: ['pending'], waiting_for: [winner!.invoice_number] };
    expect(await refusalOf(approveSettlement(knex(), id))).to.deep.equal(waits);
    expect(await refusalOf(paySettlement(knex(), id))).to.deep.equal(waits);
    await pay(winner!, 100);
    expect(await refusalOf(approveSettlement(knex(), id))).to.deep.equal(waits);
    await pay(winner!);
    expect(await settlementOf(auction.id)).to.include({ status: 'pending' });
    const early = { code: 'invalid_transition', allowed: ['draft', 'approved'], waiting_for: [] };
    expect(await refusalOf(paySettlement(knex(), id))).to.deep.equal(early);
    const [draft] = await invoicesOf(auction.id, 'platform_fee');
    expect(draft).to.include({ status: 'draft', amount_due_cents: 2_500 });
    expect(await approveSettlement(knex(), id)).to.include({ status: 'approved' });
    expect(await invoiceNow(service.database, draft!)).to.include({ status: 'open' });
    expect((await refusalOf(approveSettlement(knex(), id))).code).to.equal('invalid_transition');
    expect(await paySettlement(knex(), id)).to.include({ status: 'paid', payout_cents: 47_500 });
    expect(await refusalOf(paySettlement(knex(), id))).to.deep.include({ allowed: [] });
    expect((await knex()('auctions').where('id', auction.id).first()).status).to.equal('settled');
    const fees = await invoicesOf(auction.id, 'platform_fee');
    expect(fees).to.have.length(1);
    expect(fees[0]).to.include({ id: draft!.id, status: 'paid', amount_paid_cents: 2_500 });
    expect((await refusalOf(paySettlement(knex(), 999_999))).code).to.equal('not_found');
    expect(await staff.books(auction.id)).to.deep.include({ ok: true, differences: [] });
  });

  it('go back with new lines when a sale is refunded, voided or defaulted on, from approved too', async () => {
    const { auction, lots } = await ended(
      [
        { hammerCents: 9_000, account: true },
        { hammerCents: 5_000, account: true },
        { hammerCents: 3_000, account: true },
      ],
      { plan: await plan(1_000) },
    );
    await settleAuctions(knex());
    const { id } = await settlementOf(auction.id);
    const [first, second, third] = (await invoicesOf(auction.id, 'winner')) as [Invoice, Invoice, Invoice];
    await pay(first);
    await pay(second);
    await staff.voidInvoice(third.invoice_number);
    expect(await settlementOf(auction.id)).to.include({ status: 'pending' });
    await approveSettlement(knex(), id);
    await staff.refund(first.invoice_number);
    expect(await settlementOf(auction.id)).to.include({ status: 'pending', approved_at: null });
    expect(await lineOf(lots[0]!.id)).to.include({ settled_by: 'nobody', net_cents: 0 });
    expect(await lineOf(lots[1]!.id)).to.include({ settled_by: 'invoice', net_cents: 4_500 });
    // The fee was billed already: what exceeds the lines is given back.
    const [fee] = await invoicesOf(auction.id, 'platform_fee');
    expect(fee).to.include({ status: 'open', amount_due_cents: 1_400 });
    expect(await staff.books(auction.id)).to.deep.include({ ok: true, differences: [] });
    await approveSettlement(knex(), id);
    expect(await paySettlement(knex(), id)).to.include({ payout_cents: 4_500 });
    const { totals, ...rest } = await staff.books(auction.id);
    expect(rest).to.deep.equal({ ok: true, currency: 'usd', differences: [] });
    expect(totals).to.include({
      hammer_cents: 14_000,
      received_cents: 14_000,
      refunded_cents: 9_000,
      commission_cents: 1_400,
      adjustments_cents: 900,
      paid_to_seller_cents: 4_500,
      owed_to_seller_cents: 0,
    });
    expect((await staff.defaultLot(lots[2]!.id)).status).to.equal('voided');
  });

  it('can be opened again by hand, with a reason, until they are paid', async () => {
    const { auction } = await ended([{ hammerCents: 9_000, account: true }]);
    await settleAuctions(knex());
    const { id } = await settlementOf(auction.id);
    const [winner] = await invoicesOf(auction.id, 'winner');
    expect(await reopenSettlement(knex(), id, 'a wrong line')).to.include({ status: 'draft' });
    await pay(winner!);
    await approveSettlement(knex(), id);
    const reopened = await reopenSettlement(knex(), id, 'asked by the seller');
    expect(reopened).to.include({ status: 'pending', reopened_reason: 'asked by the seller' });
    await approveSettlement(knex(), id);
    await paySettlement(knex(), id);
    expect((await refusalOf(reopenSettlement(knex(), id, 'late'))).code).to.equal('invalid_transition');
  });

  laterChangesSuite({
    ended,
    knex,
    settlementOf,
    invoicesOf,
    pay,
    get staff() {
      return staff;
    },
    get service() {
      return service;
    },
    lineOf,
    plan,
  });
});

/** Settlements: one for each ended auction, never paid out before the buyers have paid; sales that fall through; money adds up. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { publishAuction } from '../../../../src/bidding/records/publishing.ts';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import { refundByNumber, voidByNumber } from '../../../../src/billing/invoices/void-and-refund.ts';
import { defaultLot, offerSecondChance } from '../../../../src/billing/sales/fallen-through.ts';
import {
  approveSettlement,
  paySettlement,
  settleAuctions,
} from '../../../../src/billing/settlements/settlements.ts';
import { grantSubscription } from '../../../../src/billing/subscriptions/subscriptions.ts';
import { placeBid } from '../../../support/auction-house.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { invoiceNow, paymentOf, projectAuction, report, sell } from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('settlements', () => {
  let service: Service;

  before(async function () {
    this.timeout(60_000);
    service = await startService();
  });

  after(() => service.close());

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
    const { database: db, platform } = service;
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
    await publishAuction(platform, auction.id);
    for (const [at, { hammerCents, account }] of lots.entries()) {
      await sell(platform.engine, rows[at]!.id, account ? await aUser(db) : null, hammerCents);
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
      await platform.engine.submit(rows[0]!.id, { ...command, floor: { platform: 'floor', sequence: 1 } });
    }
    await project(auction.id);
    return { owner, team, auction, lots: rows };
  }

  const project = (auctionId: number) => projectAuction(service.database, service.platform.redis, auctionId);
  const knex = () => service.database.knex;
  const invoicesOf = (auctionId: number, kind: string): Promise<Invoice[]> =>
    knex()('invoices').where({ auction_id: auctionId, kind }).orderBy('id');
  const settlementOf = (auctionId: number) => knex()('settlements').where('auction_id', auctionId).first();
  const pay = (invoice: Invoice, amount = invoice.amount_due_cents) =>
    report(service, { object: paymentOf(invoice, { amount }) });
  const said = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (error: Error) => error.message,
    );

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

  it('are made once for an ended auction, at the commission of the team’s plan, with the fee’s invoice', async () => {
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
        buyer_paid: true,
        settled_by: 'platform',
      },
    ]);
    expect(settlement.totals).to.deep.equal({ hammer: 300.05, commission: 37.51, fees: 0, net: 262.54 });
    const [fee, ...more] = await invoicesOf(auction.id, 'platform_fee');
    expect(more).to.deep.equal([]);
    expect(fee).to.include({ user_id: owner.id, amount_due_cents: 3_751, status: 'open' });
    const stranger = await service.tokenFor(await aUser(service.database), ['seller']);
    const foreign = await service.call('GET', '/api/v1/settlements', { ...asTeam, token: stranger });
    expect([foreign.status, foreign.body.code]).to.deep.equal([403, 'not_a_team_member']);
    expect((await service.get('/api/v1/settlements', stranger)).body.data).to.deep.equal([]);
    expect((await service.get('/api/v1/settlements', await service.tokenFor(owner))).body.code).to.equal(
      'missing_ability',
    );
  });

  it('go from draft to paid, and no payout comes before the buyers have paid', async () => {
    const { auction } = await ended([{ hammerCents: 50_000, account: true }], { premiumBps: 500 });
    await settleAuctions(knex());
    const { id } = await settlementOf(auction.id);
    const [winner] = await invoicesOf(auction.id, 'winner');
    expect(await said(paySettlement(knex(), id))).to.match(/is draft; approve it first/);
    expect((await approveSettlement(knex(), id)).status).to.equal('approved');
    expect(await said(approveSettlement(knex(), id))).to.match(/is approved already/);
    expect(await said(paySettlement(knex(), id))).to.match(/not paid by their buyers yet: lot 1/);
    await pay(winner!, 100);
    expect(await said(paySettlement(knex(), id))).to.match(/not paid by their buyers yet/);
    await pay(winner!);
    expect(await paySettlement(knex(), id)).to.include({ status: 'paid', payout_cents: 47_500 });
    expect(await said(paySettlement(knex(), id))).to.match(/is paid already/);
    expect((await knex()('auctions').where('id', auction.id).first()).status).to.equal('settled');
    const [fee] = await invoicesOf(auction.id, 'platform_fee');
    expect(fee).to.include({ status: 'paid', amount_paid_cents: 2_500 });
    expect(await said(paySettlement(knex(), 999_999))).to.match(/there is no settlement/);
  });

  it('become pending by themselves once every buyer has paid; a refund keeps them from being paid out', async () => {
    const { auction } = await ended([{ hammerCents: 9_000, account: true }]);
    await settleAuctions(knex());
    expect((await settlementOf(auction.id)).status).to.equal('draft');
    const [winner] = await invoicesOf(auction.id, 'winner');
    await pay(winner!);
    await settleAuctions(knex());
    const { id, status } = await settlementOf(auction.id);
    expect(status).to.equal('pending');
    await approveSettlement(knex(), id);
    expect((await refundByNumber(knex(), null, winner!.invoice_number)).status).to.equal('refunded');
    expect(await said(paySettlement(knex(), id))).to.match(/not paid by their buyers/);
  });

  it('are made for an auction in which nothing was sold, with nothing owed', async () => {
    const { auction } = await ended([]);
    await settleAuctions(knex());
    const [fee] = await invoicesOf(auction.id, 'platform_fee');
    expect(fee).to.include({ status: 'paid', amount_due_cents: 0 });
    const { id, status } = await settlementOf(auction.id);
    expect(status).to.equal('pending');
    await approveSettlement(knex(), id);
    expect(await paySettlement(knex(), id)).to.include({ payout_cents: 0 });
  });

  it('follow a sale that fell through to the underbidder, at their ceiling', async () => {
    const { database: db, platform } = service;
    const auction = await anAuction(db, { buyer_premium_bps: 1_000 });
    const lot = await aLot(db, { auction_id: auction.id });
    const [ann, bob, eve] = [await aUser(db), await aUser(db), await aUser(db)];
    await publishAuction(platform, auction.id);
    for (const [who, max] of [
      [eve, 20_000],
      [bob, 30_000],
      [ann, 90_000],
    ] as const) {
      await platform.engine.submit(lot.id, placeBid(who.id, null, max));
    }
    await sell(platform.engine, lot.id, ann, 32_500);
    await project(auction.id);
    await settleAuctions(knex());
    expect(await said(offerSecondChance(knex(), lot.id))).to.match(/nobody has defaulted/);
    const first = await defaultLot(knex(), lot.id);
    expect(first.userId).to.equal(ann.id);
    expect(await said(defaultLot(knex(), lot.id))).to.match(/marked as not paid already/);
    expect(await knex()('settlement_lines').where('lot_id', lot.id).first()).to.include({
      hammer_cents: 0,
      settled_by: 'nobody',
    });
    const second = await offerSecondChance(knex(), lot.id);
    expect(second).to.include({ userId: bob.id, hammerCents: 30_000 });
    expect(second.invoice).to.include({ status: 'open', amount_due_cents: 33_000, kind: 'winner' });
    expect(await said(offerSecondChance(knex(), lot.id))).to.match(/is open/);
    await defaultLot(knex(), lot.id);
    expect(await offerSecondChance(knex(), lot.id)).to.include({ userId: eve.id, hammerCents: 20_000 });
    expect((await invoicesOf(auction.id, 'winner')).map((one) => one.status)).to.deep.equal([
      'voided',
      'voided',
      'open',
    ]);
    const fees = await invoicesOf(auction.id, 'platform_fee');
    expect(fees.filter((fee) => fee.status !== 'voided').map((fee) => fee.amount_due_cents)).to.include(
      1_000,
    );
    await defaultLot(knex(), lot.id);
    expect(await said(offerSecondChance(knex(), lot.id))).to.match(/nobody else/);
    expect(await said(defaultLot(knex(), 999_999))).to.match(/has no winner/);
  });

  it('cannot be changed once approved; a voided invoice takes no money', async () => {
    const { auction, lots } = await ended([{ hammerCents: 9_000, account: true }]);
    await settleAuctions(knex());
    await approveSettlement(knex(), (await settlementOf(auction.id)).id);
    expect(await said(defaultLot(knex(), lots[0]!.id))).to.match(/is approved already/);
    const [winner] = await invoicesOf(auction.id, 'winner');
    expect((await voidByNumber(knex(), winner!.invoice_number)).status).to.equal('voided');
    expect(await said(voidByNumber(knex(), winner!.invoice_number))).to.match(/is voided; nothing more/);
    expect(await pay(winner!)).to.deep.equal({ status: 'rejected', code: 'not_open' });
    expect(await said(voidByNumber(knex(), 'INV-1999-00001'))).to.match(/there is no invoice/);
  });

  it('add up: money in is money out and fees, to the cent', async function () {
    this.timeout(120_000);
    const lots = fc.array(
      fc.record({ hammerCents: fc.integer({ min: 1, max: 99_999_999 }), account: fc.boolean() }),
      { minLength: 1, maxLength: 6 },
    );
    const bps = fc.integer({ min: 0, max: 3_333 });
    const parts = fc.array(fc.integer({ min: 1, max: 5_000_000 }), { maxLength: 2 });
    const property = fc.asyncProperty(
      lots,
      bps,
      bps,
      bps,
      parts,
      fc.boolean(),
      async (sold, premiumBps, taxBps, commissionBps, first, paysFee) => {
        const { auction } = await ended(sold, { premiumBps, taxBps, plan: await plan(commissionBps) });
        await settleAuctions(knex());
        const settlement = await settlementOf(auction.id);
        for (const invoice of await invoicesOf(auction.id, 'winner')) {
          for (const amount of first) await pay(invoice, amount);
          const now = await invoiceNow(service.database, invoice);
          if (now.status === 'open') await pay(invoice, now.amount_due_cents - now.amount_paid_cents);
        }
        const [fee] = await invoicesOf(auction.id, 'platform_fee');
        if (paysFee && fee!.amount_due_cents > 0) await pay(fee!);
        await approveSettlement(knex(), settlement.id);
        const { payout_cents: payout } = await paySettlement(knex(), settlement.id);
        const invoices: Invoice[] = await knex()('invoices').where('auction_id', auction.id);
        for (const invoice of invoices) {
          const lines = await knex()('invoice_lines').where('invoice_id', invoice.id);
          expect(sumOf(lines, 'amount_cents')).to.equal(invoice.amount_due_cents);
          expect(invoice.status).to.equal('paid');
        }
        const lines = await knex()('settlement_lines').where('settlement_id', settlement.id);
        for (const line of lines) expect(line.net_cents).to.equal(line.hammer_cents - line.commission_cents);
        const winners = invoices.filter((one) => one.kind === 'winner');
        const over = sumOf(winners, 'amount_paid_cents') - sumOf(winners, 'amount_due_cents');
        const platform = sumOf(
          lines.filter((line) => line.settled_by === 'platform'),
          'hammer_cents',
        );
        const feePaid = paysFee ? fee!.amount_due_cents : 0;
        const kept = await knex()('invoice_lines')
          .whereIn(
            'invoice_id',
            winners.map((one) => one.id),
          )
          .whereIn('kind', ['premium', 'tax']);
        const moneyIn = sumOf(winners, 'amount_paid_cents') + platform + feePaid;
        const fees = sumOf(kept, 'amount_cents') + fee!.amount_due_cents;
        expect(moneyIn - over).to.equal(payout! + fees);
      },
    );
    await fc.assert(property, { numRuns: 10 });
  });

  it('have numbers without a gap, in one sequence over all kinds', async () => {
    for (const [table, column, series] of [
      ['invoices', 'invoice_number', 'INV'],
      ['settlements', 'statement_number', 'SET'],
    ] as const) {
      const numbers: string[] = await knex()(table).orderBy(column).pluck(column);
      const year = new Date().getUTCFullYear();
      const expected = numbers.map((_, at) => `${series}-${year}-${String(at + 1).padStart(5, '0')}`);
      expect(numbers).to.deep.equal(expected);
    }
  });
});

function sumOf(rows: readonly object[], column: string): number {
  return rows.reduce((sum, row) => sum + (row as Record<string, number>)[column]!, 0);
}

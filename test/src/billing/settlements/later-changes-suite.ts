/** What changes settlements later, and that all of them add up. */

import { expect } from 'chai';
import fc from 'fast-check';
import type { Knex } from 'knex';
import type { Team } from '../../../../src/accounts/models/team.model.ts';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import type { Auction } from '../../../../src/bidding/records/auction.model.ts';
import type { Lot } from '../../../../src/bidding/records/lot.model.ts';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import {
  approveSettlement,
  paySettlement,
} from '../../../../src/billing/settlements/settlement-decisions.ts';
import { settleAuctions } from '../../../../src/billing/settlements/settlements.ts';
import type { Staff } from '../../../support/billing.ts';
import { invoiceNow, paymentOf, report } from '../../../support/money.ts';
import type { JsonValue, Service } from '../../../support/service.ts';

function sumOf(rows: readonly object[], column: string): number {
  return rows.reduce((sum, row) => sum + (row as Record<string, number>)[column]!, 0);
}

/** What the tests have from their service. */
export interface LaterChangesWorld {
  readonly ended: (
    lots: readonly { readonly hammerCents: number; readonly account: boolean }[],
    shape?: { readonly premiumBps?: number; readonly taxBps?: number; readonly plan?: string },
  ) => Promise<{ owner: User; team: Team; auction: Auction; lots: Lot[] }>;
  readonly knex: () => Knex;
  readonly settlementOf: (auctionId: number) => PromiseLike<JsonValue>;
  readonly invoicesOf: (auctionId: number, kind: string) => Promise<Invoice[]>;
  readonly pay: (invoice: Invoice, amount?: number) => Promise<{ status: string; code?: string | undefined }>;
  readonly staff: Staff;
  readonly service: Service;
  readonly lineOf: (lotId: number) => PromiseLike<JsonValue>;
  readonly plan: (bps: number) => Promise<string>;
}

/** What changes settlements later, and that all of them add up. */
export function laterChangesSuite(world: LaterChangesWorld): void {
  const { ended, knex, settlementOf, invoicesOf, pay, lineOf, plan } = world;

  it('carry changes after the pay-out to the team’s next settlement, or to one created for them', async () => {
    const { auction, team } = await ended([{ hammerCents: 10_000, account: true }]);
    await settleAuctions(knex());
    const { id } = await settlementOf(auction.id);
    const [winner] = await invoicesOf(auction.id, 'winner');
    await pay(winner!);
    await approveSettlement(knex(), id);
    await paySettlement(knex(), id);
    await world.staff.refund(winner!.invoice_number);
    const made = await knex()('settlements').where({ team_id: team.id, kind: 'adjustment' });
    expect(made).to.have.length(1);
    expect(made[0]).to.include({ status: 'pending' });
    const { totals, ok } = await world.staff.books(auction.id);
    expect(ok).to.equal(true);
    expect(totals).to.include({
      paid_to_seller_cents: 9_500,
      owed_to_seller_cents: -9_500,
      adjustments_cents: -9_500,
      commission_cents: 500,
    });
    const owner = await knex()('memberships').where({ team_id: team.id, role: 'owner' }).first();
    const token = await world.service.tokenFor(await knex()('users').where('id', owner.user_id).first(), [
      'seller',
    ]);
    const headers = { 'x-team-id': String(team.id) };
    const { body } = await world.service.call('GET', '/api/v1/settlements', { token, headers });
    expect(body.data[0].lines).to.have.length(1);
    expect(body.data[0].lines[0]).to.include({ kind: 'adjustment', adjustment: -95, net: -95 });
    expect(body.data[0].totals).to.include({ adjustments: -95, net: -95 });
    await approveSettlement(knex(), made[0].id);
    expect(await paySettlement(knex(), made[0].id)).to.include({ payout_cents: -9_500 });
    expect((await world.staff.books(auction.id)).totals).to.include({ paid_to_seller_cents: 0 });
  });

  it('share what is refunded in part between house and seller, as the bill was', async () => {
    const { auction, lots } = await ended([{ hammerCents: 10_000, account: true }], { premiumBps: 1_000 });
    await settleAuctions(knex());
    const { id } = await settlementOf(auction.id);
    const [winner] = await invoicesOf(auction.id, 'winner');
    const payment = paymentOf(winner!);
    await report(world.service, { object: payment });
    await approveSettlement(knex(), id);
    await report(world.service, { type: 'charge.refunded', object: { ...payment, amount: 1_100 } });
    expect(await settlementOf(auction.id)).to.include({ status: 'pending' });
    expect(await lineOf(lots[0]!.id)).to.include({
      hammer_cents: 10_000,
      adjustment_cents: -1_000,
      commission_cents: 450,
      net_cents: 8_550,
    });
    expect((await world.staff.books(auction.id)).differences).to.deep.equal([]);
  });

  it('do without a commission where the fee is voided', async () => {
    const { auction } = await ended([{ hammerCents: 10_000, account: true }]);
    await settleAuctions(knex());
    const { id } = await settlementOf(auction.id);
    await pay((await invoicesOf(auction.id, 'winner'))[0]!);
    const [fee] = await invoicesOf(auction.id, 'platform_fee');
    await world.staff.voidInvoice(fee!.invoice_number);
    await approveSettlement(knex(), id);
    expect(await paySettlement(knex(), id)).to.include({ payout_cents: 10_000 });
    expect((await world.staff.books(auction.id)).differences).to.deep.equal([]);
  });

  it('are created for an auction in which nothing was sold, with nothing owed', async () => {
    const { auction } = await ended([]);
    await settleAuctions(knex());
    const { id, status } = await settlementOf(auction.id);
    expect(status).to.equal('pending');
    await approveSettlement(knex(), id);
    const [fee] = await invoicesOf(auction.id, 'platform_fee');
    expect(fee).to.include({ status: 'paid', amount_due_cents: 0 });
    expect(await paySettlement(knex(), id)).to.include({ payout_cents: 0 });
  });

  it('add up: money in is money out and fees, to the cent', async () => {
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
          const now = await invoiceNow(world.service.database, invoice);
          if (now.status === 'open') await pay(invoice, now.amount_due_cents - now.amount_paid_cents);
        }
        await approveSettlement(knex(), settlement.id);
        const [fee] = await invoicesOf(auction.id, 'platform_fee');
        if (paysFee && fee!.amount_due_cents > 0) await pay(fee!);
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
}

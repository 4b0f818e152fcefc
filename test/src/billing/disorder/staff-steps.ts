/** What staff decide. */
import { type Decimals, formatCents } from '../../../../engine/money.ts';
import { markSent } from '../../../../src/billing/payments/sent-refunds.ts';
import {
  approveSettlement,
  paySettlement,
  reopenSettlement,
} from '../../../../src/billing/settlements/settlement-decisions.ts';
import { settleAuctions } from '../../../../src/billing/settlements/settlements.ts';
import { refundByNumber, voidByNumber } from '../../../../src/billing/staff/invoice-orders.ts';
import { allocatePayment, refundUnallocated } from '../../../../src/billing/staff/payment-orders.ts';
import { recordTransfer } from '../../../../src/billing/staff/record-transfer.ts';
import type { Hands, Play } from './disorder-hands.ts';
import { least } from './naive-money.ts';

/** Staff write no amount above it. */
const MAX_TRANSFER = 99_999_999_999n;
const DECIMALS: Readonly<Record<string, Decimals>> = { usd: 2, jpy: 0, kwd: 3, eur: 2 };

export function staffSteps(hands: Hands): Record<string, () => Play | null> {
  const { amount, cents, decided, deposits, followUps, how, knex, naive, nameOf, open, pick } = hands;
  const { some, staff, who, world } = hands;
  const onSettlement = (
    work: (at: number) => string,
    real: (id: number) => Promise<unknown>,
  ): Play | null => {
    const { all } = naive.settlements;
    if (all.length === 0) return null;
    const at = who % all.length;
    return decided(
      () => work(at),
      () => real(world.settlementIds[at]!),
      [],
    );
  };
  const settled = (at: number) => naive.settlements.all[at]!;

  return {
    transfer: () => {
      if (some === undefined) return null;
      const id = `bank_${world.tag}_${world.next()}`;
      const currency = some.currency;
      const sum = least(amount(some), MAX_TRANSFER);
      const transfer = {
        ...{ id, currency, reference: nameOf(some) ?? 'none' },
        amount: formatCents(Number(sum), DECIMALS[currency]!),
      };
      const pays = { payment: id, charge: null, cents: sum, currency, bill: nameOf(some), byBank: true };
      return async () => {
        const { status } = naive.pay(pays);
        const { outcome } = await recordTransfer({ ...world.paymentParts(), followUps }, transfer);
        if (status !== outcome) throw new Error(`transfer: expected ${status}, found ${outcome}`);
        return status;
      };
    },
    'transfer sent': () => {
      const paid = pick(naive.payments.filter(({ byBank }) => byBank));
      if (paid === undefined) return null;
      return decided(
        () => naive.markSent(paid),
        () => markSent(knex, paid.name),
        [],
      );
    },
    refund: () => {
      const bill = how % 5 === 0 ? some : pick(naive.bills.filter(({ status }) => status === 'paid'));
      if (bill === undefined) return null;
      return decided(
        (ledger) => ledger.refund(ledger.bill(bill.name)!),
        () => refundByNumber({ ...staff, refundDeposit: deposits }, bill.name),
      );
    },
    void: () => {
      if (some === undefined || how % 3 !== 0) return null;
      return decided(
        (ledger) => ledger.void(ledger.bill(some.name)!),
        () => voidByNumber(staff, some.name),
      );
    },
    allocate: () => {
      const free = naive.payments.filter((paid) => paid.free > 0n);
      const paid = how % 7 === 0 ? pick(naive.payments) : pick(free);
      const fitting = open.filter(({ currency }) => currency === paid?.currency);
      const bill = how % 5 === 0 || fitting.length === 0 ? some : fitting[cents % fitting.length];
      if (paid === undefined || bill === undefined) return null;
      return decided(
        () => naive.allocate(paid, bill),
        () => allocatePayment(staff, paid.name, bill.name, { otherPayer: true }),
        [],
      );
    },
    'refund unallocated': () => {
      const free = naive.payments.filter((paid) => paid.free > 0n);
      const paid = how % 7 === 0 ? pick(naive.payments) : pick(free);
      if (paid === undefined) return null;
      return decided(
        (ledger) => ledger.refundUnallocated(ledger.payment(paid.name)!),
        () => refundUnallocated(staff, paid.name),
      );
    },
    'end the sale': () => {
      const sale = naive.sales.find(({ status }) => status === 'active');
      if (sale === undefined) return null;
      return async () => {
        sale.status = 'ended';
        await knex('auctions').where('id', world.auctionId(sale)).update({ status: 'ended' });
        return 'ended';
      };
    },
    settle: () => {
      const over = naive.sales.some((sale) => sale.status === 'ended' && naive.settlements.of(sale) === null);
      if (!over) return null;
      return decided(
        () => {
          naive.settlements.settle();
          return 'done';
        },
        () => settleAuctions(knex),
        [],
      );
    },
    approve: () =>
      onSettlement(
        (at) => naive.settlements.approve(settled(at)),
        (id) => approveSettlement(knex, id),
      ),
    payout: () =>
      onSettlement(
        (at) => naive.settlements.pay(settled(at)),
        (id) => paySettlement(knex, id),
      ),
    reopen: () =>
      onSettlement(
        (at) => naive.settlements.reopen(settled(at)),
        (id) => reopenSettlement(knex, id, 'because'),
      ),
  };
}

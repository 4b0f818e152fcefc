/**
 * What the steps of a history have at hand: what there is to choose from, and how something is done to the naive ledger
 * and to the service.
 */
import { refundDeposit } from '../../../../src/billing/deposits/refund-deposit.ts';
import type { InvoiceFollowUp } from '../../../../src/billing/invoices/follow-up.ts';
import { applyEvent } from '../../../../src/billing/payments/apply-event.ts';
import { readPaymentEvent } from '../../../../src/billing/payments/payment-event.ts';
import { RefundRefused } from '../../../../src/billing/providers/provider.ts';
import type { DisorderWorld } from './disorder-world.ts';
import type { Bill, Event } from './naive-money.ts';
import type { Wording } from './provider-truth.ts';

export interface Step {
  readonly what: number;
  readonly who: number;
  readonly cents: number;
  readonly how: number;
}

/** What follows from a change of an invoice. */
export interface Parts {
  readonly followUps: readonly InvoiceFollowUp[];
}

export type Play = () => Promise<string>;

/** The naive ledger cannot be rolled back; so what the provider would refuse is known before. */
export function planned(
  world: DisorderWorld,
  work: (naive: DisorderWorld['naive']) => void,
): readonly string[] {
  const { naive, provider } = world;
  const copy = naive.copy();
  copy.sent = [];
  work(copy);
  const wanted = new Map<string, bigint>();
  for (const { payment, cents } of copy.sent) wanted.set(payment, (wanted.get(payment) ?? 0n) + cents);
  const refused = [...wanted].some(([payment, cents]) => !provider.can(payment, cents));
  return refused ? [...wanted.keys()] : [];
}

const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: { code?: string; message: string }) => {
      if (error instanceof RefundRefused) return 'provider';
      if (error.code === undefined || /^[0-9A-Z]{5}$/.test(error.code)) throw error;
      return error.code;
    },
  );

export type Hands = ReturnType<typeof handsOf>;

export function handsOf(world: DisorderWorld, { followUps }: Parts, { who, cents, how }: Step) {
  const { naive, provider, knex } = world;
  const pick = <T>(all: readonly T[]): T | undefined => all[who % Math.max(1, all.length)];
  const open = naive.bills.filter(({ status }) => status === 'open');
  const some = how % 4 === 0 || open.length === 0 ? pick(naive.bills) : pick(open);
  const held = pick([...provider.held.keys()]);
  const wording: Wording = how % 2 === 0 ? 'ours' : 'stripe';
  const staff = { knex, provider, followUps };
  const deposits = (deposit: Parameters<typeof refundDeposit>[1]) =>
    refundDeposit({ ...staff, journal: world.service.backends.journal }, deposit);

  const deliver = async (event: Event): Promise<string> => {
    const { status: expected, code } = naive.take(event);
    const said = readPaymentEvent(JSON.parse(provider.body(event)));
    const outcome = await applyEvent({ ...world.paymentParts(), followUps }, said);
    // Whether a dispute that moves nothing is news is nobody's concern.
    const same = event.kind === 'disputed' && outcome.status !== 'pending' && expected !== 'pending';
    if ((outcome.status !== expected && !same) || outcome.code !== code)
      throw new Error(`${event.kind}: expected ${expected} ${code}, found ${outcome.status} ${outcome.code}`);
    return `${event.kind} ${expected}`;
  };
  /** The provider does something; its event comes at once, or later. */
  const happens = (work: () => void): Play => {
    return async () => {
      const before = provider.queue.length;
      work();
      if (how % 3 === 0) return 'delayed';
      const said: string[] = [];
      for (const event of provider.queue.splice(before)) {
        provider.delivered.push(event);
        said.push(await deliver(event));
      }
      return said.join(', ');
    };
  };
  /** Staff or the clock do something that may send money back. */
  const decided = (
    work: (ledger: typeof naive) => string,
    real: () => Promise<unknown>,
    refusing = planned(world, work),
  ): Play => {
    return async () => {
      provider.refuses = new Set([...provider.refuses, ...refusing]);
      naive.sent = [];
      const expected = refusing.length > 0 ? 'provider' : work(naive);
      const found = await refusal(real());
      provider.refuses = new Set();
      if (found !== expected) throw new Error(`expected ${expected}, found ${found}`);
      return found;
    };
  };
  const amount = (bill: Bill): bigint => {
    const owed = naive.owed(bill) > 0n ? naive.owed(bill) : bill.total;
    const huge = BigInt(Number.MAX_SAFE_INTEGER) - BigInt(cents);
    const part = 1n + (BigInt(cents) % owed);
    return [owed, owed, owed, part, owed + BigInt(cents % 700), 1n, huge, owed][how % 8]!;
  };
  const currencyOf = (bill: Bill): string => (how % 11 === 5 ? 'eur' : bill.currency);
  const nameOf = (bill: Bill): string | null => (how % 13 === 7 ? null : bill.name);
  return {
    ...{
      amount,
      cents,
      currencyOf,
      decided,
      deliver,
      deposits,
      happens,
      held,
      how,
      knex,
      naive,
      nameOf,
      open,
    },
    ...{ followUps, pick, provider, some, staff, who, wording, world },
  };
}

/**
 * What staff and the clock do with money, over a service's database and journal; refunds go to a provider that
 * remembers them.
 */

import type { Knex } from 'knex';
import { exactJson } from '../../adapters/http/exact-json.ts';
import { moneyParts } from '../../src/app/process/money-parts.ts';
import { type Books, readBooks } from '../../src/billing/books/books.ts';
import type { Difference } from '../../src/billing/books/checks.ts';
import type { BookTotals } from '../../src/billing/books/totals.ts';
import { followDeposits } from '../../src/billing/deposits/deposits.ts';
import { refundDeposit } from '../../src/billing/deposits/refund-deposit.ts';
import { returnDeposits } from '../../src/billing/deposits/return-deposits.ts';
import type { Invoice } from '../../src/billing/invoices/invoice.model.ts';
import { tryAgain } from '../../src/billing/payments/money-tries.ts';
import { returnSurplus } from '../../src/billing/payments/return-surplus.ts';
import { type PaymentProvider, RefundRefused } from '../../src/billing/providers/provider.ts';
import { refundByNumber, voidByNumber } from '../../src/billing/staff/invoice-orders.ts';
import { allocatePayment, refundUnallocated } from '../../src/billing/staff/payment-orders.ts';
import { defaultLot } from '../../src/sales/offers/defaults.ts';
import { type Service, type ServiceOptions, startService } from './service.ts';

export interface SentBack {
  readonly paymentId: string;
  readonly cents: number;
}

/** A provider that records refunds: once for each key, and never more than it has, as real ones do. */
export class RememberingProvider implements PaymentProvider {
  readonly name: string;
  readonly sent = new Map<string, SentBack>();
  /** What is left of payments before we send any of it back; of others it is as much as is wanted. */
  readonly left = new Map<string, number>();
  /** Set: every refund fails with this. */
  failure: Error | null = null;
  /** Set: refunds are sent, and who asked for them never learns it. */
  losesAnswers = false;

  constructor(name: string) {
    this.name = name;
  }

  takesCurrency(): boolean {
    return true;
  }

  amountFrom(amount: number): number {
    return amount;
  }

  async checkout(): Promise<never> {
    throw new Error('nobody pays here');
  }

  async refund(paymentId: string, cents: number, _currency: string, key: string): Promise<void> {
    if (this.failure !== null) throw this.failure;
    const left = this.left.get(paymentId) ?? Number.POSITIVE_INFINITY;
    const before = [...this.sent].filter(([other, sent]) => other !== key && sent.paymentId === paymentId);
    if (before.reduce((sum, [, sent]) => sum + sent.cents, cents) > left)
      throw new RefundRefused('more than is left of the payment');
    this.sent.set(key, { paymentId, cents });
    if (this.losesAnswers) throw new Error('the answer was lost');
  }
}

/** Everything that staff may decide, with the provider that remembers. */
export function staffOf(service: Service) {
  const { backends } = service;
  const { knex, journal } = backends;
  const { provider: configured, followUps } = moneyParts(service.config);
  // Payments are booked under the name of who took them.
  const provider = new RememberingProvider(configured?.name ?? 'external');
  const parts = { knex, journal, provider, followUps };
  const deposits = (deposit: Invoice) => refundDeposit(parts, deposit);
  return {
    provider,
    parts,
    voidInvoice: (number: string) => voidByNumber(parts, number),
    refund: async (number: string) =>
      (await refundByNumber({ ...parts, refundDeposit: deposits }, number)).invoice,
    defaultLot: (lotId: number, invoiceNumber?: string) => defaultLot(parts, lotId, invoiceNumber),
    allocate: (payment: string, number: string) =>
      allocatePayment(parts, payment, number, { otherPayer: true }),
    refundPayment: async (payment: string) => (await refundUnallocated(parts, payment)).payment,
    followDeposits: () => followDeposits(parts),
    /** What was set aside is tried again. */
    retry: async (number: string) => {
      await tryAgain(knex, number);
      return returnDeposits({ ...parts, onError: (error) => Promise.reject(error) });
    },
    /** What waits for its next try is tried now. */
    tryAtOnce: () => knex('money_tries').update({ next_at: new Date(0) }),
    returnSurplus: () =>
      returnSurplus({
        ...parts,
        onError: (error) => {
          if (provider.failure === null && !provider.losesAnswers) throw error;
        },
      }),
    returnDeposits: () =>
      returnDeposits({
        ...parts,
        onError: (error) => {
          if (provider.failure === null && !provider.losesAnswers) throw error;
        },
      }),
    books: (auctionId: number) => readBooks(knex, auctionId).then(serialized),
  };
}

/** Books as the command prints them; of the amounts of tests a number holds every digit. */
const serialized = (books: Books): SerializedBooks => JSON.parse(exactJson(books));

type InNumbers<T> = { readonly [K in keyof T]: T[K] extends bigint ? number : T[K] };
type SerializedBooks = Omit<Books, 'totals' | 'differences'> & {
  readonly totals: InNumbers<BookTotals>;
  readonly differences: readonly InNumbers<Difference>[];
};

export type Staff = ReturnType<typeof staffOf>;

export interface StaffedService {
  readonly service: Service;
  readonly staff: Staff;
  readonly knex: Knex;
}

/** Starts a service before the tests of the suite that calls this, hands it over with its staff, and closes it after. */
export function withService(take: (parts: StaffedService) => void, options: ServiceOptions = {}): void {
  let service: Service;
  before(async () => {
    service = await startService(options);
    take({ service, staff: staffOf(service), knex: service.database.knex });
  });
  after(() => service.close());
}

/** What a refusal says: its code and its data; `done` where nothing was refused. */
export function refusalOf(work: Promise<unknown>): Promise<{ code: string; [name: string]: unknown }> {
  return work.then(
    () => ({ code: 'done' }),
    (error: { code?: string; data?: object }) => {
      if (error.code === undefined) throw error;
      return { code: error.code, ...error.data };
    },
  );
}

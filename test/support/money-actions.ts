/** What staff, bidders, the provider and the clock can do with the money of a `MoneyWorld`. */
import type { Knex } from 'knex';
import { returnDeposits } from '../../src/billing/deposits/return-deposits.ts';
import type { InvoiceFollowUp } from '../../src/billing/invoices/follow-up.ts';
import type { Invoice } from '../../src/billing/invoices/invoice.model.ts';
import { returnSurplus } from '../../src/billing/payments/return-surplus.ts';
import {
  approveSettlement,
  paySettlement,
  reopenSettlement,
} from '../../src/billing/settlements/settlement-decisions.ts';
import { settleAuctions } from '../../src/billing/settlements/settlements.ts';
import { refundByNumber, voidByNumber } from '../../src/billing/staff/invoice-orders.ts';
import { allocatePayment, refundUnallocated } from '../../src/billing/staff/payment-orders.ts';
import { grantSubscription } from '../../src/billing/subscriptions/subscriptions.ts';
import { acceptOffer, declineOffer, expireOffers } from '../../src/sales/offers/answer-offer.ts';
import { defaultLot } from '../../src/sales/offers/defaults.ts';
import { offerSecondChance } from '../../src/sales/offers/offers.ts';
import type { RememberingProvider } from './billing.ts';
import { eventBody } from './money.ts';

/** The world that actions are done in, as far as they see it. */
export interface ActionWorld {
  readonly knex: Knex;
  readonly provider: RememberingProvider;
  readonly followUps: readonly InvoiceFollowUp[];
  readonly auctions: readonly { readonly id: number }[];
  readonly lots: readonly { readonly id: number }[];
  readonly teamId: number;
  apply(knex: Knex, body: string): Promise<unknown>;
  nextNumber(): number;
}

/** Each action looks for something it can apply to, so that most are allowed; if there is nothing, it does nothing. */
export function moneyActions(
  world: ActionWorld,
  who: number,
  cents: number,
): Record<string, () => Promise<((knex: Knex) => Promise<unknown>) | null>> {
  const { provider, followUps } = world;
  const pick = async <T>(rows: Promise<T[]>): Promise<T | null> => {
    const found = await rows;
    return found.length === 0 ? null : found[who % found.length]!;
  };
  const invoices = (where: object): Promise<Invoice[]> =>
    world
      .knex('invoices')
      .where({ team_id: world.teamId, ...where })
      .orderBy('id')
      .then((rows) => rows);
  const onInvoice = async (
    where: object,
    work: (invoice: Invoice) => ((knex: Knex) => Promise<unknown>) | null,
  ) => {
    const invoice = await pick(invoices(where));
    return invoice === null ? null : work(invoice);
  };
  const onSettlement = async (status: string | null, work: (knex: Knex, id: number) => Promise<unknown>) => {
    const where = status === null ? {} : { status };
    const row = await pick<{ id: number }>(
      world
        .knex('settlements')
        .where({ team_id: world.teamId, ...where })
        .orderBy('id')
        .then((rows) => rows),
    );
    return row === null ? null : (knex: Knex) => work(knex, row.id);
  };
  const onOffer = async (work: (knex: Knex, offer: { id: number; user_id: number }) => Promise<unknown>) => {
    const ids = world.auctions.map(({ id }) => id);
    const row = await pick<{ id: number; user_id: number }>(
      world
        .knex('offers')
        .where('status', 'offered')
        .whereIn('auction_id', ids)
        .orderBy('id')
        .then((rows) => rows),
    );
    return row === null ? null : (knex: Knex) => work(knex, row);
  };
  const refundDeposit = () =>
    Promise.reject(Object.assign(new Error('not here'), { code: 'deposit_in_use' }));
  const staff = (knex: Knex) => ({ knex, provider, followUps, refundDeposit });
  const due = (invoice: Invoice) => invoice.owed_cents;
  const pay = (invoice: Invoice, amount: number) => {
    const id = `evt_${world.nextNumber()}_${process.pid}`;
    const body = eventBody({
      id,
      object: {
        id: `pi_${id}`,
        amount: Math.max(1, amount),
        currency: invoice.currency,
        metadata: { invoice_number: invoice.invoice_number },
      },
    });
    return (knex: Knex) => world.apply(knex, body);
  };
  const charge = (
    payment: { payment_id: string; amount_cents: number; currency: string },
    amount: number,
  ) => {
    const object = { id: payment.payment_id, amount, currency: payment.currency, metadata: {} };
    const body = eventBody({
      id: `evt_${world.nextNumber()}_${process.pid}`,
      type: 'charge.refunded',
      object,
    });
    return (knex: Knex) => world.apply(knex, body);
  };
  return {
    pay: () => onInvoice({ kind: 'winner', status: 'open' }, (one) => pay(one, due(one))),
    'pay again': () => onInvoice({ kind: 'winner' }, (one) => pay(one, due(one))),
    'pay a part': () =>
      onInvoice({ kind: 'winner', status: 'open' }, (one) => pay(one, cents % Math.max(2, due(one)))),
    'pay too much': () =>
      onInvoice({ kind: 'winner', status: 'open' }, (one) => pay(one, due(one) + (cents % 500))),
    'pay the fee': () =>
      onInvoice({ kind: 'platform_fee', status: 'open' }, (one) =>
        pay(one, cents % 3 === 0 ? due(one) : cents % 2_000),
      ),
    refund: () =>
      onInvoice(
        { kind: 'winner', status: 'paid' },
        (one) => (knex) => refundByNumber(staff(knex), one.invoice_number),
      ),
    'refund the fee': () =>
      onInvoice(
        { kind: 'platform_fee', status: 'paid' },
        (one) => (knex) => refundByNumber(staff(knex), one.invoice_number),
      ),
    'refund a part': async () => {
      const payment = await pick<{
        payment_id: string;
        amount_cents: number;
        currency: string;
        provider: string;
      }>(
        world
          .knex('payments as p')
          .join('invoices as i', 'i.id', 'p.invoice_id')
          .where('i.team_id', world.teamId)
          .whereIn('i.kind', ['winner', 'platform_fee'])
          .whereNot('p.provider', 'settlement')
          .orderBy('p.id')
          .select('p.*'),
      );
      return payment === null ? null : charge(payment, 1 + (cents % payment.amount_cents));
    },
    void: () =>
      onInvoice(
        { kind: 'winner', status: 'open' },
        (one) => (knex) => voidByNumber(staff(knex), one.invoice_number),
      ),
    'void the fee': () =>
      cents % 4 === 0
        ? onInvoice(
            { kind: 'platform_fee' },
            (one) => (knex) => voidByNumber(staff(knex), one.invoice_number),
          )
        : Promise.resolve(null),
    default: () =>
      onInvoice(
        { kind: 'winner' },
        ({ lot_id }) =>
          (knex) =>
            defaultLot({ knex, followUps }, lot_id!),
      ),
    offer: async () => {
      const row = await pick<{ lot_id: number }>(
        world
          .knex('sale_defaults')
          .whereIn(
            'lot_id',
            world.lots.map(({ id }) => id),
          )
          .orderBy('id')
          .then((rows) => rows),
      );
      return row === null ? null : (knex) => offerSecondChance(knex, row.lot_id);
    },
    accept: () => onOffer((knex, { id, user_id }) => acceptOffer(knex, id, user_id)),
    decline: () => onOffer((knex, { id, user_id }) => declineOffer(knex, id, user_id)),
    expire: () =>
      onOffer(async (knex, { id }) => {
        await world
          .knex('offers')
          .where({ id, status: 'offered' })
          .update({ expires_at: new Date(0) });
        await expireOffers(knex);
      }),
    settle: async () => {
      const settled = await world.knex('settlements').where({ team_id: world.teamId, kind: 'auction' });
      return settled.length < world.auctions.length ? settleAuctions : null;
    },
    'return deposits': async () => {
      const held = await invoices({ kind: 'deposit', status: 'paid' });
      if (held.every((one) => one.amount_paid_cents - one.amount_refunded_cents === one.credited_cents))
        return null;
      return (knex) =>
        returnDeposits({
          knex,
          provider,
          followUps,
          onError: rethrow,
        });
    },
    'return surplus': async () => {
      const over = (await invoices({ status: 'paid' })).some((one) => one.owed_cents < 0);
      const double = await unallocated(world);
      if (!over && double.length === 0) return null;
      return (knex) => returnSurplus({ knex, provider, followUps, onError: rethrow });
    },
    approve: () => onSettlement('pending', approveSettlement),
    'approve early': () => onSettlement(null, approveSettlement),
    payout: () => onSettlement('approved', paySettlement),
    reopen: () => onSettlement(null, (knex, id) => reopenSettlement(knex, id, 'because')),
    allocate: async () => {
      const payment = await pick<{ id: number }>(unallocated(world));
      const target = await pick(invoices({ status: 'open' }));
      if (payment === null || target === null) return null;
      return (knex) =>
        allocatePayment({ knex, followUps }, String(payment.id), target.invoice_number, { otherPayer: true });
    },
    'refund unallocated': async () => {
      const payment = await pick<{ id: number }>(unallocated(world));
      return payment === null
        ? null
        : (knex) => refundUnallocated({ knex, provider, followUps }, String(payment.id));
    },
    'another plan': async () => {
      const slug = `plan-${process.pid}-${world.nextNumber()}-${world.teamId}`;
      await world.knex('plans').insert({
        slug,
        name: slug,
        commission_bps: cents % 3_000,
        price_monthly_cents: 0,
      });
      return (knex) => grantSubscription(knex, world.teamId, slug);
    },
  };
}

function unallocated(world: ActionWorld): Promise<{ id: number }[]> {
  return world
    .knex('payments as p')
    .join('invoices as i', 'i.id', 'p.invoice_id')
    .where({ 'p.status': 'unallocated', 'i.team_id': world.teamId })
    .orderBy('p.id')
    .select('p.id');
}

function rethrow(error: unknown): never {
  throw error;
}

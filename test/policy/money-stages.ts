/** What is owed and paid: invoices, payments, deposits. */
import { randomUUID } from 'node:crypto';
import { createInvoices } from '../../src/billing/invoices/create-invoices.ts';
import {
  DEPOSIT_POLICY,
  type DepositAction,
  type DepositState,
} from '../../src/shared/policy/deposit-policy.ts';
import { INVOICE_POLICY, type InvoiceAction } from '../../src/shared/policy/invoice-policy.ts';
import {
  PAYMENT_POLICY,
  type PaymentAction,
  type PaymentState,
} from '../../src/shared/policy/payment-policy.ts';
import type { InvoiceStatus } from '../../src/shared/statuses/billing-statuses.ts';
import { staffOf } from '../support/billing.ts';
import { eventBody, report, reportDispute, stripe } from '../support/money.ts';
import { hours } from '../support/selling-team.ts';
import type { Service } from '../support/service.ts';
import type { Caller, Cast } from './cast.ts';
import type { Stage, Thing, Trial } from './cells.ts';
import { each } from './each.ts';
import { someAuctions } from './market-states.ts';
import { personOf, rowsOf } from './own-teams.ts';

export const DUE = 10_000;
export const ofNobodysTeam = ({ house, signs }: Caller) => house === 'approved' && signs === undefined;
const numberOf = ({ more }: Thing) => String(more?.['number']);

/** A form of the office, always with a reason. */
export const inOffice = <S extends string>(
  path: (thing: Thing) => string,
  form: (thing: Thing) => Record<string, string> = () => ({}),
): Trial<S> => ({
  act: (thing) => ({
    ...{ method: 'POST', path: `/office/money/${path(thing)}` },
    form: { reason: 'Wished', ...form(thing) },
  }),
  ...{ page: true, inOffice: true },
});

const pay = <S extends string>(): Trial<S> => ({
  act: (thing) => ({
    ...{ method: 'POST', path: '/api/v1/me/checkouts' },
    body: { invoice_numbers: [numberOf(thing)] },
  }),
});

const readPage = <S extends string>(): Trial<S> => ({
  act: (thing) => ({ method: 'GET', path: `/account/invoices/${numberOf(thing)}` }),
  page: true,
});

const read = <S extends string>(): Trial<S> => ({
  act: (thing) => ({ method: 'GET', path: `/api/v1/invoices/${numberOf(thing)}` }),
});

interface NewInvoices {
  readonly kind: 'winner' | 'deposit';
  readonly status: InvoiceStatus;
  readonly teamId: number;
  readonly userId: number;
}

/**
 * Invoices of auctions of their own. What has become of them was done as the provider and staff do it: the books agree.
 */
export async function someInvoices(
  service: Service,
  wanted: number,
  { kind, status, teamId, userId }: NewInvoices,
): Promise<Thing[]> {
  const { knex } = service.database;
  const sales = await someAuctions(service, wanted, {
    ...{
      team_id: teamId,
      // Nobody settles a sale that is billed by a draft.
      status: status === 'draft' ? 'draft' : 'ended',
      lotStatus: kind === 'winner' ? 'sold' : 'unsold',
      title: 'Of invoices',
      privacy_setting: 'public',
    },
    start_time: hours(-48),
    lot: { hammer_price_cents: kind === 'winner' ? DUE : null },
  });
  const owed = sales.map(({ id, lot }) => ({
    ...{ kind, user_id: userId, team_id: teamId, auction_id: id, currency: 'usd', draft: status === 'draft' },
    ...(kind === 'winner' ? { lot_id: lot } : {}),
    lines: [
      {
        kind: kind === 'winner' ? ('hammer' as const) : ('deposit' as const),
        ...{ description: 'A lot', amount_cents: DUE },
      },
    ],
  }));
  const { invoices } = await knex.transaction((trx) => createInvoices(trx, owed));
  const staff = staffOf(service);
  await each(invoices, async ({ invoice_number }) => {
    if (status === 'voided') await staff.voidInvoice(invoice_number);
    if (status === 'paid' || status === 'refunded') await paid(service, invoice_number);
    if (status === 'refunded') await staff.refund(invoice_number);
  });
  return invoices.map(({ id, invoice_number, auction_id }) => ({
    ...{ id, more: { number: invoice_number, auction: auction_id ?? 0 } },
  }));
}

const objectOf = (invoice_number: string) => ({
  ...{ id: `pi_${randomUUID()}`, amount: DUE, currency: 'usd', metadata: { invoice_number } },
});

export async function paid(
  service: Service,
  number: string,
  type = 'payment_intent.succeeded',
): Promise<string> {
  const object = objectOf(number);
  await report(service, { type, object });
  return object.id;
}

/** Without the link to pay it, which is made by reading it. */
async function invoiceDigest({ database: { knex } }: Service, id: number): Promise<string> {
  const row = await knex('invoices').where({ id }).first();
  return JSON.stringify(Object.entries(row).filter(([column]) => !column.startsWith('checkout_')));
}

export function invoiceStage(service: Service, cast: Cast): Stage<InvoiceStatus, InvoiceAction> {
  return {
    policy: INVOICE_POLICY,
    takes: ofNobodysTeam,
    trials: {
      ...{ read: read(), read_page: readPage() },
      list: {
        act: () => ({ method: 'GET', path: '/api/v1/invoices?per_page=100' }),
        shows: ({ body }, thing) =>
          body.data.some((one: { invoice_number: string }) => one.invoice_number === numberOf(thing)),
      },
      pay: { ...pay(), changes: () => false },
      remind: {
        act: (thing) => ({ method: 'POST', path: `/api/v1/seller/invoices/${numberOf(thing)}/reminder` }),
        forTeam: true,
      },
      void: inOffice((thing) => `invoices/${numberOf(thing)}/void`),
      refund: inOffice((thing) => `invoices/${numberOf(thing)}/refund`),
    },
    make: (status, house, wanted) =>
      someInvoices(service, wanted, {
        ...{ kind: 'winner', status, teamId: cast.teams[house], userId: personOf(cast, 'own').id },
      }),
    digest: ({ id }) => invoiceDigest(service, id),
  };
}

const AS_INVOICE = { open: 'open', held: 'paid', voided: 'voided', refunded: 'refunded' } as const;

export function depositStage(service: Service, cast: Cast): Stage<DepositState, DepositAction> {
  return {
    policy: DEPOSIT_POLICY,
    takes: ofNobodysTeam,
    trials: {
      ...{ read: read(), read_page: readPage() },
      pay: { ...pay(), changes: () => false },
      void: inOffice((thing) => `invoices/${numberOf(thing)}/void`),
      give_back: inOffice((thing) => `invoices/${numberOf(thing)}/refund`),
    },
    make: (state, house, wanted) =>
      someInvoices(service, wanted, {
        ...{ kind: 'deposit', status: AS_INVOICE[state], teamId: cast.teams[house] },
        userId: personOf(cast, 'own').id,
      }),
    digest: ({ id }) => invoiceDigest(service, id),
  };
}

export function paymentStage(service: Service, cast: Cast): Stage<PaymentState, PaymentAction> {
  const { knex } = service.database;
  const terms = (status: InvoiceStatus) =>
    ({ kind: 'winner', status, teamId: cast.teams.approved, userId: personOf(cast, 'own').id }) as const;
  return {
    policy: PAYMENT_POLICY,
    takes: ({ house }) => house === 'approved',
    trials: {
      report: {
        act(thing, { signs }) {
          const body = JSON.parse(eventBody({ object: objectOf(numberOf(thing)) }));
          const payload = JSON.stringify(body);
          const secret = signs === 'provider' ? service.config.paymentWebhookSecret : 'whsec_of_nobody';
          const signature = stripe.webhooks.generateTestHeaderString({ payload, secret });
          return {
            ...{ method: 'POST', path: '/webhooks/payment', body },
            headers: { 'payment-signature': signature },
          };
        },
        ...{ signed: true, changes: () => false },
      },
      refund: inOffice((thing) => `payments/${thing.id}/refund`),
      allocate: inOffice(
        (thing) => `payments/${thing.id}/allocate`,
        ({ more }) => ({ invoice: String(more?.['other']) }),
      ),
    },
    async make(state, _house, wanted) {
      const isTaken = state === 'applied' || state === 'failed';
      const invoices = await someInvoices(service, wanted, terms(isTaken ? 'open' : 'voided'));
      const others = await someInvoices(service, wanted, terms('open'));
      const things: Thing[] = [];
      for (const [at, invoice] of invoices.entries()) {
        const type = state === 'failed' ? 'payment_intent.payment_failed' : undefined;
        const payment_id = await paid(service, numberOf(invoice), type);
        if (state === 'refunded') await staffOf(service).refundPayment(payment_id);
        if (state === 'disputed')
          await reportDispute(service, { id: payment_id }, 'created', { amount: DUE });
        const { id } = await knex('payments').where({ payment_id }).first('id');
        const other = others[at];
        things.push({ id, more: { number: numberOf(invoice), other: other ? numberOf(other) : '' } });
      }
      return things;
    },
    digest: ({ id }) => rowsOf(service, ['payments', { id }]),
  };
}

/**
 * The states of everything that billing moves, and the moves between them: one table, from which the checks, the
 * schemas of the API and its descriptions come. A move that is not here does not happen.
 */
import { type TLiteral, type TUnion, Type } from '@sinclair/typebox';
import { listSql } from './status-table.ts';

const TABLE = {
  invoice: {
    draft: ['open', 'voided'],
    open: ['paid', 'voided'],
    paid: ['open', 'refunded'],
    voided: [],
    refunded: [],
  },
  settlement: {
    draft: ['pending'],
    pending: ['draft', 'approved'],
    approved: ['draft', 'paid'],
    paid: [],
  },
  subscription: {
    incomplete: ['active', 'canceled'],
    trialing: ['active'],
    active: ['past_due', 'canceled'],
    past_due: ['active', 'canceled'],
    canceled: [],
  },
  offer: {
    offered: ['accepted', 'declined', 'expired'],
    accepted: [],
    declined: [],
    expired: [],
  },
  tax_number: {
    pending: ['approved', 'refused'],
    approved: ['refused'],
    refused: [],
  },
  seller_application: {
    submitted: ['approved', 'declined'],
    approved: [],
    declined: [],
  },
} as const;

type Table = typeof TABLE;
export type Resource = keyof Table;
export type StatusOf<R extends Resource> = Extract<keyof Table[R], string>;

export type InvoiceStatus = StatusOf<'invoice'>;
export type SettlementStatus = StatusOf<'settlement'>;
export type SubscriptionStatus = StatusOf<'subscription'>;
export type OfferStatus = StatusOf<'offer'>;

export const INVOICE_KINDS = ['winner', 'platform_fee', 'subscription', 'deposit'] as const;

/** Invoices that are still to be paid. */
export const OWED_INVOICES: readonly InvoiceStatus[] = ['draft', 'open'];
export const OWED_INVOICE_SQL = listSql(OWED_INVOICES);

/** Invoices that hold: neither voided nor refunded. What has one of these is not billed again. */
export const LIVE_INVOICES: readonly InvoiceStatus[] = [...OWED_INVOICES, 'paid'];
export const LIVE_INVOICE_SQL = listSql(LIVE_INVOICES);

/** Settlements that staff have decided on. */
export const DECIDED_SETTLEMENTS = ['approved', 'paid'] as const satisfies readonly SettlementStatus[];

/** Subscriptions in which the team has what the plan gives. */
export const CURRENT_SUBSCRIPTIONS: readonly SubscriptionStatus[] = ['trialing', 'active', 'past_due'];

/** Every status of a resource, in the order of its life. */
export function statusesOf<R extends Resource>(resource: R): readonly StatusOf<R>[] {
  const isStatus = (word: string): word is StatusOf<R> => Object.hasOwn(TABLE[resource], word);
  return Object.keys(TABLE[resource]).filter(isStatus);
}

/** Where a resource may go from a status. */
export function movesFrom<R extends Resource>(resource: R, from: StatusOf<R>): readonly StatusOf<R>[] {
  const moves: Readonly<Record<string, readonly string[]>> = TABLE[resource];
  const to = moves[from] ?? [];
  return statusesOf(resource).filter((status) => to.includes(status));
}

/** Whether a resource may go from one status to another. */
export function mayMove<R extends Resource>(resource: R, from: StatusOf<R>, to: StatusOf<R>): boolean {
  return movesFrom(resource, from).includes(to);
}

/** The schema of a resource's status, described by its moves. */
export function statusSchema<R extends Resource>(resource: R): TUnion<TLiteral<StatusOf<R>>[]> {
  const statuses = statusesOf(resource);
  const moves = statuses
    .filter((from) => movesFrom(resource, from).length > 0)
    .map((from) => `${from} → ${movesFrom(resource, from).join(', ')}`);
  return Type.Union(
    statuses.map((status) => Type.Literal(status)),
    { description: `Moves: ${moves.join('; ')}.` },
  );
}

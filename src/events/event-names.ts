/**
 * The names under which facts are published. Some facts have two: they are one stored row and two events, each with an
 * id of its own that is the same for every subscription, on every attempt and in the list of events.
 */

import { namesIn } from '../../engine/objects.ts';
import type { StoredEventType } from './outbox.ts';

/** Every kind that a subscription may name. */
export const EVENT_KINDS = [
  'lot.bid_placed',
  'bid.placed',
  'bid.voided',
  'lot.sold',
  'lot.passed',
  'lot.unsold',
  'auction.published',
  'auction.started',
  'auction.ended',
  'invoice.created',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.refunded',
  'invoice.voided',
  'offer.created',
  'offer.accepted',
  'offer.declined',
  'offer.expired',
  'user.verified',
  'seller.approved',
  'subscription.updated',
  'listing.created',
  'listing.updated',
  'listing.ended',
  'listing.removed',
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

/** The names that are a fact's second one, each with the fact's first. */
const FIRST_NAME = { 'bid.placed': 'lot.bid_placed', 'lot.unsold': 'lot.passed' } as const satisfies Partial<
  Record<EventKind, StoredEventType>
>;

/** A fact's second name, where it has one. */
const SECOND_NAME = new Map<StoredEventType, EventKind>(
  namesIn(FIRST_NAME).map((second) => [FIRST_NAME[second], second]),
);

/** The names of a stored fact. A lot that ended without any bid is `lot.unsold` alone. */
export function namesOf(type: StoredEventType, status: string | null): readonly EventKind[] {
  const second = SECOND_NAME.get(type);
  if (second === undefined) return [type];
  return type === 'lot.passed' && status === 'unsold' ? [second] : [type, second];
}

/** The types of stored facts that have one of these names. */
export function storedTypesOf(kinds: readonly EventKind[]): StoredEventType[] {
  const types = new Set<StoredEventType>();
  for (const kind of kinds) {
    types.add(isSecondName(kind) ? FIRST_NAME[kind] : kind);
  }
  return [...types];
}

function isSecondName(kind: EventKind): kind is keyof typeof FIRST_NAME {
  return Object.hasOwn(FIRST_NAME, kind);
}

/** The kinds among the words of a subscription. */
export function kindsAmong(words: readonly string[]): EventKind[] {
  return EVENT_KINDS.filter((kind) => words.includes(kind));
}

/** The event's id: `evt_17`, and `evt_17_2` under a fact's second name. */
export function eventIdOf(row: number, type: StoredEventType, kind: EventKind): string {
  return kind === type ? `evt_${row}` : `evt_${row}_2`;
}

/** The row and the name (first or second) behind an event's id, or null. */
export function parseEventId(text: string): { readonly row: number; readonly second: boolean } | null {
  const match = /^evt_([1-9][0-9]{0,14})(_2)?$/.exec(text);
  return match === null ? null : { row: Number(match[1]), second: match[2] !== undefined };
}

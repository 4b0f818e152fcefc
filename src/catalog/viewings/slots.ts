/**
 * The times of a sale for people to come: its seller's viewing days, and the days on which what was bought is
 * collected, cut into slots where the seller has said how long one is. A slot is one person's; a day without slots is
 * open to all.
 */
import type { Knex } from 'knex';
import { isoFromUs } from '../../../engine/time.ts';
import { notFound } from '../../shared/refusal.ts';
import { findVisibleAuction } from '../../shared/visibility/read-visibility.ts';

export interface Slot {
  /** Its beginning, and which of several at that time. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly place: string | null;
}

interface Period {
  readonly from: string;
  readonly to: string;
  readonly place: string | null;
  readonly slot_minutes: number | null;
}

/** `slot_minutes` null: a day without slots. */
export type SlotToCome = Slot & Pick<Period, 'slot_minutes'>;

const MAX_SLOTS = 2_000;

/** What is still to come, in order. Throws 404 where the viewer does not see the auction. */
export async function slotsToCome(
  knex: Knex,
  auctionId: number,
  viewer: { readonly userId: number } | null,
  kind: 'viewings' | 'collections',
): Promise<SlotToCome[]> {
  if (!(await findVisibleAuction(knex, auctionId, viewer))) throw notFound('There is no such auction.');
  // SQL: one column of the auction.
  const row = await knex('auctions').where('id', auctionId).first<{ periods: Period[] }>({ periods: kind });
  const seen = new Map<string, number>();
  const now = Date.now();
  return row.periods
    .flatMap(slotsOf)
    .sort((a, b) => Date.parse(a.from) - Date.parse(b.from))
    .map((slot) => {
      const name = slot.from.replaceAll(/[-:]|\.\d+/g, '');
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      return { id: count === 1 ? name : `${name}-${count}`, ...slot };
    })
    .filter(({ to }) => Date.parse(to) > now)
    .slice(0, MAX_SLOTS);
}

/** Under which name somebody holds a slot; of a day without slots everybody has their own. */
export function slotHeldBy(userId: number, { id, slot_minutes: minutes }: SlotToCome): string {
  return minutes === null ? `${id}~${userId}` : id;
}

function slotsOf({ from, to, place, slot_minutes }: Period): Omit<SlotToCome, 'id'>[] {
  if (slot_minutes === null) return [{ from, to, place, slot_minutes }];
  const [begin, end, step] = [Date.parse(from), Date.parse(to), slot_minutes * 60_000];
  const slots: Omit<SlotToCome, 'id'>[] = [];
  for (let at = begin; at + step <= end && slots.length < MAX_SLOTS; at += step) {
    const iso = (ms: number) => isoFromUs(ms * 1_000);
    slots.push({ from: iso(at), to: iso(at + step), place, slot_minutes });
  }
  return slots;
}

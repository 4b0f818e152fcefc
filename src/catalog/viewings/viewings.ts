/**
 * When a sale's lots can be seen: the seller's viewing days, cut into slots where the seller has said how long one is.
 * A slot is one person's; a day without slots is open to all and needs no booking.
 */
import ical, { ICalCalendarMethod } from 'ical-generator';
import type { Knex } from 'knex';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { findVisibleAuction } from '../../shared/visibility/read-visibility.ts';
import { ViewingBooking } from './viewing.model.ts';

export interface Slot {
  /** Its beginning, and which of several at that time. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly place: string | null;
}

export interface Viewing extends Slot {
  readonly free: boolean;
  /** The viewer has booked it. */
  readonly is_mine: boolean;
}

interface Period {
  readonly from: string;
  readonly to: string;
  readonly place: string | null;
  readonly slot_minutes: number | null;
}

const MAX_SLOTS = 2_000;

/** What is still to come, in order. Throws 404. */
export async function listViewings(
  knex: Knex,
  auctionId: number,
  viewer: { readonly userId: number } | null,
): Promise<Viewing[]> {
  const slots = await slotsToCome(knex, auctionId, viewer);
  const booked = await ViewingBooking.query(knex).where('auction_id', auctionId);
  const bySlot = new Map(booked.map((booking) => [booking.slot, booking.user_id]));
  return slots.map(({ slot_minutes: minutes, ...slot }) => ({
    ...slot,
    free: minutes === null || !bySlot.has(slot.id),
    is_mine: viewer !== null && bySlot.get(slot.id) === viewer.userId,
  }));
}

/** Books a slot; again by the same person it is theirs. Throws 404, and 409 `slot_taken` for somebody else's. */
export async function bookViewing(knex: Knex, userId: number, auctionId: number, id: string): Promise<Slot> {
  const found = (await slotsToCome(knex, auctionId, { userId })).find((one) => one.id === id);
  if (found === undefined) throw notFound('There is no such viewing.');
  const { slot_minutes: minutes, ...slot } = found;
  const column = minutes === null ? `${id}~${userId}` : id;
  const times = { starts_at: slot.from, ends_at: slot.to, place: slot.place };
  await ViewingBooking.query(knex)
    .insert({ auction_id: auctionId, slot: column, user_id: userId, ...times })
    .onConflict(['auction_id', 'slot'])
    .ignore();
  const holder = await ViewingBooking.query(knex).findById([auctionId, column]);
  if (holder?.user_id !== userId) throw new Refusal('slot_taken');
  return slot;
}

/** The caller's booking as iCalendar. Throws 404 where they have none. */
export async function bookingCalendar(
  knex: Knex,
  userId: number,
  auctionId: number,
  { id, baseUrl }: { readonly id: string; readonly baseUrl: string },
): Promise<string> {
  const booking = await ViewingBooking.query(knex)
    .where({ auction_id: auctionId, user_id: userId })
    .whereIn('slot', [id, `${id}~${userId}`])
    .first();
  if (booking === undefined) throw notFound('There is no such booking.');
  // SQL: the auction's name for the calendar.
  const { title, slug } = await knex('auctions').where('id', auctionId).first('title', 'slug');
  const url = `${baseUrl}/auctions/${slug}`;
  const file = ical({ name: title, method: ICalCalendarMethod.PUBLISH, prodId: '//auctions//viewing//EN' });
  file.createEvent({
    id: `viewing-${auctionId}-${id}@${new URL(baseUrl).hostname}`,
    start: new Date(booking.starts_at),
    end: new Date(booking.ends_at),
    summary: `Viewing: ${title}`,
    url,
    ...(booking.place === null ? {} : { location: booking.place }),
  });
  return file.toString();
}

async function slotsToCome(
  knex: Knex,
  auctionId: number,
  viewer: { readonly userId: number } | null,
): Promise<(Slot & Pick<Period, 'slot_minutes'>)[]> {
  if (!(await findVisibleAuction(knex, auctionId, viewer))) throw notFound('There is no such auction.');
  // SQL: one column of the auction.
  const row = await knex('auctions').where('id', auctionId).first<{ viewings: Period[] }>('viewings');
  const seen = new Map<string, number>();
  const now = Date.now();
  return row.viewings
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

function slotsOf({ from, to, place, slot_minutes }: Period): Omit<Slot & Period, 'id'>[] {
  if (slot_minutes === null) return [{ from, to, place, slot_minutes }];
  const [begin, end, step] = [Date.parse(from), Date.parse(to), slot_minutes * 60_000];
  const slots: Omit<Slot & Period, 'id'>[] = [];
  for (let at = begin; at + step <= end && slots.length < MAX_SLOTS; at += step) {
    const iso = (ms: number) => new Date(ms).toISOString();
    slots.push({ from: iso(at), to: iso(at + step), place, slot_minutes });
  }
  return slots;
}

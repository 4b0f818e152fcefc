/** When a sale's lots can be seen, and booking a time. A day without slots is open to all and needs no booking. */
import ical, { ICalCalendarMethod } from 'ical-generator';
import type { Knex } from 'knex';
import type { Language } from '../../shared/language.ts';
import { inLanguage } from '../../shared/languages/phrasebook.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { inReadersWords } from '../../shared/translations.ts';
import { type Slot, slotHeldBy, slotsToCome } from './slots.ts';
import { ViewingBooking } from './viewing.model.ts';

export interface Viewing extends Slot {
  readonly free: boolean;
  /** The viewer has booked it. */
  readonly is_mine: boolean;
}

/** What is still to come, in order. Throws 404. */
export async function listViewings(
  knex: Knex,
  auctionId: number,
  viewer: { readonly userId: number } | null,
): Promise<Viewing[]> {
  const slots = await slotsToCome(knex, auctionId, viewer, 'viewings');
  const booked = await ViewingBooking.query(knex).where('auction_id', auctionId);
  const bySlot = new Map(booked.map((booking) => [booking.slot, booking.user_id]));
  return slots.map((one) => {
    const { slot_minutes: minutes, ...slot } = one;
    const free = minutes === null || !bySlot.has(slot.id);
    const isMine = viewer !== null && bySlot.get(slotHeldBy(viewer.userId, one)) === viewer.userId;
    return { ...slot, free, is_mine: isMine };
  });
}

/** Books a slot; again by the same person it is theirs. Throws 404, and 409 `slot_taken` for somebody else's. */
export async function bookViewing(knex: Knex, userId: number, auctionId: number, id: string): Promise<Slot> {
  const found = (await slotsToCome(knex, auctionId, { userId }, 'viewings')).find((one) => one.id === id);
  if (found === undefined) throw notFound('There is no such viewing.');
  const { slot_minutes: _, ...slot } = found;
  const column = slotHeldBy(userId, found);
  const times = { starts_at: slot.from, ends_at: slot.to, place: slot.place };
  await ViewingBooking.query(knex)
    .insert({ auction_id: auctionId, slot: column, user_id: userId, ...times })
    .onConflict(['auction_id', 'slot'])
    .ignore();
  const holder = await ViewingBooking.query(knex).findById([auctionId, column]);
  if (holder?.user_id !== userId) throw new Refusal('slot_taken');
  return slot;
}

interface WantedCalendar {
  readonly id: string;
  readonly baseUrl: string;
  /** Who the calendar is for reads it. */
  readonly language: Language;
}

/** The caller's booking as iCalendar. Throws 404 where they have none. */
export async function bookingCalendar(
  knex: Knex,
  userId: number,
  auctionId: number,
  { id, baseUrl, language }: WantedCalendar,
): Promise<string> {
  const booking = await ViewingBooking.query(knex)
    .where({ auction_id: auctionId, user_id: userId })
    .whereIn('slot', [id, `${id}~${userId}`])
    .first();
  if (booking === undefined) throw notFound('There is no such booking.');
  // SQL: the auction's name for the calendar.
  const auction = await knex('auctions').where('id', auctionId).first('title', 'translations', 'slug');
  const { title, slug } = inReadersWords(auction, language);
  const named = inLanguage(language, 'Viewing: {0}', title);
  const url = `${baseUrl}/auctions/${slug}`;
  const file = ical({
    name: title,
    method: ICalCalendarMethod.PUBLISH,
    prodId: `//auctions//viewing//${language.toUpperCase()}`,
  });
  file.createEvent({
    id: `viewing-${auctionId}-${id}@${new URL(baseUrl).hostname}`,
    start: new Date(booking.starts_at),
    end: new Date(booking.ends_at),
    summary: named,
    url,
    ...(booking.place === null ? {} : { location: booking.place }),
  });
  return file.toString();
}

/** Viewings of a sale by API: when its lots can be seen, booking a slot, and the booking for a calendar. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { Id, orNull, Time } from '../../shared/fields.schema.ts';
import { acceptedLanguage } from '../../shared/language.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { bookingCalendar, bookViewing, listViewings } from './viewings.ts';

const slot = { id: Type.String(), from: Time, to: Time, place: orNull(Type.String()) };
const Viewing = Type.Object(
  {
    ...slot,
    free: Type.Boolean({ description: 'Nobody has booked it; days without slots are free for all.' }),
    is_mine: Type.Boolean(),
  },
  { $id: 'Viewing' },
);
const Booking = Type.Object(slot, { $id: 'ViewingBooking' });

const tags = ['Viewings'];
const PATH = '/api/v1/auctions/{auction}/viewings';
const AuctionParams = Type.Object({ auction: Id });
const SlotParams = Type.Object({
  auction: Id,
  viewing: Type.String({ pattern: '^[0-9TZ]{1,20}(-[0-9]{1,4})?$' }),
});

export function viewingEndpoints(knex: Knex): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: PATH,
      operationId: 'listViewings',
      summary: 'When a sale’s lots can be seen from now on',
      tags,
      access: { kind: 'public' },
      params: AuctionParams,
      responses: { 200: { description: 'In order of time.', schema: bodyOf(Type.Array(Viewing)) } },
      async handle({ params, principal }) {
        return success(await listViewings(knex, params.auction, principal));
      },
    }),
    endpoint({
      method: 'POST',
      path: `${PATH}/{viewing}/booking`,
      operationId: 'bookViewing',
      summary: 'Book a viewing',
      tags,
      access: { kind: 'ability', ability: 'write' },
      params: SlotParams,
      codes: ['slot_taken'],
      responses: { 201: { description: 'It is the caller’s.', schema: bodyOf(Booking) } },
      async handle({ params, principal }) {
        const booked = await bookViewing(knex, principal.userId, params.auction, params.viewing);
        return success(booked, { status: 201, message: 'The viewing is booked.' });
      },
    }),
    endpoint({
      method: 'GET',
      path: `${PATH}/{viewing}/booking.ics`,
      operationId: 'getViewingCalendar',
      summary: 'The caller’s booking for a calendar',
      tags,
      access: { kind: 'ability', ability: 'read' },
      params: SlotParams,
      responses: {
        200: { description: 'iCalendar (RFC 5545).', schema: Type.String(), contentType: 'text/calendar' },
      },
      async handle({ params, principal, baseUrl, headers }) {
        const language = acceptedLanguage(headers['accept-language']);
        const wanted = { id: params.viewing, baseUrl, language };
        const raw = await bookingCalendar(knex, principal.userId, params.auction, wanted);
        return {
          status: 200,
          raw,
          contentType: 'text/calendar; charset=utf-8',
          headers: { Vary: 'Accept-Language', 'Content-Language': language },
        };
      },
    }),
  ];
}

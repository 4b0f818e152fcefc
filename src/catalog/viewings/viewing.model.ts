/** Slots that somebody has booked. */
import { Type } from '@sinclair/typebox';
import { shapedBy } from '../../../adapters/postgres/model.ts';
import { orNull, Time } from '../../shared/fields.schema.ts';

const BookingColumns = Type.Object({
  auction_id: Type.Integer(),
  slot: Type.String(),
  user_id: Type.Integer(),
  starts_at: Time,
  ends_at: Time,
  place: orNull(Type.String()),
  booked_at: Time,
});

export class ViewingBooking extends shapedBy('viewing_bookings', BookingColumns, ['auction_id', 'slot']) {}

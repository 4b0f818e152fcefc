/** Which reserves of a sale of tracts may be told: all of them, once it is over. */
import type { OpenedSecret, Openings } from '../../lot/format.ts';
import type { ParcelsEvent } from './parcels-events.ts';
import { saltOf, settingsOf } from './parcels-settings.ts';

/** Bids are public as they are: there is nothing of a bidder's own to open. */
export function openings(events: readonly ParcelsEvent[], ownerUserId: number | null): Openings {
  const isOver = events.some(({ type }) => type === 'lot_closed');
  return { closed: isOver, secrets: ownerUserId === null && isOver ? events.flatMap(opened) : [] };
}

function opened(event: ParcelsEvent): OpenedSecret[] {
  if (event.type === 'terms_changed') {
    const { sequence, salt, reserveCents, lotId = 0 } = event;
    return reserve(sequence, saltOf(salt, lotId), reserveCents);
  }
  if (event.type !== 'lot_scheduled') return [];
  const { sequence, salt, settings = {}, decimals = 2 } = event;
  const { lots, wholeReserveCents } = settingsOf(settings, decimals);
  return [
    ...lots.flatMap(({ lotId, reserveCents }) => reserve(sequence, saltOf(salt, lotId), reserveCents)),
    ...reserve(sequence, saltOf(salt, 'whole'), wholeReserveCents),
  ];
}

function reserve(sequence: number, salt: string, cents: number | null): OpenedSecret[] {
  return cents === null ? [] : [{ sequence, kind: 'reserve', bidId: null, salt, cents }];
}

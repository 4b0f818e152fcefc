/** What an event of a journal shows to have happened in a run, by its format. */
import { formatOfEntry } from '../../../engine/formats/formats.ts';
import type { ParcelsEvent } from '../../../engine/formats/parcels/parcels-events.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import type { LotEvent } from '../../../engine/lot/events.ts';
import type { Kind } from '../trace.ts';

export function kindsOf(event: LotEvent, entry: SealedEntry): Kind[] {
  switch (formatOfEntry(entry.privateText).name) {
    case 'tender':
      return tenderKinds(event);
    case 'falling':
      return fallingKinds(event);
    case 'parcels':
      // Cast: the journal of a lot holds its format's events.
      return parcelsKinds(event as ParcelsEvent);
    default:
      return timedKinds(event, entry);
  }
}

function timedKinds(event: LotEvent, { recordedAtUs }: SealedEntry): Kind[] {
  if (event.type === 'lot_closed' && event.reason !== 'buy_now')
    return [event.status === 'sold' ? 'sale' : 'closing'];
  if (event.type === 'hammer_fell') return ['hammer_fell'];
  if (event.type === 'choice_opened')
    return [event.lots === undefined ? 'winner_chooses' : 'chosen_by_clerk'];
  if (event.type === 'choice_made') return [`chosen_by_${event.by}`];
  if (event.type === 'lot_rescheduled' && event.reason === 'group') return ['group_moved'];
  if (event.type !== 'bid_placed') return [];
  const kinds: Kind[] = [event.outcome === 'won' ? 'purchase' : 'bid'];
  if (event.extendedToUs !== null) kinds.push('extension');
  if (event.channel === 'floor' && event.outcome !== 'won') kinds.push('floor_bid');
  if (event.endsAtUs - recordedAtUs < 250_000) kinds.push('late_bid');
  return kinds;
}

function tenderKinds(event: LotEvent): Kind[] {
  if (event.type === 'bid_sealed') return [event.round === 2 ? 'final_bid' : 'sealed_bid'];
  if (event.type === 'bid_unsealed') return ['unsealed'];
  if (event.type === 'final_round_opened') return ['final_round'];
  if (event.type !== 'bids_opened') return [];
  const cents = event.bids.flatMap((bid) => (bid.rank === null ? [] : [bid.cents]));
  return cents.length > 1 && cents[0] === cents[1] ? ['opened', 'tied'] : ['opened'];
}

function fallingKinds(event: LotEvent): Kind[] {
  if (event.type === 'bid_placed') return ['taken'];
  if (event.type === 'bid_voided') return ['put_back'];
  if (event.type !== 'lot_closed') return [];
  return event.reason === 'taken' ? ['all_taken'] : [];
}

function parcelsKinds(event: ParcelsEvent): Kind[] {
  if (event.type === 'lot_withdrawn' && event.lotId !== undefined) return ['tract_withdrawn'];
  if (event.type === 'lot_closed' && 'set' in event && (event.set?.lotIds.length ?? 0) > 1)
    return ['set_sold'];
  if (event.type !== 'bid_placed') return [];
  const leads = event.leading.some((bid) => bid.bid_id === event.bidId);
  const kinds: Kind[] = [leads ? 'tracts_led' : 'standing_bid'];
  if (event.extendedToUs !== null) kinds.push('tracts_extended');
  return kinds;
}

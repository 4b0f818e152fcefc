/** What the hammer makes of a group's lots (rule 25): who has chosen which, and how each of those ends. */
import type { ChoiceSale } from '../../auction/choice-groups.ts';
import type { AuctionRecord } from '../../auction/record.ts';
import type { LotClosed, NewEvent } from '../../lot/events.ts';
import { totalOf } from '../../lot/units.ts';
import type { ChoiceMade } from './choice-events.ts';
import { hammerRow, isSaid } from './decide-sale.ts';
import type { EnglishEvent } from './english-events.ts';
import type { EnglishState } from './english-state.ts';

type Made = Omit<ChoiceMade, 'sequence' | 'type'>;

/** What is written on the lot that carried the bidding: it ends with that where it is chosen itself. */
export function chosenEvents(
  state: EnglishState,
  made: Made,
  record: AuctionRecord,
): NewEvent<EnglishEvent>[] {
  const isOwn = made.lots.some(({ lotId }) => lotId === state.lotId);
  return [{ type: 'choice_made', ...made }, ...(isOwn ? soldEvents(state, made, record) : [])];
}

/** How a lot ends that was chosen: with a row of its own where none says so yet. */
export function soldEvents(
  state: EnglishState,
  { lots, winner, hammerCents, channel, flags, saleFacts, causedBy }: Omit<ChoiceSale, 'floor'>,
  record: AuctionRecord,
): NewEvent<EnglishEvent>[] {
  const { lotId, reserveCents } = state;
  const own = lots.find((lot) => lot.lotId === lotId);
  if (own === undefined) return [];
  const { bidId, salt } = own;
  const row = { bidId, salt, channel, bidder: winner, hammerCents };
  const isShort = reserveCents !== null && hammerCents < reserveCents;
  const closed: Omit<LotClosed, 'sequence'> = {
    type: 'lot_closed',
    status: 'sold',
    reason: 'choice',
    hammerCents: totalOf(state.units, hammerCents),
    winner: { ...winner, paddle: winner.paddle === '' ? null : winner.paddle },
    flags: isShort ? [...flags, 'reserve_not_met'] : flags,
    floor: null,
    saleFacts,
    ...(causedBy === lotId ? null : { causedBy }),
  };
  return isSaid(state, winner, hammerCents) ? [closed] : [hammerRow(state, row, record), closed];
}

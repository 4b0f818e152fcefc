/** What a fact of the outbox says of a lot in any case, and the fact of a void. */
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { formatOf } from '../../../engine/formats/formats.ts';
import type { BidVoided } from '../../../engine/lot/events.ts';
import type { Leading, Sale } from '../../../engine/lot/format.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { formatCents } from '../../../engine/money.ts';
import type { OutboxEvent } from '../../events/outbox.ts';
import { cleanText } from './clean-text.ts';

export function lotFact(state: LotState, record: AuctionRecord | null) {
  return {
    teamId: record?.ownerTeamId ?? null,
    userId: null,
    auctionId: state.auctionId,
    lotId: state.lotId,
  };
}

export function lotData(state: LotState): Record<string, unknown> {
  return { lot_id: state.lotId, auction_id: state.auctionId, lot_number: state.lotNumber };
}

export function voidFact(
  event: BidVoided,
  { state, before }: { readonly state: LotState; readonly before: LotState },
  record: AuctionRecord | null,
): OutboxEvent {
  return {
    ...lotFact(state, record),
    userId: backWith(leadersOf(state), leadersOf(before)),
    eventKey: `lot-${state.lotId}-void-${event.sequence}`,
    type: 'bid.voided',
    data: {
      ...lotData(state),
      bid_id: event.bidId,
      reason: cleanText(event.reason),
      current_bid: formatCents(event.currentCents, state.decimals),
      previous_bid: formatCents(before.currentCents, state.decimals),
      undone: event.undone === true,
      bid_count: event.bidCount,
      sequence: event.sequence,
    },
  };
}

/** Whom the lead went back to, as far as they have an account: they are told. */
function backWith([now]: readonly Leading[], [before]: readonly Leading[]): number | null {
  return now === undefined || now.key === before?.key ? null : now.userId;
}

export function leadersOf(state: LotState): readonly Leading[] {
  return state.format === '' ? [] : formatOf(state).leadersOf(state);
}

/** Who has bought what of a sold lot. */
export function salesOf(state: LotState): readonly Sale[] {
  return formatOf(state).salesOf(state);
}

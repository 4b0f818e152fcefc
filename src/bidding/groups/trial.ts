/** Whether a bid would be refused if it were placed now, by the rules themselves; nothing is recorded. */
import type { Engine } from '../../../engine/actor/engine.ts';
import { formatOf } from '../../../engine/formats/formats.ts';
import type { Refused } from '../../../engine/lot/answers.ts';
import type { BidderIdentity, PlaceBid } from '../../../engine/lot/commands.ts';
import type { LotState } from '../../../engine/lot/state.ts';

export interface TrialParts {
  readonly engine: Pick<Engine, 'auctionCache'>;
  readonly journal: { nowUs(): number };
}

/** Throws `JournalUnavailable` where it cannot be known. */
export async function tryBid(
  { engine, journal }: TrialParts,
  state: LotState,
  bidder: BidderIdentity,
  ceilingCents: number,
): Promise<Refused | null> {
  const auction = engine.auctionCache(state.auctionId);
  const record = await auction.load();
  await auction.loadBidders([bidder.key]);
  const command: PlaceBid = {
    ...{ type: 'place_bid', bidId: '', salt: '', channel: 'online', currency: null, floor: null },
    ...{ bidder, ceilingCents, straightCents: null, confirm: true },
  };
  const decision = formatOf(state).decide(state, command, {
    record,
    bidder: auction.bidder(bidder.key) ?? null,
    exposureCents: auction.exposureCents(bidder.key),
    nowUs: journal.nowUs(),
  });
  return 'need' in decision || decision.answer.kind !== 'refused' ? null : decision.answer;
}

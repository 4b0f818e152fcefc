/**
 * The rows of a lot's bid history: the bids, and among them every other price that the lot has stood at, newest first.
 * The first row that was not voided is the price itself.
 */
import type { BidView } from '../../bidding/bids/bid-views.ts';
import type { PriceStep } from '../../bidding/bids/price-history.ts';

export interface HistoryRow {
  readonly sequence: number;
  readonly amount: string;
  /** ISO 8601. */
  readonly placed_at: string;
  readonly status: string;
  /** Null where it is not known. */
  readonly paddle: string | null;
  readonly isMine: boolean;
  /** In a word or two, how it came about where it was no ordinary bid. */
  readonly how: string | null;
  /** Null: no bid of its own. */
  readonly bidId: string | null;
}

const OUTCOMES: Readonly<Record<string, string>> = { outbid: 'outbid at once', won: 'bought now' };

/**
 * `bids` newest first, `steps` oldest first; `paddle` is the viewer's own, `rises` says whether a bid that is not above
 * those before it is outbid at once.
 */
export function bidHistory(
  bids: readonly BidView[],
  steps: readonly PriceStep[],
  { paddle, rises }: { readonly paddle: string | null; readonly rises: boolean },
): HistoryRow[] {
  const voided = new Set(bids.filter(({ status }) => status === 'voided').map(({ id }) => id));
  const rows = [
    ...bids.map((bid) => bidRow(bid, rises)),
    ...steps.map((step) => stepRow(step, voided, paddle)),
  ];
  return rows.sort((a, b) => b.sequence - a.sequence || rank(a) - rank(b));
}

/** What a bid was answered with stands above it. */
const rank = ({ bidId }: HistoryRow) => (bidId === null ? 0 : 1);

function bidRow(bid: BidView, rises: boolean): HistoryRow {
  const { channel, outcome, status } = bid;
  const pieces = bid.take === undefined ? null : `${bid.take} ${bid.take === 1 ? 'piece' : 'pieces'}`;
  const tracts = (bid.lot_ids ?? []).length > 1 ? `${bid.lot_ids?.length} tracts together` : null;
  const outcomeText = rises ? (OUTCOMES[outcome] ?? null) : null;
  const how = pieces ?? tracts ?? (channel === 'online' ? outcomeText : channel);
  return {
    sequence: bid.sequence ?? 0,
    amount: bid.amount,
    placed_at: bid.placed_at,
    status,
    paddle: bid.bidder.paddle_number,
    isMine: bid.is_mine,
    how: status === 'voided' ? 'voided' : how,
    bidId: bid.id,
  };
}

function stepRow(step: PriceStep, voided: ReadonlySet<string>, own: string | null): HistoryRow {
  const isVoided = step.bidId !== null && voided.has(step.bidId);
  return {
    sequence: step.sequence,
    amount: step.price,
    placed_at: step.at,
    status: isVoided ? 'voided' : 'automatic',
    paddle: step.paddle,
    isMine: own !== null && step.paddle === own,
    how: step.cause === 'void' ? 'after a void' : 'automatic',
    bidId: null,
  };
}

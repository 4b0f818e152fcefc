/**
 * Finds for each bid in a lot's journal the request that made it. Called by the check for every lot; what cannot be
 * explained is a lost, phantom or double bid. A request that nobody answered may explain a bid of the same bidder with
 * the same amounts.
 */
import type { BidItem, LotHistory, Operation, Violation } from './terms.ts';

export interface Matched {
  /** For each position of the journal (the first item is 1) the request behind it. */
  readonly behind: ReadonlyMap<number, Operation>;
}

type Report = (violation: Violation) => void;

/** `bids` are the lot's, tries already merged. */
export function matchBids(lot: LotHistory, bids: readonly Operation[], report: Report): Matched {
  const found = new Map<number, { position: number; item: BidItem }>();
  const say = (kind: Violation['kind'], what: string) => report({ kind, lotId: lot.lotId, what });
  const ids = new Set<string>();
  lot.items.forEach((item, index) => {
    if (item.kind !== 'bid') return;
    found.set(item.sequence, { position: index + 1, item });
    if (ids.has(item.bidId)) say('double', `bid ${item.bidId} is in the journal twice`);
    ids.add(item.bidId);
  });
  const behind = new Map<number, Operation>();
  for (const bid of bids) {
    if (bid.answer.kind !== 'accepted') continue;
    const { sequence, bidId, outcome } = bid.answer;
    const match = found.get(sequence);
    if (match === undefined || match.item.bidId !== bidId) {
      say(
        'lost',
        `bid ${bidId} of ${bid.bidder} was acknowledged at ${sequence}, where there is no such bid`,
      );
      continue;
    }
    const { position, item } = match;
    if (behind.has(position)) say('lost', `${sequence} was told to two bids`);
    else if (signature(item) !== signature(bid))
      say('lost', `${sequence} holds another bid than acknowledged`);
    if (item.outcome !== outcome)
      say('answers', `the bid at ${sequence} was said to be ${outcome}, not ${item.outcome}`);
    behind.set(position, bid);
  }
  explain(lot, bids, behind, say);
  return { behind };
}

function signature(bid: Pick<BidItem, 'bidder' | 'straightCents' | 'ceilingCents'>): string {
  return `${bid.bidder}|${bid.straightCents ?? ''}|${bid.ceilingCents}`;
}

/** Requests of one kind differ only in when they began: the earlier bid in the journal goes to the earlier one. */
function explain(
  lot: LotHistory,
  bids: readonly Operation[],
  behind: Map<number, Operation>,
  say: (kind: Violation['kind'], what: string) => void,
): void {
  const left = lot.items.flatMap((item, index) =>
    item.kind === 'bid' && !behind.has(index + 1) ? [{ position: index + 1, item }] : [],
  );
  if (left.length === 0) return;
  const wanted = new Set(left.map(({ item }) => signature(item)));
  const unknown = new Map<string, Operation[]>();
  const sent = new Set<string>();
  for (const bid of bids) {
    const name = signature(bid);
    if (!wanted.has(name)) continue;
    if (bid.answer.kind === 'unknown') {
      const group = unknown.get(name) ?? [];
      group.push(bid);
      unknown.set(name, group);
    }
    if (bid.answer.kind === 'unknown' || bid.answer.kind === 'accepted') sent.add(name);
  }
  for (const group of unknown.values()) group.sort((a, b) => b.invokedUs - a.invokedUs);
  for (const { position, item } of left) {
    const name = signature(item);
    const from = unknown.get(name)?.pop();
    if (from !== undefined) behind.set(position, from);
    else if (sent.has(name))
      say('double', `the bid at ${item.sequence} of ${item.bidder} stands once too often`);
    else say('phantom', `nobody sent the bid at ${item.sequence} of ${item.bidder}, or it was refused`);
  }
}

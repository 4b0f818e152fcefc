/**
 * The history check: whether one order of each lot's bids, the one in its journal, explains everything that clients
 * saw. Given the requests with their calls and returns and the journals, it finds lost, phantom and double bids,
 * orders that real time forbids, refusals that were never true and journals that the rules do not make. Exact for one
 * lot, as a brute-force search shows; a limit that spans lots is checked against the widest exposure that the other
 * lots allow. A million requests take seconds.
 */
import { mergeTries } from './attempts.ts';
import { matchBids } from './matching.ts';
import { choose, Moments, type Run } from './moments.ts';
import { firstView, fold, type LotView, refusedWhile, type Span } from './rules.ts';
import type { ClockTerms, LotHistory, Operation, Violation } from './terms.ts';

export interface Verdict {
  readonly violations: readonly Violation[];
  /** Bids after the tries of each were put together. */
  readonly bids: number;
  readonly accepted: number;
  readonly refused: number;
  /** Bids without an answer, and how many of them were recorded. */
  readonly unanswered: number;
  readonly unansweredStanding: number;
}

/** What is known of one lot before its refusals are checked. */
interface Stage {
  readonly lot: LotHistory;
  readonly views: readonly LotView[];
  readonly moments: Moments;
  readonly refusals: readonly Operation[];
  readonly sound: boolean;
}

/** Checks the whole history. The clients' clock and the journal's are one machine's, but for `clock`. */
export function checkHistory(
  lots: readonly LotHistory[],
  operations: readonly Operation[],
  clock: ClockTerms,
): Verdict {
  const violations: Violation[] = [];
  const report = (violation: Violation) => void violations.push(violation);
  const bids = mergeTries(operations, report);
  const byLot = new Map<number, Operation[]>(lots.map(({ lotId }) => [lotId, []]));
  for (const bid of bids) {
    const group = byLot.get(bid.lotId);
    if (group !== undefined) group.push(bid);
    else if (bid.answer.kind === 'accepted')
      report({ kind: 'lost', lotId: bid.lotId, what: 'a bid was acknowledged on a lot without a journal' });
  }
  let unansweredStanding = 0;
  const stages = lots.map((lot) => {
    const own = byLot.get(lot.lotId)!;
    const { behind } = matchBids(lot, own, report);
    for (const bid of behind.values()) if (bid.answer.kind === 'unknown') unansweredStanding += 1;
    return stageOf(lot, own, behind, clock, report);
  });
  const auctions = groupBy(stages, ({ lot }) => lot.auctionId);
  for (const stage of stages) {
    const others = auctions.get(stage.lot.auctionId)!.filter((other) => other !== stage);
    if (stage.sound) checkRefusals(stage, others, clock, report);
  }
  const count = (kind: string) => bids.filter(({ answer }) => answer.kind === kind).length;
  return {
    violations,
    bids: bids.length,
    accepted: count('accepted'),
    refused: count('refused'),
    unanswered: count('unknown'),
    unansweredStanding,
  };
}

function groupBy<T, K>(all: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}

type Report = (violation: Violation) => void;

/** Replays the journal, and bounds the moment of each item by the request behind it and by the journal's clock. */
function stageOf(
  lot: LotHistory,
  bids: readonly Operation[],
  behind: ReadonlyMap<number, Operation>,
  clock: ClockTerms,
  report: Report,
): Stage {
  const { lotId, items } = lot;
  const views = [firstView(lot)];
  const moments = new Moments(items.length);
  let sequence = 0;
  for (const [index, item] of items.entries()) {
    const { view, fault } = fold(lot, views[index]!, item);
    views.push(view);
    if (fault !== null) report({ kind: 'rules', lotId, what: `${item.sequence}: ${fault}` });
    if (item.sequence <= sequence)
      report({ kind: 'rules', lotId, what: `${item.sequence} follows on ${sequence}` });
    sequence = item.sequence;
    moments.bound(index + 1, item.atUs - clock.toleranceUs, item.atUs + clock.stampAgeUs + clock.toleranceUs);
    const bid = behind.get(index + 1);
    if (bid !== undefined) moments.bound(index + 1, bid.invokedUs, bid.returnedUs);
  }
  const stuck = moments.settle();
  if (stuck !== null) {
    const { sequence } = items[stuck - 1]!;
    const what = `${sequence} stands where no moment is left between what returned before and what began after`;
    report({ kind: 'order', lotId, what });
  }
  const refusals = bids.filter(({ answer }) => answer.kind === 'refused');
  return { lot, views, moments, refusals, sound: stuck === null };
}

function checkRefusals(stage: Stage, others: readonly Stage[], clock: ClockTerms, report: Report): void {
  const { lot, refusals } = stage;
  const pending: (readonly Run[])[] = [];
  // Found with the bounds of the bids alone, which hold whatever the refusals add.
  const found = refusals.map((refusal) => runsOf(stage, refusal, others, clock));
  for (const [index, runs] of found.entries()) {
    const refusal = refusals[index]!;
    if (runs.length === 0) report({ kind: 'refusal', lotId: lot.lotId, what: describe(refusal) });
    else if (runs.length > 1) pending.push(runs);
    else stage.moments.narrow(runs[0]!);
  }
  const stuck = stage.moments.settle();
  let possible = stuck === null;
  try {
    possible &&= choose(stage.moments, pending) !== null;
  } catch {
    report({ kind: 'refusal', lotId: lot.lotId, what: `${pending.length} refusals have too many readings` });
  }
  if (possible) return;
  const where = stuck === null ? '' : ` around ${lot.items[stuck - 1]!.sequence}`;
  report({
    kind: 'refusal',
    lotId: lot.lotId,
    what: `its refusals cannot all have been true in one order${where}`,
  });
}

/** The stretches of the lot's life in which a refusal was true and its caller waited. */
function runsOf(stage: Stage, refusal: Operation, others: readonly Stage[], clock: ClockTerms): Run[] {
  const { lot, views, moments } = stage;
  const { invokedUs, returnedUs } = refusal;
  const runs: Run[] = [];
  const { first, last } = moments.gapsBetween(invokedUs, returnedUs);
  const elsewhere = () => exposure(others, refusal);
  let before: readonly Span[] = [];
  for (let gap = first; gap <= last; gap += 1) {
    const spans = refusedWhile(lot, views[gap]!, refusal, clock, elsewhere);
    for (const span of spans) {
      const continues = before.length === 1 && spans.length === 1 && sameSpan(before[0]!, span);
      if (continues) runs[runs.length - 1] = { ...runs[runs.length - 1]!, b: gap };
      else
        runs.push({
          a: gap,
          b: gap,
          fromUs: Math.max(span.fromUs, invokedUs),
          toUs: Math.min(span.toUs, returnedUs),
        });
    }
    before = spans;
  }
  return runs.filter((run) => moments.allows(run));
}

function sameSpan(left: Span, right: Span): boolean {
  return left.fromUs === right.fromUs && left.toUs === right.toUs;
}

/** The most that a bidder may have led with on other lots at some moment of a request. */
function exposure(others: readonly Stage[], { bidder, invokedUs, returnedUs }: Operation): number {
  let sum = 0;
  for (const { views, moments } of others) {
    const { first, last } = moments.gapsBetween(invokedUs, returnedUs);
    let max = 0;
    for (let gap = first; gap <= last; gap += 1) {
      const { leader, status, ceilingCents } = views[gap]!;
      if (leader === bidder && status === 'active') max = Math.max(max, ceilingCents);
    }
    sum += max;
  }
  return sum;
}

function describe({ bidder, straightCents, ceilingCents, answer, invokedUs, returnedUs }: Operation): string {
  const amounts = `${straightCents ?? 'proxy'} up to ${ceilingCents}`;
  const moments = `from ${invokedUs} to ${returnedUs}`;
  return `${bidder} bid ${amounts} and was told ${JSON.stringify(answer)}, never true ${moments}`;
}

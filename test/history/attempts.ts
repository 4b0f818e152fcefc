/**
 * Puts the tries of one bid together: requests of one bidder on one lot under one key are one bid, which happened
 * between the first call and the first answer that settled it. Called by the check before anything else.
 */
import type { Operation, Violation } from './terms.ts';

/**
 * Merges tries into bids; each keeps the shape of an operation. `returnedUs` of a bid that nobody settled is infinite.
 */
export function mergeTries(
  operations: readonly Operation[],
  report: (violation: Violation) => void,
): Operation[] {
  const merged: Operation[] = [];
  const byKey = new Map<string, number>();
  for (const operation of operations) {
    const alone = settled(operation);
    if (operation.key === null) {
      merged.push(alone);
      continue;
    }
    const name = `${operation.lotId}|${operation.bidder}|${operation.key}`;
    const at = byKey.get(name);
    if (at === undefined) {
      byKey.set(name, merged.length);
      merged.push(alone);
    } else {
      merged[at] = together(merged[at]!, alone, report);
    }
  }
  return merged;
}

function isDefinite({ answer }: Operation): boolean {
  return answer.kind === 'accepted' || answer.kind === 'refused';
}

function settled(operation: Operation): Operation {
  return isDefinite(operation) ? operation : { ...operation, returnedUs: Number.POSITIVE_INFINITY };
}

function together(first: Operation, second: Operation, report: (violation: Violation) => void): Operation {
  // A try that took nothing did not begin anything either.
  if (first.answer.kind === 'nothing_recorded') return second;
  if (second.answer.kind === 'nothing_recorded') return first;
  const invokedUs = Math.min(first.invokedUs, second.invokedUs);
  const returnedUs = Math.min(first.returnedUs, second.returnedUs);
  if (isDefinite(first) && isDefinite(second) && !sameAnswer(first, second)) {
    const [left, right] = [JSON.stringify(first.answer), JSON.stringify(second.answer)];
    const { lotId, bidder, key } = first;
    report({ kind: 'answers', lotId, what: `key ${key} of ${bidder} got ${left} and ${right}` });
  }
  return { ...(isDefinite(first) ? first : second), invokedUs, returnedUs };
}

/** Whether two settled attempts got the same answer; a standing that one of them omits is no difference. */
export function sameAnswer(
  { answer: left }: Pick<Operation, 'answer'>,
  { answer: right }: Pick<Operation, 'answer'>,
): boolean {
  if (left.kind === 'accepted' && right.kind === 'accepted') {
    return left.sequence === right.sequence && left.bidId === right.bidId && left.outcome === right.outcome;
  }
  if (left.kind !== 'refused' || right.kind !== 'refused') return false;
  if (left.standing === null || right.standing === null) return left.code === right.code;
  return (
    left.code === right.code &&
    left.standing.currentCents === right.standing.currentCents &&
    left.standing.minimumNextCents === right.standing.minimumNextCents &&
    left.standing.endsAtUs === right.standing.endsAtUs
  );
}

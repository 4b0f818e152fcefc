/**
 * Ways to spoil a history: each changes one thing in what clients saw or in what the journal holds. Whether the result
 * can still be explained is for the two checkers to say; some changes leave it sound.
 */
import { below, type Dice, type MadeHistory } from './random-histories.ts';
import type { BidItem, JournalItem, Operation, OperationAnswer } from './terms.ts';

type Change = (dice: Dice, history: MadeHistory) => MadeHistory;

function withOperation(history: MadeHistory, at: number, change: Partial<Operation>): MadeHistory {
  const operations = history.operations.map((one, index) => (index === at ? { ...one, ...change } : one));
  return { ...history, operations };
}

function withItems(history: MadeHistory, items: readonly JournalItem[]): MadeHistory {
  return { ...history, lot: { ...history.lot, items } };
}

function someOperation(
  dice: Dice,
  { operations }: MadeHistory,
  kind: OperationAnswer['kind'] | null,
): number {
  const found = operations.flatMap(({ answer }, at) => (kind === null || answer.kind === kind ? [at] : []));
  return found.length === 0 ? -1 : found[below(dice, found.length)]!;
}

function changeItem(
  dice: Dice,
  history: MadeHistory,
  change: (item: JournalItem, all: readonly JournalItem[]) => JournalItem,
): MadeHistory {
  const { items } = history.lot;
  const at = below(dice, items.length);
  return withItems(
    history,
    items.map((item, index) => (index === at ? change(item, items) : item)),
  );
}

const CODES = ['bid_too_low', 'max_not_increased', 'lot_closed', 'lot_not_started', 'bid_limit_exceeded'];

/** Sequences anew, so that a missing or added item is not seen by a gap. */
function renumbered(items: readonly JournalItem[]): JournalItem[] {
  return items.map((item, index) => ({ ...item, sequence: index + 2 }));
}

export const CORRUPTIONS: readonly Change[] = [
  (dice, history) => {
    const at = below(dice, history.lot.items.length);
    return withItems(
      history,
      history.lot.items.filter((_, index) => index !== at),
    );
  },
  (dice, history) => {
    const bids = history.lot.items.filter((item): item is BidItem => item.kind === 'bid');
    if (bids.length === 0) return history;
    const again = { ...bids[below(dice, bids.length)]!, bidId: 'again' };
    const at = below(dice, history.lot.items.length + 1);
    return withItems(history, renumbered(history.lot.items.toSpliced(at, 0, again)));
  },
  (dice, history) => {
    const [one, two] = [someOperation(dice, history, 'accepted'), someOperation(dice, history, 'accepted')];
    if (one < 0 || two < 0) return history;
    const { answer } = history.operations[one]!;
    const other = history.operations[two]!.answer;
    return withOperation(withOperation(history, one, { answer: other }), two, { answer });
  },
  (dice, history) => {
    const at = someOperation(dice, history, null);
    if (at < 0) return history;
    const byUs = Math.round((dice() - 0.5) * 400_000);
    const { invokedUs, returnedUs } = history.operations[at]!;
    return withOperation(history, at, { invokedUs: invokedUs + byUs, returnedUs: returnedUs + byUs });
  },
  (dice, history) => {
    const at = someOperation(dice, history, 'refused');
    if (at < 0) return history;
    const answer = history.operations[at]!.answer;
    if (answer.kind !== 'refused') return history;
    const code = CODES[below(dice, CODES.length)]!;
    return withOperation(history, at, { answer: { ...answer, code } });
  },
  (dice, history) => {
    const [at, from] = [someOperation(dice, history, 'refused'), someOperation(dice, history, 'refused')];
    if (at < 0) return history;
    const [answer, other] = [history.operations[at]!.answer, history.operations[from]!.answer];
    if (answer.kind !== 'refused' || other.kind !== 'refused') return history;
    const standing = dice() < 0.3 ? null : other.standing;
    return withOperation(history, at, { answer: { ...answer, standing } });
  },
  (dice, history) => {
    const [at, from] = [someOperation(dice, history, null), someOperation(dice, history, null)];
    if (at < 0) return history;
    return withOperation(history, at, { answer: history.operations[from]!.answer });
  },
  (dice, history) => {
    const at = someOperation(dice, history, null);
    return at < 0 ? history : withOperation(history, at, { answer: { kind: 'unknown' } });
  },
  (dice, history) => {
    const at = someOperation(dice, history, null);
    return { ...history, operations: history.operations.filter((_, index) => index !== at) };
  },
  (dice, history) =>
    changeItem(dice, history, (item) => ({
      ...item,
      atUs: item.atUs + Math.round((dice() - 0.5) * 300_000),
    })),
  (dice, history) =>
    changeItem(dice, history, (item) =>
      item.kind === 'bid'
        ? { ...item, currentCents: item.currentCents + (below(dice, 3) - 1) * 50 }
        : item.kind === 'closed'
          ? { ...item, winner: `p${below(dice, 3)}` }
          : item,
    ),
  (dice, history) => {
    const { items } = history.lot;
    const at = below(dice, Math.max(1, items.length - 1));
    const [one, two] = [items[at], items[at + 1]];
    if (one === undefined || two === undefined) return history;
    return withItems(history, renumbered(items.toSpliced(at, 2, two, one)));
  },
];

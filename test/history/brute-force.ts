/**
 * The history check's question, answered by brute force: tries all orders of one lot's requests and journal items, each
 * at the earliest moment that it may have. Only for small histories; the check is compared with it. It shares the rules
 * with the check, but neither how tries are put together, nor how bids are found, nor how moments are bounded.
 */
import { sameAnswer } from './attempts.ts';
import { firstView, fold, type LotView, refusedWhile } from './rules.ts';
import type { BidItem, ClockTerms, LotHistory, Operation, OperationAnswer } from './terms.ts';

interface Moment {
  readonly position: number;
  readonly view: LotView;
  readonly nowUs: number;
  /** Which requests have had their effect. */
  readonly done: readonly boolean[];
  readonly answers: ReadonlyMap<string, OperationAnswer>;
}

/** Whether some order explains it all. */
export function someOrderExplains(
  lot: LotHistory,
  operations: readonly Operation[],
  clock: ClockTerms,
): boolean {
  const sequences = lot.items.map(({ sequence }) => sequence);
  if (sequences.some((sequence, index) => sequence <= (sequences[index - 1] ?? 0))) return false;
  const ids = lot.items.flatMap((item) => (item.kind === 'bid' ? [item.bidId] : []));
  if (new Set(ids).size < ids.length) return false;
  const search = new Search(lot, operations, clock);
  return search.from({
    position: 0,
    view: firstView(lot),
    nowUs: Number.NEGATIVE_INFINITY,
    done: operations.map(() => false),
    answers: new Map(),
  });
}

class Search {
  readonly #lot: LotHistory;
  readonly #operations: readonly Operation[];
  readonly #clock: ClockTerms;

  constructor(lot: LotHistory, operations: readonly Operation[], clock: ClockTerms) {
    this.#lot = lot;
    this.#operations = operations;
    this.#clock = clock;
  }

  from(moment: Moment): boolean {
    const all = this.#operations.every(
      ({ answer }, index) =>
        moment.done[index] || answer.kind === 'unknown' || answer.kind === 'nothing_recorded',
    );
    if (all && moment.position === this.#lot.items.length) return true;
    const item = this.#lot.items[moment.position];
    if (item !== undefined && item.kind !== 'bid' && this.#takeItem(moment, null)) return true;
    return this.#operations.some(
      (operation, index) => !moment.done[index] && this.#take(moment, operation, index),
    );
  }

  #take(moment: Moment, operation: Operation, index: number): boolean {
    const { answer, key, bidder } = operation;
    if (answer.kind === 'nothing_recorded') return false;
    const name = `${bidder}|${key}`;
    const before = key === null ? undefined : moment.answers.get(name);
    if (before !== undefined) {
      if (answer.kind === 'unknown' || !sameAnswer({ answer: before }, operation)) return false;
      return this.#at(moment, index, operation.invokedUs, operation.returnedUs);
    }
    if (answer.kind === 'accepted') return this.#takeItem(moment, { operation, index, name });
    if (answer.kind === 'refused') return this.#refuse(moment, operation, index, name);
    if (this.#takeItem(moment, { operation, index, name })) return true;
    // The answer of this attempt was lost, but another attempt of the same bid may have received it as a replay.
    return this.#operations.some(
      (other) =>
        key !== null &&
        other.key === key &&
        other.bidder === bidder &&
        other.answer.kind === 'refused' &&
        this.#refuse(moment, { ...operation, answer: other.answer }, index, name),
    );
  }

  #at(moment: Moment, index: number, fromUs: number, toUs: number, rest: Partial<Moment> = {}): boolean {
    const nowUs = Math.max(moment.nowUs, fromUs);
    if (nowUs > toUs) return false;
    const done = moment.done.map((was, at) => was || at === index);
    return this.from({ ...moment, nowUs, done, ...rest });
  }

  #refuse(moment: Moment, operation: Operation, index: number, name: string): boolean {
    const { answer, invokedUs } = operation;
    const heard = this.#operations[index]!.answer.kind !== 'unknown';
    const returnedUs = heard ? operation.returnedUs : Number.POSITIVE_INFINITY;
    const answers = operation.key === null ? moment.answers : new Map([...moment.answers, [name, answer]]);
    return refusedWhile(this.#lot, moment.view, operation, this.#clock, () => 0).some(({ fromUs, toUs }) =>
      this.#at(moment, index, Math.max(invokedUs, fromUs), Math.min(returnedUs, toUs), { answers }),
    );
  }

  /** The next item of the journal happens: by itself, or as what a request made. */
  #takeItem(
    moment: Moment,
    by: { readonly operation: Operation; readonly index: number; readonly name: string } | null,
  ): boolean {
    const item = this.#lot.items[moment.position];
    if (item === undefined || (by !== null && (item.kind !== 'bid' || !isBehind(by.operation, item))))
      return false;
    const { view, fault } = fold(this.#lot, moment.view, item);
    if (fault !== null) return false;
    const { toleranceUs, stampAgeUs } = this.#clock;
    const heard = by !== null && by.operation.answer.kind === 'accepted';
    const fromUs = Math.max(item.atUs - toleranceUs, by?.operation.invokedUs ?? Number.NEGATIVE_INFINITY);
    const latestUs = item.atUs + stampAgeUs + toleranceUs;
    const toUs = Math.min(latestUs, heard ? by.operation.returnedUs : Number.POSITIVE_INFINITY);
    const after = { position: moment.position + 1, view };
    if (by === null || by.operation.key === null || item.kind !== 'bid')
      return this.#at(moment, by?.index ?? -1, fromUs, toUs, after);
    const { sequence, bidId, outcome } = item;
    const answers = new Map([
      ...moment.answers,
      [by.name, { kind: 'accepted', sequence, bidId, outcome }],
    ]) as Map<string, OperationAnswer>;
    return this.#at(moment, by.index, fromUs, toUs, { ...after, answers });
  }
}

function isBehind(operation: Operation, item: BidItem): boolean {
  const { answer } = operation;
  const same =
    operation.bidder === item.bidder &&
    operation.straightCents === item.straightCents &&
    operation.ceilingCents === item.ceilingCents;
  if (answer.kind !== 'accepted') return same;
  const { sequence, bidId, outcome } = answer;
  return same && sequence === item.sequence && bidId === item.bidId && outcome === item.outcome;
}

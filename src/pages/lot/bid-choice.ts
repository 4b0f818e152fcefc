/**
 * What the form of a bid offers before anything is typed: the least that would lead as its maximum, the next amounts,
 * and what one of them would cost. `bid-amounts.js` keeps it true while the price moves.
 */
import { type Increment, incrementAt } from '../../../engine/auction/increments.ts';
import { decimalsOf, formatCents } from '../../../engine/money.ts';
import { leastUsefulCents } from '../../bidding/board/board-position.ts';
import type { Language } from '../../shared/language.ts';
import { amountShown } from '../../shared/typed-amount.ts';

const OFFERED = 3;

export interface BidChoice {
  /** For the field `Your maximum`, as a form shows an amount. */
  readonly maximum: string;
  readonly maximumCents: number;
  /** The amounts after it, as the API has them. */
  readonly next: readonly string[];
}

export interface BidSituation {
  readonly minimumNextCents: number;
  /** The viewer's own maximum where they lead; null otherwise. */
  readonly ownMaximumCents: number | null;
  readonly increments: readonly Increment[];
  readonly currency: string;
  readonly language: Language;
}

/** Who leads is offered more than the maximum that they have: less would change nothing. */
export function bidChoice(situation: BidSituation): BidChoice {
  const { currency, increments, language } = situation;
  const maximumCents = leastUsefulCents(situation.minimumNextCents, situation.ownMaximumCents, increments);
  const next: string[] = [];
  let cents = maximumCents;
  for (let n = 0; n < OFFERED; n += 1) {
    cents += incrementAt(increments, cents);
    next.push(formatCents(cents, decimalsOf(currency)));
  }
  return { maximum: amountShown(maximumCents, decimalsOf(currency), language), maximumCents, next };
}

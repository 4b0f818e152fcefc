/** What sentences about decisions are made of: the reader's sight, and amounts as figures and as text. */
import type { Step } from '../../../engine/lot/reasons.ts';
import { decimalsOf, formatCents } from '../../../engine/money.ts';
import { moneyText } from '../../shared/money-text.ts';

export interface ExplainedStep {
  /** Its number in docs/rules.md. */
  readonly rule: number;
  readonly sentence: string;
  readonly values: Readonly<Record<string, string | number | null>>;
}

/** What the reader may know of the figures that were secret when the bid was placed. */
export interface Sight {
  readonly currency: string;
  readonly ownCeiling: boolean;
  /** The previous leader's ceiling. */
  readonly rivalCeiling: boolean;
  readonly reserve: boolean;
}

/** The step of one rule. */
export type StepOf<Rule extends number> = Extract<Step, { readonly rule: Rule }>;

/** An amount as a figure. */
export const amount = (cents: number, { currency }: Pick<Sight, 'currency'>) =>
  formatCents(cents, decimalsOf(currency));

/** An amount as sentences have it. */
export const money = (cents: number, sight: Pick<Sight, 'currency'>) =>
  moneyText(amount(cents, sight), sight.currency);

/** What a refused bid is told on its page: one sentence, with amounts as the page has them, and where it registers. */
import type { Reply } from '../../../adapters/http/endpoint.ts';
import { type Decimals, decimalsOf } from '../../../engine/money.ts';
import { objectIn } from '../../../engine/objects.ts';
import type { Language } from '../../shared/language.ts';
import { moneyText } from '../../shared/money-text.ts';
import { centsTyped } from '../../shared/typed-amount.ts';
import type { Sale } from '../components/way-out.ts';
import { onwardOf } from '../onward.ts';
import type { LotPage } from './lot-view.ts';

/** The amounts as they were typed, and the language that they are read in. */
export interface Typed {
  readonly amount?: string | undefined;
  readonly max_amount?: string | undefined;
  readonly language?: Language;
}

/** The code of a refusal, or null. */
export function codeOf({ body }: Reply): string | null {
  const { code } = objectIn(body);
  return typeof code === 'string' ? code : null;
}

/** The refusal in one sentence, with money as the page prints it. */
export function sentenceOf(answer: Reply, { lot }: LotPage, filled: Typed): string {
  const { message, errors, data } = objectIn(answer.body);
  const minimum = objectIn(data)['minimum_next_bid'];
  // Of sealed bids the message knows what the bidder has bid before.
  const isSealed = lot.bid_count === null;
  if (codeOf(answer) === 'bid_too_low' && typeof minimum === 'string' && !isSealed) {
    return `The bid must be at least ${moneyText(minimum, lot.currency)}.`;
  }
  const { amount, max_amount } = objectIn(errors);
  const isTooLow = codeOf(answer) === 'bid_too_low';
  if (!isTooLow && (amount !== undefined || max_amount !== undefined))
    return sentenceOfTyped(filled, decimalsOf(lot.currency));
  return String(message);
}

/** What is wrong with amounts that were typed; the API's own sentences speak of fields and strings. */
function sentenceOfTyped({ amount = '', max_amount = '', language }: Typed, decimals: Decimals): string {
  const typed = [amount, max_amount].map((text) => text.trim()).filter((text) => text !== '');
  if (typed.length === 0) return 'Enter your maximum: the most that you would pay.';
  const isAmount = (text: string) => (centsTyped(text, decimals, language) ?? 0) > 0;
  if (typed.every(isAmount)) return 'Your maximum bid must not be below your bid.';
  return 'Enter an amount above zero, such as 1,250.00.';
}

/** Where one registers for the lot: on its own page, which comes back to the amount that was typed. */
export function registrationOn({ lot }: LotPage, { max_amount: most, amount = '' }: Typed): Sale {
  const typed = (most ?? amount).trim();
  return { registration: `${onwardOf({ next: `/lots/${lot.id}`, amount: typed })}#to-bid-here` };
}

/**
 * Amounts as people type them on forms: `12,500`, `$12,500.00`, `12 500 EUR`. Every form that takes money reads it
 * with these. A comma or a blank is allowed between groups of three digits and nowhere else: text that could mean two
 * amounts, such as `12,50`, is refused.
 */
import { type Decimals, formatCents, parseCents } from '../../engine/money.ts';

/** Before the point: as many as the API takes. */
const MAX_DIGITS = 12;

const SIGN = '(?:[$€£¥]|[A-Za-z]{3})?';
const WHOLE = '[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3}(?: [0-9]{3})+|[0-9]+';
const TYPED = new RegExp(`^${SIGN} ?(${WHOLE})(\\.[0-9]{1,3})? ?${SIGN}$`);

/** Said of what cannot be read. */
export const NO_AMOUNT = 'must be an amount such as 12,500.00';

/** `12500.00`, whatever its currency; null for what is no amount. */
export function amountTyped(text: string): string | null {
  // The blanks of a spreadsheet's number do not break the line.
  const [, whole, fraction = '.'] = TYPED.exec(text.trim().replaceAll(/\s+/g, ' ')) ?? [];
  const digits = whole?.replaceAll(/[, ]/g, '') ?? '';
  return digits === '' || digits.length > MAX_DIGITS ? null : digits + fraction.padEnd(3, '0');
}

/** Integers of the smallest unit of a currency with so many decimals, or null for what is no amount of it. */
export function centsTyped(text: string, decimals: Decimals): number | null {
  return parseCents(amountTyped(text), decimals);
}

/** `12500.00`, as the API takes it; what is no amount stays as it was typed, for the API to refuse. */
export function plainAmount(text: string): string {
  return amountTyped(text) ?? text.trim();
}

/** `12,500.00`, as a form shows it. */
export function amountShown(cents: number, decimals: Decimals): string {
  return grouped(formatCents(cents, decimals));
}

/** `4,000`, and `4,000.50` where there is a fraction, as the button of one tap says it. */
export function amountInShort(cents: number, decimals: Decimals): string {
  return amountShown(cents, decimals).replace(/\.0+$/, '');
}

/** The same of the API's `12500.00`. */
export function grouped(amount: string): string {
  return amount.replaceAll(/\B(?=(?:[0-9]{3})+\.)/g, ',');
}

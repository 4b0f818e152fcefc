/**
 * Amounts as people type them on forms: `12,500`, `$12,500.00`, `12 500 EUR`. Every form that takes money reads it
 * with these. A comma or a blank is allowed between groups of three digits and nowhere else: text that could mean two
 * amounts, such as `12,50`, is refused.
 */
import { formatCents, parseCents } from '../../engine/money.ts';

const SIGN = '(?:[$€£]|[A-Za-z]{3})?';
const WHOLE = '[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3}(?: [0-9]{3})+|[0-9]+';
const TYPED = new RegExp(`^${SIGN} ?(${WHOLE})(\\.[0-9]{1,2})? ?${SIGN}$`);

/** Said of what cannot be read. */
export const NO_AMOUNT = 'must be an amount such as 12,500.00';

/** Integer cents, or null for what is no amount. */
export function centsTyped(text: string): number | null {
  // The blanks of a spreadsheet's number do not break the line.
  const [, whole, fraction = ''] = TYPED.exec(text.trim().replaceAll(/\s+/g, ' ')) ?? [];
  return whole === undefined ? null : parseCents(whole.replaceAll(/[, ]/g, '') + fraction);
}

/** `12500.00`, as the API takes it; what is no amount stays as it was typed, for the API to refuse. */
export function plainAmount(text: string): string {
  const cents = centsTyped(text);
  return cents === null ? text.trim() : formatCents(cents);
}

/** `12,500.00`, as a form shows cents. */
export function amountShown(cents: number): string {
  return formatCents(cents).replaceAll(/\B(?=(?:[0-9]{3})+\.)/g, ',');
}

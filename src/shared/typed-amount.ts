/**
 * Amounts as people type them on forms: `12,500`, `$12,500.00`, `12 500 EUR`; and where a comma is the decimal sign
 * `12.500`, `12.500,00 €`, `12 500,00`. Every form that takes money reads it with these. A sign is allowed between
 * groups of three digits and nowhere else: text that could mean two amounts, such as `12,50` in English, is refused.
 */
import { type Decimals, formatCents, parseCents } from '../../engine/money.ts';
import type { Language } from './language.ts';

/** Before the point: as many as the API takes. */
const MAX_DIGITS = 12;

const SIGN = '(?:[$€£¥]|[A-Za-z]{3})?';
const WHOLE = '[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3}(?: [0-9]{3})+|[0-9]+';
const TYPED = new RegExp(`^${SIGN} ?(${WHOLE})(\\.[0-9]{1,3})? ?${SIGN}$`);

/** Said of what cannot be read. */
export const NO_AMOUNT = 'must be an amount such as 12,500.00';

const WHOLE_BEFORE_COMMA = '[0-9]{1,3}(?:\\.[0-9]{3})+|[0-9]{1,3}(?: [0-9]{3})+|[0-9]+';
/** A point before one or two digits is one of ours: no group has so few. */
const TYPED_WITH_COMMA = new RegExp(
  `^${SIGN} ?(${WHOLE_BEFORE_COMMA})(,[0-9]{1,3}|\\.[0-9]{1,2})? ?${SIGN}$`,
);
/** Where a currency has three decimals: twelve hundred, or one and a bit. */
const TWO_MEANINGS = /^[0-9]{1,3}\.[0-9]{3}$/;

/** `12500.00`, whatever its currency; null for what is no amount, or could be two in a currency of so many decimals. */
export function amountTyped(text: string, language: Language = 'en', decimals: Decimals = 2): string | null {
  // The blanks of a spreadsheet's number do not break the line.
  const typed = text.trim().replaceAll(/\s+/g, ' ');
  if (language !== 'en' && decimals === 3 && TWO_MEANINGS.test(typed)) return null;
  const [, whole, fraction = '.'] = (language === 'en' ? TYPED : TYPED_WITH_COMMA).exec(typed) ?? [];
  const digits = whole?.replaceAll(/[,. ]/g, '') ?? '';
  return digits === '' || digits.length > MAX_DIGITS
    ? null
    : digits + fraction.replace(',', '.').padEnd(3, '0');
}

/** Integers of the smallest unit of a currency with so many decimals, or null for what is no amount of it. */
export function centsTyped(text: string, decimals: Decimals, language: Language = 'en'): number | null {
  return parseCents(amountTyped(text, language, decimals), decimals);
}

/** `12500.00`, as the API takes it; what is no amount stays as it was typed, for the API to refuse. */
export function plainAmount(text: string, language: Language = 'en', decimals: Decimals = 2): string {
  return amountTyped(text, language, decimals) ?? text.trim();
}

/** The API's `12500.00` for a field of a form, as one in this language is read. */
export function fieldAmount(amount: string, language: Language): string {
  return language === 'en' ? amount : amount.replace('.', ',');
}

/** `12,500.00`, as a form shows it. */
export function amountShown(cents: number, decimals: Decimals, language: Language = 'en'): string {
  return groupedAmount(formatCents(cents, decimals), language);
}

const GROUPS: Readonly<Record<Exclude<Language, 'en'>, string>> = { es: '.', fr: ' ', de: '.', pt: ' ' };

/** `4,000`, and `4,000.50` where there is a fraction, as the button of one tap says it. */
export function amountInShort(cents: number, decimals: Decimals, language: Language = 'en'): string {
  return amountShown(cents, decimals, language).replace(/[.,]0+$/, '');
}

/** The same of the API's `12500.00`, in the language's signs. */
export function groupedAmount(amount: string, language: Language): string {
  const [whole = '', fraction] = grouped(amount).split('.');
  if (language === 'en' || fraction === undefined) return grouped(amount);
  return `${whole.replaceAll(',', GROUPS[language])},${fraction}`;
}

function grouped(amount: string): string {
  return amount.replaceAll(/\B(?=(?:[0-9]{3})+\.)/g, ',');
}

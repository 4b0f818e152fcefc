/** Money as sentences, pages and statements print it. */
import type { ExactNumber } from '../../adapters/http/exact-json.ts';
import { currenciesWith, type Decimals, decimalsOf } from '../../engine/money.ts';
import { type Language, LOCALES } from './language.ts';

const formats = new Map<string, Intl.NumberFormat>();

/** `$1,250.00`, `¥22,000`; with the code in front where the sign alone would not say which currency. */
export function moneyText(
  amount: string | number | ExactNumber,
  currency: string,
  language: Language = 'en',
): string {
  const code = currency.toUpperCase();
  const key = language + code;
  let format = formats.get(key);
  if (format === undefined) {
    // The runtime's own digits are those that people use, which for some are fewer than the currency has.
    const digits = decimalsOf(currency.toLowerCase());
    format = new Intl.NumberFormat(LOCALES[language], {
      style: 'currency',
      currency: code,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    formats.set(key, format);
  }
  // As text: a sum may have more digits than a number holds.
  // Cast: a decimal text is formatted exactly; the compiler takes only one that it can read itself.
  return format.format(String(amount) as `${number}`);
}

/** What is said of an amount that a currency of so many decimals does not have. */
export const NO_AMOUNT_OF: Readonly<Record<Decimals, string>> = {
  0: 'must be an amount without decimals, such as "22000.00"',
  2: 'must have at most two decimals',
  3: 'must have at most three decimals',
};

const listSql = (decimals: 0 | 3) =>
  currenciesWith(decimals)
    .map((code) => `'${code}'`)
    .join(', ');

/** SQL that prints an amount as `formatCents` does, both by the expressions that give them. */
export function amountSql(cents: string, currency: string): string {
  return `CASE WHEN ${currency} IN (${listSql(0)}) THEN ${cents}::text || '.00'
    WHEN ${currency} IN (${listSql(3)}) THEN (${cents} / 1000.0)::numeric(16, 3)::text
    ELSE (${cents} / 100.0)::numeric(15, 2)::text END`;
}

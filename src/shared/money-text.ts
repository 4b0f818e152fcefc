/** Money as sentences and pages print it. */
import type { ExactNumber } from '../../adapters/http/exact-json.ts';

const formats = new Map<string, Intl.NumberFormat>();

/** `$1,250.00`; with the code in front where the sign alone would not say which currency. */
export function moneyText(amount: string | number | ExactNumber, currency: string): string {
  const code = currency.toUpperCase();
  let format = formats.get(code);
  if (format === undefined) {
    format = new Intl.NumberFormat('en-US', { style: 'currency', currency: code });
    formats.set(code, format);
  }
  // As text: a sum may have more digits than a number holds.
  // Cast: a decimal text is formatted exactly; the compiler takes only one that it can read itself.
  return format.format(String(amount) as `${number}`);
}

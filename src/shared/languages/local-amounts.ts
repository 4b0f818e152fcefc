/** Amounts in sentences that were written with English ones, as people of a language write them. */
import { decimalsOf } from '../../../engine/money.ts';
import { type Language, LOCALES } from '../language.ts';

let signs: ReadonlyMap<string, string> | undefined;

/** The sign that English writes in front → the currency. */
function currencyOf(sign: string): string | undefined {
  signs ??= new Map(Intl.supportedValuesOf('currency').map((code) => [signOf(code), code]));
  return signs.get(sign);
}

function signOf(code: string): string {
  const parts = new Intl.NumberFormat('en-US', { style: 'currency', currency: code }).formatToParts(1);
  return parts.find(({ type }) => type === 'currency')?.value ?? code;
}

/** `$1,250.00` as the language writes it; anything else as it is. */
export function localAmount(text: string, language: Language): string {
  const found = /^(-?)([^\d\s,.-]{1,4})\u00a0?(\d[\d,]*(?:\.\d{2,3})?)$/.exec(text);
  if (found === null) return text;
  const [, minus = '', sign = '', digits = ''] = found;
  const currency = currencyOf(sign);
  if (currency === undefined) return text;
  const decimals = decimalsOf(currency.toLowerCase());
  const format = new Intl.NumberFormat(LOCALES[language], {
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  // Cast: a decimal text is formatted exactly; the compiler takes only one that it can read itself.
  return format.format(`${minus}${digits.replaceAll(',', '')}` as `${number}`);
}

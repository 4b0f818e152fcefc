/** Money as the pages print it. */
import { LOCALE } from './words.js';

/** The currencies with other than two decimal places. */
const DECIMALS = Object.fromEntries([
  ...'bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf'
    .split(' ')
    .map((code) => [code, 0]),
  ...'bhd iqd jod kwd lyd omr tnd'.split(' ').map((code) => [code, 3]),
]);

const formats = new Map();

/** The decimal places of a currency. */
export function decimalsOf(currency) {
  return DECIMALS[currency.toLowerCase()] ?? 2;
}

/** `$1,250.00` */
export function moneyText(amount, currency) {
  const code = currency.toUpperCase();
  if (!formats.has(code)) {
    const [digits, style] = [decimalsOf(currency), 'currency'];
    const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    formats.set(code, new Intl.NumberFormat(LOCALE, { style, currency: code, ...decimals }));
  }
  return formats.get(code).format(Number(amount));
}

const abouts = new Map();

/** An amount in the currency that somebody has chosen beside the sale's, as `element` names it with its rate. */
export function aboutText({ dataset: { rate, in: currency } }, amount) {
  if (!abouts.has(currency)) {
    const options = { style: 'currency', currency: currency.toUpperCase(), maximumSignificantDigits: 3 };
    abouts.set(currency, new Intl.NumberFormat(LOCALE, options));
  }
  return abouts.get(currency).format(Number(amount) * Number(rate));
}

/** What was typed, in the smallest unit; 0 for what is no amount. `unit`: how many of them a whole has. */
export function centsTyped(text, unit) {
  const plain = LOCALE.startsWith('en')
    ? text.replaceAll(',', '')
    : text.replaceAll(/\.(?=\d{3}(?!\d))/g, '').replace(',', '.');
  const cents = Math.round(Number(plain.replaceAll(/[$€£¥\s]/g, '')) * unit);
  return Number.isFinite(cents) && cents > 0 ? cents : 0;
}

/** `1,250.00`: an amount of the smallest unit as a field has it. */
export function plainText(cents, currency) {
  const digits = decimalsOf(currency);
  const decimals = { minimumFractionDigits: Math.max(2, digits), maximumFractionDigits: Math.max(2, digits) };
  return (cents / 10 ** digits).toLocaleString(LOCALE, decimals);
}

/** Money as the pages print it. */

const formats = new Map();

/** `$1,250.00` */
export function moneyText(amount, currency) {
  const code = currency.toUpperCase();
  if (!formats.has(code)) {
    formats.set(code, new Intl.NumberFormat('en-US', { style: 'currency', currency: code }));
  }
  return formats.get(code).format(Number(amount));
}

/** Money as sentences and pages print it. */

const formats = new Map<string, Intl.NumberFormat>();

/** `$1,250.00`; with the code in front where the sign alone would not say which currency. */
export function moneyText(amount: string | number, currency: string): string {
  const code = currency.toUpperCase();
  let format = formats.get(code);
  if (format === undefined) {
    format = new Intl.NumberFormat('en-US', { style: 'currency', currency: code });
    formats.set(code, format);
  }
  return format.format(Number(amount));
}

/**
 * Money as integers of the currency's smallest unit: cents of a dollar, whole yen, fils of a dinar. Names say `Cents`
 * for all of them; how many decimal places a currency has is data, and only reading and printing an amount needs it.
 * A JS number is exact up to 2^53 and so far above the largest amount that the service takes. Sums over many amounts
 * are `bigint`. Parsing never goes through a float.
 */

/** Decimal decimals of a currency: its smallest unit is so many digits behind the point. */
export type Decimals = 0 | 2 | 3;

/** The currencies of ISO 4217 that have other than two decimal places. */
const DECIMALS: Readonly<Record<string, Decimals>> = Object.fromEntries([
  ...'bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf'
    .split(' ')
    .map((code) => [code, 0]),
  ...'bhd iqd jod kwd lyd omr tnd'.split(' ').map((code) => [code, 3]),
]);

/** The decimal places of a currency, by its code in lower case. */
export function decimalsOf(currency: string): Decimals {
  return DECIMALS[currency] ?? 2;
}

/** The currencies that have so many decimal places and not two, in lower case. */
export function currenciesWith(decimals: 0 | 3): string[] {
  return Object.keys(DECIMALS).filter((code) => DECIMALS[code] === decimals);
}

/** The largest amount that the service takes, in the currency's smallest unit: 999,999,999,999.99 dollars. */
export const MAX_AMOUNT_CENTS = 99_999_999_999_999;

/**
 * What the ceilings of one bidder may come to on an auction's open lots where they lead, whatever their limit: beyond
 * it, sums would no longer be exact. Half of what a number can hold, because a void may bring ceilings back.
 */
export const MAX_EXPOSURE_CENTS = 2 ** 52;

const AMOUNTS: Readonly<Record<Decimals, RegExp>> = {
  0: /^([0-9]{1,12})(?:\.0{1,2})?$/,
  2: /^([0-9]{1,12})(?:\.([0-9]{1,2}))?$/,
  3: /^([0-9]{1,12})(?:\.([0-9]{1,3}))?$/,
};
const UNITS: Readonly<Record<Decimals, number>> = { 0: 1, 2: 100, 3: 1_000 };

/**
 * Reads a decimal amount (`"1250"`, `"1250.5"`, `"1250.00"`, or a JSON number) of a currency with so many decimals;
 * where it has none, `.00` may follow. Returns integers of its smallest unit, or null when the value is no such amount.
 * Zero is an amount.
 */
export function parseCents(value: unknown, decimals: Decimals): number | null {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return null;
  const match = AMOUNTS[decimals].exec(text);
  if (!match) return null;
  const cents = Number(match[1]) * UNITS[decimals] + Number((match[2] ?? '').padEnd(decimals, '0'));
  return cents <= MAX_AMOUNT_CENTS ? cents : null;
}

/**
 * Formats integers of the smallest unit as a decimal string, with two decimals at least: `125000` cents → `"1250.00"`,
 * `22000` yen → `"22000.00"`, `1234` fils → `"1.234"`.
 */
export function formatCents(cents: number, decimals: Decimals): string {
  if (decimals === 0) return `${cents}.00`;
  const rest = cents % UNITS[decimals];
  const whole = (cents - rest) / UNITS[decimals];
  if (decimals === 3) return `${whole}.${String(rest).padStart(3, '0')}`;
  return rest < 10 ? `${whole}.0${rest}` : `${whole}.${rest}`;
}

/** The amount as a JSON number of whole units, exact to the smallest one: `1234` fils → `1.234`. */
export function wholeUnits(cents: number, decimals: Decimals): number {
  return cents / UNITS[decimals];
}

/** The same amount in a currency with other decimals, as when a lot moves; null where that has no such amount. */
export function withDecimals(cents: number, from: Decimals, to: Decimals): number | null {
  const changed =
    UNITS[to] >= UNITS[from] ? cents * (UNITS[to] / UNITS[from]) : cents / (UNITS[from] / UNITS[to]);
  return Number.isInteger(changed) && changed <= MAX_AMOUNT_CENTS ? changed : null;
}

/** The sum over any number of amounts, which a number might not hold. */
export function totalCents<T>(rows: readonly T[], centsOf: (row: T) => number | bigint): bigint {
  let sum = 0n;
  for (const row of rows) sum += BigInt(centsOf(row));
  return sum;
}

/** As `formatCents`, of a sum; below zero with its sign. */
export function formatTotal(cents: bigint, decimals: Decimals): string {
  const sign = cents < 0n ? '-' : '';
  const digits = String(cents < 0n ? -cents : cents).padStart(decimals + 1, '0');
  if (decimals === 0) return `${sign}${digits}.00`;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** A share of an amount in basis points, rounded half up to the smallest unit. Both must be non-negative. */
export function shareOf(cents: number, basisPoints: number): number {
  const whole = Math.floor(cents / 10_000);
  const rest = cents % 10_000;
  return whole * basisPoints + Math.floor((rest * basisPoints + 5_000) / 10_000);
}

/**
 * Money as integer cents. Everything inside the engine counts cents in a JS number, which is exact up to 2^53 and so
 * far above the largest amount that the service takes (999,999,999,999.99). Sums over many amounts are `bigint`.
 * Parsing never goes through a float.
 */

/** The largest amount that the service takes, in cents. */
export const MAX_AMOUNT_CENTS = 99_999_999_999_999;

/**
 * What the ceilings of one bidder may come to on an auction's open lots where they lead, whatever their limit: beyond
 * it, sums would no longer be exact. Half of what a number can hold, because a void may bring ceilings back.
 */
export const MAX_EXPOSURE_CENTS = 2 ** 52;

const AMOUNT = /^([0-9]{1,12})(?:\.([0-9]{1,2}))?$/;

/**
 * Reads a decimal amount (`"1250"`, `"1250.5"`, `"1250.00"`, or a JSON number with at most two decimals).
 * Returns integer cents, or null when the value is no such amount. Zero is an amount.
 */
export function parseCents(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return null;
  const match = AMOUNT.exec(text);
  if (!match) return null;
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
}

/** Formats integer cents as a decimal string with two places: `125000` → `"1250.00"`. */
export function formatCents(cents: number): string {
  const rest = cents % 100;
  const whole = (cents - rest) / 100;
  return rest < 10 ? `${whole}.0${rest}` : `${whole}.${rest}`;
}

/** The sum over any number of amounts, which a number might not hold. */
export function totalCents<T>(rows: readonly T[], centsOf: (row: T) => number | bigint): bigint {
  let sum = 0n;
  for (const row of rows) sum += BigInt(centsOf(row));
  return sum;
}

/** As `formatCents`, of a sum; below zero with its sign. */
export function formatTotal(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** A share of an amount in basis points, rounded half up to the cent. Both must be non-negative. */
export function shareOf(cents: number, basisPoints: number): number {
  const whole = Math.floor(cents / 10_000);
  const rest = cents % 10_000;
  return whole * basisPoints + Math.floor((rest * basisPoints + 5_000) / 10_000);
}

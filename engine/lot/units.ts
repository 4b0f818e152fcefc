/**
 * Lots that are sold by the unit: acres, head, tonnes. Their amounts are prices of one unit, and what a buyer pays is
 * the amount times the units, rounded half up once (rule 19). Used by every format, and by all that shows totals.
 */

import { MAX_AMOUNT_CENTS } from '../money.ts';

/** How many units a lot has, and what its amounts are for. */
export interface LotUnits {
  /** Ten-thousandths of a unit; null: not said. */
  readonly count: number | null;
  /** What one is called; null: not said. */
  readonly name: string | null;
  /** Amounts are for one unit, not for the lot. Needs a count. */
  readonly isPriced: boolean;
}

/** What `count` counts in. */
const UNIT_PARTS = 10_000;

/** What amounts of a lot are for, as lots name it. */
export const BID_PER = ['lot', 'unit'] as const;

/** The most units of a lot, in ten-thousandths: a hundred million. */
const MAX_UNIT_COUNT = 100_000_000 * UNIT_PARTS;

const COUNT = /^([0-9]{1,9})(?:\.([0-9]{1,4}))?$/;

/** Reads a number of units (`"38.5"`, 38.5) as ten-thousandths; null for none above 0 with four decimals at most. */
export function parseUnitCount(value: unknown): number | null {
  const match = COUNT.exec(String(value));
  if (match === null) return null;
  const count = Number(match[1]) * UNIT_PARTS + Number((match[2] ?? '').padEnd(4, '0'));
  return count > 0 && count <= MAX_UNIT_COUNT ? count : null;
}

/** Prints ten-thousandths with four decimals: 385000 → `"38.5000"`. */
export function formatUnitCount(count: number): string {
  return `${Math.floor(count / UNIT_PARTS)}.${String(count % UNIT_PARTS).padStart(4, '0')}`;
}

/** Whether the amounts of a lot are prices of one unit. */
export function isPerUnit(units: LotUnits | null): boolean {
  return units?.isPriced === true;
}

/** What an amount comes to for the whole lot, in the currency's smallest unit. */
export function totalOf(units: LotUnits | null, cents: number): number {
  return units === null || !units.isPriced || units.count === null ? cents : timesUnits(cents, units.count);
}

/** Whether an amount comes to more than the service can take, whatever the limits are. */
export function isBeyondTotals(units: LotUnits | null, cents: number): boolean {
  return units !== null && totalOf(units, cents) > MAX_AMOUNT_CENTS;
}

/** An amount times ten-thousandths of a unit, rounded half up. Exact below 2^53, and the nearest number above it. */
function timesUnits(cents: number, count: number): number {
  const product = cents * count + UNIT_PARTS / 2;
  if (product <= Number.MAX_SAFE_INTEGER) return Math.floor(product / UNIT_PARTS);
  return Number((BigInt(cents) * BigInt(count) + BigInt(UNIT_PARTS / 2)) / BigInt(UNIT_PARTS));
}

/** Under the names that answers and journals have. */
export interface ShownUnits {
  readonly units: string | null;
  readonly unit_name: string | null;
  readonly bid_per: (typeof BID_PER)[number];
}

/** As answers and journals name them. */
export function shownUnits(units: LotUnits | null): ShownUnits {
  return {
    units: units === null || units.count === null ? null : formatUnitCount(units.count),
    unit_name: units?.name ?? null,
    bid_per: isPerUnit(units) ? 'unit' : 'lot',
  };
}

/** Whether two lots say the same of their units. */
export function sameUnits(one: LotUnits | null, other: LotUnits | null): boolean {
  return (
    (one?.count ?? null) === (other?.count ?? null) &&
    (one?.name ?? null) === (other?.name ?? null) &&
    isPerUnit(one) === isPerUnit(other)
  );
}

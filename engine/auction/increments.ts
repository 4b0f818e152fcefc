/**
 * Bid increments by price band. A table is an ascending list of bands, the first from zero; the increment of a price is
 * that of the band which holds it. An auction may bring its own table in place of the default.
 */
import { firstOf } from '../first-of.ts';
import { type Decimals, decimalsOf } from '../money.ts';

export interface Increment {
  readonly fromCents: number;
  readonly incrementCents: number;
}

/** From how many dollars on by how many: under $100 by 5, under $500 by 10, … from $500,000 by 2,500. */
const HOUSE_BANDS = [
  [0, 5],
  [100, 10],
  [500, 25],
  [1_000, 50],
  [5_000, 100],
  [10_000, 250],
  [50_000, 500],
  [100_000, 1_000],
  [500_000, 2_500],
] as const;

/** What stands for a dollar: one whole unit, or 100 where a currency has no smaller unit than the whole. */
const STEPS: Readonly<Record<Decimals, number>> = { 0: 100, 2: 100, 3: 1_000 };

const houseTable = (decimals: Decimals): readonly Increment[] =>
  HOUSE_BANDS.map(([from, increment]) => ({
    fromCents: from * STEPS[decimals],
    incrementCents: increment * STEPS[decimals],
  }));

const HOUSE_TABLES = { 0: houseTable(0), 2: houseTable(2), 3: houseTable(3) } as const;

/** The house table of a currency, by its code in lower case; the same value for each of the same decimals. */
export function houseIncrements(currency: string): readonly Increment[] {
  return HOUSE_TABLES[decimalsOf(currency)];
}

/** The house table of dollars, and of all that have two decimals. */
export const DEFAULT_INCREMENTS = HOUSE_TABLES[2];

/** The increment, in cents, of the band that holds `priceCents`. */
export function incrementAt(table: readonly Increment[], priceCents: number): number {
  let found = firstOf(table);
  for (const candidate of table) {
    if (candidate.fromCents > priceCents) break;
    found = candidate;
  }
  return found.incrementCents;
}

/**
 * Bid increments by price band. A table is an ascending list of bands, the first from zero; the increment of a price is
 * that of the band which holds it. An auction may bring its own table in place of the default.
 */
import { firstOf } from '../first-of.ts';

export interface Increment {
  readonly fromCents: number;
  readonly incrementCents: number;
}

const band = (fromDollars: number, incrementDollars: number): Increment => ({
  fromCents: fromDollars * 100,
  incrementCents: incrementDollars * 100,
});

/** The house table: under $100 by 5, under $500 by 10, … from $500,000 by 2,500. */
export const DEFAULT_INCREMENTS: readonly Increment[] = [
  band(0, 5),
  band(100, 10),
  band(500, 25),
  band(1_000, 50),
  band(5_000, 100),
  band(10_000, 250),
  band(50_000, 500),
  band(100_000, 1_000),
  band(500_000, 2_500),
];

/** The increment, in cents, of the band that holds `priceCents`. */
export function incrementAt(table: readonly Increment[], priceCents: number): number {
  let found = firstOf(table);
  for (const candidate of table) {
    if (candidate.fromCents > priceCents) break;
    found = candidate;
  }
  return found.incrementCents;
}

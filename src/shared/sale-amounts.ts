/**
 * What a buyer owes for a lot: hammer, premium on it, and sales tax on both. The one place that works it out, called
 * by the projection (the event `lot.sold`), by invoices and by pages. Also reads and prints the tax's percentage,
 * which has up to four decimals.
 */
import { type Decimals, formatCents, shareOf } from '../../engine/money.ts';

/** An auction's terms. `premiumBps` counts hundredths of a percent, `taxPpm` ten-thousandths of a percent. */
export interface SaleTerms {
  readonly premiumBps: number;
  readonly taxPpm: number;
}

/** Integers of the currency's smallest unit; `totalCents` is the sum of the others. */
export interface SaleAmounts {
  readonly hammerCents: number;
  readonly premiumCents: number;
  readonly taxCents: number;
  readonly totalCents: number;
}

/** Premium and tax are each rounded half up to the smallest unit; the tax is on hammer and premium together. */
export function saleAmounts(hammerCents: number, { premiumBps, taxPpm }: SaleTerms): SaleAmounts {
  const premiumCents = shareOf(hammerCents, premiumBps);
  const taxCents = millionthsOf(hammerCents + premiumCents, taxPpm);
  return { hammerCents, premiumCents, taxCents, totalCents: hammerCents + premiumCents + taxCents };
}

/** As events name them, in a currency of so many decimals. */
export function saleTexts(
  { hammerCents, premiumCents, taxCents, totalCents }: SaleAmounts,
  decimals: Decimals,
) {
  return {
    hammer_price: formatCents(hammerCents, decimals),
    premium: formatCents(premiumCents, decimals),
    tax: formatCents(taxCents, decimals),
    total: formatCents(totalCents, decimals),
  };
}

/** Rounded half up; exact for every amount that the service takes. */
function millionthsOf(cents: number, ppm: number): number {
  const whole = Math.floor(cents / 1_000_000);
  const rest = cents % 1_000_000;
  return whole * ppm + Math.floor((rest * ppm + 500_000) / 1_000_000);
}

const PERCENTAGE = /^([0-9]{1,3})(?:\.([0-9]{1,4}))?$/;

/** Reads `"8.25"` or 8.1234 as ten-thousandths of a percent; null for what is no percentage from 0 to 100. */
export function parseTaxPpm(value: unknown): number | null {
  const match = PERCENTAGE.exec(String(value));
  if (match === null) return null;
  const ppm = Number(match[1]) * 10_000 + Number((match[2] ?? '').padEnd(4, '0'));
  return ppm <= 1_000_000 ? ppm : null;
}

/** Prints ten-thousandths of a percent with two to four decimals: 82500 → `"8.25"`, 81250 → `"8.125"`. */
export function formatTaxPpm(ppm: number): string {
  const rest = String(ppm % 10_000).padStart(4, '0');
  return `${Math.floor(ppm / 10_000)}.${rest.slice(0, 2)}${rest.slice(2).replace(/0+$/, '')}`;
}

/** SQL that prints a rate as `formatTaxPpm` does. */
export function taxPercentageSql(ppm: string): string {
  const four = `(${ppm} / 10000.0)::numeric(7, 4)::text`;
  return `left(${four}, -2) || rtrim(right(${four}, 2), '0')`;
}

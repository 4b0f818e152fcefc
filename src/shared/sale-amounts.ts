/**
 * What a buyer owes for a lot: hammer, premium on it with the surcharge of online bids, and sales tax on both. The one
 * place that works it out, called by the projection (the event `lot.sold`), by invoices and by pages. Also reads and
 * prints the tax's percentage, which has up to four decimals.
 */
import type { AuctionRecord } from '../../engine/auction/record.ts';
import type { Channel } from '../../engine/lot/channels.ts';
import { type Decimals, formatCents } from '../../engine/money.ts';

/** An auction's terms. `…Bps` counts hundredths of a percent, `taxPpm` ten-thousandths of a percent. */
export type SaleTerms = Pick<AuctionRecord, 'premiumBps' | 'premiumBands' | 'onlineSurchargeBps' | 'taxPpm'>;

/** Integers of the currency's smallest unit; `totalCents` is the sum of the others. */
export interface SaleAmounts {
  readonly hammerCents: number;
  readonly premiumCents: number;
  readonly taxCents: number;
  readonly totalCents: number;
}

/**
 * Premium and tax are each rounded half up to the smallest unit; the tax is on hammer and premium together. `channel`
 * is where the winning bid came from.
 */
export function saleAmounts(hammerCents: number, terms: SaleTerms, channel: Channel = 'online'): SaleAmounts {
  const premiumCents = premiumOf(hammerCents, terms, channel);
  const taxCents = millionthsOf(hammerCents + premiumCents, terms.taxPpm);
  return { hammerCents, premiumCents, taxCents, totalCents: hammerCents + premiumCents + taxCents };
}

/** What several sales of one lot come to. */
export function sumOfSales(sales: readonly Omit<SaleAmounts, 'totalCents'>[]): SaleAmounts {
  const sum = { hammerCents: 0, premiumCents: 0, taxCents: 0, totalCents: 0 };
  for (const { hammerCents, premiumCents, taxCents } of sales) {
    sum.hammerCents += hammerCents;
    sum.premiumCents += premiumCents;
    sum.taxCents += taxCents;
    sum.totalCents += hammerCents + premiumCents + taxCents;
  }
  return sum;
}

/** Each part of the price at its own band's, and the surcharge on all of it: exact, and rounded once. */
function premiumOf(
  hammerCents: number,
  { premiumBps, premiumBands = [], onlineSurchargeBps = 0 }: SaleTerms,
  channel: Channel,
): number {
  const bands = premiumBands.length > 0 ? premiumBands : [{ fromCents: 0, percentageBps: premiumBps }];
  const parts = bands.map(({ fromCents, percentageBps }, index) => {
    const toCents = Math.min(hammerCents, bands[index + 1]?.fromCents ?? hammerCents);
    return [Math.max(0, toCents - fromCents), percentageBps] as const;
  });
  if (channel === 'online') parts.push([hammerCents, onlineSurchargeBps]);
  let whole = 0;
  let rest = 0;
  for (const [cents, bps] of parts) {
    whole += Math.floor(cents / 10_000) * bps;
    rest += (cents % 10_000) * bps;
  }
  return whole + Math.floor((rest + 5_000) / 10_000);
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

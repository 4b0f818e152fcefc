/**
 * The price over time as the path of a small chart, 300 by 100: a step for each bid. `price-line.js` draws the same
 * while it continues.
 */

/** Milliseconds and whole units of the currency, oldest first. */
export type PricePoint = readonly [atMs: number, price: number];

const CHART = { width: 300, height: 100, margin: 6, tail: 12 } as const;

/** The points of a list of bids, newest first: the price after each, which no bid lowers. */
export function pricePoints(
  bids: readonly { readonly amount: string; readonly placed_at: string; readonly status: string }[],
): PricePoint[] {
  let highest = 0;
  return bids
    .toReversed()
    .filter(({ status }) => status !== 'voided')
    .map(({ amount, placed_at }) => {
      highest = Math.max(highest, Number(amount));
      return [Date.parse(placed_at), highest] as const;
    });
}

/** An SVG path; empty with fewer than two points. */
export function pricePath(points: readonly PricePoint[]): string {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined || points.length < 2) return '';
  const { width, height, margin, tail } = CHART;
  const span = Math.max(1, last[0] - first[0]);
  const rise = Math.max(0.001, last[1] - first[1]);
  const x = (atMs: number) => (((atMs - first[0]) / span) * (width - tail)).toFixed(1);
  const y = (price: number) =>
    (height - margin - ((price - first[1]) / rise) * (height - 2 * margin)).toFixed(1);
  const steps = points.slice(1).map(([atMs, price]) => `H${x(atMs)}V${y(price)}`);
  return `M${x(first[0])} ${y(first[1])}${steps.join('')}H${width}`;
}

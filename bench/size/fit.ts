/**
 * How a figure grows with what it depends on: the power law through its measurements, by least squares of the
 * logarithms (A. Legendre, 1805). The bench of sizes calls it.
 */

/** `value = factor * size ** exponent`. */
export interface Growth {
  readonly factor: number;
  /** 0: it does not grow; 1: ten times the size is ten times as much. */
  readonly exponent: number;
}

/** The law nearest to values measured at sizes, all above 0. Throws where there are fewer than two sizes. */
export function growthOf(measured: ReadonlyMap<number, number>): Growth {
  if (measured.size < 2) throw new RangeError('a law needs two sizes at least');
  const points = [...measured].map(([size, value]) => ({ x: Math.log(size), y: Math.log(value) }));
  const meanX = mean(points.map(({ x }) => x));
  const meanY = mean(points.map(({ y }) => y));
  const covariance = mean(points.map(({ x, y }) => (x - meanX) * (y - meanY)));
  const variance = mean(points.map(({ x }) => (x - meanX) ** 2));
  const exponent = covariance / variance;
  return { factor: Math.exp(meanY - exponent * meanX), exponent };
}

/** What a law gives for a size. */
export function grown({ factor, exponent }: Growth, size: number): number {
  return factor * size ** exponent;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

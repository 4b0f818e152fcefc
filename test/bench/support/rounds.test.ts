/** What the benches conclude from: the order in which they measure, and the middle of what they measured. */
import { expect } from 'chai';
import { drawChart } from '../../../bench/support/chart.ts';
import { interleaved, median, medians, quantile } from '../../../bench/support/rounds.ts';

describe('measuring alternately', () => {
  it('covers the variants in every round, every other time in reverse', async () => {
    const order: string[] = [];
    const samples = await interleaved(['a', 'b', 'c'], 3, async (kind, round) => {
      order.push(`${kind}${round}`);
      return round;
    });
    expect(order).to.deep.equal(['a0', 'b0', 'c0', 'c1', 'b1', 'a1', 'a2', 'b2', 'c2']);
    expect(samples).to.deep.equal({ a: [0, 1, 2], b: [0, 1, 2], c: [0, 1, 2] });
  });

  it('takes the median, and does not change its input', () => {
    const values = [10, 9, 1];
    expect(median(values)).to.equal(9);
    expect(median([4, 1, 3, 2])).to.equal(2.5);
    expect(median([])).to.be.NaN;
    expect(quantile(values, 0.99)).to.equal(10);
    expect(values).to.deep.equal([10, 9, 1]);
    expect(medians([{ rate: 3 }, { rate: 1 }, { rate: 2 }])).to.deep.equal({ rate: 2 });
  });
});

describe('a chart', () => {
  const bars = (values: readonly number[]) => values.map((value) => ({ label: 'a < b & "c"', value }));
  const widths = (scale: 'linear' | 'logarithmic', values: readonly number[]) => {
    const svg = drawChart({ title: 't', unit: 'u', scale, groups: [{ title: 'g', bars: bars(values) }] });
    expect(svg).to.include('a &lt; b &amp; &quot;c&quot;');
    return [...svg.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map((match) => Number(match[1]));
  };

  it('draws bars as long as their values, or as their orders of magnitude', () => {
    const [half, whole] = widths('linear', [50, 100]) as [number, number];
    expect(half / whole).to.be.closeTo(0.5, 0.01);
    const [one, ten, hundred] = widths('logarithmic', [1, 10, 100]) as [number, number, number];
    expect(ten - one).to.be.closeTo(hundred - ten, 0.5);
  });
});

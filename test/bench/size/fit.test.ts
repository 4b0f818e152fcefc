import { expect } from 'chai';
import { grown, growthOf } from '../../../bench/size/fit.ts';

describe('the law that a figure grows by', () => {
  const at = (law: (size: number) => number) =>
    new Map([10_000, 100_000, 1_000_000].map((size) => [size, law(size)]));

  it('is found where the figures follow one', () => {
    for (const exponent of [0, 0.5, 1, -0.25]) {
      const growth = growthOf(at((size) => 3 * size ** exponent));
      expect(growth.exponent).to.be.closeTo(exponent, 1e-9);
      expect(growth.factor).to.be.closeTo(3, 1e-6);
      expect(grown(growth, 10_000_000)).to.be.closeTo(
        3 * 10_000_000 ** exponent,
        1e-3 * 10_000_000 ** exponent,
      );
    }
  });

  it('goes between figures that do not', () => {
    const growth = growthOf(at((size) => (size === 100_000 ? 20 : 10)));
    expect(growth.exponent).to.be.closeTo(0, 1e-9);
    expect(growth.factor).to.be.within(10, 20);
  });

  it('needs two sizes', () => {
    expect(() => growthOf(new Map([[10, 1]]))).to.throw('two sizes');
  });
});

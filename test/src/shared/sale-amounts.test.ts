/** What a buyer owes, to the cent, and the tax rate as text in TypeScript and in SQL. */
import { expect } from 'chai';
import { assert, integer, property } from 'fast-check';
import { formatTaxPpm, parseTaxPpm, saleAmounts } from '../../../src/shared/sale-amounts.ts';

describe('sale amounts', () => {
  it('rounds premium and tax half up, each on its own', () => {
    expect(saleAmounts(10_050, { premiumBps: 1_000, taxPpm: 82_500 })).to.deep.equal({
      hammerCents: 10_050,
      premiumCents: 1_005,
      taxCents: 912,
      totalCents: 11_967,
    });
    expect(saleAmounts(100, { premiumBps: 0, taxPpm: 81_234 }).taxCents).to.equal(8);
    expect(saleAmounts(99_999_999_999_999, { premiumBps: 10_000, taxPpm: 1_000_000 }).taxCents).to.equal(
      199_999_999_999_998,
    );
  });

  it('adds the parts of the price at their own bands and the surcharge of an online bid, and rounds once', () => {
    const premiumBands = [
      { fromCents: 0, percentageBps: 2_501 },
      { fromCents: 100_050, percentageBps: 1_250 },
      { fromCents: 500_000, percentageBps: 333 },
    ];
    const terms = { premiumBps: 9_999, premiumBands, onlineSurchargeBps: 303, taxPpm: 0 };
    const premium = (cents: number, channel?: 'floor' | 'absentee') =>
      saleAmounts(cents, terms, channel).premiumCents;
    const exact = (...parts: (readonly [number, number])[]) =>
      Math.round(parts.reduce((sum, [cents, bps]) => sum + cents * bps, 0) / 10_000);
    expect(premium(3)).to.equal(exact([3, 2_804]));
    expect(premium(3, 'floor')).to.equal(1);
    expect(premium(100_051)).to.equal(exact([100_050, 2_501], [1, 1_250], [100_051, 303]));
    expect(premium(600_001)).to.equal(
      exact([100_050, 2_501], [399_950, 1_250], [100_001, 333], [600_001, 303]),
    );
    expect(premium(600_001, 'absentee')).to.equal(exact([100_050, 2_501], [399_950, 1_250], [100_001, 333]));
    expect(saleAmounts(99_999_999_999_999, { ...terms, premiumBands: [] }).premiumCents).to.equal(
      Number((99_999_999_999_999n * 10_302n + 5_000n) / 10_000n),
    );
  });

  it('taxes hammer and premium as exact arithmetic does', () => {
    const amount = integer({ min: 0, max: 99_999_999_999_999 });
    assert(
      property(
        amount,
        integer({ min: 0, max: 10_000 }),
        integer({ min: 0, max: 1_000_000 }),
        (hammer, bps, ppm) => {
          const { premiumCents, taxCents, totalCents } = saleAmounts(hammer, {
            premiumBps: bps,
            taxPpm: ppm,
          });
          const exact = (BigInt(hammer + premiumCents) * BigInt(ppm) + 500_000n) / 1_000_000n;
          expect(BigInt(taxCents)).to.equal(exact);
          expect(totalCents).to.equal(hammer + premiumCents + taxCents);
        },
      ),
    );
  });

  it('reads and prints rates of up to four decimals', () => {
    for (const [given, ppm, shown] of [
      ['8.25', 82_500, '8.25'],
      ['8.1234', 81_234, '8.1234'],
      [8.125, 81_250, '8.125'],
      ['100', 1_000_000, '100.00'],
      ['0.0001', 1, '0.0001'],
      [0, 0, '0.00'],
    ] as const) {
      expect(parseTaxPpm(given)).to.equal(ppm);
      expect(formatTaxPpm(ppm)).to.equal(shown);
    }
    for (const bad of ['100.0001', '-1', '8.12345', '', 'x', null]) expect(parseTaxPpm(bad)).to.equal(null);
  });
});

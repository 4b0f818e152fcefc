/**
 * Which bids lead, against trying every choice: up to six tracts, many of them with equal totals. `CHOOSING_RUNS=20000`
 * for a long run.
 */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { chooserOf, comesBefore, type Offer } from '../../../../engine/formats/parcels/choosing.ts';

const RUNS = Number(process.env['CHOOSING_RUNS'] ?? 3_000);

/** Every choice of offers that do not overlap, those of all sequences ascending. */
function choices(offers: readonly Offer[], within: number): Offer[][] {
  const [first, ...others] = offers;
  if (first === undefined) return [[]];
  const without = choices(others, within);
  if ((first.set & ~within) !== 0) return without;
  return [...without, ...choices(others, within & ~first.set).map((rest) => [first, ...rest])];
}

const sum = (choice: readonly Offer[]) => choice.reduce((total, { totalCents }) => total + totalCents, 0);
const sequences = (choice: readonly Offer[]) => choice.map(({ sequence }) => sequence);

/** The rule, letter by letter. */
function isBetter(one: readonly Offer[], other: readonly Offer[]): boolean {
  if (sum(one) !== sum(other)) return sum(one) > sum(other);
  const [mine, theirs] = [sequences(one), sequences(other)];
  const at = mine.findIndex((sequence, index) => sequence !== theirs[index]);
  return at >= 0 && (mine[at] ?? 0) < (theirs[at] ?? 0);
}

function bestOf(offers: readonly Offer[], within: number): Offer[] {
  return choices(offers, within).reduce((best, choice) => (isBetter(choice, best) ? choice : best), []);
}

/** Few different totals, so that many choices come to the same. */
const offersOf = (lotCount: number, totals: number) =>
  fc
    .array(
      fc.record({
        set: fc.integer({ min: 1, max: 2 ** lotCount - 1 }),
        of: fc.integer({ min: 1, max: totals }),
      }),
      { maxLength: 12 },
    )
    .map((drawn) => drawn.map(({ set, of }, index) => ({ set, totalCents: of, sequence: index + 2 })));

describe('the choice that leads', () => {
  const property = (totals: number) =>
    fc.property(
      fc.integer({ min: 1, max: 6 }).chain((lotCount) =>
        fc.record({
          lotCount: fc.constant(lotCount),
          offers: offersOf(lotCount, totals),
          within: fc.integer({ min: 0, max: 2 ** lotCount - 1 }),
        }),
      ),
      ({ lotCount, offers, within }) => {
        for (const lots of [within, 2 ** lotCount - 1]) {
          const wanted = bestOf(offers, lots);
          const chooser = chooserOf(offers, lotCount);
          expect(chooser.choose(lots)).to.deep.equal(wanted);
          expect(chooser.best(lots)).to.equal(sum(wanted));
        }
      },
    );

  for (const totals of [2, 4, 50, 10_000]) {
    it(`is the best of all choices in ${RUNS} cases with totals up to ${totals}`, () => {
      fc.assert(property(totals), { numRuns: RUNS, seed: 23 });
    });
  }

  it('is by price per lot where everybody bids the same for each: then only the order decides', () => {
    const flat = fc.array(fc.integer({ min: 1, max: 63 }), { minLength: 4, maxLength: 14 }).map((sets) =>
      sets.map((set, index) => {
        const lots = set.toString(2).replaceAll('0', '').length;
        return { set, totalCents: 100 * lots, sequence: index + 2 };
      }),
    );
    fc.assert(
      fc.property(flat, (offers) => {
        expect(chooserOf(offers, 6).choose(63)).to.deep.equal(bestOf(offers, 63));
      }),
      { numRuns: RUNS, seed: 23 },
    );
  });

  it('compares sequences one by one, and the smaller first difference wins', () => {
    expect(comesBefore([2, 9], [3, 4])).to.equal(true);
    expect(comesBefore([3, 4], [2, 9])).to.equal(false);
    expect(comesBefore([2, 5], [2, 4])).to.equal(false);
    expect(comesBefore([2, 4], [2, 4])).to.equal(false);
    // The three of 3 bids each come to 300: that with bid 2 leads, however late its others are.
    const offers = [
      { set: 0b011, totalCents: 200, sequence: 3 },
      { set: 0b100, totalCents: 100, sequence: 4 },
      { set: 0b001, totalCents: 100, sequence: 2 },
      { set: 0b110, totalCents: 200, sequence: 9 },
    ];
    expect(sequences(chooserOf(offers, 3).choose(0b111))).to.deep.equal([2, 9]);
  });
});

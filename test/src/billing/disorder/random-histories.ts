/** Random histories: how a world begins, and steps by their numbers. Of one seed always the same. */
import fc from 'fast-check';
import type { Step } from './disorder-hands.ts';
import type { Beginning } from './disorder-world.ts';

const upTo = (max: number) => fc.integer({ min: 0, max });
const currency = fc.constantFrom('usd', 'jpy', 'kwd');

const beginning: fc.Arbitrary<Beginning> = fc.record({
  currencies: fc.tuple(currency, currency),
  lots: fc.array(
    fc.record({
      ...{ auction: upTo(1), buyer: upTo(1) },
      hammer: fc.oneof(fc.integer({ min: 1, max: 50_000 }), fc.integer({ min: 1, max: 1e11 })),
      ...{ premium: upTo(5_000), tax: upTo(3_000) },
    }),
    { minLength: 1, maxLength: 4 },
  ),
  deposit: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40_000 })),
  disputesBorneBy: fc.constantFrom('platform', 'seller'),
});
const step: fc.Arbitrary<Step> = fc.record({
  ...{ what: upTo(10_000), who: upTo(10_000), cents: upTo(100_000), how: upTo(10_000) },
});

/** A history: how it begins, and its steps. */
export const HISTORY = fc.tuple(beginning, fc.array(step, { minLength: 10, maxLength: 30 }));

/** The history of this seed. */
export function historyOf(seed: number): [Beginning, Step[]] {
  return fc.sample(HISTORY, { numRuns: 1, seed })[0]!;
}

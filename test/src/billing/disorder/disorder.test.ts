/**
 * Money under a provider in disorder, compared step by step with the naive ledger: events that are unknown, doubled,
 * delayed and reordered, refunds that count up, disputes, huge amounts and other currencies, in our shape and in
 * Stripe's, beside what staff decide and what the clock does. `npm run test:money` plays more random histories.
 */
import fc from 'fast-check';
import type { Step } from './disorder-hands.ts';
import { Disorder } from './disorder-play.ts';
import type { Beginning } from './disorder-world.ts';
import { STORIES } from './stories.ts';

const RUNS = Number(process.env['MONEY_RUNS'] ?? 10);
/** The same few histories each time, unless more are wanted. */
const SEED = process.env['MONEY_SEED'] ?? (process.env['MONEY_RUNS'] === undefined ? '1' : undefined);

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

describe('money, when the provider is in disorder', () => {
  let disorder: Disorder;

  before(async () => {
    disorder = await Disorder.open();
  });

  after(() => disorder.service.close());

  for (const { name, begin, steps } of STORIES)
    it(`has the figures of the naive ledger after ${name}`, () => disorder.play(begin, steps));

  it('has the figures of the naive ledger after every step', async function () {
    this.timeout(120_000 + RUNS * 20_000);
    const seed = SEED === undefined ? {} : { seed: Number(SEED) };
    const steps = fc.array(step, { minLength: 10, maxLength: 30 });
    const property = fc.asyncProperty(beginning, steps, (begin, all) => disorder.play(begin, all));
    // Shrinking plays hundreds of histories: the report of one names its steps as well.
    const endOnFailure = process.env['MONEY_SHRINK'] === undefined;
    await fc.assert(property, { numRuns: RUNS, endOnFailure, ...seed });
    if (process.env['MONEY_TALLY'] === undefined) return;
    const lines = [...disorder.tally].sort().map(([line, times]) => `${times}\t${line}`);
    console.log(lines.join('\n'));
  });
});

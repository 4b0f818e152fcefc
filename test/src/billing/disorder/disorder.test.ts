/**
 * Money under a provider in disorder, compared step by step with the naive ledger: events that are unknown, doubled,
 * delayed and reordered, refunds that count up, disputes, huge amounts and other currencies, in our shape and in
 * Stripe's, beside what staff decide and what the clock does. `npm run test:money` plays more random histories.
 */
import fc from 'fast-check';
import { Disorder } from './disorder-play.ts';
import { HISTORY } from './random-histories.ts';
import { STORIES } from './stories.ts';

const RUNS = Number(process.env['MONEY_RUNS'] ?? 10);
/** The same few histories each time, unless more are wanted. */
const SEED = process.env['MONEY_SEED'] ?? (process.env['MONEY_RUNS'] === undefined ? '1' : undefined);

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
    const property = fc.asyncProperty(HISTORY, ([begin, steps]) => disorder.play(begin, steps));
    // Shrinking plays hundreds of histories: the report of one names its steps as well.
    const endOnFailure = process.env['MONEY_SHRINK'] === undefined;
    await fc.assert(property, { numRuns: RUNS, endOnFailure, ...seed });
    if (process.env['MONEY_TALLY'] === undefined) return;
    const lines = [...disorder.tally].sort().map(([line, times]) => `${times}\t${line}`);
    console.log(lines.join('\n'));
  });
});

/**
 * Whole seeds as tests of a file that mocha loads: for `npm run mutate -- CONTEXT --market`, which plants what the
 * context's own tests let live. The first of them follows plans.
 */
import { expect } from 'chai';
import { MarketService } from './market-service.ts';
import { playSeed } from './play-seed.ts';

const SEEDS = [9, 10, 11, 12];
const OPERATIONS = 200;

describe('whole seeds of the market beside its model', () => {
  let market: MarketService;

  before(async () => {
    market = await MarketService.open();
  });
  after(() => market.close());

  for (const seed of SEEDS)
    it(`seed ${seed}`, async () => {
      const { failure } = await playSeed(market, { seed, operations: OPERATIONS });
      expect(failure, String(failure)).to.equal(null);
    });
});

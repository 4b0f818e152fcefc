/**
 * Every third seed follows plans, one after the other, between what chance proposes: situations that take ten
 * operations in one order are too rare by chance alone. The dice of plans are their own, so that a new plan changes
 * nothing in the other seeds.
 */
import { Dice } from '../simulation/dice.ts';
import { BIDDER_PLANS } from './bidder-plans.ts';
import type { MarketWorld } from './market-world.ts';
import type { Operation } from './operation.ts';
import type { Steps } from './plan-steps.ts';
import { SALE_PLANS } from './sale-plans.ts';

const EVERY = 3;
/** The rest is left to chance. */
const PLANNED = 0.6;
const PLANS = [...SALE_PLANS, ...BIDDER_PLANS];
/** Far from all seeds. */
const OWN_STREAM = 2 ** 40;

export class Planner {
  readonly #dice: Dice;
  #steps: Steps | null = null;

  private constructor(seed: number) {
    this.#dice = new Dice(OWN_STREAM + seed);
  }

  /** Null: a seed of chance alone. */
  static of(seed: number): Planner | null {
    return seed % EVERY === 0 ? new Planner(seed) : null;
  }

  /** The next operation of the plan at hand; null: chance decides. */
  next(world: MarketWorld): Operation | null {
    if (!this.#dice.chance(PLANNED)) return null;
    for (;;) {
      this.#steps ??= this.#dice.pick(PLANS)(world, this.#dice);
      const { value, done } = this.#steps.next();
      if (done !== true && value !== undefined) return value;
      this.#steps = null;
    }
  }
}

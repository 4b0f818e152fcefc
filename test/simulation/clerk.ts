/**
 * The clerk of a saleroom: now and then the hammer falls, and is sometimes taken back, in time or too late. At the end
 * every lot that is still open is sold or passed.
 */
import { isHeld } from '../../engine/formats/formats.ts';
import type { Command, RecordSale } from '../../engine/lot/commands.ts';
import { isOpen } from '../../engine/lot/state.ts';
import { english } from '../support/english.ts';
import { calledLots } from './bidders.ts';
import { HELD_US } from './formats/saleroom-play.ts';
import type { PlannedLot } from './plan.ts';
import type { Web } from './web.ts';
import type { World } from './world.ts';

const EVERY_US = 1_500_000;
const RETRY_US = 200_000;

export class Clerk {
  /** Lots that are still to be ended, and commands without an answer. */
  waiting = 0;
  readonly #world: World;
  readonly #webs: readonly Web[];
  readonly #lots: readonly PlannedLot[];
  #calls = 0;

  constructor(world: World, webs: readonly Web[]) {
    this.#world = world;
    this.#webs = webs;
    this.#lots = calledLots(world.plan);
  }

  start(): void {
    const { time, dice, plan } = this.#world;
    if (this.#lots.length === 0) return;
    const again = () => {
      if (this.#world.biddingIsOver) return;
      void this.#strike(dice.pick(this.#lots));
      time.after(dice.wait(EVERY_US), again);
    };
    time.after(2_000_000, again);
    this.waiting += this.#lots.length;
    for (const lot of this.#lots) time.after(plan.biddingEndsUs + 50_000, () => void this.#end(lot));
  }

  /** The hammer falls, and in one of two cases the clerk tries to take it back. */
  async #strike(lot: PlannedLot): Promise<void> {
    const { dice } = this.#world;
    await this.#submit(lot, this.#hammer(lot));
    if (!dice.chance(0.5)) return;
    await this.#sleep(dice.between(0, HELD_US * 1.3));
    await this.#submit(lot, { type: 'lift_hammer' });
  }

  async #end(lot: PlannedLot): Promise<void> {
    const isOver = () => {
      const state = this.#world.redis.store.lots.get(lot.lotId);
      // A call of before may still take the hammer back.
      return state !== undefined && !isHeld(state) && !isOpen(state);
    };
    while (!isOver()) {
      await this.#submit(lot, this.#hammer(lot));
      await this.#sleep(RETRY_US);
    }
    this.waiting -= 1;
  }

  /** What leads, as the clerk sees it; passed where nobody does. */
  #hammer(lot: PlannedLot): RecordSale {
    const { dice, redis } = this.#world;
    const kept = redis.store.lots.get(lot.lotId);
    const { leader = null, currentCents = 0 } = kept === undefined ? {} : english(kept);
    this.#calls += 1;
    const common = {
      type: 'record_sale' as const,
      ...{ bidId: dice.hex(4), salt: dice.hex(4), currency: null },
      ...{ floor: { platform: 'hall', sequence: this.#calls }, auctionRuns: false, heldUs: HELD_US },
    };
    if (leader === null) return { ...common, result: 'passed', hammerCents: null, winner: null };
    const { key, userId, paddle } = leader;
    return { ...common, result: 'sold', hammerCents: currentCents, winner: { key, userId, paddle } };
  }

  /** Said once: nobody knows what came of it where there is no answer. */
  async #submit(lot: PlannedLot, command: Command): Promise<void> {
    const { dice, trace } = this.#world;
    this.waiting += 1;
    try {
      const result = await Promise.race([
        dice.pick(this.#webs).submit(lot.lotId, command, null),
        this.#sleep(3_000_000),
      ]);
      const isDone = result?.kind === 'answer' && result.answer.kind === 'done' && result.answer.changed;
      if (isDone && command.type === 'lift_hammer') trace.count('taken_back_hammer');
    } catch {
      // The next one is another.
    }
    this.waiting -= 1;
  }

  #sleep(us: number): Promise<undefined> {
    return new Promise((resolve) => this.#world.time.after(us, () => resolve(undefined)));
  }
}

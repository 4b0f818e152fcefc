/**
 * The clerk of a saleroom: now and then the hammer falls, and is sometimes taken back, in time or too late. At the end
 * every lot that is still open is sold or passed. Of lots that are offered together the clerk or the winner chooses.
 */
import type { AuctionRecord } from '../../engine/auction/record.ts';
import { isHeld } from '../../engine/formats/formats.ts';
import type { Command, RecordSale } from '../../engine/lot/commands.ts';
import { isOpen } from '../../engine/lot/state.ts';
import { english } from '../support/english.ts';
import { calledLots, personOf } from './bidders.ts';
import { CHOICE_SECONDS } from './formats/choice-model.ts';
import { carrierOf } from './formats/choice-play.ts';
import { HELD_US } from './formats/saleroom-play.ts';
import type { PlannedLot } from './plan.ts';
import type { Web } from './web.ts';
import type { World } from './world.ts';

const EVERY_US = 1_500_000;
const RETRY_US = 200_000;
const LOOK_US = 100_000;

type Group = NonNullable<AuctionRecord['choiceGroups']>[number];

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
    for (const { choiceGroups = [] } of plan.auctions)
      for (const group of choiceGroups) time.after(LOOK_US, () => this.#watchWinners(group, 0));
  }

  /** The hammer falls, and in one of two cases the clerk tries to take it back. */
  async #strike(lot: PlannedLot): Promise<void> {
    const { dice } = this.#world;
    const group = this.#groupOf(lot);
    const said = this.#hammer(lot);
    // What nobody has bid on of a group mostly waits: a run is to have some of it to choose from.
    if (group !== null && said.result === 'passed' && dice.chance(0.8)) return;
    await this.#submit(lot, said);
    if (!dice.chance(group === null ? 0.5 : 0.35)) return;
    await this.#sleep(dice.between(0, HELD_US * 1.3));
    // Of a group it falls on the lot that carries the bidding, or on the one that was called.
    const struck = group === null || dice.chance(0.3) ? lot.lotId : this.#bidOn(lot)?.lotId;
    await this.#submit({ lotId: struck ?? lot.lotId }, { type: 'lift_hammer' });
  }

  #groupOf({ auctionId, lotId }: PlannedLot) {
    const groups = this.#world.redis.store.records.get(auctionId)?.choiceGroups;
    return groups?.find(({ lotIds }) => lotIds.includes(lotId)) ?? null;
  }

  /** The lot that the bidding on this one is on. */
  #bidOn({ auctionId, lotId }: PlannedLot) {
    const { lots, records } = this.#world.redis.store;
    const record = records.get(auctionId);
    return record === undefined ? undefined : (carrierOf(record, lots, lotId) ?? lots.get(lotId));
  }

  /** Looks out for online winners of a group, who take some of it, early, around the end of the time, or never. */
  #watchWinners(group: Group, knownUs: number): void {
    const { dice, time, redis, biddingIsOver } = this.#world;
    const open = group.lotIds.flatMap((id) => redis.store.lots.get(id) ?? []).filter(isOpen);
    const pending = open.flatMap((state) => english(state).choice?.pending ?? [])[0];
    const isNew = pending !== undefined && pending.lots === undefined && pending.openedAtUs !== knownUs;
    if (!biddingIsOver || open.length > 0)
      time.after(LOOK_US, () => this.#watchWinners(group, pending?.openedAtUs ?? knownUs));
    if (!isNew || !dice.chance(0.9)) return;
    const userId = dice.chance(0.1) ? 1 : (pending.winner.userId ?? 1);
    const lotIds = this.#some(open.map(({ lotId }) => lotId));
    const rows = lotIds.map(() => ({ bidId: dice.hex(4), salt: dice.hex(4) }));
    const command = { type: 'choose_lots', bidder: personOf(userId), lotIds, rows } as const;
    const wait = dice.between(0, CHOICE_SECONDS * 1_200_000);
    // Whoever hears nothing asks again.
    for (const againUs of [0, 60_000, 120_000])
      time.after(wait + againUs, () => void this.#submit({ lotId: dice.pick(group.lotIds) }, command));
  }

  /** One or two of them. */
  #some<T>(all: readonly T[]): readonly T[] {
    const { dice } = this.#world;
    return [...new Set([dice.pick(all), dice.pick(all)])];
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
    const { dice } = this.#world;
    const group = this.#groupOf(lot);
    const kept = this.#bidOn(lot);
    const { leader = null, currentCents = 0 } = kept === undefined ? {} : english(kept);
    this.#calls += 1;
    const common = {
      type: 'record_sale' as const,
      ...{ bidId: dice.hex(4), salt: dice.hex(4), currency: null },
      ...{ floor: { platform: 'hall', sequence: this.#calls }, auctionRuns: false, heldUs: HELD_US },
    };
    const isPassed = leader === null || (group !== null && dice.chance(0.1));
    if (isPassed) return { ...common, result: 'passed', hammerCents: null, winner: null };
    const { key, userId, paddle } = leader;
    const sold = { result: 'sold' as const, hammerCents: currentCents, winner: { key, userId, paddle } };
    if (group === null || dice.chance(0.7)) return { ...common, ...sold };
    const choice = this.#some(group.numbers);
    const rows = choice.map(() => ({ bidId: dice.hex(4), salt: dice.hex(4) }));
    return { ...common, ...sold, choice, rows };
  }

  /** Said once: nobody knows what came of it where there is no answer. */
  async #submit(lot: Pick<PlannedLot, 'lotId'>, command: Command): Promise<void> {
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

/**
 * People who bid: each reads a slightly outdated lot, bids, and repeats the request through another process while the
 * outcome is unknown. Some send everything twice, some send it without a key and never again. A saleroom's platform
 * does the same with what is called there, each call under the next of its sequences.
 */

import { JournalUnavailable, Overloaded } from '../../engine/actor/journal.ts';
import { minimumNextCents } from '../../engine/formats/english/english-state.ts';
import { minimumNextCents as leastOf } from '../../engine/formats/formats.ts';
import type { BidCommand, BidderIdentity } from '../../engine/lot/commands.ts';
import { isOpen } from '../../engine/lot/state.ts';
import { english } from '../support/english.ts';
import { carrierOf } from './formats/choice-play.ts';
import { playedOf } from './formats/played.ts';
import type { Played, Wanted } from './formats/played-format.ts';
import type { Attempt, History, Operation } from './history.ts';
import type { Plan, PlannedLot } from './plan.ts';
import { PostgresUnavailable } from './sim-postgres.ts';
import { BASE_US } from './sim-redis.ts';
import { Unreachable, type Web } from './web.ts';
import type { World } from './world.ts';

/** A bidder gives up after this many attempts. */
const MAX_TRIES = 60;
const PATIENCE_US = 4_000_000;
/** The platform of what is called; the clerk's hammer has another, and sequences of its own. */
const ROOM = 'room';

type Wish =
  | { readonly kind: 'buy_now' }
  | {
      readonly kind: 'bid';
      readonly amount: number | null;
      readonly max: number | null;
      readonly confirm: boolean;
      /** What a format other than the first takes. */
      readonly more?: Omit<Wanted, 'amount'>;
      /** By whom it is called from the floor; absent: it comes online. */
      readonly call?: { readonly sequence: number; readonly who: number };
    };

/** Somebody with an account. */
export function personOf(userId: number): BidderIdentity {
  return { key: `u:${userId}`, userId, verified: true, suspended: false, teamIds: [], paddle: null };
}

/** Somebody in the room, whom nobody but its platform knows. */
function callerOf(who: number): BidderIdentity {
  const key = `${ROOM}:${who}`;
  return { key, userId: null, verified: false, suspended: false, teamIds: [], paddle: `9${who}` };
}

/** Of all lots, those that are called in a saleroom. */
export function calledLots({ auctions, lots }: Plan): PlannedLot[] {
  const rooms = auctions.filter(({ type }) => type === 'simulcast').map(({ auctionId }) => auctionId);
  return lots.filter(({ auctionId }) => rooms.includes(auctionId));
}

export class Bidder {
  /** Unfinished requests. */
  waiting = 0;
  /** Null: what is called in the room. */
  readonly #person: BidderIdentity | null;
  readonly #lots: readonly PlannedLot[];
  readonly #world: World;
  readonly #webs: readonly Web[];
  readonly #history: History;
  #keys = 0;
  #calls = 0;

  constructor(userId: number | null, world: World, webs: readonly Web[], history: History) {
    this.#person = userId === null ? null : personOf(userId);
    this.#lots = userId === null ? calledLots(world.plan) : world.plan.lots;
    this.#world = world;
    this.#webs = webs;
    this.#history = history;
  }

  start(): void {
    const { time, dice, plan } = this.#world;
    if (this.#lots.length === 0) return;
    const again = () => {
      if (this.#world.biddingIsOver) return;
      this.#bid(dice.pick(this.#lots));
      this.#snipe();
      // Two at a time, a distant process would not get through them before the run is over.
      if (plan.batch > 2 && dice.chance(0.1)) this.#flurry();
      time.after(dice.wait(plan.thinkUs), again);
    };
    time.after(dice.wait(plan.thinkUs), again);
    // Which one is first matters too.
    const lot = dice.pick(this.#lots);
    const { startsAtUs } = plan.auctions.find(({ auctionId }) => auctionId === lot.auctionId)!;
    time.after(startsAtUs - BASE_US + dice.between(-5_000, 30_000), () => this.#bid(lot));
  }

  /** Bids at the very end of a lot that is about to close. */
  #snipe(): void {
    const { time, dice, redis } = this.#world;
    const lot = dice.pick(this.#lots);
    const state = redis.store.lots.get(lot.hostId);
    if (state?.status !== 'active' || !dice.chance(0.6)) return;
    const leftUs = state.endsAtUs - redis.wallUs();
    if (leftUs < 0 || leftUs > 800_000) return;
    time.after(leftUs - dice.between(0, 6_000), () => this.#bid(lot));
  }

  /** Bids on one lot again and again through one process, without waiting for what became of it. */
  #flurry(): void {
    const { time, dice } = this.#world;
    const lot = dice.pick(this.#lots);
    const web = dice.pick(this.#webs);
    for (let bids = dice.between(3, 8); bids > 0; bids -= 1)
      time.after(dice.between(0, 4_000), () => this.#bid(lot, web));
  }

  #bid(lot: PlannedLot, web = this.#world.dice.pick(this.#webs)): void {
    const { dice } = this.#world;
    const wish = this.#called(this.#wish(lot));
    const key = dice.chance(0.75) ? this.#newKey() : null;
    const operation = this.#operation(lot, key, wish);
    void this.#carryOut(operation, wish, web);
    if (key === null) return;
    if (dice.chance(0.1)) {
      this.#world.trace.count('duplicate');
      void this.#carryOut(operation, wish, dice.chance(0.5) ? web : dice.pick(this.#webs));
    }
    // The same key for another request: an error that must be reported.
    if (dice.chance(0.03)) {
      const amount = dice.between(1, 900) * 100;
      const other = this.#called({ kind: 'bid', amount, max: null, confirm: true });
      void this.#carryOut(this.#operation(lot, key, other), other, web);
    }
  }

  #called(wish: Wish): Wish {
    if (this.#person !== null || wish.kind === 'buy_now') return wish;
    this.#calls += 1;
    return { ...wish, call: { sequence: this.#calls, who: this.#world.dice.between(1, 2) } };
  }

  #newKey(): string {
    this.#keys += 1;
    return `k${this.#keys}`;
  }

  #operation({ auctionId, lotId }: PlannedLot, key: string | null, wish: Wish): Operation {
    const operation: Operation = {
      id: this.#history.operations.length,
      auctionId,
      lotId,
      key: key === null ? null : `${this.#person?.userId ?? ROOM}|${lotId}|${key}`,
      fingerprint: JSON.stringify(wish),
      attempts: [],
    };
    this.#history.operations.push(operation);
    return operation;
  }

  #wish(lot: PlannedLot): Wish {
    const { dice, redis } = this.#world;
    const kept = redis.store.lots.get(lot.hostId);
    const record = redis.store.records.get(lot.auctionId);
    const played = record && playedOf(record);
    if (played !== undefined) return this.#wishIn(played, lot);
    const state = kept && english(kept);
    if (lot.buyNowCents !== null && dice.chance(0.02)) return { kind: 'buy_now' };
    const isThere = state !== undefined && record !== undefined && isOpen(state);
    const min = isThere ? minimumNextCents(state, record) : lot.startingBidCents;
    const amount = Math.max(100, min + dice.pick([0, 0, 0, 500, 2_000, -100, -1_000]));
    const max = amount + dice.pick([0, 500, 1_000, 5_000, 12_000]);
    const confirm = dice.chance(0.5);
    const kind = dice.between(0, 3);
    // Now and then exactly the leader's ceiling, as only chance would have it.
    if (isThere && state.leader !== null && dice.chance(0.05))
      return { kind: 'bid', amount: null, max: Math.max(100, state.leader.ceilingCents), confirm };
    if (kind === 0) return { kind: 'bid', amount, max: null, confirm };
    return { kind: 'bid', amount: kind === 1 ? amount : null, max, confirm };
  }

  #wishIn({ wish }: Played, lot: PlannedLot): Wish {
    const { dice, redis } = this.#world;
    const record = redis.store.records.get(lot.auctionId)!;
    const state =
      record.choiceGroups === undefined
        ? (redis.store.lots.get(lot.hostId) ?? null)
        : carrierOf(record, redis.store.lots, lot.lotId);
    const nowUs = redis.wallUs();
    const priceCents = state === null ? lot.startingBidCents : leastOf(state, record, nowUs);
    const sinceUs = Math.max(0, nowUs - record.startsAtUs);
    const { amount, ...more } = wish(dice, { lot, state, record, priceCents, sinceUs });
    return { kind: 'bid', amount, max: null, confirm: false, more };
  }

  async #carryOut(operation: Operation, wish: Wish, first: Web): Promise<void> {
    const { dice, trace } = this.#world;
    this.waiting += 1;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const web = tries === 0 ? first : dice.pick(this.#webs);
      const attempt = await this.#attempt(operation, this.#command(wish), web);
      if (attempt.result !== null) break;
      if (operation.key === null) break;
      trace.count('retry');
      await new Promise<void>((resolve) => this.#world.time.after(dice.between(20_000, 400_000), resolve));
    }
    // An answer that got lost on the last steps is requested once more.
    if (operation.key !== null && dice.chance(0.1))
      await this.#attempt(operation, this.#command(wish), dice.pick(this.#webs));
    this.waiting -= 1;
  }

  #command(wish: Wish): BidCommand {
    const { dice } = this.#world;
    const call = wish.kind === 'bid' ? wish.call : undefined;
    const bidder = this.#person ?? callerOf(call?.who ?? 0);
    const ids = { bidId: dice.hex(4), salt: dice.hex(4), bidder, currency: null };
    if (wish.kind === 'buy_now') return { type: 'buy_now', ...ids };
    const { amount, max, confirm, more } = wish;
    return {
      type: 'place_bid',
      ...ids,
      channel: call === undefined ? 'online' : 'floor',
      straightCents: amount,
      ceilingCents: max,
      confirm,
      floor: call === undefined ? null : { platform: ROOM, sequence: call.sequence },
      ...more,
    };
  }

  /** Asks once. What the process answers is recorded even where the bidder has stopped waiting for it. */
  async #attempt(operation: Operation, command: BidCommand, web: Web): Promise<Attempt> {
    const { time, trace } = this.#world;
    const { key, fingerprint, lotId } = operation;
    const commandKey = key === null ? null : { field: key, fingerprint };
    let attempt: Attempt | null = null;
    const submitted = web.within(async ({ engine, life }) => {
      attempt = {
        command,
        machine: web.machine.name,
        life,
        submitted: this.#history.mark(),
        answered: null,
        result: null,
        fault: null,
      };
      operation.attempts.push(attempt);
      trace.note(
        `${operation.id} asks ${web.machine.name} for lot ${lotId}: ${command.bidder.key} ${fingerprint}`,
      );
      try {
        attempt.result = await engine.submit(lotId, command, commandKey);
      } catch (error) {
        attempt.fault = error as Error;
        if (error instanceof Overloaded) trace.count('overloaded');
        if (!isExpected(error)) trace.fail(`operation ${operation.id} met a bug: ${(error as Error).stack}`);
        throw error;
      } finally {
        attempt.answered = this.#history.mark();
        trace.note(`${operation.id} gets ${JSON.stringify(attempt.result) ?? ''}${attempt.fault ?? ''}`);
      }
    });
    const impatient = new Promise<void>((resolve) => time.after(PATIENCE_US, resolve));
    try {
      await Promise.race([submitted, impatient]);
    } catch (error) {
      if (!isExpected(error)) trace.fail(`operation ${operation.id}: ${String(error)}`);
    }
    return (
      attempt ?? {
        command,
        machine: web.machine.name,
        life: 0,
        submitted: this.#history.mark(),
        answered: null,
        result: null,
        fault: null,
      }
    );
  }
}

/** Errors that a bidder must expect: everything else is a bug. */
function isExpected(error: unknown): boolean {
  return [JournalUnavailable, Overloaded, Unreachable, PostgresUnavailable].some(
    (kind) => error instanceof kind,
  );
}

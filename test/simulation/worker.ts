/**
 * A worker process: it sweeps the closing index, follows auctions whose record has changed, and projects the shards
 * that it believes it owns. All three are the marketplace's own code; only the pauses between passes are this file's.
 */

import { nextMoment } from '../../adapters/redis/due.ts';
import { ALL_SHARDS } from '../../adapters/redis/shards.ts';
import type { Engine } from '../../engine/actor/engine.ts';
import { sweepShards } from '../../src/bidding/closing/sweep.ts';
import { Projector } from '../../src/bidding/projection/projector.ts';
import { isUnwritable } from '../../src/bidding/projection/unwritable.ts';
import type { LotClosedHook } from '../../src/bidding/projection/write.ts';
import { Followers } from '../../src/bidding/records/followers.ts';
import type { Machine } from './machine.ts';
import type { SimJournal } from './sim-journal.ts';
import type { World } from './world.ts';

/** Who projects which shard, as the lock on it says. */
export type Claims = Map<number, Machine>;

const SWEEP_US = 50_000;
const RETRY_US = 250_000;
const FOLLOW_US = 1_000_000;
const PROJECT_US = 60_000;

const invoice: LotClosedHook = async (trx, lots) => {
  const sold = lots
    .filter(({ status }) => status === 'sold')
    .flatMap(({ lotId, sales }) =>
      sales.map(({ winner, bidId, hammerCents }) => ({
        ...{ lot_id: lotId, bid_id: bidId },
        ...{ winner: winner.userId, cents: hammerCents },
      })),
    );
  if (sold.length > 0) await trx.raw('INSERT INTO invoices', [JSON.stringify(sold)]);
  return [];
};

export class Worker {
  readonly machine: Machine;
  readonly #world: World;
  readonly #claims: Claims;

  constructor(machine: Machine, world: World, claims: Claims) {
    this.machine = machine;
    this.#world = world;
    this.#claims = claims;
  }

  async start(): Promise<void> {
    this.machine.begin();
    const { life } = this.machine;
    const { engine, journal } = await this.#world.startEngine(this.machine);
    if (this.machine.life !== life) return;
    void this.#sweep(engine, journal);
    void this.#follow(engine, journal);
    const { plan, redis } = this.#world;
    void this.#project([...new Set(plan.auctions.map(({ auctionId }) => redis.shardOf(auctionId)))]);
  }

  async #sweep(engine: Engine, journal: SimJournal): Promise<void> {
    const { network, redis, dice } = this.#world;
    const log = { warn: () => undefined } as unknown as Parameters<typeof sweepShards>[0]['log'];
    const parts = { redis: redis.linkFor(this.machine, network), journal, engine, log };
    for (;;) {
      let pauseUs = dice.between(SWEEP_US, SWEEP_US * 5);
      try {
        const moments = await Promise.all(ALL_SHARDS.map((shard) => nextMoment(parts.redis, shard)));
        const shards = ALL_SHARDS.filter((_, at) => moments[at] !== null);
        if ((await sweepShards(parts, shards)) > 0) pauseUs = 0;
      } catch {
        pauseUs = RETRY_US;
      }
      await this.machine.sleep(pauseUs);
    }
  }

  async #follow(engine: Engine, journal: SimJournal): Promise<void> {
    const { knex } = this.#world.postgres.databaseFor(this.machine, this.#world.network);
    const followers = new Followers({ knex, journal, engine });
    for (;;) {
      await this.machine.sleep(FOLLOW_US);
      await followers.followMoved().catch(() => 0);
    }
  }

  async #project(shards: readonly number[]): Promise<void> {
    const { network, redis, postgres, trace, dice } = this.#world;
    const database = postgres.databaseFor(this.machine, network);
    const link = redis.linkFor(this.machine, network);
    // Small stretches, so that a run has many of them.
    const projector = new Projector({ database, redis: link, onLotClosed: [invoice], segmentChars: 6_000 });
    for (;;) {
      await this.machine.sleep(dice.between(PROJECT_US, PROJECT_US * 3));
      const mine = shards.filter((shard) => this.#mayProject(shard));
      if (mine.length === 0) continue;
      try {
        const step = await projector.step(mine);
        if (step.messages > 0) trace.count('projected');
        if (step.positions.size > 1) trace.count('projected_together');
        if (step.moved.length > 0) trace.count('position_moved');
        if (step.moved.length > 0 && step.messages > 0) trace.count('left_out');
        for (const { lot_id, error } of step.failures) trace.fail(`lot ${lot_id} is set aside: ${error}`);
      } catch (error) {
        trace.note(`${this.machine.name} fails to project: ${String(error)}`);
        trace.count('projection_failed');
        if (isBroken(error)) trace.fail(`the projection of shards ${mine}: ${String(error)}`);
      }
    }
  }

  /** The lock is lost with its session now and then, and not everybody who had it knows at once. */
  #mayProject(shard: number): boolean {
    const { dice, trace, faultsAreOver } = this.#world;
    const holder = this.#claims.get(shard);
    if (holder === this.machine) return true;
    if (holder === undefined || !holder.up) {
      this.#claims.set(shard, this.machine);
      return true;
    }
    if (holder.stopped || (!faultsAreOver && dice.chance(0.05))) {
      trace.count('two_projectors');
      if (dice.chance(0.3)) this.#claims.set(shard, this.machine);
      return true;
    }
    return false;
  }
}

/** Trouble with the servers is to be expected; a log that does not follow, or a row that is there already, is not. */
function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return isUnwritable(error) || error.message.startsWith('duplicate key');
}

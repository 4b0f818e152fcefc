/**
 * A worker process: it sweeps the closing index, follows auctions whose record has changed, and projects the shards
 * that it believes to have. All three are the marketplace's own code; only the pauses between their rounds are this
 * file's.
 */

import { shardOf } from '../../adapters/redis/shards.ts';
import type { Engine } from '../../engine/actor/engine.ts';
import { sweepOnce } from '../../src/bidding/closing/sweep.ts';
import { PositionMoved } from '../../src/bidding/projection/positions.ts';
import { ShardProjector } from '../../src/bidding/projection/shard-projector.ts';
import type { LotClosedHook } from '../../src/bidding/projection/write.ts';
import { Followers } from '../../src/bidding/records/followers.ts';
import type { Machine } from './machine.ts';
import type { SimJournal } from './sim-journal.ts';
import type { World } from './world.ts';

/** Who projects which shard, as the lock on it says. */
export type Claims = Map<number, Machine>;

const SWEEP_US = 50_000;
const TROUBLE_US = 250_000;
const FOLLOW_US = 1_000_000;
const PROJECT_US = 60_000;

const invoice: LotClosedHook = async (trx, lots) => {
  const sold = lots
    .filter(({ status }) => status === 'sold')
    .map(({ lotId, winner, hammerCents }) => ({
      lot_id: lotId,
      winner: winner?.userId ?? null,
      cents: hammerCents,
    }));
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
    const shards = new Set(this.#world.plan.auctions.map(({ auctionId }) => shardOf(auctionId)));
    for (const shard of shards) void this.#project(shard);
  }

  async #sweep(engine: Engine, journal: SimJournal): Promise<void> {
    const { network, redis, dice } = this.#world;
    const log = { warn: () => undefined } as unknown as Parameters<typeof sweepOnce>[0]['log'];
    const parts = { redis: redis.linkFor(this.machine, network), journal, engine, log };
    for (;;) {
      let pauseUs = dice.between(SWEEP_US, SWEEP_US * 5);
      try {
        if ((await sweepOnce(parts)) > 0) pauseUs = 0;
      } catch {
        pauseUs = TROUBLE_US;
      }
      await this.machine.sleep(pauseUs);
    }
  }

  async #follow(engine: Engine, journal: SimJournal): Promise<void> {
    const { knex } = this.#world.postgres.databaseFor(this.machine, this.#world.network);
    const followers = new Followers({ knex, journal, engine });
    for (;;) {
      await this.machine.sleep(FOLLOW_US);
      await followers.round().catch(() => 0);
    }
  }

  async #project(shard: number): Promise<void> {
    const { network, redis, postgres, trace, dice } = this.#world;
    const database = postgres.databaseFor(this.machine, network);
    const link = redis.linkFor(this.machine, network);
    let projector: ShardProjector | null = null;
    for (;;) {
      await this.machine.sleep(dice.between(PROJECT_US, PROJECT_US * 3));
      if (!this.#mayProject(shard)) {
        projector = null;
        continue;
      }
      // Small stretches, so that a run has many of them.
      projector ??= new ShardProjector(shard, {
        database,
        redis: link,
        onLotClosed: [invoice],
        stretchChars: 6_000,
      });
      try {
        const step = await projector.step();
        if (step.messages > 0) trace.count('projected');
        else if (step.more) trace.count('position_moved');
      } catch (error) {
        trace.note(`${this.machine.name} fails to project: ${String(error)}`);
        trace.count('projection_failed');
        if (isBroken(error)) trace.fail(`the projection of shard ${shard}: ${String(error)}`);
      }
    }
  }

  /** The lock is lost with its session now and then, and not everybody who had it knows at once. */
  #mayProject(shard: number): boolean {
    const { dice, trace, weatherIsOver } = this.#world;
    const holder = this.#claims.get(shard);
    if (holder === this.machine) return true;
    if (holder === undefined || !holder.up) {
      this.#claims.set(shard, this.machine);
      return true;
    }
    if (holder.stopped || (!weatherIsOver && dice.chance(0.05))) {
      trace.count('two_projectors');
      if (dice.chance(0.3)) this.#claims.set(shard, this.machine);
      return true;
    }
    return false;
  }
}

/** Trouble with the servers is to be expected; a log that does not follow, or a row that is there already, is not. */
function isBroken(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof PositionMoved) return false;
  return (
    error.name === 'LogBroken' || error.message.startsWith('duplicate key') || error instanceof TypeError
  );
}

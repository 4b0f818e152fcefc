/**
 * What every part of a run shares: the time, the dice, the servers, the network between them, and what is written
 * down.
 */
import { hash } from 'node:crypto';
import { DEFAULT_LIMITS, Engine } from '../../engine/actor/engine.ts';
import type { LotLocation, LotSource } from '../../engine/actor/lot-source.ts';
import type { Digest } from '../../engine/digest.ts';
import { TestSeals } from '../support/test-seals.ts';
import { Dice } from './dice.ts';
import type { Machine } from './machine.ts';
import { Network } from './network.ts';
import { drawPlan, type Plan } from './plan.ts';
import { SimJournal } from './sim-journal.ts';
import { SimPostgres } from './sim-postgres.ts';
import { SimRedis } from './sim-redis.ts';
import { Trace } from './trace.ts';
import { VirtualTime } from './virtual-time.ts';

export const sha256: Digest = { sha256: (text) => hash('sha256', text, 'hex') };

export class World {
  readonly time = new VirtualTime();
  readonly dice: Dice;
  readonly trace: Trace;
  readonly network: Network;
  readonly redis: SimRedis;
  readonly postgres: SimPostgres;
  readonly plan: Plan;

  constructor(seed: number, keepLines: boolean) {
    this.dice = new Dice(seed);
    this.trace = new Trace(this.time, keepLines);
    this.network = new Network(this.time, this.dice, this.trace);
    this.redis = new SimRedis(this.time, this.trace);
    this.postgres = new SimPostgres(this.time, this.trace);
    this.plan = drawPlan(this.dice, seed);
    this.network.faults = this.plan.faults;
    this.redis.shards = this.plan.shards;
  }

  get biddingIsOver(): boolean {
    return this.time.nowUs >= this.plan.biddingEndsUs;
  }

  get faultsAreOver(): boolean {
    return this.time.nowUs >= this.plan.faultsEndUs;
  }

  /** An engine in a new life of a machine, with a journal of its own; ready when that has heard what time it is. */
  async startEngine(machine: Machine): Promise<{ engine: Engine; journal: SimJournal }> {
    const journal = new SimJournal(machine, this.network, this.redis, this.time);
    await journal.start();
    const random = {
      bidId: () => this.dice.hex(4),
      salt: () => this.dice.hex(4),
    };
    const { resident, batch, pipelineFrom, mailbox, attempts } = this.plan;
    const limits = { ...DEFAULT_LIMITS, resident, batch, pipelineFrom, mailbox, attempts };
    const engine = new Engine(
      { journal, digest: sha256, random, seals: new TestSeals() },
      this.#lotsFor(machine),
      limits,
    );
    return { engine, journal };
  }

  #lotsFor(machine: Machine): LotSource {
    const lots = new Map(
      this.plan.lots.map((lot): [number, LotLocation] => {
        const { auctionId, hostId, ...toOpen } = lot;
        const isHost = hostId === lot.lotId;
        const isSold = this.plan.lots.some((other) => other.hostId === hostId && other.lotId !== hostId);
        const found = { auctionId, toOpen: isHost ? toOpen : null, archived: null };
        return [lot.lotId, isSold ? { ...found, hostId } : found];
      }),
    );
    const openLots = (auctionId: number) =>
      this.plan.lots.filter((lot) => lot.auctionId === auctionId).map(({ lotId }) => lotId);
    return {
      openLots: (auctionId) => this.network.call(machine, this.postgres, 'open', () => openLots(auctionId)),
      find: (lotId) => this.network.call(machine, this.postgres, 'find', () => lots.get(lotId) ?? null),
    };
  }
}

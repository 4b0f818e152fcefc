/** A journal that a test answers by hand: every batch is handed to the test, and is committed when the test says so. */

import { setImmediate as turn } from 'node:timers/promises';
import { DEFAULT_LIMITS, Engine, type EngineLimits } from '../../../engine/actor/engine.ts';
import type { Batch, BatchSource, CommitResult, Journal } from '../../../engine/actor/journal.ts';
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { aBidder, aLotState, aRecord, countedRandomness, sha256 } from '../../support/engine-terms.ts';

export const LOT = 123;

export class HandJournal {
  record: AuctionRecord = aRecord();
  state: LotState | null = aLotState(this.record);
  readonly sources: BatchSource[] = [];
  status: 'approved' | 'suspended' = 'approved';
  loads = 0;
  /** Runs before the bidders that were read are handed over. */
  meanwhile: () => Promise<void> = async () => undefined;

  nowUs = () => this.record.startsAtUs + 60_000_000;
  enqueue = (source: BatchSource) => void this.sources.push(source);
  async load() {
    this.loads += 1;
    return this.state;
  }
  async loadRecord() {
    return this.record;
  }
  async loadBidders(_auctionId: number, keys: readonly string[]) {
    const { status } = this;
    await this.meanwhile();
    return new Map(
      keys.map((key) => [key, { bidder: aBidder(Number(key.slice(2)), { status }), exposureCents: 0 }]),
    );
  }

  /** Waits until the actor enqueues, and takes its batch. */
  async batch(): Promise<{ batch: Batch | null; settle: (result: CommitResult) => void }> {
    for (let turns = 0; turns < 50 && this.sources.length === 0; turns += 1) await turn();
    const source = this.sources.shift();
    if (source === undefined) throw new Error('nothing was enqueued');
    const batch = source.prepare(this.nowUs());
    return { batch, settle: (result) => source.settle(batch!, result) };
  }

  /** As `batch`, past those that only find out that something has to be fetched. */
  async full(): Promise<{ batch: Batch; settle: (result: CommitResult) => void }> {
    for (;;) {
      const { batch, settle } = await this.batch();
      if (batch !== null) return { batch, settle };
    }
  }
}

export function engineOn(journal: HandJournal, limits: Partial<EngineLimits> = {}): Engine {
  const parts = { journal: journal as unknown as Journal, digest: sha256, random: countedRandomness() };
  const lots = { find: async () => ({ auctionId: 7, toOpen: null, archived: null }) };
  return new Engine(parts, lots, { ...DEFAULT_LIMITS, ...limits });
}

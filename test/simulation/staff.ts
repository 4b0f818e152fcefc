/**
 * Sellers and staff while a run continues: they publish lots, pause an auction, suspend bidders, void bids, withdraw
 * lots and lower reserves. Each acts through some process and retries until one confirms.
 */

import type { AuctionRecord, Bidder } from '../../engine/auction/record.ts';
import { pausedRecord, pausedSinceUs, resumedRecord } from '../../engine/auction/record.ts';
import { decodeEvents } from '../../engine/formats/formats.ts';
import type { Command } from '../../engine/lot/commands.ts';
import type { LotEvent } from '../../engine/lot/events.ts';
import { followAuction } from '../../src/bidding/records/auction-lots.ts';
import { personOf } from './bidders.ts';
import type { PlannedLot } from './plan.ts';
import type { Kind } from './trace.ts';
import type { Serving, Web } from './web.ts';
import type { World } from './world.ts';

const EVERY_US = 500_000;

export class Staff {
  /** Unfinished changes. */
  waiting = 0;
  readonly #world: World;
  readonly #webs: readonly Web[];

  constructor(world: World, webs: readonly Web[]) {
    this.#world = world;
    this.#webs = webs;
  }

  start(): void {
    const { time, dice, plan } = this.#world;
    for (const { auctionId, hostId, ...toOpen } of plan.lots) {
      if (hostId !== toOpen.lotId) continue;
      const open = () => this.#insist((web) => web.within(({ engine }) => engine.open(auctionId, toOpen)));
      time.after(dice.between(50_000, 900_000), () => void open());
      if (dice.chance(0.3)) time.after(dice.between(50_000, 900_000), () => void open());
    }
    for (const { auctionId, format } of plan.auctions)
      if (format === 'tender')
        for (let userId = 1; userId <= plan.bidders; userId += 1)
          time.after(dice.between(100_000, 1_500_000), () => void this.#register(auctionId, userId));
    const again = () => {
      if (this.#world.biddingIsOver) return;
      this.#act();
      time.after(dice.wait(EVERY_US), again);
    };
    time.after(1_000_000, again);
  }

  #act(): void {
    const { dice, plan } = this.#world;
    const lot = dice.pick(plan.lots);
    switch (dice.between(0, 11)) {
      case 0:
        return void this.#pause(dice.pick(plan.auctions).auctionId);
      case 1:
      case 2:
      case 3:
        return void this.#changeBidder(lot.auctionId, `u:${dice.between(1, plan.bidders)}`);
      case 4:
      case 5:
        return void this.#void(lot);
      case 6:
        if (dice.chance(0.3))
          void this.#order(lot, 'withdrawal', { type: 'withdraw', reason: 'broken', byAdmin: true });
        return;
      case 10:
      case 11:
        return void this.#takeBack(lot);
      case 9:
        if (dice.chance(0.1)) void this.#cancel(dice.pick(plan.auctions).auctionId);
        return;
      case 7:
      case 8: {
        const reserveCents = dice.chance(0.2) ? null : dice.between(20, 200) * 100;
        return void this.#order(lot, 'reserve_change', {
          type: 'change_terms',
          salt: dice.hex(4),
          reserveCents,
        });
      }
    }
  }

  /** Tries again, somewhere else too, until it is done. */
  async #insist<T>(work: (web: Web) => Promise<T>): Promise<T> {
    const { time, dice } = this.#world;
    this.waiting += 1;
    for (;;) {
      try {
        const result = await work(dice.pick(this.#webs));
        this.waiting -= 1;
        return result;
      } catch {
        await new Promise<void>((resolve) => time.after(dice.between(50_000, 300_000), resolve));
      }
    }
  }

  async #order(lot: PlannedLot, kind: Kind, command: Command): Promise<void> {
    const result = await this.#insist((web) => web.submit(lot.lotId, command, null));
    if (result.kind === 'answer' && result.answer.kind === 'done' && result.answer.changed)
      this.#world.trace.count(kind);
  }

  async #pause(auctionId: number): Promise<void> {
    const { time, dice, trace } = this.#world;
    await this.#changeRecord(auctionId, (record, nowUs) => {
      if (pausedSinceUs(record) !== null) return null;
      trace.count('auction_paused');
      return pausedRecord(record, nowUs);
    });
    // Whoever paused it, and whether or not that was confirmed, somebody resumes it.
    await new Promise<void>((resolve) => time.after(dice.between(100_000, 3_000_000), resolve));
    await this.#changeRecord(auctionId, (record, nowUs) => {
      const pause = record.pauses.at(-1);
      if (pause === undefined || pause.toUs !== null) return null;
      return resumedRecord(record, nowUs);
    });
  }

  #cancel(auctionId: number): Promise<boolean> {
    return this.#changeRecord(auctionId, (record) => {
      if (record.cancelled) return null;
      this.#world.trace.count('cancelled');
      return { cancelled: true };
    });
  }

  /**
   * As the marketplace changes a record: based on the current one, retried if another process was faster, then the lots
   * follow.
   */
  #changeRecord(
    auctionId: number,
    change: (record: AuctionRecord, nowUs: number) => Partial<AuctionRecord> | null,
  ): Promise<boolean> {
    const once = async ({ engine, journal }: Serving, web: Web): Promise<boolean> => {
      for (;;) {
        const record = (await journal.loadRecord(auctionId))!;
        const changed = change(record, journal.nowUs());
        if (changed === null) return false;
        const next = { ...record, ...changed, version: record.version + 1 };
        if (!(await journal.saveRecord(next))) continue;
        const { knex } = this.#world.postgres.databaseFor(web.machine, this.#world.network);
        await followAuction({ knex, journal, engine }, auctionId);
        return true;
      }
    };
    return this.#insist((web) => web.within((serving) => once(serving, web)));
  }

  async #changeBidder(auctionId: number, key: string): Promise<void> {
    const { dice, trace, plan } = this.#world;
    const suspend = dice.chance(0.4);
    const limitCents = dice.pick([null, 30_000, 60_000]);
    await this.#insist((web) =>
      web.within(async ({ journal }) => {
        const { bidder } = (await journal.loadBidders(auctionId, [key])).get(key)!;
        if (bidder === null) return;
        const changed: Bidder = { ...bidder, status: suspend ? 'suspended' : 'approved', limitCents };
        await journal.saveBidder(auctionId, changed, null);
        if (suspend) trace.count('suspension');
      }),
    );
    // Nobody stays out for long, so that there is somebody left to bid.
    if (!suspend || plan.bidders === 0) return;
    await new Promise<void>((resolve) => this.#world.time.after(dice.between(300_000, 2_000_000), resolve));
    await this.#insist((web) =>
      web.within(async ({ journal }) => {
        const { bidder } = (await journal.loadBidders(auctionId, [key])).get(key)!;
        if (bidder !== null) await journal.saveBidder(auctionId, { ...bidder, status: 'approved' }, null);
      }),
    );
  }

  /** In a tender nobody bids who has not registered before. */
  #register(auctionId: number, userId: number): Promise<void> {
    const key = `u:${userId}`;
    return this.#insist((web) =>
      web.within(async ({ journal }) => {
        const { bidder } = (await journal.loadBidders(auctionId, [key])).get(key)!;
        const status = { status: 'approved', limitCents: null, paddle: null } as const;
        if (bidder === null)
          await journal.saveBidder(auctionId, { key, userId, alias: `bidder-${userId}`, ...status }, null);
      }),
    );
  }

  /** A bidder takes a sealed bid back. */
  async #takeBack(lot: PlannedLot): Promise<void> {
    const bids = this.#eventsOf(lot).filter((event) => event.type === 'bid_sealed');
    if (bids.length === 0) return;
    const { bidId, bidder } = this.#world.dice.pick(bids);
    await this.#order(lot, 'taken_back', {
      type: 'withdraw_bid',
      bidId,
      bidder: personOf(bidder.userId ?? 0),
    });
  }

  #eventsOf({ hostId }: PlannedLot): LotEvent[] {
    return this.#world.redis.store.log.flatMap((frame) =>
      frame.kind === 'entry' && frame.entry.lotId === hostId ? decodeEvents(frame.entry.privateText) : [],
    );
  }

  /** Takes out some bid of a lot, with the history as the log has it by then. */
  async #void(lot: PlannedLot): Promise<void> {
    const bids = this.#eventsOf(lot).filter(({ type }) => type === 'bid_placed' || type === 'bid_sealed');
    if (bids.length === 0) return;
    // Cast: both have one.
    const { bidId } = this.#world.dice.pick(bids) as { readonly bidId: string } & LotEvent;
    await this.#insist(async (web) => {
      for (;;) {
        const events = this.#eventsOf(lot);
        const history = { sequence: events.at(-1)?.sequence ?? 0, events };
        const result = await web.submit(
          lot.lotId,
          { type: 'void_bid', bidId, reason: 'a mistake', history },
          null,
        );
        if (result.kind === 'needs_history') continue;
        if (result.kind === 'answer' && result.answer.kind === 'done') this.#world.trace.count('void');
        return;
      }
    });
  }
}

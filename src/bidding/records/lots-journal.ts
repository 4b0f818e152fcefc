/**
 * The journal as those read it who show lots: of lots that are sold together, which have one state, each is read as if
 * it had its own. Everything else goes through as it is. Whoever decides or folds uses the journal itself.
 */
import type { Knex } from 'knex';
import type { BatchSource, BidderInAuction, Journal, NewBidder } from '../../../engine/actor/journal.ts';
import type { AuctionRecord, Bidder, BidderKey } from '../../../engine/auction/record.ts';
import { faceOf, memberIds } from '../../../engine/formats/formats.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { sellsTogether } from '../../shared/format-fields.ts';

export class LotsJournal implements Journal {
  readonly #journal: Journal;
  readonly #hosts: LotHosts;

  constructor(journal: Journal, knex: Knex) {
    this.#journal = journal;
    this.#hosts = new LotHosts(knex);
  }

  async load(auctionId: number, lotId: number): Promise<LotState | null> {
    const state = await this.#journal.load(auctionId, lotId);
    if (state !== null) return memberIds(state).length > 1 ? faceOf(state, lotId) : state;
    const hostId = await this.#hosts.of(auctionId, lotId);
    const host = hostId === null || hostId === lotId ? null : await this.#journal.load(auctionId, hostId);
    return host === null ? null : faceOf(host, lotId);
  }

  nowUs(): number {
    return this.#journal.nowUs();
  }

  lastOutageUs(auctionId: number): number {
    return this.#journal.lastOutageUs(auctionId);
  }

  enqueue(source: BatchSource): void {
    this.#journal.enqueue(source);
  }

  loadRecord(auctionId: number): Promise<AuctionRecord | null> {
    return this.#journal.loadRecord(auctionId);
  }

  loadNote(auctionId: number, group: string): Promise<string> {
    return this.#journal.loadNote(auctionId, group);
  }

  loadBidders(auctionId: number, keys: readonly BidderKey[]): Promise<Map<BidderKey, BidderInAuction>> {
    return this.#journal.loadBidders(auctionId, keys);
  }

  findRecord(auctionId: number, field: string): Promise<string | null> {
    return this.#journal.findRecord(auctionId, field);
  }

  findPaddle(auctionId: number, paddle: string): Promise<BidderKey | null> {
    return this.#journal.findPaddle(auctionId, paddle);
  }

  async saveRecord(record: AuctionRecord, unmoved?: ReadonlyMap<number, number>): Promise<boolean> {
    if (unmoved === undefined || !sellsTogether(record.format ?? ''))
      return this.#journal.saveRecord(record, unmoved);
    const hosts = new Map<number, number>();
    for (const [lotId, sequence] of unmoved)
      hosts.set((await this.#hosts.of(record.auctionId, lotId)) ?? lotId, sequence);
    return this.#journal.saveRecord(record, hosts);
  }

  register(auctionId: number, bidders: readonly NewBidder[]): Promise<Bidder[]> {
    return this.#journal.register(auctionId, bidders);
  }

  saveBidder(auctionId: number, bidder: Bidder, reason: string | null): Promise<Bidder> {
    return this.#journal.saveBidder(auctionId, bidder, reason);
  }
}

const MAX_AUCTIONS = 100_000;

/**
 * Whose journal lots are in, which never changes once an auction is published. Asked only of lots that the journal does
 * not have under their own id; those asked for together are read together.
 */
class LotHosts {
  readonly #knex: Knex;
  /** By auction: the host of each lot that has one; null: each of its lots hosts itself. */
  readonly #known = new Map<number, ReadonlyMap<number, number> | null>();
  #waiting: Set<number> | null = null;
  #reading: Promise<void> = Promise.resolve();

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** The lot that hosts this one; null: it hosts itself, or is not published. */
  async of(auctionId: number, lotId: number): Promise<number | null> {
    if (!this.#known.has(auctionId)) await this.#read(auctionId);
    return this.#known.get(auctionId)?.get(lotId) ?? null;
  }

  #read(auctionId: number): Promise<void> {
    if (this.#waiting === null) {
      const waiting = new Set<number>();
      this.#waiting = waiting;
      this.#reading = Promise.resolve().then(() => {
        this.#waiting = null;
        return this.#readAll([...waiting]);
      });
    }
    this.#waiting.add(auctionId);
    return this.#reading;
  }

  async #readAll(auctionIds: readonly number[]): Promise<void> {
    // SQL: an array as a parameter.
    const { rows } = await this.#knex.raw<{ rows: HostRow[] }>(
      `SELECT a.id AS auction_id, a.format, a.status, l.id AS lot_id, l.host_id
       FROM auctions a LEFT JOIN lots l ON l.auction_id = a.id AND l.host_id IS NOT NULL
       WHERE a.id = ANY(CAST(? AS bigint[]))`,
      [[...auctionIds]],
    );
    if (this.#known.size + auctionIds.length > MAX_AUCTIONS) this.#known.clear();
    const hosts = new Map<number, Map<number, number>>();
    for (const { auction_id: auctionId, format, status, lot_id: lotId, host_id: hostId } of rows) {
      if (status === 'draft') continue;
      if (!sellsTogether(format)) this.#known.set(auctionId, null);
      else if (lotId !== null && hostId !== null) {
        const own = hosts.get(auctionId) ?? new Map<number, number>();
        hosts.set(auctionId, own.set(lotId, hostId));
      }
    }
    for (const [auctionId, own] of hosts) this.#known.set(auctionId, own);
  }
}

interface HostRow {
  readonly auction_id: number;
  readonly format: string;
  readonly status: string;
  readonly lot_id: number | null;
  readonly host_id: number | null;
}

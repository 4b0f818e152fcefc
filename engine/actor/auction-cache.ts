/**
 * One process's copy of an auction's record and of the bidders that its lots have met. It may be behind: every commit
 * names the record's version, and the journal sends a batch back when that has moved on. All lots of the auction share
 * it.
 */
import type { AuctionRecord, Bidder, BidderKey } from '../auction/record.ts';
import type { Digest, Randomness } from '../digest.ts';
import type { Seals } from '../lot/seals.ts';
import { type Journal, JournalUnavailable, type NewBidder } from './journal.ts';

/** What somebody's sealed bids come to, by lot, when the journal counted so many changes of them. */
export interface Measured {
  readonly count: number;
  readonly byLot: ReadonlyMap<number, number>;
}

export class AuctionCache {
  readonly auctionId: number;
  #record: AuctionRecord | null = null;
  #loading: Promise<AuctionRecord> | null = null;
  /** Counts invalidations: bidders whose read began before one may be of an older record, and are not kept. */
  #generation = 0;
  readonly #bidders = new Map<BidderKey, Bidder | null>();
  readonly #exposure = new Map<BidderKey, number>();
  readonly #measured = new Map<BidderKey, Measured>();
  /** Of the groups of its lots. Each commit checks what it assumed. */
  readonly #notes = new Map<string, string>();
  readonly #journal: Journal;
  readonly #random: Randomness;

  constructor(auctionId: number, journal: Journal, random: Randomness) {
    this.auctionId = auctionId;
    this.#journal = journal;
    this.#random = random;
  }

  /** The record, or null while it has to be fetched first. */
  get record(): AuctionRecord | null {
    return this.#record;
  }

  /** What is known of a bidder: undefined before the first look-up, null when not registered. */
  bidder(key: BidderKey): Bidder | null | undefined {
    return this.#bidders.get(key);
  }

  exposureCents(key: BidderKey): number {
    return this.#exposure.get(key) ?? 0;
  }

  /**
   * Of sealed bids, what a bidder's come to on the auction's other lots; undefined: nobody has added it up since they
   * last bid.
   */
  elsewhereCents(key: BidderKey, lotId: number): number | undefined {
    const found = this.#measured.get(key);
    if (found === undefined || found.count !== this.exposureCents(key)) return undefined;
    let sum = 0;
    for (const [id, cents] of found.byLot) if (id !== lotId) sum += cents;
    return sum;
  }

  setMeasured(key: BidderKey, measured: Measured): void {
    this.#measured.set(key, measured);
  }

  /** The note of a group of its lots; undefined before the first look-up. */
  note(group: string): string | undefined {
    return this.#notes.get(group);
  }

  /** Notes what a commit leaves or has found; undefined: nobody knows, and it has to be read. */
  setNote(group: string, text: string | undefined): void {
    if (text === undefined) this.#notes.delete(group);
    else this.#notes.set(group, text);
  }

  async loadNote(group: string): Promise<void> {
    this.#notes.set(group, await this.#journal.loadNote(this.auctionId, group));
  }

  /**
   * Fetches the record; everybody who calls meanwhile waits for the same fetch. Rejects with `JournalUnavailable` where
   * the journal has none: it has lost what was published, and nobody may decide before it is there again.
   */
  load(): Promise<AuctionRecord> {
    this.#loading ??= this.#journal
      .loadRecord(this.auctionId)
      .then((record) => {
        if (record === null)
          throw new JournalUnavailable(`the journal has no record of auction ${this.auctionId}`);
        // Bidders that were read before it may be older than it: only what is read after a version may be decided on
        // under it.
        if (this.#record?.version !== record.version) this.invalidate();
        this.#record = record;
        return record;
      })
      .finally(() => {
        this.#loading = null;
      });
    return this.#loading;
  }

  /** Forgets what it knows, because the record has changed. */
  invalidate(): void {
    this.#generation += 1;
    this.#record = null;
    this.#bidders.clear();
    this.#exposure.clear();
    this.#measured.clear();
  }

  async loadBidders(keys: readonly BidderKey[]): Promise<void> {
    const generation = this.#generation;
    const found = await this.#journal.loadBidders(this.auctionId, keys);
    if (generation !== this.#generation) return;
    for (const [key, { bidder, exposureCents }] of found) {
      this.#bidders.set(key, bidder);
      this.#exposure.set(key, exposureCents);
    }
  }

  /**
   * Registers bidders who are about to make their first bid in an open auction. Throws for a key that no journal gives
   * back as it was: its bidder would never be found.
   */
  async register(bidders: readonly Omit<NewBidder, 'alias'>[]): Promise<void> {
    const broken = bidders.find(({ key }) => HALF_PAIR.test(key));
    if (broken !== undefined)
      throw new TypeError(`the bidder's key ${JSON.stringify(broken.key)} is no text`);
    const named = bidders.map(({ key, userId, paddle }) => {
      return { key, userId, paddle, alias: aliasFrom(this.#random.salt()) };
    });
    const generation = this.#generation;
    const registered = await this.#journal.register(this.auctionId, named);
    if (generation !== this.#generation) return;
    for (const bidder of registered) this.#bidders.set(bidder.key, bidder);
  }

  /**
   * Never below nothing: what is taken back may have been corrected meanwhile, and every commit checks what it
   * assumed.
   */
  addExposure(key: BidderKey, deltaCents: number): void {
    const known = this.#exposure.get(key);
    if (known !== undefined) this.#exposure.set(key, Math.max(0, known + deltaCents));
  }

  setExposure(key: BidderKey, cents: number): void {
    this.#exposure.set(key, cents);
  }
}

/** Half of a surrogate pair. */
const HALF_PAIR = /\p{Surrogate}/u;

/** An alias that reveals nothing: eight characters of a random text. */
export function aliasFrom(salt: string): string {
  return `bidder-${salt.slice(0, 8).toLowerCase()}`;
}

/** What actors and auction caches are built with. */
export interface EngineParts {
  readonly journal: Journal;
  readonly digest: Digest;
  readonly random: Randomness;
  /** Absent: no bid can be sealed. */
  readonly seals?: Seals;
}

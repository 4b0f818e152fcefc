/**
 * Checks one lot's journal from its first entry: the chain of hashes, that each public form follows from its events,
 * and that every bid, void and close follows from the previous state by the rules. Pure; the caller supplies the
 * entries.
 */
import { type AuctionRecord, OUTAGE_US } from '../../../engine/auction/record.ts';
import { canonicalJson } from '../../../engine/canonical.ts';
import { commitmentTo, type Digest, GENESIS_HASH } from '../../../engine/digest.ts';
import type { BidHistory } from '../../../engine/lot/bid-history.ts';
import { closedByTime } from '../../../engine/lot/closing.ts';
import { chainHash, type SealedEntry } from '../../../engine/lot/entry.ts';
import { decodeEvents } from '../../../engine/lot/event-codec.ts';
import type { BidPlaced, LotEvent } from '../../../engine/lot/events.ts';
import { evolve, NO_LOT, withEntry } from '../../../engine/lot/evolve.ts';
import { applyBid } from '../../../engine/lot/lead.ts';
import { publicText } from '../../../engine/lot/public-events.ts';
import type { Leader, LotState } from '../../../engine/lot/state.ts';
import { reapply } from '../../../engine/lot/voiding.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { historicItem } from './archived-history.ts';
import type { JournalGap } from './journal-gaps.ts';

/** The first thing that is not as it must be. */
export class Difference extends Error {
  override readonly name = 'Difference';
}

export class LotAudit {
  #state: LotState = { ...NO_LOT, hash: GENESIS_HASH };
  #items: BidHistory['items'][number][] = [];
  /** A second chance was taken: what it adds is judged by nothing that a bid is judged by. */
  #isSecondChance = false;
  /** Up to this sequence nothing is judged: entries are missing, and with them the standing that it was judged by. */
  #knownFrom = 0;
  readonly #record: AuctionRecord;
  readonly #digest: Digest;
  readonly #gaps: readonly JournalGap[];

  constructor(record: AuctionRecord, digest: Digest, gaps: readonly JournalGap[] = []) {
    this.#record = record;
    this.#digest = digest;
    this.#gaps = gaps;
  }

  get state(): LotState {
    return this.#state;
  }

  /** Passes over the entries that are known to be missing here, if any are. */
  #passGap(): void {
    const gap = this.#gaps.find(({ afterSequence }) => afterSequence === this.#state.sequence);
    if (gap === undefined) return;
    this.#state = gap.state;
    this.#knownFrom = gap.knownFrom;
  }

  /** Takes the next entry. Throws `Difference` for the first thing that is wrong with it. */
  take(entry: SealedEntry): void {
    if (entry.previousHash !== this.#state.hash) this.#passGap();
    const before = this.#state;
    const fail = (what: string): never => {
      throw new Difference(`lot ${entry.lotId}, entry ${entry.sequence}: ${what}`);
    };
    if (entry.previousHash !== before.hash) fail(`does not follow the previous entry (${before.sequence})`);
    if (chainHash(this.#digest, entry.previousHash, entry.publicText) !== entry.hash)
      fail('its hash does not match its text');
    const events = this.#read(entry, fail);
    if (entry.recordedAtUs < before.recordedAtUs) fail('has an earlier time than the previous entry');
    for (const event of events) this.#apply(event, entry, fail);
    if (this.#state.sequence !== entry.sequence) fail(`ends at ${this.#state.sequence}`);
    this.#state = withEntry(this.#state, entry);
  }

  #read(entry: SealedEntry, fail: (what: string) => never): readonly LotEvent[] {
    let events: LotEvent[];
    try {
      events = decodeEvents(entry.privateText);
    } catch {
      return fail('its events cannot be read');
    }
    const commit = (salt: string, cents: number) => commitmentTo(this.#digest, salt, cents);
    const text = canonicalJson({
      events: events.map((event) => JSON.parse(publicText(event, commit))),
      first_sequence: entry.firstSequence,
      previous_hash: entry.previousHash,
      recorded_at: isoFromUs(entry.recordedAtUs),
      sequence: entry.sequence,
    });
    if (text !== entry.publicText) fail('its public form does not match its events');
    return events;
  }

  #apply(event: LotEvent, entry: SealedEntry, fail: (what: string) => never): void {
    const before = this.#state;
    const follows =
      event.sequence === before.sequence + 1 ||
      (event.type === 'lot_recovered' && event.sequence > before.sequence);
    if (!follows) fail(`sequence ${event.sequence} follows ${before.sequence}`);
    if (event.type === 'lot_reopened') this.#isSecondChance = event.reason === 'second_chance';
    if (event.type === 'lot_closed') this.#isSecondChance = false;
    if (event.sequence > this.#knownFrom) this.#judge(before, event, entry, fail);
    const item = historicItem(event);
    if (item !== null) this.#items.push(item);
    this.#state = evolve(before, event);
  }

  /** Whether the rules make of `before` what the event says. */
  #judge(before: LotState, event: LotEvent, entry: SealedEntry, fail: (what: string) => never): void {
    if (event.type === 'bid_placed' && !this.#isSecondChance) this.#checkBid(before, event, entry, fail);
    if (event.type === 'lot_closed' && event.reason === 'time') this.#checkClose(before, event, entry, fail);
    if (event.type === 'lot_rescheduled' && event.outage !== undefined) {
      const { fromUs, toUs } = event.outage;
      const isFair = toUs - fromUs > OUTAGE_US && before.endsAtUs > fromUs && event.endsAtUs > toUs;
      if (!isFair || toUs > entry.recordedAtUs)
        fail('stays open because of an outage that did not affect its end');
    }
    if (event.type === 'bid_voided') {
      const after = reapply(
        { sequence: before.sequence, items: this.#items },
        this.#record.increments,
        new Set([event.bidId]),
      );
      expectSame(
        'void',
        { ...after, leader: alike(after.leader, event.leader), rows: null },
        { currentCents: event.currentCents, leader: event.leader, bidCount: event.bidCount, rows: null },
        fail,
      );
    }
  }

  #checkBid(before: LotState, event: BidPlaced, entry: SealedEntry, fail: (what: string) => never): void {
    if (event.outcome === 'won' && event.channel !== 'online') return;
    if (before.status !== 'active') fail(`a bid on a lot that is ${before.status}`);
    const timed = this.#record.type === 'timed' && !before.paused;
    if (timed && entry.recordedAtUs >= before.endsAtUs) fail('a bid at or after the end');
    if (event.outcome === 'won') return;
    const lead = {
      currentCents: before.currentCents,
      leader: before.leader && { who: before.leader.key, ceilingCents: before.leader.ceilingCents },
    };
    const bid = {
      who: event.bidder.key,
      straightCents: event.straightCents,
      ceilingCents: event.ceilingCents,
    };
    const { startingBidCents, reserveCents } = before;
    const applied = applyBid(lead, bid, {
      startingBidCents,
      reserveCents,
      increments: this.#record.increments,
    });
    const recorded = {
      outcome: event.outcome,
      currentCents: event.currentCents,
      listedCents: event.listedCents,
      leader: { who: event.leader.key, ceilingCents: event.leader.ceilingCents },
    };
    expectSame(`bid ${event.bidId}`, applied, recorded, fail);
  }

  #checkClose(
    before: LotState,
    event: Extract<LotEvent, { type: 'lot_closed' }>,
    entry: SealedEntry,
    fail: (what: string) => never,
  ): void {
    if (entry.recordedAtUs < before.endsAtUs) fail('was closed before its end');
    const { status, hammerCents, winner } = closedByTime(before);
    expectSame(
      'close',
      { status, hammerCents, winner },
      { status: event.status, hammerCents: event.hammerCents, winner: event.winner },
      fail,
    );
  }
}

/** A leader without the row's amount where the other, of an older journal, has none. */
export function alike(leader: Leader | null, other: Leader | null): Leader | null {
  if (leader === null || other === null || other.listedCents !== undefined) return leader;
  const { listedCents: _listedCents, ...rest } = leader;
  return rest;
}

/** Compares two JSON values; fails with both where they differ. */
export function expectSame(
  what: string,
  wanted: unknown,
  found: unknown,
  fail: (what: string) => never,
): void {
  const [left, right] = [canonicalJson(wanted), canonicalJson(found)];
  if (left !== right) fail(`${what} should be ${left} but is ${right}`);
}

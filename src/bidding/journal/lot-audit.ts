/**
 * Checks one lot's journal from its first entry: the chain of hashes, that each public form follows from its events,
 * and that every bid, void and close follows from the previous state by the rules. Pure; the caller supplies the
 * entries.
 */
import { type AuctionRecord, OUTAGE_US } from '../../../engine/auction/record.ts';
import { canonicalJson } from '../../../engine/canonical.ts';
import { commitmentTo, type Digest, GENESIS_HASH } from '../../../engine/digest.ts';
import { decodeEvents, evolve, formatOfEntry, NO_LOT, withEntry } from '../../../engine/formats/formats.ts';
import { chainHash, type SealedEntry } from '../../../engine/lot/entry.ts';
import type { LotEvent } from '../../../engine/lot/events.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { isoFromUs } from '../../../engine/time.ts';
import type { JournalGap } from './journal-gaps.ts';

/** The first thing that is not as it must be. */
export class Difference extends Error {
  override readonly name = 'Difference';
}

export class LotAudit {
  #state: LotState = { ...NO_LOT, hash: GENESIS_HASH };
  readonly #past: LotEvent[] = [];
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
    const format = formatOfEntry(entry.privateText);
    const scheduled = events.find((event) => event.type === 'lot_scheduled');
    const decimals = (scheduled ?? this.#state).decimals ?? 2;
    const commit = (salt: string, cents: number) => commitmentTo(this.#digest, salt, cents);
    const text = canonicalJson({
      events: events.map((event) => JSON.parse(format.publicEvent(event, decimals, commit))),
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
    this.#past.push(event);
    this.#state = evolve(before, event);
  }

  /** Whether the rules make of `before` what the event says. */
  #judge(before: LotState, event: LotEvent, entry: SealedEntry, fail: (what: string) => never): void {
    if (event.type === 'lot_rescheduled' && event.outage !== undefined) {
      const { fromUs, toUs } = event.outage;
      const isFair = toUs - fromUs > OUTAGE_US && before.endsAtUs > fromUs && event.endsAtUs > toUs;
      if (!isFair || toUs > entry.recordedAtUs)
        fail('stays open because of an outage that did not affect its end');
    }
    formatOfEntry(entry.privateText).check(before, event, {
      record: this.#record,
      recordedAtUs: entry.recordedAtUs,
      past: this.#past,
      isSecondChance: this.#isSecondChance,
      commit: (salt, cents) => commitmentTo(this.#digest, salt, cents),
      fail,
      expectSame: (what, wanted, found) => expectSame(what, wanted, found, fail),
    });
  }
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

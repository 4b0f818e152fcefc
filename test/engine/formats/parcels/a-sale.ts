/** A sale of tracts under the engine's rules, with its journal: what the tests of the format work on. */
import { expect } from 'chai';
import type { AuctionRecord, BidderKey } from '../../../../engine/auction/record.ts';
import { commitmentTo, GENESIS_HASH } from '../../../../engine/digest.ts';
import { decodeEvents, decodeSnapshot, encodeSnapshot } from '../../../../engine/formats/formats.ts';
import { PARCELS } from '../../../../engine/formats/parcels/parcels.ts';
import type { ParcelsEvent } from '../../../../engine/formats/parcels/parcels-events.ts';
import type { ParcelsState } from '../../../../engine/formats/parcels/parcels-state.ts';
import { sealEntry } from '../../../../engine/formats/sealing.ts';
import type { Answer } from '../../../../engine/lot/answers.ts';
import type { Command } from '../../../../engine/lot/commands.ts';
import type { SealedEntry } from '../../../../engine/lot/entry.ts';
import type { PastEntry } from '../../../../engine/lot/format.ts';
import { formatUnitCount } from '../../../../engine/lot/units.ts';
import { isoFromUs } from '../../../../engine/time.ts';
import { aBid, aBidder, aPerson, aRecord, STARTS_AT_US, sha256 } from '../../../support/engine-terms.ts';

export const SECOND = 1_000_000;
export const at = (seconds: number) => STARTS_AT_US + seconds * SECOND;

export interface Tract {
  readonly start?: number;
  readonly reserve?: number | null;
  /** Ten-thousandths. */
  readonly units?: number | null;
  readonly consignor?: number;
}

export interface SaleTerms {
  readonly tracts: readonly Tract[];
  readonly perUnit?: boolean;
  readonly whole?: number | null;
  readonly parts?: boolean;
  /** Seconds after the start. */
  readonly combinationsFrom?: number;
  readonly record?: Partial<AuctionRecord>;
}

const text = (cents: number | null) => (cents === null ? null : (cents / 100).toFixed(2));

export class Sale {
  record: AuctionRecord;
  state: ParcelsState;
  readonly entries: SealedEntry[] = [];
  readonly events: ParcelsEvent[] = [];
  readonly history: PastEntry<ParcelsEvent>[] = [];
  /** What each bidder may have to pay, as a journal counts it. */
  readonly exposure = new Map<BidderKey, number>();

  /** Lots 1, 2, … of those terms; the sale's journal is that of lot 1. */
  constructor({
    tracts,
    perUnit = false,
    whole = null,
    parts = false,
    combinationsFrom,
    record = {},
  }: SaleTerms) {
    this.record = aRecord({ format: 'parcels', startsAtUs: STARTS_AT_US, ...record });
    const lots = tracts.map(({ start = 10_000, reserve = null, units = null, consignor }, index) => ({
      lot_id: index + 1,
      lot_number: index + 1,
      starting_bid: text(start),
      reserve_price: text(reserve),
      units: units === null ? null : formatUnitCount(units),
      unit_name: units === null ? null : 'acre',
      bid_per: perUnit ? 'unit' : 'lot',
      consignor_user_id: consignor ?? null,
    }));
    const from = combinationsFrom === undefined ? null : isoFromUs(at(combinationsFrom));
    const settings = { whole_reserve: text(whole), sell_parts: parts, combinations_from: from, lots };
    const lot = { lotId: 1, auctionId: 7, lotNumber: 1, salt: 'salt', settings };
    const [first] = tracts;
    const scheduled = {
      ...{ ...lot, type: 'lot_scheduled' as const, sequence: 1, format: 'parcels', pausesApplied: 0 },
      ...{ startingBidCents: first?.start ?? 10_000, reserveCents: first?.reserve ?? null },
      ...{ buyNowCents: null, consignorUserId: null },
      ...PARCELS.firstTimes(lot, this.record),
    } as const;
    const start = { ...PARCELS.unscheduled, hash: GENESIS_HASH };
    this.state = start;
    this.#append([scheduled], PARCELS.evolve(start, scheduled), at(-100));
  }

  #append(events: readonly ParcelsEvent[], next: ParcelsState, nowUs: number): void {
    if (events.length === 0) return;
    const entry = sealEntry(this.state, events, next, nowUs, sha256);
    expect(decodeEvents(entry.privateText)).to.deep.equal(events);
    for (const { key, deltaCents } of PARCELS.exposureChanges(this.state, next))
      this.exposure.set(key, (this.exposure.get(key) ?? 0) + deltaCents);
    this.entries.push(entry);
    this.events.push(...events);
    this.history.push({ recordedAtUs: nowUs, events });
    this.state = PARCELS.withEntry(next, entry);
    expect(decodeSnapshot(encodeSnapshot(this.state))).to.deep.equal(this.state);
  }

  answer(command: Command, nowUs: number): Answer {
    const who = 'bidder' in command && command.type === 'place_bid' ? (command.bidder.userId ?? 1) : 1;
    const bidder = aBidder(who);
    const exposureCents = PARCELS.exposureOf(this.state, bidder.key);
    const decision = PARCELS.decide(this.state, command, {
      record: this.record,
      bidder,
      exposureCents,
      nowUs,
    });
    if ('need' in decision) throw new Error(decision.need);
    this.#append(decision.events, decision.next, nowUs);
    return decision.answer;
  }

  /** The outcome of a bid, a refusal's code, or `done`. */
  do(command: Command, nowUs: number): string {
    const answer = this.answer(command, nowUs);
    return answer.kind === 'bid' ? answer.outcome : answer.kind === 'refused' ? answer.code : 'done';
  }

  void(bidId: string, nowUs: number): string {
    const history = { sequence: this.state.sequence, events: this.events };
    return this.do({ type: 'void_bid', bidId, reason: 'x', history }, nowUs);
  }

  /** Decides as long as the clock has something to do. */
  advance(nowUs: number): void {
    this.do({ type: 'advance' }, nowUs);
  }

  /** Whether the journal's events follow from each other. Throws where they do not. */
  check(history: readonly PastEntry<ParcelsEvent>[] = this.history): void {
    let state: ParcelsState = PARCELS.unscheduled;
    for (const { recordedAtUs, events } of history) {
      for (const event of events) {
        PARCELS.check(state, event, {
          ...{ record: this.record, recordedAtUs, past: [], isSecondChance: false },
          commit: () => '',
          fail: (what) => expect.fail(what),
          expectSame: (what, wanted, found) => expect(found, what).to.deep.equal(wanted),
        });
        state = PARCELS.evolve(state, event);
      }
    }
  }

  /** As the public has it, with what is opened of it. */
  get bundle() {
    const journal = this.entries.map(({ publicText, hash }) => ({ ...JSON.parse(publicText), hash }));
    const { closed, secrets } = PARCELS.openings(this.events, null);
    const openings = secrets.map(({ sequence, kind, bidId, salt, cents }) => ({
      ...{ sequence, kind, bid_id: bidId, salt, commitment: commitmentTo(sha256, salt, cents) },
      amount: text(cents),
    }));
    const { increments, softClose, type } = this.record;
    const { windowSeconds, extensionSeconds, maxExtensions } = softClose;
    const terms = {
      type,
      increments: increments.map(({ fromCents, incrementCents }) => ({
        from: text(fromCents),
        increment: text(incrementCents),
      })),
      soft_close: {
        ...{ window_seconds: windowSeconds, extension_seconds: extensionSeconds },
        max_extensions: maxExtensions,
      },
    };
    return { journal, openings: { closed, openings, terms } };
  }
}

/** A bid of user `who` on lots, sent to the first of them. */
export function on(
  lotIds: readonly number[],
  cents: number,
  who = 1,
  more: { bidId?: string; standing?: true } = {},
) {
  return aBid({ bidder: aPerson(who), straightCents: cents, lotIds, lotId: lotIds[0] ?? 0, ...more });
}

export interface Verifier {
  verify(bundle: unknown): Promise<{ ok: boolean; steps: string[]; fault: { message: string } | null }>;
  canonical(value: unknown): string;
}

/** What anybody downloads. */
export const verifierOf = (): Promise<Verifier> =>
  import(new URL('../../../../verifier/verify.mjs', import.meta.url).href);

/**
 * Runs the naive model's inputs through the engine: one auction, its lots, its bidders, and the pure `decide` on each
 * in order. What comes back is in the naive model's words, so that the two can be compared; what is kept is the
 * engine's own, sealed entries included.
 */

import { bidderOf } from '../../engine/actor/pending-command.ts';
import type { AuctionRecord, Bidder } from '../../engine/auction/record.ts';
import { pausedRecord, resumedRecord, userKey } from '../../engine/auction/record.ts';
import { GENESIS_HASH } from '../../engine/digest.ts';
import { catchUp, firstTimes, GROUPED } from '../../engine/formats/english/close-group.ts';
import { decide } from '../../engine/formats/english/decide.ts';
import type { EnglishEvent } from '../../engine/formats/english/english-events.ts';
import {
  type EnglishState,
  minimumNextCents,
  reserveMet,
} from '../../engine/formats/english/english-state.ts';
import { evolve, NO_LOT } from '../../engine/formats/english/evolve.ts';
import { sealEntry } from '../../engine/formats/sealing.ts';
import type { BidderIdentity, Command } from '../../engine/lot/commands.ts';
import type { Decision } from '../../engine/lot/decision.ts';
import { isOpen } from '../../engine/lot/state.ts';
import { totalOf } from '../../engine/lot/units.ts';
import { decimalsOf } from '../../engine/money.ts';
import { historyOf, listedRows } from './engine-rows.ts';
import { HOUR_US, sha256 } from './engine-terms.ts';
import { accepted, type EngineLot, inNaiveWords, recordOf } from './engine-words.ts';
import type {
  NaiveAnswer,
  NaiveAuctionTerms,
  NaiveBidder,
  NaiveInput,
  NaiveLotTerms,
  NaiveLotView,
  NaiveRow,
} from './naive-terms.ts';

export class EngineWorld {
  record: AuctionRecord;
  readonly lots = new Map<number, EngineLot>();
  readonly #notes = new Map<string, string>();
  readonly #people: Record<string, NaiveBidder>;
  readonly #registered = new Map<string, Bidder>();
  #floorSequence = 0;
  #auctionAtUs = 0;

  constructor(
    auction: NaiveAuctionTerms,
    lots: readonly NaiveLotTerms[],
    people: Record<string, NaiveBidder>,
  ) {
    this.#people = people;
    this.record = recordOf(auction, lots);
    for (const [index, lot] of lots.entries()) this.lots.set(lot.lotId, this.#open(lot, index + 1));
    for (const [name, { registration }] of Object.entries(people)) {
      if (registration !== null) this.#registered.set(this.#keyOf(name), this.#bidderOf(name, auction));
    }
  }

  /** Decides one input and keeps its effects. */
  apply(input: NaiveInput): NaiveAnswer {
    if (input.kind === 'pause' || input.kind === 'resume') return this.#pauseOrResume(input.kind, input.atUs);
    if (input.kind === 'outage') return this.#comeBack(input.fromUs, input.atUs);
    if (input.kind === 'staysOpen') throw new Error('nobody asks for this');
    const lot = this.lots.get(input.lotId)!;
    const nowUs = Math.max(input.atUs, lot.state.recordedAtUs, this.#auctionAtUs);
    const command = this.#commandOf(input, lot);
    const { answer } = this.#decide(lot, command, nowUs);
    return inNaiveWords(input, answer, lot);
  }

  /** The lot's current state, including its auction's pauses. */
  view(lotId: number): NaiveLotView {
    const { state: stored } = this.lots.get(lotId)!;
    const state = catchUp(stored, this.#recordFor(stored), stored.recordedAtUs).reduce(
      (before, event) => evolve(before, { ...event, sequence: before.sequence + 1 } as EnglishEvent),
      stored,
    );
    return {
      currentCents: state.currentCents,
      minimumNextCents: minimumNextCents(state, this.record),
      bidCount: state.bidCount,
      reserveMet: reserveMet(state),
      leader: state.leader === null ? null : this.#nameOf(state.leader.key),
      ceilingCents: state.leader?.ceilingCents ?? 0,
      endsAtUs: state.endsAtUs,
      status: isOpen(state) ? 'open' : (state.status as NaiveLotView['status']),
      hammerCents: state.hammerCents,
    };
  }

  /** The public list, newest first. */
  rows(lotId: number): NaiveRow[] {
    const { state, events } = this.lots.get(lotId)!;
    return listedRows(state, events).map(({ key, ...row }) => ({
      ...row,
      outcome: row.outcome as NaiveRow['outcome'],
      who: this.#nameOf(key),
    }));
  }

  #open(lot: NaiveLotTerms, lotNumber: number): EngineLot {
    const { startsAtUs, endsAtUs: _alone, units, group, ...terms } = lot;
    const { endsAtUs } = firstTimes({ lotId: lot.lotId, lotNumber }, this.record);
    const decimals = decimalsOf(this.record.currency);
    const event: EnglishEvent = {
      ...terms,
      ...(group === undefined ? {} : { closeGroup: group }),
      ...(units === undefined ? {} : { units: { count: units, name: 'acre', isPriced: true } }),
      type: 'lot_scheduled',
      sequence: 1,
      auctionId: this.record.auctionId,
      lotNumber,
      startsAtUs,
      endsAtUs,
      pausesApplied: 0,
      salt: `salt-of-lot-${lot.lotId}`,
      ...(decimals === 2 ? {} : { decimals }),
    };
    const start = { ...NO_LOT, hash: GENESIS_HASH };
    const opened: EngineLot = { state: start, events: [], entries: [] };
    this.#keep(opened, [event], evolve(start, event), startsAtUs - HOUR_US);
    return opened;
  }

  #keep(lot: EngineLot, events: readonly EnglishEvent[], next: EnglishState, nowUs: number): void {
    if (events.length === 0) return;
    const entry = sealEntry(lot.state, events, next, nowUs, sha256);
    const note = GROUPED.noteAfter(next, events, this.#recordFor(lot.state), nowUs);
    if (note !== null && next.group !== null) this.#notes.set(next.group.name, note.text);
    lot.state = { ...next, hash: entry.hash, recordedAtUs: nowUs };
    lot.events.push(...events);
    lot.entries.push(entry);
  }

  /** The record as a lot is judged by. */
  #recordFor(state: EnglishState): AuctionRecord {
    const group = GROUPED.groupOf(state, this.record);
    return group ? GROUPED.judgedBy(this.record, group, this.#notes.get(group.name) ?? '') : this.record;
  }

  #decide(lot: EngineLot, command: Command, nowUs: number): Decision {
    const who = bidderOf(command);
    const bidder = who === null ? null : (this.#registered.get(who.key) ?? null);
    const exposureCents = who === null ? 0 : this.#exposureOf(who.key);
    const record = this.#recordFor(lot.state);
    const decision = decide(lot.state, command, { record, bidder, exposureCents, nowUs });
    if ('need' in decision) {
      if (decision.need === 'history' || who === null)
        throw new Error(`the engine needs more than all: ${decision.need}`);
      const { key, userId } = who;
      const paddle = bidder?.paddle ?? String(1_001 + this.#registered.size);
      this.#registered.set(key, {
        key,
        userId,
        alias: `alias-${key}`,
        paddle,
        status: 'approved',
        limitCents: bidder?.limitCents ?? null,
      });
      return this.#decide(lot, command, nowUs);
    }
    this.#keep(lot, decision.events, decision.next, nowUs);
    return decision;
  }

  #exposureOf(key: string): number {
    let cents = 0;
    for (const { state } of this.lots.values())
      if (isOpen(state) && state.leader?.key === key)
        cents += totalOf(state.units, state.leader.ceilingCents);
    return cents;
  }

  #pauseOrResume(kind: 'pause' | 'resume', atUs: number): NaiveAnswer {
    const last = this.record.pauses.at(-1);
    const paused = last !== undefined && last.toUs === null;
    if (paused === (kind === 'pause')) return { refused: 'invalid_transition' };
    this.#auctionAtUs = this.#laterThanAll(atUs);
    const change = kind === 'pause' ? pausedRecord : resumedRecord;
    this.record = { ...change(this.record, this.#auctionAtUs), version: this.record.version + 1 };
    return accepted(kind === 'pause' ? 'paused' : 'resumed');
  }

  /** The journal is back. */
  #comeBack(fromUs: number, atUs: number): NaiveAnswer {
    this.#auctionAtUs = this.#laterThanAll(atUs);
    const outages = [...(this.record.outages ?? []), { fromUs, toUs: this.#auctionAtUs }];
    this.record = { ...this.record, outages };
    return accepted('outage');
  }

  #laterThanAll(atUs: number): number {
    const recorded = [...this.lots.values()].map(({ state }) => state.recordedAtUs);
    return Math.max(atUs, this.#auctionAtUs, ...recorded);
  }

  #commandOf(
    input: Exclude<NaiveInput, { kind: 'pause' | 'resume' | 'outage' | 'staysOpen' }>,
    lot: EngineLot,
  ): Command {
    switch (input.kind) {
      case 'bid': {
        const { bidId, straightCents, ceilingCents, channel } = input;
        return {
          type: 'place_bid',
          bidId,
          salt: `salt-of-${bidId}`,
          bidder: this.#identityOf(input.who),
          channel,
          straightCents,
          ceilingCents,
          currency: input.currency?.toLowerCase() ?? null,
          // A bidder on the floor cannot be asked to confirm.
          confirm: input.confirm || channel !== 'online',
          floor: channel === 'floor' ? this.#floorOrder() : null,
        };
      }
      case 'buyNow': {
        const { bidId, who } = input;
        const currency = input.currency?.toLowerCase() ?? null;
        return { type: 'buy_now', bidId, salt: `salt-of-${bidId}`, bidder: this.#identityOf(who), currency };
      }
      case 'void': {
        const history = historyOf(lot.events);
        return { type: 'void_bid', bidId: input.bidId, reason: 'a mistake', history };
      }
      case 'undo': {
        const placedAtUs = lot.entries.find(({ privateText }) => privateText.includes(`"${input.bidId}"`));
        return {
          type: 'undo_call',
          bidId: input.bidId,
          reason: 'a slip',
          placedAtUs: placedAtUs?.recordedAtUs ?? 0,
          history: historyOf(lot.events),
        };
      }
      case 'reserve':
        return { type: 'change_terms', salt: `salt-${lot.state.sequence}`, reserveCents: input.toCents };
      case 'close':
        return { type: 'advance' };
      case 'withdraw':
        return { type: 'withdraw', reason: 'no longer for sale', byAdmin: true };
      case 'hammer': {
        const { result, hammerCents, who } = input;
        const identity = who === null ? null : this.#identityOf(who);
        const winner = identity && { key: identity.key, userId: identity.userId, paddle: identity.paddle };
        const floor = this.#floorOrder();
        const named = { bidId: input.bidId, salt: `salt-of-${input.bidId}` };
        const said = { result, hammerCents, winner, currency: null, floor };
        return { type: 'record_sale', ...named, ...said, auctionRuns: true };
      }
    }
  }

  #floorOrder(): { platform: string; sequence: number } {
    this.#floorSequence += 1;
    return { platform: 'hall', sequence: this.#floorSequence };
  }

  #identityOf(name: string): BidderIdentity {
    const person = this.#people[name];
    return {
      key: this.#keyOf(name),
      userId: person?.userId ?? null,
      verified: person?.verified ?? false,
      suspended: person?.suspended ?? false,
      teamIds: [],
      paddle: person === undefined ? name : null,
    };
  }

  #keyOf(name: string): string {
    const person = this.#people[name];
    return person === undefined ? `x:hall:${name}` : userKey(person.userId);
  }

  #nameOf(key: string): string {
    if (key.startsWith('x:hall:')) return key.slice('x:hall:'.length);
    return Object.keys(this.#people).find((name) => this.#keyOf(name) === key)!;
  }

  #bidderOf(name: string, auction: NaiveAuctionTerms): Bidder {
    const { userId, registration } = this.#people[name]!;
    const { status, depositPaid, bidLimitCents, hasAccepted } = registration!;
    const due = auction.registration.mode === 'deposit' && !depositPaid && status !== 'suspended';
    return {
      key: userKey(userId),
      userId,
      alias: `alias-u:${userId}`,
      paddle: String(2_000 + userId),
      status: due ? 'deposit_due' : status,
      limitCents: bidLimitCents,
      ...(hasAccepted ? { conditionsVersion: 1 } : {}),
    };
  }
}

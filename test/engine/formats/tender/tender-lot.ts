/** A lot of a tender under the engine's rules, with its journal, whose every entry is stored and read again. */
import { expect } from 'chai';
import type { AuctionRecord, Bidder } from '../../../../engine/auction/record.ts';
import { commitmentTo, GENESIS_HASH } from '../../../../engine/digest.ts';
import { decodeEvents, decodeSnapshot, encodeSnapshot } from '../../../../engine/formats/formats.ts';
import { sealEntry } from '../../../../engine/formats/sealing.ts';
import { TENDER } from '../../../../engine/formats/tender/tender.ts';
import type { TenderEvent } from '../../../../engine/formats/tender/tender-events.ts';
import type { TenderState } from '../../../../engine/formats/tender/tender-state.ts';
import type { Command } from '../../../../engine/lot/commands.ts';
import type { SealedEntry } from '../../../../engine/lot/entry.ts';
import { LotAudit } from '../../../../src/bidding/journal/lot-audit.ts';
import { aBid, aBidder, aPerson, aRecord, STARTS_AT_US, sha256 } from '../../../support/engine-terms.ts';
import { TestSeals } from '../../../support/test-seals.ts';
import type { NaiveTerms } from './naive-tender.ts';

const SECOND = 1_000_000;

export const TERMS: NaiveTerms = {
  starting: 10_000,
  reserve: null,
  mayLower: false,
  mayWithdraw: false,
  second: false,
  finalRound: null,
  finalSeconds: 60,
  seconds: 100,
};

export class TenderLot {
  readonly seals = new TestSeals();
  record: AuctionRecord;
  state: TenderState;
  readonly entries: SealedEntry[] = [];
  readonly events: TenderEvent[] = [];
  bidders: (userId: number) => Bidder | null = (userId) => aBidder(userId);
  /** What each has bid on other lots. */
  elsewhereCents = 0;

  constructor(terms: NaiveTerms) {
    const endsAtUs = STARTS_AT_US + terms.seconds * SECOND;
    this.record = aRecord({ format: 'tender', startsAtUs: STARTS_AT_US, endsAtUs });
    const settings = {
      tender_may_lower: terms.mayLower,
      tender_may_withdraw: terms.mayWithdraw,
      tender_pays: terms.second ? 'second' : 'own',
      tender_final_round: terms.finalRound,
      tender_final_seconds: terms.finalSeconds,
    };
    const units = terms.units == null ? {} : { units: { count: terms.units, name: 'acre', isPriced: true } };
    const lot = { lotId: 1, auctionId: 7, lotNumber: 1, salt: 'salt', settings, ...units };
    const scheduled = {
      ...{ ...lot, type: 'lot_scheduled' as const, sequence: 1, format: 'tender', pausesApplied: 0 },
      ...{ startingBidCents: terms.starting, reserveCents: terms.reserve, buyNowCents: null },
      ...{ consignorUserId: null, lotKey: 'lot-key', ...TENDER.firstTimes(lot, this.record) },
    };
    const start = { ...TENDER.unscheduled, hash: GENESIS_HASH };
    this.state = start;
    this.#append([scheduled], TENDER.evolve(start, scheduled), STARTS_AT_US - 100 * SECOND);
  }

  #append(events: readonly TenderEvent[], next: TenderState, nowUs: number): void {
    if (events.length === 0) return;
    const entry = sealEntry(this.state, events, next, nowUs, sha256);
    expect(decodeEvents(entry.privateText)).to.deep.equal(events);
    this.entries.push(entry);
    this.events.push(...events);
    this.state = TENDER.withEntry(next, entry);
    expect(decodeSnapshot(encodeSnapshot(this.state))).to.deep.equal(this.state);
  }

  do(command: Command, seconds: number, userId = 1): string {
    const nowUs = STARTS_AT_US + seconds * SECOND;
    const { record, seals, elsewhereCents: exposureCents } = this;
    const context = { record, bidder: this.bidders(userId), exposureCents, nowUs, seals, digest: sha256 };
    const decision = TENDER.decide(this.state, command, context);
    if ('need' in decision) throw new Error(decision.need);
    this.#append(decision.events, decision.next, nowUs);
    const { answer } = decision;
    return answer.kind === 'bid' ? answer.outcome : answer.kind === 'refused' ? answer.code : 'done';
  }

  bid(userId: number, cents: number, seconds: number, bidId = `bid-${userId}-${cents}-${seconds}`): string {
    return this.do(
      aBid({ bidder: aPerson(userId), straightCents: cents, bidId, salt: `salt-of-${bidId}` }),
      seconds,
      userId,
    );
  }

  withdraw(userId: number, bidId: string, seconds: number): string {
    return this.do({ type: 'withdraw_bid', bidId, bidder: aPerson(userId) }, seconds, userId);
  }

  void(bidId: string, seconds: number): string {
    const history = { sequence: this.state.sequence, events: this.events };
    const done = this.do({ type: 'void_bid', bidId, reason: 'x', history }, seconds);
    return done === 'already_voided' || done === 'bid_unknown' ? 'gone' : done;
  }

  advance(seconds: number): void {
    this.do({ type: 'advance' }, seconds);
  }

  /** The bids that were opened, by rank. */
  ranking(): string[] {
    const opened = this.events.flatMap((event) => (event.type === 'bids_opened' ? event.bids : []));
    return opened.filter(({ rank }) => rank !== null).map(({ bidId }) => bidId);
  }

  /** Throws where the journal does not follow the rules. */
  audit(): void {
    const audit = new LotAudit(this.record, sha256, []);
    for (const entry of this.entries) audit.take(entry);
    for (const event of this.events)
      if (event.type === 'bids_opened')
        for (const { salt, cents, bidId } of event.bids) {
          const sealed = this.events.find((one) => one.type === 'bid_sealed' && one.bidId === bidId);
          expect(sealed).to.include({ commitment: commitmentTo(sha256, salt, cents) });
        }
  }
}

/**
 * The falling clock: worked cases, and random histories beside the naive model, each of which the verifier replays.
 * `FALLING_RUNS=2000` for a long run.
 */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { DEFAULT_INCREMENTS } from '../../../../engine/auction/increments.ts';
import {
  type AuctionRecord,
  type Outage,
  pausedRecord,
  resumedRecord,
} from '../../../../engine/auction/record.ts';
import { GENESIS_HASH } from '../../../../engine/digest.ts';
import { FALLING } from '../../../../engine/formats/falling/falling.ts';
import type { FallingEvent } from '../../../../engine/formats/falling/falling-events.ts';
import type { FallingState } from '../../../../engine/formats/falling/falling-state.ts';
import { decodeEvents, decodeSnapshot, encodeSnapshot, lotView } from '../../../../engine/formats/formats.ts';
import { sealEntry } from '../../../../engine/formats/sealing.ts';
import type { Answer } from '../../../../engine/lot/answers.ts';
import type { Command } from '../../../../engine/lot/commands.ts';
import type { SealedEntry } from '../../../../engine/lot/entry.ts';
import { aBid, aBidder, aPerson, aRecord, STARTS_AT_US, sha256 } from '../../../support/engine-terms.ts';
import { type NaiveClock, NaiveFalling } from './naive-falling.ts';

const RUNS = Number(process.env['FALLING_RUNS'] ?? 200);
const SECOND = 1_000_000;
const text = (cents: number) => (cents / 100).toFixed(2);

/** A lot under the engine's rules, with its journal. */
class Lot {
  record: AuctionRecord = aRecord({ format: 'falling', startsAtUs: STARTS_AT_US });
  state: FallingState;
  readonly entries: SealedEntry[] = [];
  readonly events: FallingEvent[] = [];

  constructor(clock: NaiveClock) {
    const settings = {
      start_price: text(clock.start),
      step: text(clock.step),
      step_seconds: clock.stepSeconds,
      floor_price: text(clock.floor),
      floor_seconds: clock.floorSeconds,
      quantity: clock.quantity,
    };
    const units = clock.units == null ? {} : { units: { count: clock.units, name: 'acre', isPriced: true } };
    const lot = { lotId: 1, auctionId: 7, lotNumber: 1, salt: 'salt', settings, ...units };
    const scheduled = {
      ...{ ...lot, type: 'lot_scheduled' as const, sequence: 1, format: 'falling', pausesApplied: 0 },
      ...{ startingBidCents: clock.start, reserveCents: null, buyNowCents: null, consignorUserId: null },
      ...FALLING.firstTimes(lot, this.record),
    } as const;
    const start = { ...FALLING.unscheduled, hash: GENESIS_HASH };
    this.state = start;
    this.#append(start, [scheduled], FALLING.evolve(start, scheduled), STARTS_AT_US - 100 * SECOND);
  }

  #append(before: FallingState, events: readonly FallingEvent[], next: FallingState, nowUs: number): void {
    if (events.length === 0) return;
    const entry = sealEntry(before, events, next, nowUs, sha256);
    expect(decodeEvents(entry.privateText)).to.deep.equal(events);
    this.entries.push(entry);
    this.events.push(...events);
    this.state = FALLING.withEntry(next, entry);
    expect(decodeSnapshot(encodeSnapshot(this.state))).to.deep.equal(this.state);
  }

  answer(command: Command, nowUs: number): Answer {
    const who = 'bidder' in command && command.type === 'place_bid' ? (command.bidder.userId ?? 1) : 1;
    const context = { record: this.record, bidder: aBidder(who), exposureCents: 0, nowUs };
    const decision = FALLING.decide(this.state, command, context);
    if ('need' in decision) throw new Error(decision.need);
    this.#append(this.state, decision.events, decision.next, nowUs);
    return decision.answer;
  }

  do(command: Command, nowUs: number): string {
    const answer = this.answer(command, nowUs);
    return answer.kind === 'bid' ? answer.outcome : answer.kind === 'refused' ? answer.code : 'done';
  }

  /** As the public has it. */
  get bundle() {
    const journal = this.entries.map(({ publicText, hash }) => ({ ...JSON.parse(publicText), hash }));
    return { journal, openings: { closed: false, openings: [], terms: null } };
  }
}

interface Verifier {
  verify(bundle: unknown): Promise<{ ok: boolean; fault: unknown }>;
  canonical(value: unknown): string;
}

/** What anybody downloads. */
const verifierOf = (): Promise<Verifier> =>
  import(new URL('../../../../verifier/verify.mjs', import.meta.url).href);

const CLOCK: NaiveClock = {
  start: 30_000,
  step: 5_000,
  stepSeconds: 60,
  floor: 10_000,
  floorSeconds: 30,
  quantity: 3,
};
const at = (seconds: number) => STARTS_AT_US + seconds * SECOND;
const buy = (userId: number, cents: number, take = 1, bidId = `bid-${userId}`) =>
  aBid({ bidder: aPerson(userId), straightCents: cents, take, bidId });

describe('the falling clock', () => {
  it('falls by a step each time, down to the floor, and is open there for as long as is said', () => {
    const lot = new Lot(CLOCK);
    const shown = (seconds: number) =>
      lotView(lot.state, { viewer: null, increments: DEFAULT_INCREMENTS, nowUs: at(seconds) })
        .minimumNextCents;
    lot.do({ type: 'advance' }, at(0));
    expect([0, 59, 60, 119, 120, 239, 240, 269].map(shown)).to.deep.equal([
      ...[30_000, 30_000, 25_000, 25_000, 20_000, 15_000, 10_000, 10_000],
    ]);
    expect((lot.state.endsAtUs - lot.state.startsAtUs) / SECOND).to.equal(270);
    expect(lot.do(buy(1, 9_999), at(269.999))).to.equal('bid_too_low');
    expect(lot.do(buy(1, 10_000), at(269.999))).to.equal('won');
    expect(lot.do(buy(2, 10_000), at(270))).to.equal('lot_closed');
    expect(lot.do({ type: 'advance' }, at(270))).to.equal('done');
    expect(lot.state).to.deep.include({ status: 'sold', hammerCents: 10_000 });
    expect(lot.state.winner?.key).to.equal('u:1');
  });

  it('sells at the price, not at what was bid, and of several pieces to several', () => {
    const lot = new Lot(CLOCK);
    expect(lot.do(buy(1, 99_000, 2), at(61))).to.equal('won');
    expect(lot.do(buy(2, 20_000, 2), at(121))).to.equal('not_enough_left');
    expect(lot.do(buy(2, 20_000), at(121))).to.equal('won');
    expect(lot.state).to.deep.include({ status: 'sold', hammerCents: 70_000, winner: null });
    expect(
      FALLING.salesOf(lot.state).map(({ winner, hammerCents }) => [winner.key, hammerCents]),
    ).to.deep.equal([
      ['u:1', 50_000],
      ['u:2', 20_000],
    ]);
  });

  it('stands while the auction is paused, and while the journal is away', () => {
    const lot = new Lot(CLOCK);
    lot.do({ type: 'advance' }, at(1));
    lot.record = pausedRecord(lot.record, at(50));
    expect(lot.do(buy(1, 30_000), at(55))).to.equal('auction_paused');
    lot.do({ type: 'advance' }, at(55));
    lot.record = resumedRecord(lot.record, at(1_050));
    expect(lot.do(buy(1, 29_999), at(1_059))).to.equal('bid_too_low');
    expect(lot.do(buy(1, 25_000), at(1_060))).to.equal('won');
    lot.record = { ...lot.record, outages: [{ fromUs: at(1_100), toUs: at(1_200) }] };
    expect(lot.do(buy(2, 24_999), at(1_219))).to.equal('bid_too_low');
    expect(lot.do(buy(2, 20_000), at(1_220))).to.equal('won');
  });

  it('is told in an answer what the price comes to by the unit', () => {
    // 1.2345 acres at 250.00: 308.63.
    const lot = new Lot({ ...CLOCK, quantity: 1, units: 12_345 });
    const answer = lot.answer(buy(1, 30_000), at(60));
    const totals = { current_total: '308.63', minimum_next_total: '308.63' };
    expect(answer.kind === 'bid' ? answer.lotFields : null).to.include(totals);
  });

  it('puts back what a voided bid took', () => {
    const lot = new Lot(CLOCK);
    lot.do(buy(1, 30_000, 2), at(1));
    const history = { sequence: lot.state.sequence, events: lot.events };
    expect(lot.do({ type: 'void_bid', bidId: 'bid-1', reason: 'x', history }, at(2))).to.equal('done');
    expect(lot.do(buy(2, 30_000, 3), at(3))).to.equal('won');
    expect(lot.state.hammerCents).to.equal(90_000);
  });

  it('counts what was taken as the bidder’s exposure, until the lot is over', () => {
    const lot = new Lot(CLOCK);
    lot.do(buy(1, 30_000, 2), at(1));
    expect(FALLING.exposureOf(lot.state, 'u:1')).to.equal(60_000);
    lot.do(buy(2, 30_000), at(2));
    expect(FALLING.exposureOf(lot.state, 'u:1')).to.equal(0);
  });

  it('is checked by who downloads the journal: a price, a number of pieces or an end that the clock did not have', async () => {
    const { canonical, verify } = await verifierOf();
    const lot = new Lot(CLOCK);
    lot.do(buy(1, 30_000, 2), at(61));
    lot.do({ type: 'advance' }, at(300));
    expect((await verify(lot.bundle)).ok).to.equal(true);
    const changes: readonly ((event: Record<string, unknown>) => object)[] = [
      ({ amount }) => (amount === undefined ? {} : { amount: '200.00', current_bid: '200.00' }),
      ({ take }) => (take === undefined ? {} : { take: 4, quantity_left: -1 }),
      ({ hammer_price }) => (hammer_price === undefined ? {} : { hammer_price: '400.00' }),
      ({ end_time }) => (end_time === undefined ? {} : { end_time: '2026-07-12T10:04:00.000000Z' }),
    ];
    for (const change of changes) {
      let previous = GENESIS_HASH;
      const journal = lot.bundle.journal.map(({ hash: _, ...entry }) => {
        const events = entry.events.map((event: Record<string, unknown>) => ({ ...event, ...change(event) }));
        const told = { ...entry, events, previous_hash: previous };
        previous = sha256.sha256(previous + canonical(told));
        return { ...told, hash: previous };
      });
      expect((await verify({ ...lot.bundle, journal })).ok).to.equal(false);
    }
  });

  const clocks: fc.Arbitrary<NaiveClock> = fc
    .record({
      start: fc.integer({ min: 5_000, max: 30_000 }),
      step: fc.integer({ min: 100, max: 9_000 }),
      stepSeconds: fc.integer({ min: 1, max: 40 }),
      floor: fc.integer({ min: 1, max: 4_999 }),
      floorSeconds: fc.integer({ min: 0, max: 60 }),
      quantity: fc.integer({ min: 1, max: 6 }),
      units: fc.option(fc.integer({ min: 1, max: 90_000 }), { freq: 2 }),
    })
    // A lot of several pieces is not sold by the unit.
    .map((clock) => (clock.units === null ? clock : { ...clock, quantity: 1 }));
  const moves = fc.array(
    fc.record({
      kind: fc.constantFrom('bid', 'bid', 'bid', 'bid', 'pause', 'resume', 'outage', 'void', 'close'),
      seconds: fc.integer({ min: 0, max: 45 }),
      who: fc.integer({ min: 1, max: 4 }),
      over: fc.constantFrom(0, 0, -1, 1, 2_000),
      take: fc.constantFrom(1, 1, 1, 2, 3),
      pick: fc.nat(50),
    }),
    { minLength: 3, maxLength: 40 },
  );

  it(`does what the naive model does, in ${RUNS} random histories, and the verifier agrees`, async function () {
    this.timeout(600_000);
    const verifier = await verifierOf();
    const property = fc.asyncProperty(clocks, moves, async (clock, drawn) => {
      const lot = new Lot(clock);
      const naive = new NaiveFalling(clock, -100, 0);
      let now = -100;
      const outages: Outage[] = [];
      const pass = (seconds: number, isHeldUp = false) => {
        naive.pass(seconds, isHeldUp);
        now += seconds;
      };
      const bids: string[] = [];
      for (const [index, { kind, seconds, who, over, take, pick }] of drawn.entries()) {
        pass(seconds);
        if (kind === 'bid') {
          const amount = Math.max(1, naive.price + over);
          const bidId = `b${index}`;
          bids.push(bidId);
          expect(lot.do(buy(who, amount, take, bidId), at(now))).to.equal(
            naive.bid(bidId, `u:${who}`, amount, take),
          );
        } else if (kind === 'pause' && !naive.isPaused && now > 0) {
          lot.record = pausedRecord(lot.record, at(now));
          naive.isPaused = !naive.isOver && !naive.isClosed;
          if (!naive.isPaused) lot.record = resumedRecord(lot.record, at(now));
        } else if (kind === 'resume' && naive.isPaused) {
          lot.record = resumedRecord(lot.record, at(now));
          naive.isPaused = false;
        } else if (kind === 'outage' && !naive.isPaused && now > 0) {
          const fromUs = at(now);
          pass(3 + seconds, true);
          outages.push({ fromUs, toUs: at(now) });
          lot.record = { ...lot.record, outages: [...outages] };
        } else if (kind === 'void' && bids.length > 0) {
          const bidId = bids[pick % bids.length] ?? '';
          const history = { sequence: lot.state.sequence, events: lot.events };
          const done = lot.do({ type: 'void_bid', bidId, reason: 'x', history }, at(now));
          expect(['already_voided', 'bid_unknown'].includes(done) ? 'gone' : done).to.equal(
            naive.void(bidId),
          );
        } else if (kind === 'close') {
          lot.do({ type: 'advance' }, at(now));
          naive.close();
        }
        expect(
          lot.state.taken.map(({ bidId, key, cents, take: took }) => [bidId, key, cents, took]),
        ).to.deep.equal(naive.takes.map(({ bid, who: key, price, take: took }) => [bid, key, price, took]));
        expect(lot.state.status === 'sold' || lot.state.status === 'unsold').to.equal(naive.isClosed);
        if (naive.isClosed) expect(lot.state.hammerCents ?? 0).to.equal(naive.hammer);
      }
      const { ok, fault } = await verifier.verify(lot.bundle);
      expect(ok, JSON.stringify(fault)).to.equal(true);
    });
    await fc.assert(property, { numRuns: RUNS, seed: 21 });
  });
});

/**
 * The tender: worked cases, and random histories beside the naive model. `TENDER_RUNS=2000` for a long run.
 */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { DEFAULT_INCREMENTS } from '../../../../engine/auction/increments.ts';
import { itemAt } from '../../../../engine/first-of.ts';
import { lotView } from '../../../../engine/formats/formats.ts';
import { TENDER } from '../../../../engine/formats/tender/tender.ts';
import { aBid, aPerson, STARTS_AT_US } from '../../../support/engine-terms.ts';
import { NaiveTender, type NaiveTerms } from './naive-tender.ts';
import { TERMS, TenderLot } from './tender-lot.ts';

const RUNS = Number(process.env['TENDER_RUNS'] ?? 200);
const LOT = { ...TERMS, seconds: 100 };

describe('a tender', () => {
  it('takes one bid of each, higher than the one before, and opens them at the end', () => {
    const lot = new TenderLot(LOT);
    expect(lot.bid(1, 9_999, 1)).to.equal('bid_too_low');
    expect(lot.bid(1, 20_000, 2)).to.equal('sealed');
    expect(lot.bid(1, 20_000, 3)).to.equal('bid_too_low');
    expect(lot.bid(1, 20_001, 4)).to.equal('sealed');
    expect(lot.bid(2, 20_001, 5)).to.equal('sealed');
    expect(lot.bid(3, 10_000, 6)).to.equal('sealed');
    lot.advance(99);
    expect(lot.state.status).to.equal('active');
    expect(lot.bid(3, 50_000, 100)).to.equal('lot_closed');
    lot.advance(100);
    expect(lot.state).to.deep.include({
      status: 'sold',
      hammerCents: 20_001,
      currentCents: 20_001,
      bidCount: 3,
    });
    expect(lot.state.winner?.key).to.equal('u:1');
    expect(itemAt(lot.entries, -1).publicText)
      .to.include('"type":"bids_opened"')
      .and.include('"type":"lot_closed"');
  });

  it('shows nobody that there is a bid: neither in what is shown, nor in the sequence that shows', () => {
    const [quiet, lot] = [new TenderLot(LOT), new TenderLot(LOT)];
    quiet.advance(1);
    lot.advance(1);
    lot.bid(1, 21_347, 2, 'a');
    lot.bid(1, 31_347, 3, 'b');
    const shown = ({ state }: TenderLot) => [
      lotView(state, { viewer: null, increments: DEFAULT_INCREMENTS, nowUs: STARTS_AT_US }),
      TENDER.sealed?.shownAt(state),
      TENDER.leadersOf(state),
    ];
    expect(shown(lot)).to.deep.equal(shown(quiet));
    expect(lot.state.sequence).to.equal(quiet.state.sequence + 2);
    expect(lot.entries.map(({ privateText }) => privateText).join()).to.not.match(/[23]1347/);
  });

  it('sells at the second price: the larger of the second highest bid and the reserve', () => {
    const hammer = (reserve: number | null, ...bids: number[]) => {
      const lot = new TenderLot({ ...LOT, second: true, reserve });
      for (const [index, cents] of bids.entries()) lot.bid(index + 1, cents, 1 + index);
      lot.advance(100);
      return [lot.state.status, lot.state.hammerCents];
    };
    expect(hammer(null, 30_000, 20_000)).to.deep.equal(['sold', 20_000]);
    expect(hammer(null, 30_000, 30_000)).to.deep.equal(['sold', 30_000]);
    expect(hammer(25_000, 30_000, 20_000)).to.deep.equal(['sold', 25_000]);
    expect(hammer(25_000, 30_000)).to.deep.equal(['sold', 25_000]);
    expect(hammer(null, 30_000)).to.deep.equal(['sold', 10_000]);
    expect(hammer(25_000, 24_999, 20_000)).to.deep.equal(['passed', null]);
    expect(hammer(null)).to.deep.equal(['unsold', null]);
  });

  it('takes bids back, and lower ones, only where the seller has said so', () => {
    const strict = new TenderLot(LOT);
    strict.bid(1, 20_000, 1, 'b');
    expect(strict.withdraw(1, 'b', 2)).to.equal('withdrawal_not_allowed');
    const lot = new TenderLot({ ...LOT, mayLower: true, mayWithdraw: true });
    lot.bid(1, 20_000, 1, 'b');
    expect(lot.withdraw(2, 'b', 2)).to.equal('bid_unknown');
    expect(lot.bid(1, 10_000, 3, 'c')).to.equal('sealed');
    expect(lot.withdraw(1, 'b', 4)).to.equal('bid_unknown');
    expect(lot.withdraw(1, 'c', 5)).to.equal('done');
    expect(lot.withdraw(1, 'c', 100)).to.equal('bid_unknown');
    lot.advance(100);
    expect(lot.state.status).to.equal('unsold');
    expect(lot.withdraw(1, 'c', 101)).to.equal('withdrawal_not_allowed');
  });

  it('lets the highest bid once more, and nobody else', () => {
    const lot = new TenderLot({ ...LOT, finalRound: 2, finalSeconds: 50, mayWithdraw: true });
    const amounts = [30_000, 20_000, 20_000, 10_000];
    for (const [index, cents] of amounts.entries()) lot.bid(index + 1, cents, 1 + index, `b${index + 1}`);
    lot.advance(100);
    expect(lot.state).to.deep.include({ status: 'active', round: 2 });
    expect(lot.state.endsAtUs).to.equal(STARTS_AT_US + 150_000_000);
    expect(lot.bid(4, 90_000, 101)).to.equal('not_in_final_round');
    expect(lot.bid(5, 90_000, 101)).to.equal('not_in_final_round');
    expect(lot.bid(3, 19_999, 102)).to.equal('bid_too_low');
    expect(lot.bid(3, 40_000, 103, 'final')).to.equal('sealed');
    expect(lot.bid(3, 50_000, 104, 'late')).to.equal('not_in_final_round');
    expect(lot.withdraw(1, 'b1', 105)).to.equal('withdrawal_not_allowed');
    lot.advance(150);
    expect(lot.state).to.deep.include({ status: 'sold', hammerCents: 40_000, bidCount: 4 });
    const opened = JSON.parse(itemAt(lot.entries, -1).publicText).events[0];
    expect(
      opened.bids.map(({ bid_id, round, rank }: Record<string, unknown>) => [bid_id, round, rank]),
    ).to.deep.equal([
      ['final', 2, 1],
      ['b1', 1, 2],
      ['b2', 1, 3],
      ['b4', 1, 4],
      ['b3', 1, null],
    ]);
  });

  it('takes the same once more in the final round but nothing lower, whatever the first allowed', () => {
    const lot = new TenderLot({ ...LOT, finalRound: 2, finalSeconds: 50, mayLower: true });
    lot.bid(1, 30_000, 1, 'b1');
    lot.bid(2, 20_000, 2, 'b2');
    lot.advance(100);
    expect(lot.bid(1, 29_999, 101)).to.equal('bid_too_low');
    expect(lot.bid(1, 30_000, 102, 'same')).to.equal('sealed');
    expect(lot.bid(2, 40_000, 103, 'more')).to.equal('sealed');
    const more = { type: 'void_bid', bidId: 'more', reason: 'x' } as const;
    const history = () => ({ sequence: lot.state.sequence, events: lot.events });
    expect(lot.do({ ...more, history: history() }, 104)).to.equal('done');
    expect(lot.do({ ...more, history: history() }, 105)).to.equal('already_voided');
    lot.advance(150);
    // Whose final bid is voided has no first one either.
    const opened = lot.events.flatMap((event) => (event.type === 'bids_opened' ? event.bids : []));
    expect(opened.map(({ bidId, rank }) => [bidId, rank])).to.deep.equal([
      ['same', 1],
      ['b1', null],
    ]);
  });

  it('adds rows in the order in which bids were placed, and counts only whose bids have changed', () => {
    const lot = new TenderLot(LOT);
    lot.bid(1, 20_000, 1, 'a');
    const before = lot.state;
    lot.bid(2, 30_000, 2, 'b');
    expect(TENDER.exposureChanges(before, lot.state)).to.deep.equal([{ key: 'u:2', deltaCents: 1 }]);
    lot.advance(100);
    const rows = lot.events.flatMap((event) => TENDER.placedBy?.(event) ?? []);
    expect(rows.map(({ event }) => event.bidId)).to.deep.equal(['a', 'b']);
  });

  it('stays open while the key is away, and closes when it is back', () => {
    const lot = new TenderLot(LOT);
    lot.bid(1, 20_000, 1);
    lot.seals.isThere = false;
    expect(lot.bid(2, 20_000, 2)).to.equal('sealing_unavailable');
    lot.advance(200);
    expect(lot.state.status).to.equal('active');
    lot.seals.isThere = true;
    lot.advance(300);
    expect(lot.state).to.deep.include({ status: 'sold', hammerCents: 20_000 });
  });

  it('registers nobody by a bid, and is withdrawn by an admin alone from its start', () => {
    const lot = new TenderLot(LOT);
    expect(lot.do({ type: 'withdraw', reason: 'x', byAdmin: false }, -1)).to.equal('done');
    const open = new TenderLot(LOT);
    open.bidders = () => null;
    expect(open.bid(1, 20_000, 1)).to.equal('registration_required');
    const inEuros = aBid({ bidder: aPerson(1), straightCents: 20_000, currency: 'EUR' });
    expect(open.do(inEuros, 1)).to.equal('registration_required');
    open.advance(1);
    expect(open.do({ type: 'withdraw', reason: 'x', byAdmin: false }, 2)).to.equal('admin_required');
    const withdrawal = { reason: 'x', byAdmin: false };
    expect(open.do({ type: 'change_terms', salt: 's', withdrawal }, 2)).to.equal('admin_required');
    expect(open.do({ type: 'withdraw', reason: 'x', byAdmin: true }, 2)).to.equal('done');
  });

  it('counts all standing bids against a limit', () => {
    const lot = new TenderLot(LOT);
    lot.elsewhereCents = 70_000;
    lot.record = { ...lot.record, bidLimitCents: 100_000 };
    expect(lot.bid(1, 30_001, 1)).to.equal('bid_limit_exceeded');
    expect(lot.bid(1, 30_000, 2)).to.equal('sealed');
    expect(TENDER.sealed?.exposureOf(lot.state, 'u:1', lot.seals)).to.equal(30_000);
  });

  const terms: fc.Arbitrary<NaiveTerms> = fc.record({
    starting: fc.integer({ min: 100, max: 300 }),
    reserve: fc.option(fc.integer({ min: 300, max: 700 })),
    mayLower: fc.boolean(),
    mayWithdraw: fc.boolean(),
    second: fc.boolean(),
    finalRound: fc.option(fc.integer({ min: 2, max: 4 })),
    finalSeconds: fc.integer({ min: 1, max: 200 }),
    seconds: fc.integer({ min: 50, max: 400 }),
    units: fc.option(fc.integer({ min: 1, max: 90_000 })),
  });
  const moves = fc.array(
    fc.record({
      kind: fc.constantFrom('bid', 'bid', 'bid', 'bid', 'withdraw', 'void', 'advance'),
      seconds: fc.integer({ min: 0, max: 40 }),
      who: fc.integer({ min: 1, max: 6 }),
      amount: fc.integer({ min: 90, max: 800 }),
      pick: fc.nat(50),
    }),
    { minLength: 3, maxLength: 40 },
  );

  it(`does what the naive model does, in ${RUNS} random histories`, function () {
    this.timeout(600_000);
    const property = fc.property(terms, moves, (set, drawn) => {
      const [lot, naive] = [new TenderLot(set), new NaiveTender(set)];
      const bids: { readonly id: string; readonly who: number }[] = [];
      const advance = () => {
        naive.advance();
        lot.advance(naive.now);
      };
      for (const [index, { kind, seconds, who, amount, pick }] of drawn.entries()) {
        naive.now += seconds;
        const one = bids[pick % Math.max(1, bids.length)];
        if (kind === 'bid') {
          const id = `b${index}`;
          expect(lot.bid(who, amount, naive.now, id)).to.equal(naive.bid(id, `u:${who}`, amount));
          bids.push({ id, who });
        } else if (kind === 'withdraw' && one !== undefined)
          expect(lot.withdraw(one.who, one.id, naive.now)).to.equal(naive.withdraw(one.id, `u:${one.who}`));
        else if (kind === 'void' && one !== undefined)
          expect(lot.void(one.id, naive.now)).to.equal(naive.void(one.id));
        else advance();
        if (naive.status === 'open')
          expect(lot.state.bids.map(({ bidId }) => bidId)).to.deep.equal(naive.valid().map(({ id }) => id));
      }
      for (const seconds of [500, 500]) {
        naive.now += seconds;
        advance();
      }
      expect(lot.state.status).to.equal(naive.status);
      expect([lot.state.hammerCents ?? 0, lot.state.winner?.key ?? null]).to.deep.equal([
        naive.hammer,
        naive.winner,
      ]);
      expect(lot.ranking()).to.deep.equal(naive.ranking);
      lot.audit();
    });
    fc.assert(property, { numRuns: RUNS, seed: 22 });
  });
});

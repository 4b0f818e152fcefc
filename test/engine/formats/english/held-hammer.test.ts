/** Rule 24: what the hammer has decided is held, and may be taken back, before anything follows from it. */
import { expect } from 'chai';
import { check } from '../../../../engine/formats/english/checking.ts';
import { ENGLISH } from '../../../../engine/formats/english/english.ts';
import type { EnglishEvent } from '../../../../engine/formats/english/english-events.ts';
import type { EnglishState } from '../../../../engine/formats/english/english-state.ts';
import { evolve } from '../../../../engine/formats/english/evolve.ts';
import { decodeSnapshot, encodeSnapshot } from '../../../../engine/formats/formats.ts';
import type { RecordSale } from '../../../../engine/lot/commands.ts';
import { aBid, aPerson } from '../../../support/engine-terms.ts';
import { codeOf, given, type Lot, typesOf } from '../../given.ts';

const [ann, bob] = [aPerson(1), aPerson(2)];
const advance = { type: 'advance' } as const;
const lift = { type: 'lift_hammer' } as const;
const HELD_US = 5_000_000;

const sale = (parts: Partial<RecordSale> = {}): RecordSale => ({
  type: 'record_sale',
  bidId: 'hammer',
  salt: 'salt-of-hammer',
  auctionRuns: false,
  result: 'sold',
  hammerCents: 20_000,
  winner: { key: ann.key, userId: 1, paddle: '1001' },
  currency: null,
  floor: { platform: '.floor', sequence: 5 },
  heldUs: HELD_US,
  ...parts,
});

function sold(): Lot {
  const lot = given({ record: { type: 'simulcast' } }).at(100);
  lot.when(aBid({ bidder: ann, bidId: 'b-1', straightCents: 20_000 }));
  expect(typesOf(lot.when(sale()))).to.deep.equal(['hammer_fell']);
  return lot;
}

describe('the hammer (rule 24)', () => {
  it('shows its result at once and takes no bid, and is final after its time', () => {
    const lot = sold();
    expect(lot.state).to.include({ status: 'sold', hammerCents: 20_000 });
    expect(codeOf(lot.weighs(aBid({ bidder: bob, straightCents: 30_000 })))).to.equal('lot_closed');
    expect(ENGLISH.dueUs(lot.state, lot.record)).to.equal(lot.nowUs + HELD_US);
    expect(lot.at(104.999999).when(advance).events).to.deep.equal([]);
    const closed = lot.at(105).when(advance);
    expect(typesOf(closed)).to.deep.equal(['lot_closed']);
    expect(closed.events[0]).to.deep.include({
      status: 'sold',
      hammerCents: 20_000,
      reason: 'floor',
      flags: [],
    });
    expect(lot.state).to.include({ status: 'sold', held: null });
    expect(ENGLISH.dueUs(lot.state, lot.record)).to.equal(null);
    expect(lot.at(200).when(advance).events).to.deep.equal([]);
  });

  it('is taken back until then, and the lot is as it was', () => {
    const lot = sold();
    const before = given({ record: { type: 'simulcast' } }).at(100);
    before.when(aBid({ bidder: ann, bidId: 'b-1', straightCents: 20_000 }));
    expect(typesOf(lot.at(104.9).when(lift))).to.deep.equal(['lot_reopened']);
    const { sequence: _one, ...after } = lot.state;
    const { sequence: _two, ...was } = before.state;
    expect(after).to.deep.equal(was);
    expect(codeOf(lot.weighs(lift))).to.equal('invalid_transition');
    lot.when(aBid({ bidder: bob, straightCents: 30_000 }));
    const again = sale({ hammerCents: 30_000, winner: { key: bob.key, userId: 2, paddle: '1002' } });
    lot.at(106).when({ ...again, floor: { platform: '.floor', sequence: 6 } });
    expect(typesOf(lot.at(110.999999).when(advance))).to.deep.equal([]);
    expect(typesOf(lot.at(111).when(advance))).to.deep.equal(['lot_closed']);
    expect(lot.state).to.include({ status: 'sold', hammerCents: 30_000 });
    expect(lot.state.winner?.userId).to.equal(2);
  });

  it('is not taken back later, nor from a lot that is final', () => {
    const lot = sold();
    expect(codeOf(lot.at(105).weighs(lift))).to.equal('undo_too_late');
    lot.when(advance);
    expect(codeOf(lot.weighs(lift))).to.equal('undo_too_late');
  });

  it('adds the row that says the sale only once it is final', () => {
    const lot = given({ record: { type: 'simulcast' } }).at(100);
    lot.when(aBid({ bidder: ann, straightCents: 20_000, ceilingCents: 90_000 }));
    lot.when(aBid({ bidder: bob, straightCents: 25_000 }));
    const { currentCents, bidCount } = lot.state;
    lot.when(sale({ hammerCents: currentCents }));
    expect(lot.state).to.include({ bidCount });
    expect(typesOf(lot.at(106).when(advance))).to.deep.equal(['bid_placed', 'lot_closed']);
    expect(lot.state).to.include({ bidCount: bidCount + 1, hammerCents: currentCents });
  });

  it('passes likewise, and a sale of a platform ends the wait', () => {
    const lot = given({ record: { type: 'simulcast' } }).at(100);
    lot.when(sale({ result: 'unsold', hammerCents: null, winner: null }));
    expect(lot.state).to.include({ status: 'unsold' });
    const { heldUs: _none, ...final } = sale({ auctionRuns: true });
    lot.when({ ...final, floor: { platform: 'hall', sequence: 1 } });
    expect(lot.state).to.include({ status: 'sold', held: null });
    expect(codeOf(lot.weighs(lift))).to.equal('undo_too_late');
  });

  it('is kept in snapshots', () => {
    const lot = sold();
    expect(decodeSnapshot(encodeSnapshot(lot.state))).to.deep.equal(lot.state);
  });

  it('is seen through where it is final too early, as something else, or taken back too late', () => {
    const lot = sold();
    const { held } = lot.state;
    const sequence = lot.state.sequence + 1;
    const close = { ...(held as NonNullable<typeof held>).close, sequence };
    const back = { type: 'lot_reopened', reason: 'taken_back', sequence } as const;
    expect(wrong(lot.state, close, lot.nowUs + HELD_US)).to.equal(null);
    expect(wrong(lot.state, close, lot.nowUs + 1)).to.match(/before its time/);
    expect(wrong(lot.state, { ...close, hammerCents: 1 }, lot.nowUs + HELD_US)).to.equal('close');
    expect(wrong(lot.state, back, lot.nowUs + 1)).to.equal(null);
    expect(wrong(lot.state, back, lot.nowUs + HELD_US)).to.match(/too late/);
    expect(wrong(evolve(lot.state, back), back, lot.nowUs)).to.match(/has not fallen/);
  });
});

/** What the audit says of an event; null: nothing. */
function wrong(before: EnglishState, event: EnglishEvent, recordedAtUs: number): string | null {
  const fail = (what: string): never => {
    throw new Error(what);
  };
  try {
    check(before, event, {
      record: given({ record: { type: 'simulcast' } }).record,
      recordedAtUs,
      past: [],
      isSecondChance: false,
      commit: () => '',
      fail,
      expectSame: (what, wanted, found) => {
        if (JSON.stringify(wanted) !== JSON.stringify(found)) fail(what);
      },
    });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

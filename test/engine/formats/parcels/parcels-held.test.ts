/** The hammer of a saleroom on tracts: it ends the sale of all, and may be taken back for a few seconds (rule 24). */
import { expect } from 'chai';
import { faceOf, isFinal, isHeld } from '../../../../engine/formats/formats.ts';
import { PARCELS } from '../../../../engine/formats/parcels/parcels.ts';
import type { ParcelsEvent } from '../../../../engine/formats/parcels/parcels-events.ts';
import type { RecordSale } from '../../../../engine/lot/commands.ts';
import { rewritten } from '../../../verifier/tampering.ts';
import { at, on, Sale, SECOND, verifierOf } from './a-sale.ts';

const lift = { type: 'lift_hammer' } as const;

const hammer = (more: Partial<RecordSale> = {}): RecordSale => ({
  ...{ type: 'record_sale', bidId: 'h', salt: 's', result: 'sold', hammerCents: 50_000, winner: null },
  ...{ currency: null, floor: { platform: '.floor', sequence: 7 }, auctionRuns: false, heldUs: 5 * SECOND },
  ...more,
});

/** Three tracts in a saleroom: 1 and 2 lead together at 400, and 3 at 100. */
function aRoom(): Sale {
  const sale = new Sale({ tracts: [{}, {}, {}], record: { type: 'simulcast' } });
  sale.do(on([1, 2], 40_000, 1, { bidId: 'two' }), at(1));
  sale.do(on([3], 10_000, 2, { bidId: 'one' }), at(2));
  return sale;
}

const typesOf = ({ events }: Sale, from: number) => events.slice(from).map(({ type }) => type);
const lotsOf = ({ state }: Sale) => state.lots.map(({ status, hammerCents }) => [status, hammerCents]);
const SOLD = [
  ['sold', 20_000],
  ['sold', 20_000],
  ['sold', 10_000],
];

describe('the hammer on tracts', () => {
  it('sells all that leads at once, takes no bid, and is final after its time', () => {
    const sale = aRoom();
    const before = sale.events.length;
    expect(sale.do(hammer(), at(10))).to.equal('done');
    expect(typesOf(sale, before)).to.deep.equal(['hammer_fell']);
    expect(lotsOf(sale)).to.deep.equal(SOLD);
    expect([isHeld(faceOf(sale.state, 2)), isFinal(faceOf(sale.state, 2))]).to.deep.equal([true, false]);
    expect(sale.do(on([3], 90_000, 3), at(11))).to.equal('lot_closed');
    expect(sale.void('one', at(11))).to.equal('lot_closed');
    expect(PARCELS.dueUs(sale.state, sale.record)).to.equal(at(15));
    sale.advance(at(14.999999));
    expect(sale.events).to.have.length(before + 1);
    sale.advance(at(15));
    expect(typesOf(sale, before + 1)).to.deep.equal(['lot_closed', 'lot_closed', 'lot_closed']);
    expect(lotsOf(sale)).to.deep.equal(SOLD);
    expect([sale.state.held, isFinal(sale.state), sale.state.status]).to.deep.equal([null, true, 'sold']);
    expect(sale.do(lift, at(16))).to.equal('undo_too_late');
    expect(sale.do(hammer({ floor: { platform: '.floor', sequence: 8 } }), at(16))).to.equal(
      'floor_duplicate',
    );
    sale.check();
  });

  it('is taken back until then, and the sale is as it was', () => {
    const sale = aRoom();
    expect(sale.do(lift, at(9))).to.equal('invalid_transition');
    const { held: _held, sequence: _sequence, hash: _hash, recordedAtUs: _at, ...before } = sale.state;
    const owed = new Map(sale.exposure);
    sale.do(hammer(), at(10));
    expect([...sale.exposure.values()]).to.deep.equal([0, 0]);
    expect(sale.do(lift, at(14.9))).to.equal('done');
    expect(sale.state).to.deep.include(before);
    expect(sale.exposure).to.deep.equal(owed);
    expect(sale.do(on([3], 20_000, 3, { bidId: 'late' }), at(20))).to.equal('leading');
    expect(sale.do(hammer(), at(21))).to.equal('hammer_not_total');
    const passed = { result: 'passed', hammerCents: null } as const;
    expect(sale.do(hammer(passed), at(21))).to.equal('done');
    expect(sale.state.lots.map(({ status }) => status)).to.deep.equal(['passed', 'passed', 'passed']);
    sale.advance(at(30));
    expect(sale.state.status).to.equal('passed');
    sale.check();
  });

  it('sells nothing where nobody has bid, or where another sum is called', () => {
    const sale = new Sale({ tracts: [{}, {}], record: { type: 'simulcast' } });
    expect(sale.do(hammer({ hammerCents: null }), at(1))).to.equal('lot_without_bids');
    sale.do(on([1], 10_000), at(2));
    expect(sale.do(hammer({ hammerCents: 9_999 }), at(3))).to.equal('hammer_not_total');
    expect(sale.do(hammer({ hammerCents: null, heldUs: 0 }), at(3))).to.equal('done');
    expect(lotsOf(sale)).to.deep.equal([
      ['sold', 10_000],
      ['unsold', null],
    ]);
  });

  it('leaves a lot that was withdrawn before as it is', () => {
    const sale = aRoom();
    sale.do({ type: 'withdraw', reason: 'flooded', byAdmin: true, lotId: 3 }, at(5));
    sale.do(hammer({ hammerCents: 40_000 }), at(10));
    expect([isHeld(faceOf(sale.state, 3)), isFinal(faceOf(sale.state, 3))]).to.deep.equal([false, true]);
    sale.do(lift, at(11));
    expect(sale.state.lots.map(({ status }) => status)).to.deep.equal(['active', 'active', 'withdrawn']);
    sale.check();
  });

  it('is checked: what is final as it was held, neither early nor taken back late', () => {
    const sale = aRoom();
    sale.do(hammer(), at(10));
    sale.do(lift, at(11));
    sale.do(hammer(), at(20));
    sale.advance(at(25));
    sale.check();
    const changes: readonly ((event: ParcelsEvent) => object)[] = [
      (event) => (event.type === 'hammer_fell' ? { closes: event.closes.slice(1) } : {}),
      (event) => (event.type === 'hammer_fell' ? { untilUs: event.untilUs + 9 * SECOND } : {}),
      (event) => (event.type === 'hammer_fell' ? { untilUs: event.untilUs - 5 * SECOND } : {}),
      (event) => (event.type === 'lot_closed' && event.lotId === 2 ? { hammerCents: 1 } : {}),
      (event) => (event.type === 'lot_closed' && event.lotId === 3 ? { status: 'passed' } : {}),
    ];
    for (const change of changes) {
      const told = sale.history.map(({ recordedAtUs, events }) => {
        return { recordedAtUs, events: events.map((event) => ({ ...event, ...change(event) })) };
      });
      expect(() => sale.check(told as typeof sale.history), String(change)).to.throw();
    }
  });

  it('is replayed by the verifier, which finds what is changed of it', async () => {
    const { verify } = await verifierOf();
    const sale = aRoom();
    sale.do(hammer(), at(10));
    const fallen = await verify(sale.bundle);
    expect(fallen.fault).to.equal(null);
    expect(fallen.steps.join()).to.include('sold by a hammer that may still be taken back');
    sale.do(lift, at(11));
    sale.do(on([3], 20_000, 3), at(12));
    sale.do(hammer({ hammerCents: 60_000 }), at(20));
    sale.advance(at(25));
    const { bundle } = sale;
    expect((await verify(bundle)).fault).to.equal(null);
    const tampered: readonly [string, (event: Record<string, unknown>) => object][] = [
      ['hammer_fell', () => ({ hammer_price: '500.00' })],
      ['hammer_fell', () => ({ status: 'passed', hammer_price: null })],
      ['hammer_fell', () => ({ until: '2099-01-01T00:00:00.000000Z' })],
      ['lot_reopened', () => ({ reason: 'sold' })],
      ['lot_closed', () => ({ hammer_price: '1.00' })],
      ['lot_closed', () => ({ status: 'passed', hammer_price: null, winner: null, set: null })],
      ['lot_closed', () => ({ reason: 'time' })],
    ];
    for (const [type, change] of tampered) {
      const journal = rewritten(
        bundle.journal.map((entry) => ({
          ...entry,
          events: entry.events.map((event: Record<string, unknown>) =>
            event['type'] === type ? { ...event, ...change(event) } : event,
          ),
        })),
      );
      const { fault } = await verify({ ...bundle, journal });
      expect(fault, `${type} ${change}`).to.not.equal(null);
      expect(fault?.message).to.not.include('hash');
    }
  });
});

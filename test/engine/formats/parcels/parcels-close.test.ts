/** How a sale of tracts ends (rule 23): reserves of lots and of the whole, and what each lot of a set costs. */
import { expect } from 'chai';
import { PARCELS } from '../../../../engine/formats/parcels/parcels.ts';
import type { ParcelsEvent } from '../../../../engine/formats/parcels/parcels-events.ts';
import type { RecordSale } from '../../../../engine/lot/commands.ts';
import { at, on, Sale, type SaleTerms } from './a-sale.ts';

const ends = (sale: Sale) => sale.state.lots.map(({ status, hammerCents }) => [status, hammerCents]);

function ended(terms: SaleTerms, bids: readonly (readonly [lotIds: readonly number[], cents: number])[]) {
  const sale = new Sale(terms);
  for (const [index, [lotIds, cents]] of bids.entries())
    sale.do(on(lotIds, cents, index + 1, { standing: true }), at(index + 1));
  sale.advance(at(3_600));
  return sale;
}

describe('the end of a sale of tracts', () => {
  it('is one entry with every lot, once', () => {
    const sale = ended({ tracts: [{}, {}, {}] }, [[[1, 3], 30_000]]);
    expect(sale.entries.at(-1)?.publicText.match(/"lot_closed"/g)).to.have.length(3);
    expect(ends(sale)).to.deep.equal([
      ['sold', 15_000],
      ['unsold', null],
      ['sold', 15_000],
    ]);
    const { length } = sale.entries;
    sale.advance(at(3_700));
    expect(sale.entries).to.have.length(length);
  });

  it('sells all that leads where the whole reaches its reserve, whatever those of the lots are', () => {
    const tracts = [{ reserve: 90_000 }, {}];
    expect(
      ends(
        ended({ tracts, whole: 30_000 }, [
          [[1], 20_000],
          [[2], 10_000],
        ]),
      ),
    ).to.deep.equal([
      ['sold', 20_000],
      ['sold', 10_000],
    ]);
    // A cent less, and nothing is sold: parts are not.
    const below = ended({ tracts, whole: 30_001 }, [
      [[1], 20_000],
      [[2], 10_000],
    ]);
    expect(ends(below)).to.deep.equal([
      ['passed', null],
      ['passed', null],
    ]);
    expect(below.state.status).to.equal('passed');
  });

  it('sells below that, in parts, what reaches the reserves of its own lots', () => {
    const tracts = [{ reserve: 20_000 }, { reserve: 10_000 }, {}];
    const bids = [[[1, 2], 30_000] as const, [[3], 10_000] as const];
    const terms = { tracts, whole: 99_999, parts: true };
    expect(ends(ended(terms, bids)).map(([status]) => status)).to.deep.equal(['sold', 'sold', 'sold']);
    expect(
      ends(
        ended(terms, [
          [[1, 2], 29_999],
          [[3], 10_000],
        ]),
      ).map(([status]) => status),
    ).to.deep.equal([...['passed', 'passed', 'sold']]);
    // Without a reserve of the whole, parts are always sold.
    expect(
      ends(
        ended({ tracts }, [
          [[1, 2], 29_999],
          [[3], 10_000],
        ]),
      ).map(([status]) => status),
    ).to.deep.equal([...['passed', 'passed', 'sold']]);
  });

  it('says before whether the reserve is met: of the whole, and of each lot', () => {
    const sale = new Sale({ tracts: [{ reserve: 20_000 }, {}], whole: 50_000 });
    expect(sale.do(on([1], 20_000), at(1))).to.equal('leading_reserve_not_met');
    expect(PARCELS.members?.board(sale.state)).to.deep.include({ reserve_met: false });
    expect(sale.do(on([2], 30_000), at(2))).to.equal('leading');
    expect(PARCELS.members?.board(sale.state)).to.deep.include({ reserve_met: true });
  });

  it('divides a set by units where all have them, each share rounded down, and the last takes the rest', () => {
    const tracts = [{ units: 10_000 }, { units: 10_000 }, { units: 10_000 }];
    expect(ends(ended({ tracts }, [[[1, 2, 3], 100_000]]))).to.deep.equal([
      ['sold', 33_333],
      ['sold', 33_333],
      ['sold', 33_334],
    ]);
    const some = [{ units: 385_000, start: 100 }, { units: 1, start: 200 }, { start: 300 }];
    expect(
      ends(
        ended({ tracts: some }, [
          [[1, 2], 38_501],
          [[3], 700],
        ]),
      ),
    ).to.deep.equal([
      ['sold', 38_500],
      ['sold', 1],
      ['sold', 700],
    ]);
    // One of them has none: by starting bids.
    expect(ends(ended({ tracts: some }, [[[1, 2, 3], 1_001]]))).to.deep.equal([
      ['sold', 166],
      ['sold', 333],
      ['sold', 502],
    ]);
  });

  it('takes amounts per unit for the units of the whole set, rounded half up once', () => {
    const tracts = [
      { units: 385_000, start: 10_000 },
      { units: 12_345, start: 20_000 },
    ];
    const sale = new Sale({ tracts, perUnit: true });
    const quote = PARCELS.members?.quote(sale.state, [1, 2], sale.record);
    // 385,000.00 and 24,690.00 of 39.7345 acres: 10,310.69 a unit comes to 409,690.11.
    expect(quote).to.deep.include({ units: '39.7345', minimum_bid: '103.11', price_to_lead: '103.11' });
    expect(sale.do(on([1, 2], 10_310), at(1))).to.equal('bid_too_low');
    expect(sale.do(on([1, 2], 10_311), at(1))).to.equal('leading');
    // 10,311 × 39.7345 = 409,702.43.
    expect(sale.state.totalCents).to.equal(409_702);
    sale.advance(at(3_600));
    expect(ends(sale)).to.deep.equal([
      ['sold', 396_973],
      ['sold', 12_729],
    ]);
    // Nobody has bid on a tract alone: what is said of each by the unit is what a unit of the set was bid.
    expect([1, 2].map((lotId) => PARCELS.members?.faceOf(sale.state, lotId).currentCents)).to.deep.equal([
      10_311, 10_311,
    ]);
  });

  const hammer = (result: 'sold' | 'passed', sequence = 1): RecordSale => ({
    ...{ type: 'record_sale', bidId: 'h', salt: 's', result, hammerCents: null, winner: null },
    ...{ currency: null, floor: { platform: 'room', sequence }, auctionRuns: true },
  });

  it('is the floor’s in a saleroom: what leads is sold as it says, or nothing', () => {
    const room = { tracts: [{ reserve: 50_000 }, {}], record: { type: 'simulcast' as const } };
    const sold = new Sale(room);
    sold.do(on([1], 10_000), at(1));
    sold.advance(at(99_999));
    expect(sold.state.status).to.equal('active');
    expect(sold.answer(hammer('sold'), at(99_999))).to.deep.include({ flags: ['reserve_not_met'] });
    expect(ends(sold)).to.deep.equal([
      ['sold', 10_000],
      ['unsold', null],
    ]);
    expect(sold.do(hammer('sold', 2), at(99_999))).to.equal('floor_duplicate');
    expect(sold.do(hammer('passed', 3), at(99_999))).to.equal('lot_already_sold');
    const passed = new Sale(room);
    passed.do(on([1], 10_000), at(1));
    expect(passed.do(hammer('passed'), at(2))).to.equal('done');
    expect(ends(passed)).to.deep.equal([
      ['passed', null],
      ['unsold', null],
    ]);
  });

  it('has no calls that were taken back, within ten seconds and three times', () => {
    const sale = new Sale({ tracts: [{}, {}], record: { type: 'simulcast' } });
    const undo = (bidId: string, placed: number, now: number) => {
      const history = { sequence: sale.state.sequence, events: sale.events };
      return sale.do({ type: 'undo_call', bidId, reason: 'x', history, placedAtUs: at(placed) }, at(now));
    };
    const call = (bidId: string, sequence: number) => ({
      ...on([1, 2], 20_000, 1, { bidId }),
      ...{ channel: 'floor' as const, floor: { platform: 'room', sequence } },
    });
    sale.do(on([1], 10_000, 2, { bidId: 'online' }), at(1));
    expect(sale.do(call('one', 5), at(2))).to.equal('leading');
    expect(sale.do(call('stale', 5), at(2))).to.equal('floor_stale');
    expect(undo('online', 1, 3)).to.equal('not_last_call');
    expect(undo('one', 2, 12.1)).to.equal('undo_too_late');
    expect(undo('one', 2, 12)).to.equal('done');
    expect(sale.state.leading).to.deep.equal(['online']);
    for (const [index, bidId] of ['two', 'three', 'four'].entries()) {
      sale.do(call(bidId, 6 + index), at(20 + index));
      expect(undo(bidId, 20 + index, 21 + index)).to.equal(index < 2 ? 'done' : 'undo_limit');
    }
  });

  it('is checked event by event: who leads, what it comes to, and what each lot costs', () => {
    const sale = new Sale({ tracts: [{}, {}] });
    sale.do(on([1], 20_000, 1, { bidId: 'a' }), at(1));
    sale.do(on([1, 2], 50_000, 2, { bidId: 'both' }), at(2));
    sale.void('both', at(3));
    sale.do(on([1, 2], 50_000, 2, { bidId: 'again' }), at(4));
    sale.advance(at(3_600));
    sale.check();
    const changes: readonly ((event: ParcelsEvent) => object)[] = [
      (event) => (event.type === 'bid_placed' ? { leading: [] } : {}),
      (event) => (event.type === 'bid_placed' ? { outcome: 'standing' } : {}),
      (event) => (event.type === 'bid_placed' ? { totalCents: event.totalCents + 1 } : {}),
      (event) => (event.type === 'bid_placed' ? { lotIds: [9] } : {}),
      (event) => (event.type === 'bid_voided' ? { leading: [] } : {}),
      (event) => (event.type === 'bid_voided' ? { bidId: 'none' } : {}),
      (event) => (event.type === 'lot_closed' && event.lotId === 1 ? { hammerCents: 1 } : {}),
      (event) => (event.type === 'lot_closed' && event.lotId === 2 ? { status: 'unsold' } : {}),
      (event) => (event.type === 'lot_closed' ? { set: null } : {}),
    ];
    for (const change of changes) {
      const told = sale.history.map(({ recordedAtUs, events }) => {
        return { recordedAtUs, events: events.map((event) => ({ ...event, ...change(event) })) };
      });
      expect(() => sale.check(told as typeof sale.history), String(change)).to.throw();
    }
  });
});

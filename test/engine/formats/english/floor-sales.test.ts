/** Rule 14: what the floor reports about a lot is applied as given. */
import { expect } from 'chai';
import { nextDueUs } from '../../../../engine/lot/closing.ts';
import type { RecordSale } from '../../../../engine/lot/commands.ts';
import { aBid, aPerson } from '../../../support/engine-terms.ts';
import { codeOf, given, typesOf } from '../../given.ts';

const ann = aPerson(1);
const _bob = aPerson(2);
const advance = { type: 'advance' } as const;

describe('the floor (rule 14)', () => {
  const sale = (parts: Partial<RecordSale> = {}): RecordSale => ({
    type: 'record_sale',
    bidId: 'hammer',
    salt: 'salt-of-hammer',
    auctionRuns: true,
    result: 'sold',
    hammerCents: 20_000,
    winner: { key: ann.key, userId: 1, paddle: '1001' },
    currency: null,
    floor: { platform: 'hall', sequence: 5 },
    ...parts,
  });
  const simulcast = (lot = {}) => given({ record: { type: 'simulcast' }, lot });

  it('alone closes a simulcast lot, which takes bids past its end', () => {
    const lot = simulcast().at(5_000);
    expect(nextDueUs(lot.state, lot.record)).to.equal(null);
    lot.when(aBid({ bidder: ann, straightCents: 20_000 }));
    expect(lot.at(9_000).when(advance).events).to.deep.equal([]);
    const { answer, events } = lot.when(sale());
    expect(answer).to.deep.include({ kind: 'done', status: 'sold', flags: [] });
    expect(events[0]).to.include({ type: 'lot_closed', reason: 'floor', hammerCents: 20_000 });
    expect(lot.state.winner).to.deep.equal({ key: ann.key, userId: 1, alias: 'bidder-1', paddle: '1001' });
  });

  it('is accepted as given, with flags for what is unusual', () => {
    const lot = simulcast({ reserveCents: 50_000 });
    lot.when(aBid({ bidder: ann, straightCents: 20_000 }));
    const winner = { key: 'x:hall:b-9', userId: null, paddle: '88' };
    const { answer } = lot.when(sale({ winner, hammerCents: 19_999 }));
    const flags = ['not_the_leader', 'hammer_below_current', 'reserve_not_met'];
    expect(answer).to.deep.include({ flags });
    expect(lot.state.winner).to.deep.equal({ ...winner, alias: 'bidder-0' });
    expect(lot.state).to.include({ currentCents: 19_999, hammerCents: 19_999, bidCount: 2 });
    expect(lot.events.at(-2)).to.deep.include({
      type: 'bid_placed',
      bidId: 'hammer',
      channel: 'floor',
      outcome: 'won',
      listedCents: 19_999,
    });
  });

  it('registers a buyer whom it names first, and needs none where it names nobody', () => {
    const winner = { key: 'x:hall:b-9', userId: null, paddle: '88' };
    const lot = simulcast().hasNo(winner.key);
    expect(lot.weighs(sale({ winner }))).to.deep.equal({ need: 'registration' });
    lot.when(sale({ winner: null }));
    expect(lot.state.winner).to.deep.equal({ key: 'x:hall:', userId: null, alias: 'floor', paddle: null });
    expect(lot.state).to.include({ bidCount: 1, currentCents: 20_000 });
  });

  it('sells a lot that had passed while its auction runs, and says that it was reopened', () => {
    const passed = simulcast({ reserveCents: 50_000 });
    passed.when(aBid({ bidder: ann, straightCents: 20_000 }));
    passed.when(sale({ result: 'passed', hammerCents: null, winner: null }));
    const again = { platform: 'hall', sequence: 6 };
    expect(codeOf(passed.weighs(sale({ floor: again, auctionRuns: false })))).to.equal('invalid_transition');
    expect(codeOf(passed.weighs(sale({ result: 'unsold', floor: again })))).to.equal('lot_already_sold');
    const sold = passed.when(sale({ floor: again }));
    expect(typesOf(sold)).to.deep.equal(['lot_reopened', 'lot_closed']);
    expect(passed.state).to.include({ status: 'sold', hammerCents: 20_000, bidCount: 1 });
    expect(codeOf(passed.weighs(sale({ floor: again })))).to.equal('floor_duplicate');
    const timed = given({ lot: { status: 'unsold' } });
    expect(codeOf(timed.weighs(sale()))).to.equal('lot_already_sold');
  });

  it('may repeat an event, whatever the sequence, but not contradict it', () => {
    const lot = simulcast();
    lot.when(aBid({ bidder: ann, straightCents: 20_000 }));
    lot.when(sale());
    expect(codeOf(lot.weighs(sale({ floor: { platform: 'hall', sequence: 1 } })))).to.equal(
      'floor_duplicate',
    );
    expect(codeOf(lot.weighs(sale({ hammerCents: 20_001 })))).to.equal('lot_already_sold');
    expect(codeOf(lot.weighs(sale({ result: 'passed' })))).to.equal('lot_already_sold');
  });

  it('keeps the order of each platform for itself; what is refused uses up no sequence', () => {
    const lot = simulcast();
    const bid = (sequence: number, straightCents: number, platform = 'hall') =>
      aBid({ bidder: ann, straightCents, channel: 'floor', floor: { platform, sequence } });
    lot.when(bid(5, 10_000));
    expect(codeOf(lot.weighs(bid(5, 90_000)))).to.equal('floor_stale');
    expect(codeOf(lot.weighs(bid(4, 90_000)))).to.equal('floor_stale');
    expect(codeOf(lot.when(bid(6, 10_001)))).to.equal('bid_too_low');
    expect(codeOf(lot.when(bid(6, 20_000)))).to.equal('leading');
    expect(codeOf(lot.when(bid(1, 30_000, 'other')))).to.equal('leading');
    expect(lot.state.floorSequences).to.deep.equal({ hall: 6, other: 1 });
    expect(codeOf(lot.weighs(sale({ floor: { platform: 'hall', sequence: 6 } })))).to.equal('floor_stale');
  });

  it('cannot sell what is withdrawn, nor in another currency', () => {
    expect(codeOf(simulcast({ status: 'withdrawn' }).weighs(sale()))).to.equal('lot_withdrawn');
    expect(codeOf(simulcast().weighs(sale({ currency: 'eur' })))).to.equal('currency_mismatch');
  });
});

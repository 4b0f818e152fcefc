/** Rule 13: buying a lot at its price. */
import { expect } from 'chai';
import { aBid, aPerson, aPurchase } from '../../../support/engine-terms.ts';
import { bidOf, codeOf, given, typesOf } from '../../given.ts';

const ann = aPerson(1);
const bob = aPerson(2);

describe('buying now (rule 13)', () => {
  const buyable = (lot = {}) => given({ lot: { buyNowCents: 70_000, ...lot } });

  it('closes the lot as sold, with a row, and extends nothing', () => {
    const lot = buyable().at(3_599);
    const { answer, events } = lot.when(aPurchase({ bidder: ann }));
    expect(bidOf(answer)).to.include({
      outcome: 'won',
      listedCents: 70_000,
      ceilingCents: 70_000,
      sequence: 2,
    });
    expect(bidOf(answer).lot).to.include({ status: 'sold', extended: false, bidCount: 1, reserveMet: true });
    expect(events.map(({ type }) => type)).to.deep.equal(['bid_placed', 'lot_closed']);
    expect(events[1]).to.include({ reason: 'buy_now', status: 'sold', hammerCents: 70_000 });
    expect(lot.state).to.deep.include({
      status: 'sold',
      hammerCents: 70_000,
      winner: { key: ann.key, userId: 1, alias: 'bidder-1', paddle: '1001' },
    });
    expect(codeOf(lot.weighs(aPurchase({ bidder: bob })))).to.equal('lot_closed');
  });

  it('ends with the first bid, or when the reserve is met if there is one', () => {
    const plain = buyable();
    plain.when(aBid({ bidder: ann }));
    expect(codeOf(plain.weighs(aPurchase({ bidder: bob })))).to.equal('buy_now_unavailable');
    const reserved = buyable({ reserveCents: 30_000 });
    reserved.when(aBid({ bidder: ann }));
    expect(codeOf(reserved.weighs(aPurchase({ bidder: bob })))).to.equal('won');
    reserved.when(aBid({ bidder: ann, ceilingCents: 30_000 }));
    expect(codeOf(reserved.weighs(aPurchase({ bidder: bob })))).to.equal('buy_now_unavailable');
    expect(codeOf(given().weighs(aPurchase()))).to.equal('buy_now_unavailable');
  });

  it('is bounded by the limit, the price being the ceiling', () => {
    const lot = given({ record: { bidLimitCents: 69_999 }, lot: { buyNowCents: 70_000 } });
    expect(codeOf(lot.weighs(aPurchase()))).to.equal('bid_limit_exceeded');
    lot.changes({ bidLimitCents: 70_000 });
    expect(typesOf(lot.when(aPurchase()))).to.deep.equal(['bid_placed', 'lot_closed']);
  });
});

import { expect } from 'chai';
import { stepsOf } from '../../../../src/bidding/bids/price-history.ts';

const at = '2026-11-20T10:00:00.000000Z';
const entry = (...events: object[]) => JSON.stringify({ events, recorded_at: at });
const bid = (sequence: number, paddle: string, outcome: string, amount: string | null, price: string) => ({
  type: 'bid_placed',
  bid_id: `b${sequence}`,
  bidder: { alias: '', paddle_number: paddle },
  outcome,
  amount,
  current_bid: price,
  sequence,
});

describe('the prices between bids', () => {
  const told = (...texts: string[]) =>
    stepsOf(texts).map(({ cause, paddle, price }) => [cause, paddle, price]);

  it('are what a ceiling answered, on a tie too, whoever of the two bid', () => {
    const first = entry(bid(2, '10', 'leading', '100.00', '100.00'));
    expect(told(first, entry(bid(3, '11', 'outbid', '150.00', '160.00')))).to.deep.equal([
      ['automatic', '10', '160.00'],
    ]);
    expect(told(first, entry(bid(3, '11', 'outbid', '200.00', '200.00')))).to.deep.equal([
      ['automatic', '10', '200.00'],
    ]);
  });

  it('are what a reserve lifts a raised maximum to, and nothing where a maximum was only raised', () => {
    const first = bid(2, '10', 'leading_reserve_not_met', '100.00', '100.00');
    expect(told(entry(first, bid(3, '10', 'max_raised', null, '500.00')))).to.deep.equal([
      ['automatic', '10', '500.00'],
    ]);
    expect(told(entry(first, bid(3, '10', 'max_raised', null, '100.00')))).to.deep.equal([]);
    const lower = { type: 'terms_changed', current_bid: '300.00', sequence: 3 };
    expect(told(entry(first), entry(lower))).to.deep.equal([['automatic', '10', '300.00']]);
  });

  it('are what a void leaves, by whom, and nothing where no bid is left', () => {
    const bids = entry(
      bid(2, '10', 'leading', '100.00', '100.00'),
      bid(3, '11', 'leading', '300.00', '300.00'),
    );
    const voided = (leader: object | null, price: string) =>
      entry({ type: 'bid_voided', bid_id: 'b3', current_bid: price, leader, sequence: 4 });
    expect(told(bids, voided({ alias: '', paddle_number: '10' }, '100.00'))).to.deep.equal([
      ['void', '10', '100.00'],
    ]);
    expect(told(bids, voided(null, '0.00'))).to.deep.equal([]);
  });
});

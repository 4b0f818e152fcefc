/** Bids counted by what they came to. */
import { expect } from 'chai';
import { BidTally } from '../../../engine/actor/bid-tally.ts';
import { aBid } from '../../support/engine-terms.ts';

const bid = aBid({ channel: 'floor', floor: { platform: 'hall', sequence: 1 } });

describe('the tally of bids', () => {
  it('counts a repeated event as replayed, whether its answer was kept whole or not', () => {
    const tally = new BidTally();
    tally.answered(bid, { kind: 'repeated', sequence: 3 });
    tally.answered(bid, {
      kind: 'answer',
      answer: { kind: 'done', changed: false, sequence: 3, status: 'active', flags: [] },
      replayed: true,
    });
    expect(tally.all()).to.deep.equal([{ channel: 'floor', outcome: 'replayed', code: '', count: 2 }]);
  });
});

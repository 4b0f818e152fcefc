/** What a debug log says of a floor bid that a platform sends again, of which only the sequence is kept. */
import { expect } from 'chai';
import pino from 'pino';
import { BidTally } from '../../../../engine/actor/bid-tally.ts';
import { followDecidedBids } from '../../../../src/bidding/bids/follow-bids.ts';
import { aBid } from '../../../support/engine-terms.ts';

const bid = aBid({ channel: 'floor', floor: { platform: 'hall', sequence: 1 } });

describe('the log of bids that are decided', () => {
  it('names the platform and the sequence of an event that is repeated', () => {
    const bids = new BidTally();
    const lines: string[] = [];
    followDecidedBids({ bids }, pino({ level: 'debug' }, { write: (line) => lines.push(line) }));
    bids.answered(bid, { kind: 'repeated', sequence: 3 });
    expect(lines).to.have.length(1);
    const fields = { platform: 'hall', sequence: 3, replayed: true, msg: 'event repeated' };
    expect(JSON.parse(lines[0] ?? '')).to.include(fields);
  });
});

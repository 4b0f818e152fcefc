/** What a debug log says of a floor bid that a platform sends again, of which only the sequence is kept. */
import { expect } from 'chai';
import pino from 'pino';
import { BidTally } from '../../../../engine/actor/bid-tally.ts';
import type { Command } from '../../../../engine/lot/commands.ts';
import { followDecidedBids } from '../../../../src/bidding/bids/follow-bids.ts';

const bid: Command = {
  type: 'place_bid',
  bidId: '0a',
  salt: '0b',
  bidder: { key: 'x:hall:1', userId: null, verified: true, suspended: false, teamIds: [], paddle: null },
  channel: 'floor',
  straightCents: 100,
  ceilingCents: null,
  currency: null,
  confirm: true,
  floor: { platform: 'hall', sequence: 1 },
};

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

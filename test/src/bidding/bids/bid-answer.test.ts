/** What a bidder is answered, as text: whatever a platform calls its paddles and channels, the length given is right. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { AcceptedBid } from '../../../../engine/lot/answers.ts';
import { answerBid } from '../../../../src/bidding/bids/bid-answer.ts';

const BID: AcceptedBid = {
  kind: 'bid',
  decimals: 2,
  bidId: 'b1',
  lotId: 1,
  auctionId: 2,
  outcome: 'leading',
  listedCents: 20_000,
  ceilingCents: 20_000,
  channel: 'online',
  sequence: 3,
  placedAtUs: 1_760_000_000_000_000,
  paddle: '104',
  lot: {
    currentCents: 20_000,
    minimumNextCents: 20_100,
    bidCount: 1,
    reserveMet: true,
    isHighBidder: true,
    endsAtUs: 1_760_000_100_000_000,
    extended: false,
    status: 'active',
  },
  hash: '0'.repeat(64),
  previousHash: '1'.repeat(64),
};

describe('the answer to a bid', () => {
  const lengths = (paddle: string, channel: string) => {
    const answer: AcceptedBid = { ...BID, paddle, channel };
    const { raw, rawIsAscii } = answerBid({ kind: 'answer', answer, replayed: false });
    if (typeof raw !== 'string') throw new TypeError('an answer is a text');
    const { data } = JSON.parse(raw);
    return { rawIsAscii, isAscii: Buffer.byteLength(raw) === raw.length, data };
  };

  it('is ASCII where it says so, and names paddle and channel as they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (paddle, channel) => {
        const { rawIsAscii, isAscii, data } = lengths(paddle, channel);
        expect(!rawIsAscii || isAscii).to.equal(true);
        expect([data.paddle_number, data.channel]).to.deep.equal([paddle, channel]);
      }),
    );
  });

  it('says that it is ASCII for the paddles that we give ourselves', () => {
    expect(lengths('104', 'online').rawIsAscii).to.equal(true);
    expect(lengths('№ 104', 'online').rawIsAscii).to.equal(false);
  });
});

/** What is kept under a key: every answer comes back word for word, those too that an earlier version has written. */
import { expect } from 'chai';
import { encodeRecord, isReplayable, replayAnswer } from '../../../engine/actor/idempotency-record.ts';
import type { AcceptedBid, Answer } from '../../../engine/lot/answers.ts';

const key = { field: 'u:1|7|k', fingerprint: 'bid|100||' };

const bid: AcceptedBid = {
  kind: 'bid',
  decimals: 2,
  bidId: '0a1b2c',
  lotId: 7,
  auctionId: 3,
  outcome: 'outbid',
  listedCents: 100,
  ceilingCents: 99_999_999_999_999,
  channel: 'online',
  sequence: 12,
  placedAtUs: 1_784_000_000_000_001,
  paddle: '0a "\\é',
  lot: {
    currentCents: 200,
    minimumNextCents: 300,
    bidCount: 4,
    reserveMet: false,
    isHighBidder: true,
    endsAtUs: 1_784_000_000_000_002,
    extended: true,
    status: 'active',
  },
  hash: 'a'.repeat(64),
  previousHash: 'b'.repeat(64),
};
const done: Answer = { kind: 'done', changed: true, sequence: 3, status: 'withdrawn', flags: [] };
const refusal: Answer = {
  kind: 'refused',
  decimals: 2,
  code: 'bid_too_low',
  currentCents: 1,
  minimumNextCents: 2,
  endsAtUs: 3,
};

describe('an answer under a key', () => {
  for (const answer of [bid, done, refusal]) {
    it(`comes back as it was: ${answer.kind}`, () => {
      const replayed = { kind: 'answer', answer, replayed: true };
      expect(replayAnswer(key, encodeRecord(key, answer)!)).to.deep.equal(replayed);
      expect(replayAnswer(key, `${key.fingerprint}\n${JSON.stringify(answer)}`)).to.deep.equal(replayed);
    });
  }

  it('belongs to the request that it was given to', () => {
    expect(replayAnswer({ ...key, fingerprint: 'bid|200||' }, encodeRecord(key, bid)!)).to.deep.equal({
      kind: 'key_reused',
    });
  });

  for (const [answer, sequence] of [
    [bid, 12],
    [done, 3],
    [refusal, null],
  ] as const) {
    it(`is a sequence where the key is brief: ${answer.kind}`, () => {
      const brief = { ...key, brief: true } as const;
      const record = encodeRecord(brief, answer)!;
      expect(record).to.have.length.below(50);
      const repeated = { kind: 'repeated', sequence };
      expect(replayAnswer(brief, record)).to.deep.equal(repeated);
      expect(replayAnswer(brief, encodeRecord(key, answer)!), 'of a key that was not brief').to.deep.equal(
        repeated,
      );
      expect(replayAnswer({ ...brief, fingerprint: 'other' }, record)).to.deep.equal({ kind: 'key_reused' });
    });
  }

  it('is not kept while the cause may still be fixed', () => {
    const unconfirmed: Answer = { ...refusal, code: 'bid_confirmation_required' };
    expect(isReplayable(unconfirmed)).to.equal(false);
    expect(encodeRecord(key, unconfirmed)).to.equal(null);
  });
});

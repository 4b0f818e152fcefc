/** The text of a log message: what is packed comes out again, whatever it holds. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { packAuctionEvent, packEntry, unpackFrames } from '../../../adapters/redis/frames.ts';
import type { AuctionEvent } from '../../../engine/actor/journal.ts';
import { aBidder, aRecord } from '../../support/engine-terms.ts';

describe('frames of the log', () => {
  const entries = fc.record({
    lotId: fc.nat(),
    auctionId: fc.nat(),
    firstSequence: fc.nat(),
    sequence: fc.nat(),
    previousHash: fc.stringMatching(/^[0-9a-f]{64}$/),
    hash: fc.stringMatching(/^[0-9a-f]{64}$/),
    recordedAtUs: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    publicText: fc.json(),
    privateText: fc.json(),
  });
  const traces = fc.array(fc.tuple(fc.nat(), fc.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)), {
    minLength: 1,
  });
  const events: fc.Arbitrary<AuctionEvent> = fc.oneof(
    fc.record({
      type: fc.constant('bidder_saved' as const),
      bidder: fc.string({ unit: 'grapheme' }).map((alias) => aBidder(1, { alias })),
      reason: fc.option(fc.string({ unit: 'binary-ascii' })),
    }),
    fc.nat().map((version) => ({ type: 'auction_recorded' as const, record: aRecord({ version }) })),
  );

  it('come out as they were packed, in order', () => {
    const frames = fc.array(
      fc.oneof(
        entries.map((entry) => ({ kind: 'entry' as const, entry })),
        fc
          .tuple(entries, traces)
          .map(([entry, own]) => ({ kind: 'entry' as const, entry: { ...entry, traces: own } })),
        fc.record({ kind: fc.constant('auction' as const), auctionId: fc.nat(), event: events }),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(frames, (list) => {
        const text = list
          .map((frame) =>
            frame.kind === 'entry' ? packEntry(frame.entry) : packAuctionEvent(frame.auctionId, frame.event),
          )
          .join('\n');
        expect(unpackFrames(text)).to.deep.equal(list);
      }),
      { numRuns: 300 },
    );
  });
});

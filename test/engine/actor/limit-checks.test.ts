import { expect } from 'chai';
import { type LimitedBatch, type MutableLimit, noteLimit } from '../../../engine/actor/limit-checks.ts';
import { ENGLISH } from '../../../engine/formats/english/english.ts';
import { TENDER } from '../../../engine/formats/tender/tender.ts';

describe('what a batch assumes of limits', () => {
  const noted = (format: LimitedBatch['format'], exposureCents: number, refused: boolean) => {
    const limits: MutableLimit[] = [];
    const batch = { format, state: format.unscheduled, limits, limitOf: null };
    const use = { limitCents: 30_000, increaseCents: 20_000, refused };
    noteLimit(batch, 'u:1', { assumedCents: exposureCents, exposureCents }, use);
    const [{ limitCents, increaseCents, assumedCents }] = limits as [MutableLimit];
    return {
      atMost: increaseCents > 0 ? limitCents - increaseCents : null,
      atLeast: limits[0]!.refused ? assumedCents : null,
    };
  };

  it('is that the exposure leaves room for a bid, and is no lower for a refusal', () => {
    expect(noted(ENGLISH, 500, false)).to.deep.equal({ atMost: 10_000, atLeast: null });
    expect(noted(ENGLISH, 15_000, true)).to.deep.equal({ atMost: null, atLeast: 15_000 });
  });

  it('is of sealed bids that none has changed, for a refusal as well', () => {
    expect(noted(TENDER, 5, false)).to.deep.equal({ atMost: 5, atLeast: null });
    expect(noted(TENDER, 5, true)).to.deep.equal({ atMost: 5, atLeast: 5 });
  });
});

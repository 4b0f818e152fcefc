/** Every bid of random histories is explained by the decision itself, and no sentence says what must stay secret. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { decodeEvents } from '../../../../engine/formats/english/event-codec.ts';
import { explain } from '../../../../engine/formats/english/explaining.ts';
import type { SealedEntry } from '../../../../engine/lot/entry.ts';
import type { Step } from '../../../../engine/lot/reasons.ts';
import type { Sight } from '../../../../src/bidding/explanations/sentence-parts.ts';
import { sentenceOf } from '../../../../src/bidding/explanations/sentences.ts';
import { worlds } from '../../../verifier/random-journals.ts';

const BLIND: Sight = { currency: 'usd', ownCeiling: false, rivalCeiling: false, reserve: false };
const ALL: Sight = { currency: 'usd', ownCeiling: true, rivalCeiling: true, reserve: true };

const historyOf = (entries: readonly SealedEntry[]) =>
  entries.map(({ recordedAtUs, privateText }) => ({ recordedAtUs, events: decodeEvents(privateText) }));

/** The price that the steps end at. */
function priceOf(steps: readonly Step[]): number | undefined {
  const prices = steps.map((step) =>
    'priceCents' in step ? step.priceCents : 'hammerCents' in step ? step.hammerCents : undefined,
  );
  return prices.findLast((price) => price !== undefined);
}

/** The same step with other secrets: readers who may not know them must see the same. */
function withOtherSecrets(step: Step): Step {
  switch (step.rule) {
    case 2:
      return { ...step, straightCents: step.straightCents === null ? 777 : null };
    case 3:
      return { ...step, straightCents: null, ceilingCents: 98_765_432, beatenCents: 87_654_321 };
    case 4:
      return { ...step, leaderCents: step.leaderCents > step.ceilingCents ? 76_543_210 : step.leaderCents };
    case 5:
      return { ...step, fromCents: 65_432_109, ceilingCents: 54_321_098 };
    case 6:
      return step.priceCents >= step.reserveCents
        ? { ...step, reserveCents: 1 }
        : { ...step, reserveCents: 1e9 };
    default:
      return step;
  }
}

describe('explaining bids', () => {
  it('matches the journal, for every bid of random histories', () => {
    const rules = new Set<number>();
    fc.assert(
      fc.property(worlds, ({ lots, record }) => {
        for (const { entries, events } of lots.values()) {
          for (const event of events) {
            if (event.type !== 'bid_placed') continue;
            const decision = explain(historyOf(entries), event.bidId, record);
            expect(decision).to.include({ sequence: event.sequence });
            expect(decision?.own).to.include({ key: event.bidder.key, ceilingCents: event.ceilingCents });
            const { steps = [] } = decision ?? {};
            expect(priceOf(steps)).to.equal(event.currentCents);
            const end = steps.find((step) => step.rule === 8);
            expect(end?.movedToUs ?? null).to.equal(event.extendedToUs);
            for (const step of steps) {
              rules.add(step.rule);
              expect(sentenceOf(step, ALL).sentence).to.match(/^[A-Z].+\.$/);
              expect(sentenceOf(withOtherSecrets(step), BLIND)).to.deep.equal(sentenceOf(step, BLIND));
            }
          }
        }
      }),
      { numRuns: 150, seed: 5 },
    );
    expect([...rules].sort((a, b) => a - b)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 13, 14, 20]);
  });

  it('knows no bid that is not there', () => {
    const [world] = fc.sample(worlds, { numRuns: 1, seed: 5 });
    expect(explain(historyOf(world?.lots.get(1)?.entries ?? []), 'nobody', world!.record)).to.equal(null);
  });
});

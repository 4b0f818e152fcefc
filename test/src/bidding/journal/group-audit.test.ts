/** Lots that close together, checked over the journals of all of them: nothing in random auctions, and what is forged. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { EnglishEvent } from '../../../../engine/formats/english/english-events.ts';
import { decodeEvents, encodeEvents } from '../../../../engine/formats/english/event-codec.ts';
import type { LotState } from '../../../../engine/lot/state.ts';
import { GroupAudit } from '../../../../src/bidding/journal/group-audit.ts';
import type { EngineWorld } from '../../../support/engine-world.ts';
import { worlds } from '../../../verifier/random-journals.ts';

/** Says what is wrong with a world, each event of it as `forge` has it. */
function wrongIn(
  world: EngineWorld,
  forge: (event: EnglishEvent) => EnglishEvent = (event) => event,
  endOf: (state: LotState) => number = ({ endsAtUs }) => endsAtUs,
): string | null {
  const audit = new GroupAudit();
  for (const { state, entries } of world.lots.values()) {
    for (const entry of entries) {
      const privateText = encodeEvents(decodeEvents(entry.privateText).map(forge));
      audit.take({ ...entry, privateText }, { ...state, endsAtUs: endOf(state) }, Infinity);
    }
  }
  try {
    audit.check();
    return null;
  } catch (difference) {
    return (difference as Error).message;
  }
}

describe('the audit of lots that close together', () => {
  it('finds nothing in random auctions', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        expect(wrongIn(world)).to.equal(null);
      }),
      { numRuns: 500 },
    );
  });

  it('finds a lot that misses an extension, names another cause, or closes at another end', () => {
    const found = { unmoved: 0, end: 0 };
    for (const world of fc.sample(worlds, { numRuns: 1_000, seed: 7 })) {
      const moves = [...world.lots.values()].flatMap(({ events }) =>
        events.filter((event) => event.type === 'lot_rescheduled' && event.group !== undefined),
      );
      if (moves.length > 0) {
        const unmoved = wrongIn(world, (event) =>
          event.type === 'bid_placed' ? { ...event, extendedToUs: null } : event,
        );
        if (unmoved?.includes('never ended then')) found.unmoved += 1;
      }
      const closed = [...world.lots.values()].filter(({ events }) =>
        events.some((event) => event.type === 'lot_closed' && event.reason === 'time'),
      );
      if (closed.length === 2 && closed[0]?.state.group != null) {
        const wrong = wrongIn(
          world,
          (event) => event,
          ({ lotId, endsAtUs }) => endsAtUs + lotId,
        );
        expect(wrong).to.include('closed at different ends');
        found.end += 1;
      }
    }
    expect(found.unmoved).to.be.above(5);
    expect(found.end).to.be.above(5);
  });
});

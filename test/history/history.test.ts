/**
 * The history check against a brute-force search on small random histories, sound ones and spoilt ones, and on long
 * ones for speed.
 */
import { expect } from 'chai';
import { slowness } from '../support/slowness.ts';
import { someOrderExplains } from './brute-force.ts';
import { checkHistory } from './check.ts';
import { CORRUPTIONS } from './corruptions.ts';
import { below, diceOf, type MadeHistory, makeHistory } from './random-histories.ts';
import type { ClockTerms, Operation, ViolationKind } from './terms.ts';

const CLOCK: ClockTerms = { toleranceUs: 1_000, stampAgeUs: 250_000 };
const SMALL_HISTORIES = Number(process.env['HISTORY_SMALL'] ?? 4_000);
const LONG_OPERATIONS = Number(process.env['HISTORY_OPERATIONS'] ?? 200_000);

function small(seed: number): MadeHistory {
  const dice = diceOf(seed);
  const bids = 1 + below(dice, 6);
  const shape = { lotId: 1, bids, bidders: 3, slowUs: 300_000, gapUs: 100_000, lost: 0.2, twice: 0.2 };
  return makeHistory(dice, shape);
}

function isSound({ lot, operations }: MadeHistory, clock = CLOCK): boolean {
  return checkHistory([lot], operations, clock).violations.length === 0;
}

function describeHistory({ lot, operations }: MadeHistory): string {
  const { violations } = checkHistory([lot], operations, CLOCK);
  return JSON.stringify({ violations, lot, operations }, null, 1);
}

function long(operations: number): { readonly made: MadeHistory[]; readonly all: Operation[] } {
  const dice = diceOf(7);
  const lots = [1, 2, 3, 4, 5];
  const made = lots.map((lotId) =>
    makeHistory(dice, {
      lotId,
      bids: Math.ceil(operations / lots.length),
      bidders: 200,
      slowUs: 40_000,
      gapUs: 1_000,
      lost: 0.01,
      twice: 0.02,
    }),
  );
  return { made, all: made.flatMap((history) => history.operations) };
}

describe('the history check', () => {
  it(`says the same as a search through all orders on ${SMALL_HISTORIES} small histories, whole and spoilt`, () => {
    const seen = { sound: 0, explained: 0, unexplained: 0 };
    for (let seed = 1; seed <= SMALL_HISTORIES; seed += 1) {
      const whole = small(seed);
      expect(isSound(whole), `seed ${seed}: ${describeHistory(whole)}`).to.equal(true);
      expect(someOrderExplains(whole.lot, whole.operations, CLOCK), `seed ${seed}`).to.equal(true);
      seen.sound += 1;
      const dice = diceOf(seed * 31);
      let spoilt = whole;
      for (let times = below(dice, 2); times >= 0; times -= 1)
        spoilt = CORRUPTIONS[below(dice, CORRUPTIONS.length)]!(dice, spoilt);
      const wanted = someOrderExplains(spoilt.lot, spoilt.operations, CLOCK);
      if (isSound(spoilt) !== wanted)
        expect.fail(`seed ${seed}: the search says ${wanted}, the check ${describeHistory(spoilt)}`);
      seen[wanted ? 'explained' : 'unexplained'] += 1;
    }
    expect(seen.explained).to.be.greaterThan(SMALL_HISTORIES / 20);
    expect(seen.unexplained).to.be.greaterThan(SMALL_HISTORIES / 3);
  });

  it(`checks ${LONG_OPERATIONS} operations of 200 bidders in seconds`, () => {
    const { made, all } = long(LONG_OPERATIONS);
    const started = process.cpuUsage();
    const verdict = checkHistory(
      made.map(({ lot }) => lot),
      all,
      CLOCK,
    );
    const tookMs = process.cpuUsage(started).user / 1_000;
    expect(verdict.violations.slice(0, 3)).to.deep.equal([]);
    expect(all.length).to.be.at.least(LONG_OPERATIONS);
    expect(verdict.accepted).to.be.greaterThan(LONG_OPERATIONS / 10);
    expect(verdict.refused).to.be.greaterThan(LONG_OPERATIONS / 10);
    expect(verdict.unansweredStanding).to.be.greaterThan(0);
    // Of the processor's time, as others may be at work on the machine.
    expect(tookMs).to.be.below((2_000 + LONG_OPERATIONS / 40) * slowness());
    if (process.env['HISTORY_OPERATIONS'] !== undefined)
      console.log(`      ${all.length} operations checked in ${Math.round(tookMs)} ms`);
  });

  describe('names each error', () => {
    /** The kinds of violations after `change` to a long, sound history. */
    const kindsAfter = (change: (history: MadeHistory) => MadeHistory): ViolationKind[] => {
      const history = change(long(2_000).made[0]!);
      return [
        ...new Set(checkHistory([history.lot], history.operations, CLOCK).violations.map(({ kind }) => kind)),
      ];
    };
    const middle = (history: MadeHistory, kind: string) => {
      const found = history.operations.filter(({ answer }) => answer.kind === kind);
      return found[found.length >> 1]!;
    };

    it('a lost bid: acknowledged, and the journal continues without it', () => {
      const kinds = kindsAfter((history) => {
        const { answer } = middle(history, 'accepted');
        const items = history.lot.items.filter(
          ({ sequence }) => answer.kind !== 'accepted' || sequence !== answer.sequence,
        );
        return { ...history, lot: { ...history.lot, items } };
      });
      expect(kinds).to.include('lost');
    });

    it('a phantom: a bid that nobody sent, and one that was refused', () => {
      const gone = kindsAfter((history) => {
        const gone = middle(history, 'accepted');
        return { ...history, operations: history.operations.filter(({ key }) => key !== gone.key) };
      });
      expect(gone).to.deep.equal(['phantom']);
      const refused = kindsAfter((history) => {
        const { key } = middle(history, 'accepted');
        const answer = { kind: 'refused', code: 'bid_too_low', standing: null } as const;
        const operations = history.operations.map((one) => (one.key === key ? { ...one, answer } : one));
        return { ...history, operations };
      });
      expect(refused).to.include('phantom');
    });

    it('a duplicate: one request, two bids', () => {
      const kinds = kindsAfter((history) => {
        const { answer } = middle(history, 'accepted');
        const at = history.lot.items.findIndex(
          ({ sequence }) => answer.kind === 'accepted' && sequence === answer.sequence,
        );
        const last = history.lot.items.at(-1)!.sequence;
        const again = { ...history.lot.items[at]!, sequence: last, bidId: 'again' };
        const items = history.lot.items.toSpliced(-1, 0, again as never);
        return { ...history, lot: { ...history.lot, items } };
      });
      expect(kinds).to.include('double');
    });

    it('an order that contradicts real time', () => {
      const kinds = kindsAfter((history) => {
        const late = middle(history, 'accepted');
        const byUs = 60_000;
        const { invokedUs, returnedUs } = late;
        const moved = { ...late, invokedUs: invokedUs + byUs, returnedUs: returnedUs + byUs };
        return { ...history, operations: history.operations.map((one) => (one === late ? moved : one)) };
      });
      expect(kinds).to.deep.equal(['order']);
    });

    it('a refusal from a stale state', () => {
      const kinds = kindsAfter((history) => {
        const refused = history.operations.filter(({ answer }) => answer.kind === 'refused');
        const late = refused[refused.length >> 1]!;
        const early = refused[refused.length >> 2]!;
        const stale = { ...late, answer: early.answer };
        return { ...history, operations: history.operations.map((one) => (one === late ? stale : one)) };
      });
      expect(kinds).to.deep.equal(['refusal']);
    });

    it('a bid after the close, and a wrong winner', () => {
      const after = kindsAfter((history) => {
        const { items } = history.lot;
        const bid = items.findLast(({ kind }) => kind === 'bid')!;
        const close = items.at(-1)!;
        const swapped = [
          { ...close, sequence: bid.sequence },
          { ...bid, sequence: close.sequence },
        ];
        return { ...history, lot: { ...history.lot, items: [...items.slice(0, -2), ...swapped] } };
      });
      expect(after).to.include('rules');
      const winner = kindsAfter((history) => {
        const items = history.lot.items.map((item) =>
          item.kind === 'closed' ? { ...item, winner: 'nobody' } : item,
        );
        return { ...history, lot: { ...history.lot, items } };
      });
      expect(winner).to.deep.equal(['rules']);
    });
  });
});

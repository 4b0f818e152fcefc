import { expect } from 'chai';
import * as fc from 'fast-check';
import { apply, newWorld } from '../support/naive-rules.ts';
import type { NaiveInput, NaiveWorld } from '../support/naive-terms.ts';
import { leadOf, rows, viewLot } from '../support/naive-views.ts';
import type { WorkedCase } from './cases/build.ts';
import { STARTS_AT_US } from './cases/build.ts';
import { workedCases } from './worked-cases.ts';

/**
 * Runs the worked cases through the naive model of the rules. The cases were calculated by hand and the model was
 * written from the same sentences, so that each checks the other before both are compared with the engine.
 */

function run({ auction, lots, bidders, steps, rows: expectedRows }: WorkedCase): void {
  const world = newWorld({ auction, lots, bidders });
  for (const [index, { input, lotId, expect: wanted }] of steps.entries()) {
    const answer = apply(world, input);
    const { ceilingCents: _secret, ...lot } = viewLot(world, lotId);
    const got =
      answer.refused === null
        ? {
            refused: null,
            outcome: answer.outcome,
            listedCents: answer.listedCents,
            extended: answer.extended,
          }
        : { refused: answer.refused, outcome: null, listedCents: null, extended: false };
    const flags = answer.refused === null ? answer.flags : [];
    expect({ ...got, flags, lot }, `step ${index + 1}`).to.deep.equal(wanted);
  }
  if (expectedRows === null) return;
  const list = rows(world, 1).map(({ bidId, listedCents, outcome, status }) => ({
    bidId,
    listedCents,
    outcome,
    status,
  }));
  expect(list, 'the public list').to.deep.equal(expectedRows);
}

describe('the naive rules', () => {
  for (const [theme, cases] of Object.entries(workedCases)) {
    describe(theme, () => {
      for (const worked of cases) it(worked.name, () => run(worked));
    });
  }
});

/** A random but possible history of one lot: bids around the minimum, voids, lowered reserves. */
const move = fc.record({
  who: fc.constantFrom('ann', 'bob', 'cat'),
  kind: fc.constantFrom('straight', 'proxy', 'both', 'both', 'proxy', 'void', 'reserve'),
  overCents: fc.integer({ min: -500, max: 20_000 }),
  moreCents: fc.integer({ min: 0, max: 20_000 }),
  pick: fc.nat(),
});
type Move = typeof move extends fc.Arbitrary<infer T> ? T : never;

function inputOf(
  world: NaiveWorld,
  { who, kind, overCents, moreCents, pick }: Move,
  index: number,
): NaiveInput {
  const at = { lotId: 1, atUs: STARTS_AT_US + index };
  const bids = world.log.map((entry) => entry.input).filter((input) => input.kind === 'bid');
  const chosen = bids[pick % Math.max(bids.length, 1)];
  if (kind === 'void' && chosen !== undefined) return { kind, ...at, bidId: chosen.bidId };
  if (kind === 'reserve') return { kind, ...at, toCents: 20_000 + overCents };
  const amount = viewLot(world, 1).minimumNextCents + overCents;
  return {
    kind: 'bid',
    ...at,
    bidId: `b${index}`,
    who,
    straightCents: kind === 'proxy' ? null : amount,
    ceilingCents: kind === 'straight' ? null : amount + moreCents,
    currency: null,
    confirm: false,
    channel: 'online',
  };
}

function checkInvariants(world: NaiveWorld): void {
  const view = viewLot(world, 1);
  const list = rows(world, 1);
  expect(list.filter((row) => row.status === 'leading')).to.have.length(view.leader === null ? 0 : 1);
  expect(list.find((row) => row.status === 'leading')?.who ?? null).to.equal(view.leader);
  expect(list.filter((row) => row.status !== 'voided')).to.have.length(view.bidCount);
  expect(view.currentCents).to.be.at.most(view.ceilingCents);
  const lead = leadOf(world, 1);
  const reserve = lead.reserveCents;
  if (reserve !== null && view.ceilingCents >= reserve) expect(view.reserveMet).to.equal(true);
  for (const bid of lead.made) expect(bid.ceilingCents).to.be.at.most(view.ceilingCents);
}

describe('the naive rules, at random', () => {
  it('has one leader, within the highest ceiling, and takes every bid back without a trace', () => {
    const [plain] = workedCases['changes of the reserve'] ?? [];
    if (plain === undefined) throw new Error('no case to take the terms from');
    fc.assert(
      fc.property(fc.array(move, { minLength: 1, maxLength: 15 }), (moves) => {
        const { auction, lots, bidders } = plain;
        const world = newWorld({ auction, lots, bidders });
        for (const [index, next] of moves.entries()) {
          const before = viewLot(world, 1);
          const input = inputOf(world, next, index);
          const answer = apply(world, input);
          if (answer.refused !== null) {
            expect(viewLot(world, 1)).to.deep.equal(before);
            continue;
          }
          checkInvariants(world);
          if (input.kind !== 'bid') continue;
          expect(viewLot(world, 1).currentCents).to.be.at.least(before.currentCents);
          const undone = { ...world, log: [...world.log] };
          apply(undone, { kind: 'void', lotId: 1, atUs: input.atUs, bidId: input.bidId });
          expect(viewLot(undone, 1)).to.deep.equal(before);
        }
      }),
      { numRuns: 200 },
    );
  });
});

/** Holds the engine to the worked cases, which were reckoned by hand from the rules' sentences. */
import { expect } from 'chai';
import { EngineWorld } from '../support/engine-world.ts';
import type { WorkedCase } from './cases/build.ts';
import { workedCases } from './worked-cases.ts';

function run({ auction, lots, bidders, steps, rows }: WorkedCase): void {
  const world = new EngineWorld(auction, lots, bidders);
  for (const [index, { input, lotId, expect: wanted }] of steps.entries()) {
    const answer = world.apply(input);
    const { ceilingCents: _secret, ...lot } = world.view(lotId);
    const {
      outcome = null,
      listedCents = null,
      extended = false,
      flags = [],
    } = answer.refused === null ? answer : {};
    const got = { refused: answer.refused, outcome, listedCents, extended, flags, lot };
    expect(got, `step ${index + 1}`).to.deep.equal(wanted);
  }
  if (rows === null) return;
  const listed = world.rows(1).map(({ who: _who, ...row }) => row);
  expect(listed, 'the public list').to.deep.equal(rows);
}

describe('the engine on the worked cases', () => {
  for (const [theme, cases] of Object.entries(workedCases)) {
    describe(theme, () => {
      for (const worked of cases) it(worked.name, () => run(worked));
    });
  }
});

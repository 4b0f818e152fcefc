/**
 * Each planted fault changes a text that stands in its file once. Code that moves takes such a place away: that is seen
 * here at once, not when the whole list is planted the next time.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT_ROOT } from '../../src/shared/project-root.ts';
import { MARKET_FAULTS } from '../market/market-faults.ts';
import { POLICY_FAULTS } from '../policy/policy-faults.ts';
import { FAULTS, type Fault } from '../simulation/faults.ts';
import { FENCE_FAULTS } from '../simulation/fence/fence-faults.ts';
import { MONEY_FAULTS } from '../src/billing/disorder/money-faults.ts';

const LISTS: readonly (readonly [string, readonly Fault[], least: number])[] = [
  ['lots', FAULTS, 30],
  ['fence', FENCE_FAULTS, 15],
  ['marketplace', MARKET_FAULTS, 30],
  ['policy', POLICY_FAULTS, 30],
  ['money', MONEY_FAULTS, 20],
];

describe('planted faults', () => {
  for (const [name, faults, least] of LISTS)
    it(`have each one place in the source: ${name}`, () => {
      const isLost = ({ file, text }: Fault) =>
        readFileSync(join(PROJECT_ROOT, file), 'utf8').split(text).length !== 2;
      expect(faults.filter(isLost).map((fault) => fault.name)).to.deep.equal([]);
      expect(new Set(faults.map((fault) => fault.name)).size).to.equal(faults.length);
      expect(faults).to.have.length.of.at.least(least);
    });
});

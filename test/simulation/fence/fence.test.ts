/**
 * A share of the seeds of the fence's simulation, and that it finds a share of what is planted in a copy of the
 * source. Any other number of seeds: `npm run simulate:seeds -- COUNT --fence`; every planted fault:
 * `npm run simulate:planted`.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Planted } from '../planted.ts';
import { FENCE_FAULTS } from './fence-faults.ts';
import { FENCE_KINDS, type FenceOutcome, simulate } from './simulate.ts';

/** From here on these few cover everything. */
const FIRST_SEED = 40;
const SHARE = 4;
const FAULT_SEEDS = 200;
const STRIDE = process.env['PLANTED_FAULTS'] === 'all' ? 1 : 8;
const run = promisify(execFile);

describe('the simulation of an older Redis', () => {
  const outcomes: FenceOutcome[] = [];

  it(`finds nothing wrong with ${SHARE} seeds`, async () => {
    for (let at = 0; at < SHARE; at += 1) outcomes.push(await simulate(FIRST_SEED + at));
    const failed = outcomes.filter(({ failure }) => failure !== null);
    const commands = failed.map(
      ({ seed, failure }) => `npm run simulate:seed -- ${seed} --fence: ${failure}`,
    );
    expect(commands).to.deep.equal([]);
  });

  it('has exercised everything that it exists for', () => {
    const missing = FENCE_KINDS.filter((kind) => !outcomes.some(({ counts }) => counts.has(kind)));
    expect(missing).to.deep.equal([]);
  });

  it('does the same for the same seed, and something else for another', async () => {
    const [first] = outcomes;
    expect((await simulate(first!.seed)).hash).to.equal(first!.hash);
    expect(new Set(outcomes.map(({ hash }) => hash)).size).to.equal(outcomes.length);
  });

  it('finds what is planted, and none in an intact copy', async () => {
    const file = fileURLToPath(new URL('../planted.ts', import.meta.url));
    const settings = [String(FAULT_SEEDS), String(STRIDE), '', 'fence'];
    const { stdout } = await run(process.execPath, ['--import', 'tsx', file, ...settings]);
    const [none, ...faults] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Planted);
    expect(none).to.deep.equal({ name: 'none', seed: null, failure: null });
    expect(faults.map(({ name }) => name)).to.deep.equal(
      FENCE_FAULTS.filter((_, at) => at % STRIDE === 0).map(({ name }) => name),
    );
    expect(faults.filter(({ seed }) => seed === null).map(({ name }) => name)).to.deep.equal([]);
  });
});

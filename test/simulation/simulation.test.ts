/**
 * A share of the simulation's seeds, that a seed replays exactly, and that the simulation finds a share of what is
 * planted in a copy of the source. Any other number of seeds: `npm run simulate:seeds -- COUNT`; every planted fault:
 * `npm run simulate:planted`.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { FAULTS, plant } from './faults.ts';
import type { Planted } from './planted.ts';
import { type Outcome, simulate } from './simulate.ts';
import { KINDS } from './trace.ts';

const SHARE = 30;
/** From here on this many consecutive seeds cover everything. */
const FIRST_SEED = 626;
const FAULT_SEEDS = 200;
const STRIDE = process.env['PLANTED_FAULTS'] === 'all' ? 1 : 4;
const run = promisify(execFile);

async function inProcess(file: string, ...args: string[]): Promise<string> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const { stdout } = await run(process.execPath, ['--import', 'tsx', path, ...args], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

describe('the simulation', () => {
  const outcomes: Outcome[] = [];
  let planting: Promise<string>;

  before(() => {
    planting = inProcess('planted.ts', String(FAULT_SEEDS), String(STRIDE));
    // It is awaited only later, and must not end the run before.
    planting.catch(() => undefined);
  });

  it(`finds nothing wrong with ${SHARE} seeds`, async () => {
    for (let at = 0; at < SHARE; at += 1) outcomes.push(await simulate(FIRST_SEED + at));
    const failed = outcomes.filter(({ failure }) => failure !== null);
    const commands = failed.map(({ seed, failure }) => `npm run simulate:seed -- ${seed}: ${failure}`);
    expect(commands).to.deep.equal([]);
  });

  it('has exercised everything that it exists for', () => {
    const missing = KINDS.filter((kind) => !outcomes.some(({ counts }) => counts.has(kind)));
    expect(missing).to.deep.equal([]);
  });

  it('does the same for the same seed, and something else for another', async () => {
    for (const { seed, hash } of outcomes.slice(0, 3)) expect((await simulate(seed)).hash).to.equal(hash);
    expect(new Set(outcomes.map(({ hash }) => hash)).size).to.equal(outcomes.length);
  });

  it('replays a seed in another process', async () => {
    const { seed, hash } = outcomes[4]!;
    const lines = (await inProcess('seed.ts', String(seed))).trimEnd().split('\n');
    expect(lines.at(-1)).to.equal(`seed ${seed}, trace ${hash}: fine`);
    expect(lines.length).to.be.greaterThan(100);
  });

  it('plants nothing if the text is missing or occurs twice', () => {
    const fault = { name: 'a fault', file: 'a.ts', text: 'one', instead: 'two' };
    expect(() => plant(new Map([['b.ts', 'one']]), fault)).to.throw('no part of the simulation');
    expect(() => plant(new Map([['a.ts', 'none']]), { ...fault, text: 'one;' })).to.throw('not in a.ts once');
    expect(() => plant(new Map([['a.ts', 'one one']]), fault)).to.throw('not in a.ts once');
    expect(plant(new Map([['a.ts', 'one;']]), fault).get('a.ts')).to.equal('two;');
  });

  it('finds what is planted, and none in an intact copy', async () => {
    const planted = (await planting)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Planted);
    expect(planted.map(({ name }) => name)).to.deep.equal([
      'none',
      ...FAULTS.filter((_, at) => at % STRIDE === 0).map(({ name }) => name),
    ]);
    const [none, ...faults] = planted;
    expect(none!.failure).to.equal(null);
    expect(faults.filter(({ seed }) => seed === null).map(({ name }) => name)).to.deep.equal([]);
  });
});

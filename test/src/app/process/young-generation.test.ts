/** A process' young generation stays small while it comes up, and grows where much is done for a while. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { COLLECTED_ALONE, YOUNG_GENERATION } from '../../../../src/app/process/young-generation.ts';

const MODULE = new URL('../../../../src/app/process/young-generation.ts', import.meta.url).href;

/** Makes garbage of which much stays in use, does a lot for a while, and makes as much again. */
const PROGRAM = `
  import v8 from 'node:v8';
  import { setTimeout as sleep } from 'node:timers/promises';
  const { Workload } = await import(${JSON.stringify(MODULE)});
  const workload = new Workload(20);
  const work = (done) => {
    let kept = [];
    for (let at = 0; at < 100_000; at += 1) {
      kept.push({ at, text: 'x' + at });
      if (kept.length > 50_000) kept = kept.slice(25_000);
    }
    workload.add(done);
  };
  const sizes = [];
  for (const done of [0, 100]) {
    for (let times = 0; times < 20; times += 1) { work(done); await sleep(20); }
    const { space_size } = v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
    sizes.push(Math.round(space_size / 1_048_576));
  }
  console.log(JSON.stringify(sizes));
  workload.close();`;

/** Collects often, and prints the share of the processor time that all threads but the main one took. */
const COLLECTING = `
  import { readdirSync, readFileSync } from 'node:fs';
  const { collectAlone } = await import(${JSON.stringify(MODULE)});
  const nsOf = (thread) => Number(readFileSync('/proc/self/task/' + thread + '/schedstat', 'utf8').split(' ')[0]);
  const read = () => readdirSync('/proc/self/task').map((thread) => [Number(thread) === process.pid, nsOf(thread)]);
  const sum = (times, isMain) => times.reduce((ns, [main, own]) => ns + (main === isMain ? own : 0), 0);
  if (process.argv.at(-1) === 'alone') collectAlone();
  const before = read();
  const live = new Map();
  for (let at = 0; at < 800_000; at += 1) live.set(at % 20_000, { at, text: 'x' + at });
  const after = read();
  const [helpers, main] = [false, true].map((isMain) => sum(after, isMain) - sum(before, isMain));
  console.log(helpers / (main + helpers));`;

describe('the young generation', () => {
  it('grows with work that lasts, and with nothing else', async () => {
    const words = [...YOUNG_GENERATION, '--import', 'tsx', '--input-type=module', '-e', PROGRAM];
    const { stdout } = await promisify(execFile)(process.execPath, words);
    const [before, after]: number[] = JSON.parse(stdout);
    expect(before, 'while little is done').to.be.at.most(8);
    expect(after, 'where much is done').to.be.at.least(32);
  });

  it('is collected by the main thread alone where a process says so', async function () {
    // With one core there is nobody to divide the work with.
    if (availableParallelism() < 2) this.skip();
    const shareOf = async (mode: string) => {
      const words = [...YOUNG_GENERATION, '--import', 'tsx', '--input-type=module', '-e', COLLECTING, mode];
      return Number((await promisify(execFile)(process.execPath, words)).stdout);
    };
    const [alone, divided] = await Promise.all(['alone', 'divided'].map(shareOf));
    expect(alone).to.be.below(Number(divided) / 2);
  });

  for (const file of [
    'Procfile',
    'deploy/Dockerfile',
    'deploy/systemd/rostrum-web@.service',
    'deploy/systemd/rostrum-worker@.service',
  ])
    it(`has its sizes from ${file}`, async () => {
      const text = await readFile(file, 'utf8');
      for (const option of YOUNG_GENERATION) expect(text).to.include(option);
    });

  for (const file of ['Procfile', 'deploy/systemd/rostrum-worker@.service'])
    it(`is the main thread's alone for the worker of ${file}`, async () => {
      const lines = (await readFile(file, 'utf8'))
        .split('\n')
        .filter((line) => line.endsWith('cli.js worker'));
      expect(lines).to.have.length(1);
      expect(lines[0]).to.include(` ${COLLECTED_ALONE} `);
    });
});

/**
 * A process of its own that loads a test file over a context with its mutants, runs it as it is, and then once for each
 * mutant that the file reaches, until a test fails. Takes one line of JSON on its input, says one for each mutant.
 */
import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Mocha from 'mocha';
import { PROJECT_ROOT } from '../../src/shared/project-root.ts';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../support/one-folder.ts';
import { withMutants } from './mutants.ts';

export interface Work {
  readonly test: string;
  readonly files: readonly string[];
  /** `path:at`, those to try. */
  readonly mutants: readonly string[];
}

/** Of one mutant: whether a test has failed, and which; the first line is of none, and says which are reached. */
export interface Said {
  readonly mutant: string | null;
  readonly failed: string | null;
  readonly reached?: readonly string[];
}

const work = JSON.parse(readFileSync(0, 'utf8')) as Work;
const say = (said: Said) => process.stdout.write(`\n@${JSON.stringify(said)}\n`);
const reached = new Set<string>();
let on: string | null = null;
Object.assign(globalThis, {
  mutant(path: string, at: number): boolean {
    const name = `${path}:${at}`;
    if (on === null) reached.add(name);
    return on === name;
  },
});
const texts = work.files.map((path) => ({
  url: pathToFileURL(join(PROJECT_ROOT, path)).href,
  text: withMutants(path, readFileSync(join(PROJECT_ROOT, path), 'utf8')),
}));
register('./mutant-hook.mjs', { parentURL: import.meta.url, data: texts });

class Silent extends Mocha.reporters.Base {}

// Mocha runs several times in this process: the servers that tests share must outlive the first run, or each mutant
// that is reached would seem to be found. As in one process of several, their guardian ends them.
process.env['MOCHA_WORKER_ID'] ??= '0';
await mochaGlobalSetup();
const mocha = new Mocha({ bail: true, timeout: 120_000, reporter: Silent });
mocha.cleanReferencesAfterRun(false);
mocha.addFile(join(PROJECT_ROOT, work.test));
await mocha.loadFilesAsync();

const run = (): Promise<string | null> =>
  new Promise((resolve) => {
    let failed: string | null = null;
    const runner = mocha.run(() => resolve(failed));
    runner.on('fail', (test: { fullTitle(): string }) => {
      failed ??= test.fullTitle();
    });
  });

// Twice: what fails in its second run by itself would find every mutant.
const failed = (await run()) ?? (await run());
say({ mutant: null, failed, reached: [...reached] });
for (const mutant of work.mutants.filter((name) => reached.has(name))) {
  on = mutant;
  const failed = await run();
  on = null;
  say({ mutant, failed });
}
await mochaGlobalTeardown();
process.exit(0);

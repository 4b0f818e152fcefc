/**
 * Plants one fault of money after the other, each in a process of its own that plays the histories which once went
 * wrong, and says for each which of them finds it. `npm run test:money:planted [N…]`.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { MONEY_FAULTS } from './money-faults.ts';

const TESTS = ['./disorder.test.ts', './lost-answers.test.ts'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
);
const PLANT = new URL('./plant-money.mjs', import.meta.url).href;

const only = process.argv.slice(2).map(Number);
const positions = only.length > 0 ? only : MONEY_FAULTS.map((_, at) => at);
let hidden = 0;
for (const at of positions) {
  const mocha = ['--no-config', '--exit', '--timeout', '240000', '--require', './test/support/one-folder.ts'];
  const args = ['--import', 'tsx', '--import', PLANT, 'node_modules/mocha/bin/mocha.js', ...mocha, ...TESTS];
  const run = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, MONEY_FAULT: String(at), MONEY_RUNS: '1', MONEY_SEED: '1' },
  });
  const found = run.stdout.match(/^ +1\) (has the figures|end with every cent) .*$/m)?.[0].trim();
  const count = run.stdout.match(/(\d+) failing/)?.[1];
  if (found === undefined) hidden += 1;
  const became = found === undefined ? `NOT FOUND ${run.stderr.slice(-300)}` : `${count} histories, ${found}`;
  process.stdout.write(`${at} ${MONEY_FAULTS[at]?.name}: ${became}\n`);
}
process.stdout.write(`${positions.length} faults planted, ${hidden} not found\n`);
process.exit(hidden === 0 ? 0 : 1);

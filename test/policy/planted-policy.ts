/**
 * Plants one wrong cell, or lost check, after the other, each in a process of its own that tries the cells of the
 * resource, and says for each which cell finds it, or that a state cannot be made with it.
 * `npm run test:policy:planted [N…]`.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { POLICY_FAULTS } from './policy-faults.ts';

const TEST = fileURLToPath(new URL('./cells.test.ts', import.meta.url));
const PLANT = new URL('./plant-policy.mjs', import.meta.url).href;

const only = process.argv.slice(2).map(Number);
const positions = only.length > 0 ? only : POLICY_FAULTS.map((_, at) => at);
let hidden = 0;
for (const at of positions) {
  const { name, resource } = POLICY_FAULTS[at] ?? { name: 'there is none', resource: '' };
  const mocha = ['--no-config', '--exit', '--timeout', '900000', '--require', './test/support/one-folder.ts'];
  const args = ['--import', 'tsx', '--import', PLANT, 'node_modules/mocha/bin/mocha.js', ...mocha, TEST];
  const run = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, POLICY_FAULT: String(at), POLICY_RESOURCES: resource },
  });
  const cell = run.stdout.match(/^ +-([a-z_]+: .* × .*)$/m)?.[1];
  const count = run.stdout.match(/(\d+) wrong/)?.[1];
  // A state that cannot be made any more ends the test before its cells are tried.
  const early = run.stdout.match(/^ +holds over HTTP:\s+(\S.*)$/m)?.[1];
  const found =
    cell === undefined ? early && `while its states are made: ${early}` : `${count} cells, ${cell}`;
  if (found === undefined) hidden += 1;
  const became = found ?? `NOT FOUND ${run.stdout.slice(-300)}${run.stderr.slice(-300)}`;
  process.stdout.write(`${at} ${name}: ${became.slice(0, 300)}\n`);
}
process.stdout.write(`${positions.length} faults planted, ${hidden} not found\n`);
process.exit(hidden === 0 ? 0 : 1);

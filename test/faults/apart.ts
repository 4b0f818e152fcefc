/**
 * The faults of Redis that are judged apart, each with servers, processes and bids of its own: failovers
 * (`test/failover`), and a Redis that comes back older. All of a run's processes would need another Redis otherwise.
 * Called by the run at its end.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const MOCHA = ['node_modules/mocha/bin/mocha.js', '--no-config', '--node-option', 'import=tsx'];
/** Failovers take longer than mocha's two seconds. */
const PATIENTLY = ['--timeout', '240000', '--exit'];
const OLDER = ['--import', 'tsx', 'test/faults/run-older.ts', '--times', '4', '--most-seconds', '120'];

/** By name, with what Node is given. */
const APART: readonly (readonly [name: string, ...args: string[]])[] = [
  ['Sentinel failover', ...MOCHA, ...PATIENTLY, 'test/failover/sentinel-failover.ts'],
  ['cluster failover', ...MOCHA, ...PATIENTLY, 'test/failover/cluster-failover.ts'],
  ['older Redis, alone', ...OLDER, '--servers', 'alone'],
  ['older Redis, behind Sentinel', ...OLDER, '--servers', 'sentinel'],
  ['older Redis, a cluster', ...OLDER, '--servers', 'cluster'],
];

/** Runs those whose name holds one of these parts, all where there are none; gives the names of those that failed. */
export async function runApart(only: readonly string[]): Promise<string[]> {
  const failed: string[] = [];
  for (const [name, ...args] of APART) {
    if (only.length > 0 && !only.some((part) => name.includes(part))) continue;
    console.log(name);
    const child = spawn(process.execPath, args, { cwd: PROJECT, stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    if (code !== 0) failed.push(name);
  }
  return failed;
}

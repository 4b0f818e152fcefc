/**
 * The failovers of Redis, each with servers and bids of its own (`test/failover`): separate from the other faults,
 * because all of a run's processes would need another Redis. Called by the run at its end.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const FAILOVERS = [
  { name: 'Sentinel failover', file: 'sentinel-failover.ts' },
  { name: 'cluster failover', file: 'cluster-failover.ts' },
] as const;

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const MOCHA = ['mocha/bin/mocha.js', '--no-config', '--node-option', 'import=tsx', '--exit'];

/** Runs those whose name holds one of these parts, all where there are none; gives the names of those that failed. */
export async function runRedisFailovers(only: readonly string[]): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, file } of FAILOVERS) {
    if (only.length > 0 && !only.some((part) => name.includes(part))) continue;
    console.log(name);
    const [mocha, ...options] = MOCHA;
    const args = [`node_modules/${mocha}`, ...options, `test/failover/${file}`];
    const child = spawn(process.execPath, args, { cwd: PROJECT, stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    if (code !== 0) failed.push(name);
  }
  return failed;
}

/**
 * `npm run mutate -- CONTEXT [--count N] [--from K] [--only TEXT] [--market]`: plants faults of one place each in a
 * context of `src`, spread over its files, and says which of them the context's own tests do not find, nor, with
 * `--market`, seeds of the whole market beside its model.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PROJECT_ROOT } from '../../src/shared/project-root.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import type { Said, Work } from './try-mutants.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '60' },
    from: { type: 'string', default: '0' },
    // Files whose path has this text.
    only: { type: 'string', default: '' },
    market: { type: 'boolean', default: false },
  },
});
const [context = ''] = positionals;
const filesIn = (folder: string) =>
  readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path}`)
    .sort();
const isCode = (path: string) => path.endsWith('.ts') && path.includes(values.only);
const files = context === '' ? [] : filesIn(`src/${context}`).filter(isCode);
const tests = filesIn(`test/src/${context}`).filter((path) => /(?<!\.long)\.test\.ts$/.test(path));
if (context === '' || files.length === 0 || tests.length === 0) {
  process.stderr.write('usage: npm run mutate -- CONTEXT [--count N] [--from K] [--only TEXT] [--market]\n');
  process.exit(2);
}

/** A silence that no test makes: something runs without end. */
const SILENCE_MS = 240_000;
const MARKET: readonly string[] = ['test/market/histories.test.ts', 'test/market/seeds-as-test.ts'];
const ENTRY = fileURLToPath(new URL('./try-mutants.ts', import.meta.url));

/** Runs one test file; gives what it said of each mutant. A process that ends or hangs at a mutant has found it. */
async function tryOn(test: string, mutants: readonly string[]): Promise<Said[]> {
  const said: Said[] = [];
  for (let left = mutants; ; ) {
    // Modules that were required would be loaded past the hook that gives them their mutants.
    const args = ['--no-experimental-require-module', '--import', 'tsx', ENTRY];
    const child = spawn(process.execPath, args, {
      cwd: PROJECT_ROOT,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.end(JSON.stringify({ test, files: touched, mutants: left } satisfies Work));
    let timer = setTimeout(() => child.kill('SIGKILL'), SILENCE_MS);
    const own: Said[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith('@{')) continue;
      clearTimeout(timer);
      timer = setTimeout(() => child.kill('SIGKILL'), SILENCE_MS);
      own.push(JSON.parse(line.slice(1)));
    }
    clearTimeout(timer);
    const [clean, ...tried] = own;
    said.push(...own);
    if (clean === undefined || clean.failed !== null) return said;
    const next = left.filter((name) => clean.reached?.includes(name) === true);
    const broken = next[tried.length];
    if (broken === undefined) return said;
    said.push({ mutant: broken, failed: 'the process ended' });
    left = next.slice(tried.length + 1);
    if (left.length === 0) return said;
  }
}

const all = new Map<string, Mutant>();
for (const path of files)
  for (const mutant of mutantsOf(path, readFileSync(join(PROJECT_ROOT, path), 'utf8')))
    all.set(`${path}:${mutant.at}`, mutant);
const step = Math.max(1, all.size / Number(values.count));
const chosen = [...all.keys()].filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
const shifted = chosen.map(
  (name) => [...all.keys()][([...all.keys()].indexOf(name) + Number(values.from)) % all.size] ?? name,
);
const touched = [...new Set(shifted.map((name) => name.slice(0, name.lastIndexOf(':'))))];
process.stdout.write(
  `${context}: ${all.size} faults, ${shifted.length} of them tried with ${tests.length} test files\n`,
);
const alive = new Set(shifted);
const reached = new Set<string>();

async function tryAll(files: readonly string[]): Promise<number> {
  const before = alive.size;
  for (const test of files) {
    if (alive.size === 0) break;
    const said = await tryOn(test, [...alive]);
    const [clean] = said;
    if (clean === undefined || clean.failed !== null) {
      process.stdout.write(`${test} fails without any fault: ${clean?.failed ?? 'it does not load'}\n`);
      continue;
    }
    for (const { mutant, failed } of said) {
      if (mutant === null) continue;
      reached.add(mutant);
      if (failed !== null) alive.delete(mutant);
    }
    process.stdout.write(`${test}: ${alive.size} left\n`);
  }
  return before - alive.size;
}

const killed = await tryAll(tests);
const more = values.market ? await tryAll(MARKET) : 0;
for (const name of alive) {
  const { line, was, becomes } = all.get(name) as Mutant;
  const path = name.slice(0, name.lastIndexOf(':'));
  const how = reached.has(name) ? 'survives' : 'is reached by no test';
  process.stdout.write(
    `${path}:${line} ${how}: ${was.slice(0, 160)}  →  ${becomes.slice(0, 160) || '(left out)'}\n`,
  );
}
const share = ((killed / shifted.length) * 100).toFixed(0);
process.stdout.write(`${killed} of ${shifted.length} found (${share} %)\n`);
if (values.market) process.stdout.write(`${more} more found by the model of the market\n`);
process.exit(0);

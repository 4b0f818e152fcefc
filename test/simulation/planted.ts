/**
 * Runs in a process of its own: makes a copy of the source for each fault, all of it in one file, plants the fault
 * there, and simulates on the copy until a seed fails. Prints one line of JSON for each fault; without a fault, the
 * copy must not fail at all.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { importsOf, resolve } from '../architecture/rules.ts';
import { FAULTS, type Fault, plant } from './faults.ts';
import { FENCE_FAULTS } from './fence/fence-faults.ts';

/** What is said of each fault. `seed` is the first that failed, null where none did. */
export interface Planted {
  readonly name: string;
  readonly seed: number | null;
  readonly failure: string | null;
}

/** Seeds that a fault may hide from. */
const MAX_SEEDS = Number(process.argv[2] ?? '200');
/** Each so many-th fault is planted. */
const STRIDE = Number(process.argv[3] ?? '1');
/** Of these names only, as far as they are said. */
const NAMED = process.argv[4] ?? '';
/** The copy without any fault runs this many. */
const CLEAN_SEEDS = 3;
/** Which simulation: of the lots, or of the fence. */
const [ENTRY, PLANTS]: readonly [string, readonly Fault[]] =
  process.argv[5] === 'fence'
    ? ['test/simulation/fence/simulate.ts', FENCE_FAULTS]
    : ['test/simulation/simulate.ts', FAULTS];
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Everything that the simulation is made of, by its imports. */
function sources(): Map<string, string> {
  const found = new Map<string, string>();
  const waiting = [ENTRY];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const text = readFileSync(join(ROOT, path), 'utf8');
    found.set(path, text);
    for (const specifier of importsOf(text))
      if (specifier.startsWith('.')) waiting.push(resolve(path, specifier));
  }
  return found;
}

/** Writes the whole simulation, made of these sources, into one file. */
async function copyOf(files: ReadonlyMap<string, string>, outfile: string): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: [ENTRY],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    keepNames: true,
    plugins: [
      {
        name: 'sources',
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const contents = files.get(relative(ROOT, path));
            if (contents === undefined) throw new Error(`${path} is no part of the simulation`);
            return { contents, loader: 'ts' };
          });
        },
      },
    ],
  });
}

async function firstFailure(
  file: string,
  files: ReadonlyMap<string, string>,
  seeds: number,
  from = 1,
): Promise<Omit<Planted, 'name'>> {
  await copyOf(files, file);
  const { simulate } = (await import(pathToFileURL(file).href)) as typeof import('./simulate.ts');
  for (let seed = from; seed < from + seeds; seed += 1) {
    const { failure } = await simulate(seed);
    if (failure !== null) return { seed, failure };
  }
  return { seed: null, failure: null };
}

const temporary = mkdtempSync(join(tmpdir(), 'rostrum-planted-'));
try {
  for (const folder of ['node_modules', 'adapters']) symlinkSync(join(ROOT, folder), join(temporary, folder));
  // As deep as what is copied, so that it finds the Lua scripts.
  const copies = join(temporary, dirname(ENTRY));
  mkdirSync(copies, { recursive: true });
  const all = sources();
  const print = (planted: Planted) => process.stdout.write(`${JSON.stringify(planted)}\n`);
  const clean = await firstFailure(join(copies, 'clean.mjs'), all, CLEAN_SEEDS);
  print({ name: 'none', ...clean });
  for (const [at, fault] of PLANTS.entries()) {
    if (at % STRIDE !== 0 || !fault.name.includes(NAMED)) continue;
    const file = join(copies, `fault-${at}.mjs`);
    print({ name: fault.name, ...(await firstFailure(file, plant(all, fault), MAX_SEEDS, fault.from)) });
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

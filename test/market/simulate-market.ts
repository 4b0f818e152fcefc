/**
 * `npm run simulate:market -- COUNT [--seed S] [--operations N] [--until-failure] [--whole]`: plays that many seeds on the real
 * service beside the model; `--planted [N…]` plants faults that must be found. Prints what was done, what was compared, and the shortest history of each difference.
 */
import { inspect, parseArgs } from 'node:util';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../support/one-folder.ts';
import { MarketService } from './market-service.ts';
import { findPlanted } from './planted-market.ts';
import { playSeed } from './play-seed.ts';
import { asTest, shrink } from './shrink.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    operations: { type: 'string', default: '300' },
    'until-failure': { type: 'boolean', default: false },
    planted: { type: 'boolean', default: false },
    // Differences as they are: to shrink one takes minutes.
    whole: { type: 'boolean', default: false },
    // What `--planted` gives its processes: stop at the first difference, as it is; and which fault they have.
    first: { type: 'boolean', default: false },
    fault: { type: 'string' },
  },
});
const untilFailure = values['until-failure'];
const count = untilFailure ? Number.MAX_SAFE_INTEGER : Number(positionals[0] ?? '1');
const [first, operations] = [Number(values.seed), Number(values.operations)];
if (![count, first, operations].every((value) => Number.isSafeInteger(value) && value >= 0)) {
  process.stderr.write(
    'usage: npm run simulate:market -- COUNT [--seed S] [--operations N] [--until-failure]\n',
  );
  process.exit(2);
}

if (values.planted) process.exit((await findPlanted(positionals.map(Number))) === 0 ? 0 : 1);

/** What seeds leave behind is swept, rebuilt and counted again in each later one: a new market is cheaper. */
const SEEDS_OF_ONE = 4;

const startedMs = performance.now();
const totals = new Map<string, number>();
let [begun, failures, played] = [0, 0, 0];
const isOver = () => begun >= count || (failures > 0 && (values.first || untilFailure));

function differs(text: string): void {
  failures += 1;
  process.stdout.write(`${text}\n`);
}

async function play(market: MarketService, seed: number): Promise<void> {
  begun += 1;
  const outcome = await playSeed(market, { seed, operations });
  played += outcome.history.length;
  for (const [what, times] of outcome.counts) totals.set(what, (totals.get(what) ?? 0) + times);
  if (begun % 10 === 0) process.stderr.write(`${begun} seeds, ${failures} differ\n`);
  if (outcome.failure === null) return;
  differs(`seed ${seed} differs: ${outcome.failure}`);
  if (values.first) return;
  process.stdout.write(`${asTest(values.whole ? outcome : await shrink(market, outcome))}\n`);
}

// The stores lie in memory, as those of tests do.
await mochaGlobalSetup();
try {
  while (!isOver()) {
    const market = await MarketService.open();
    try {
      for (let left = SEEDS_OF_ONE; left > 0 && !isOver(); left -= 1) await play(market, first + begun);
    } catch (error) {
      differs(`seed ${first + begun - 1} breaks off: ${inspect(error)}`);
    }
    // Now its books are compared in themselves, and all that it answered with the description of the API.
    const ended = `seed ${first + begun - 1} or one just before differs in the end`;
    await market.close().catch((error: unknown) => differs(`${ended}: ${inspect(error)}`));
  }
} finally {
  await mochaGlobalTeardown();
}
const rows = [...totals].sort(([one], [other]) => one.localeCompare(other));
for (const [what, times] of rows) process.stdout.write(`${String(times).padStart(7)}  ${what}\n`);
const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
process.stdout.write(`${begun} seeds, ${played} operations in ${seconds} s, ${failures} differ\n`);
process.exit(failures === 0 ? 0 : 1);

/**
 * `npm run simulate:market -- COUNT [--seed S] [--operations N] [--until-failure] [--whole]`: plays that many seeds on the real
 * service beside the model; `--planted [N…]` plants faults that must be found. Prints what was done, what was compared, and the shortest history of each difference.
 */
import { parseArgs } from 'node:util';
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

const startedMs = performance.now();
// The stores lie in memory, as those of tests do.
await mochaGlobalSetup();
const market = await MarketService.open();
const totals = new Map<string, number>();
let [done, failures, played] = [0, 0, 0];
try {
  for (let seed = first; seed < first + count; seed += 1) {
    const outcome = await playSeed(market, { seed, operations });
    done += 1;
    played += outcome.history.length;
    for (const [what, times] of outcome.counts) totals.set(what, (totals.get(what) ?? 0) + times);
    if (done % 10 === 0) process.stderr.write(`${done} seeds, ${failures} differ\n`);
    if (outcome.failure === null) continue;
    failures += 1;
    process.stdout.write(`seed ${seed} differs: ${outcome.failure}\n`);
    if (values.first) break;
    process.stdout.write(`${asTest(values.whole ? outcome : await shrink(market, outcome))}\n`);
    if (untilFailure) break;
  }
} finally {
  await market.close();
  await mochaGlobalTeardown();
}
const rows = [...totals].sort(([one], [other]) => one.localeCompare(other));
for (const [what, times] of rows) process.stdout.write(`${String(times).padStart(7)}  ${what}\n`);
const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
process.stdout.write(`${done} seeds, ${played} operations in ${seconds} s, ${failures} differ\n`);
process.exit(failures === 0 ? 0 : 1);

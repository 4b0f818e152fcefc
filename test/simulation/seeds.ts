/**
 * `npm run simulate:seeds -- COUNT [--from N] [--fence]`: runs that many seeds of the lots or of the fence, says how
 * far it is, and prints every seed that fails with the command that runs it again. Ends with 1 if there was one.
 */
import { parseArgs } from 'node:util';
import { FENCE_KINDS, simulate as simulateFence } from './fence/simulate.ts';
import { simulate } from './simulate.ts';
import { KINDS } from './trace.ts';

const EVERY_MS = 5_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string', default: '1' },
    most: { type: 'string', default: '10' },
    fence: { type: 'boolean', default: false },
  },
});
const count = Number(positionals[0] ?? '');
const from = Number(values.from);
const most = Number(values.most);
if (![count, from, most].every((value) => Number.isSafeInteger(value) && value >= 0)) {
  process.stderr.write('usage: npm run simulate:seeds -- COUNT [--from N] [--most FAILURES] [--fence]\n');
  process.exit(2);
}

const [kinds, run, flag] = values.fence
  ? ([FENCE_KINDS, simulateFence, ' --fence'] as const)
  : ([KINDS, simulate, ''] as const);
const startedMs = performance.now();
const seconds = () => ((performance.now() - startedMs) / 1_000).toFixed(1);
const totals = new Map<string, number>(kinds.map((kind) => [kind, 0]));
let operations = 0;
let failures = 0;
let reportedMs = startedMs;
let done = 0;
for (let seed = from; seed < from + count && failures < most; seed += 1) {
  const outcome = await run(seed);
  done += 1;
  operations += outcome.operations;
  for (const [kind, times] of outcome.counts) totals.set(kind, (totals.get(kind) ?? 0) + times);
  if (outcome.failure !== null) {
    failures += 1;
    process.stdout.write(
      `seed ${seed} fails: ${outcome.failure}\n  npm run simulate:seed -- ${seed}${flag}\n`,
    );
  }
  if (performance.now() - reportedMs < EVERY_MS) continue;
  reportedMs = performance.now();
  process.stdout.write(`${done} of ${count} seeds in ${seconds()} s\n`);
}
const counted = [...totals].map(([kind, times]) => `${kind} ${times}`).join(', ');
process.stdout.write(`${operations} operations; ${counted}\n`);
process.stdout.write(`${done} seeds in ${seconds()} s, ${failures} failed\n`);
process.exitCode = failures === 0 ? 0 : 1;

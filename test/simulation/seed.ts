/** `npm run simulate:seed -- N [--fence]`: runs one seed and prints all that happens in it, and what was wrong. */
import { simulate as simulateFence } from './fence/simulate.ts';
import { simulate } from './simulate.ts';

const seed = Number(process.argv[2] ?? '');
if (!Number.isSafeInteger(seed) || seed < 0) {
  process.stderr.write('usage: npm run simulate:seed -- N [--fence]\n');
  process.exit(2);
}
const { lines, failure, hash, counts } = await (process.argv.includes('--fence') ? simulateFence : simulate)(
  seed,
  true,
);
process.stdout.write(lines!.join(''));
process.stdout.write(
  `${JSON.stringify(Object.fromEntries(counts))}\nseed ${seed}, trace ${hash}: ${failure ?? 'fine'}\n`,
);
process.exitCode = failure === null ? 0 : 1;

/** `npm run simulate:seed -- N`: runs one seed and prints all that happens in it, and what was wrong. */
import { simulate } from './simulate.ts';

const seed = Number(process.argv[2] ?? '');
if (!Number.isSafeInteger(seed) || seed < 0) {
  process.stderr.write('usage: npm run simulate:seed -- N\n');
  process.exit(2);
}
const { lines, failure, hash, counts } = await simulate(seed, true);
process.stdout.write(lines!.join(''));
process.stdout.write(
  `${JSON.stringify(Object.fromEntries(counts))}\nseed ${seed}, trace ${hash}: ${failure ?? 'fine'}\n`,
);
process.exitCode = failure === null ? 0 : 1;

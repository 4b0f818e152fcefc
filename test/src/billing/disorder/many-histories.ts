/**
 * Plays random histories of money, one seed after the other, in one service and one database: `npm run
 * test:money:histories -- [--seed N] [--count N] [--until HH:MM]` (UTC). What differs from the naive ledger is printed
 * with its seed, and the next is played; a line each minute says how far it is.
 */
import { parseArgs } from 'node:util';
import { Disorder } from './disorder-play.ts';
import { historyOf } from './random-histories.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '10000' },
    until: { type: 'string', default: '' },
  },
});
const first = Number(values.seed);
const last = first + Number(values.count) - 1;
const isOver = () => values.until !== '' && new Date().toISOString().slice(11, 16) >= values.until;

/** After so many the service and its database are made anew: rounds of the clock and the books read all that there is. */
const AT_ONCE = 200;

let disorder = await Disorder.open();
let played = 0;
let failed = 0;
let told = Date.now();
const say = (line: string) => process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
for (let seed = first; seed <= last && !isOver(); seed += 1) {
  if (played > 0 && played % AT_ONCE === 0) {
    await disorder.service.close();
    disorder = await Disorder.open();
  }
  try {
    await disorder.play(...historyOf(seed));
  } catch (error) {
    failed += 1;
    say(`seed ${seed}: ${(error as Error).message}`);
  }
  played += 1;
  if (Date.now() - told < 60_000) continue;
  told = Date.now();
  say(`${played} histories played, up to seed ${seed}; ${failed} differ`);
}
say(`${played} histories played, seeds ${first} to ${first + played - 1}; ${failed} differ`);
await disorder.service.close();
process.exit(failed === 0 ? 0 : 1);

/**
 * `npm run test:closings -- --format parcels --times N`: N sales of a format (200) come to their ends, some at a time,
 * in two web processes and two workers, of which one is killed with SIGKILL around each of the ends; without a format,
 * all. Each must have one result, the right hammer prices and invoices, each once; the journals must verify. Exits 1
 * where one has not. Ends all that it started.
 */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { programToRun } from '../support/program.ts';
import { faultsOf } from './check.ts';
import { CHOICE } from './choice.ts';
import type { Closing, Kind } from './closing.ts';
import { FALLING } from './falling.ts';
import { between, House } from './house.ts';
import { PARCELS } from './parcels.ts';
import { TENDER } from './tender.ts';

const KINDS: Readonly<Record<string, Kind>> = {
  tender: TENDER,
  falling: FALLING,
  parcels: PARCELS,
  choice: CHOICE,
};
/** A lot closes so soon, whatever was killed, and however busy the machine is. */
const CLOSED_WITHIN_MS = 180_000;
/** For putting one sale up, on a slow machine. */
const EACH_MS = 150;

const { values } = parseArgs({
  options: {
    format: { type: 'string', multiple: true, default: Object.keys(KINDS) },
    times: { type: 'string', default: '200' },
    /** Sales that end together, around one kill. */
    together: { type: 'string', default: '10' },
  },
});
const [times, together] = [Number(values.times), Number(values.together)];
const unknown = values.format.filter((name) => KINDS[name] === undefined);
if (unknown.length > 0 || !(times > 0) || !(together > 0)) {
  console.error('usage: npm run test:closings -- [--format NAME]… [--times N] [--together N]');
  process.exit(2);
}

/** Some sales from their first bid to their results. */
async function playSome(house: House, kind: Kind, count: number): Promise<string[]> {
  const closings: Closing[] = [];
  const beganMs = Date.now();
  for (let at = 0; at < count; at += 1) closings.push(await kind.prepare(house));
  // Putting up takes about as long as making did, on a machine that is busy with other things too.
  const putUpMs = Math.max(count * EACH_MS, 2 * (Date.now() - beganMs));
  const firstMs = Date.now() + kind.leadMs + putUpMs;
  const ends = closings.map(() => firstMs + between(0, kind.spreadMs));
  await Promise.all(closings.map((closing, at) => closing.begin(ends[at]!)));
  const killing = sleep(Math.max(0, firstMs + between(-300, kind.spreadMs) - Date.now())).then(() =>
    house.killWorker(),
  );
  await Promise.all([killing, ...closings.map((closing) => closing.play())]);
  await untilClosed(
    house,
    closings.flatMap(({ lots }) => lots),
  );
  const faults: string[] = [];
  for (const closing of closings) faults.push(...(await faultsOf(house, closing)));
  return faults;
}

async function untilClosed(house: House, lots: readonly number[]): Promise<void> {
  for (const until = Date.now() + CLOSED_WITHIN_MS; Date.now() < until; await sleep(200)) {
    const open = await house.market
      .knex('lots')
      .whereIn('id', [...lots])
      .whereIn('status', ['scheduled', 'active'])
      .pluck('id');
    if (open.length === 0) return;
  }
  throw new Error('lots are open long after their ends');
}

async function verify({ market, env }: House): Promise<string[]> {
  const [program = '', ...words] = programToRun();
  const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = market;
  const settings = { ...process.env, ...env, DATABASE_URL, REDIS_URL, NODE_ENV: 'test', LOG_LEVEL: 'warn' };
  try {
    await promisify(execFile)(process.execPath, [program, ...words, 'journal', 'verify'], { env: settings });
    return [];
  } catch (error) {
    const said = error instanceof Error && 'stdout' in error ? error.stdout : '';
    return [`journal verify: ${error} ${said}`];
  }
}

for (const name of values.format) {
  const kind = KINDS[name]!;
  const house = await House.open();
  // Its processes would outlive it.
  process.once('SIGTERM', () => void house.close().finally(() => process.exit(1)));
  const beganMs = performance.now();
  const faults: string[] = [];
  let done = 0;
  try {
    while (done < times && faults.length === 0) {
      const count = Math.min(together, times - done);
      faults.push(...(await playSome(house, kind, count)));
      done += count;
      if (done < times) console.log(`${name}: ${done} of ${times}, ${house.kills} workers killed`);
    }
    faults.push(...(await verify(house)));
  } catch (error) {
    faults.push(String(error));
  } finally {
    const counted = await house.market.knex('invoices').where('kind', 'winner').count('* as n').first();
    const seconds = Math.round((performance.now() - beganMs) / 1_000);
    console.log(
      `${name}: ${done} closings, ${house.kills} workers killed, ${counted?.['n']} invoices, ` +
        `${faults.length} faults, ${seconds} s`,
    );
    await house.close();
  }
  for (const fault of faults) console.log(`not good: ${name}: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
process.exit();

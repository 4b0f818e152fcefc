/**
 * `npm run test:faults`: the full fault run. Bounded, ends by itself, and ends everything that it started. Exits 1 if a
 * guarantee is broken, or if this machine lacks what a kind of fault needs (`--allow-missing` makes that a warning).
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runApart } from './apart.ts';
import { KINDS } from './kinds.ts';
import { shortcomings, tableOf } from './report.ts';
import { runFaults } from './run-faults.ts';
import { openSetting } from './setting.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    times: { type: 'string', default: '5' },
    operations: { type: 'string', default: '100000' },
    'away-seconds': { type: 'string', default: '20' },
    /** Enough for five of each kind on two cores. */
    'most-seconds': { type: 'string', default: '1800' },
    'think-ms': { type: 'string', default: '400' },
    webs: { type: 'string', default: '3' },
    workers: { type: 'string', default: '2' },
    bidders: { type: 'string', default: '200' },
    only: { type: 'string', multiple: true, default: [] },
    'allow-missing': { type: 'boolean', default: false },
    /** Further lines of Redis' configuration: `--redis 'appendfsync everysec'` must make the run fail. */
    redis: { type: 'string', multiple: true, default: [] },
  },
});

/** In Postgres, with its share of indexes, of the log and of a restored copy. */
const KIB_OF_A_BID = 6;
/** What a quiet machine of two cores does: bids a second, and seconds for a fault. */
const BIDS_A_SECOND = 600;
const SECONDS_OF_A_FAULT = 12;

/** A run that was killed could not unmount: its file system is still there. Runs that continue keep theirs. */
function unmountLeftovers(): void {
  for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
    const [, folder = ''] = line.split(' ');
    const [, pid] = /\/rostrum-faults-(\d+)-[^/]+\/(?:redis|(?:other-)?postgres-disk)$/.exec(folder) ?? [];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) execFileSync('umount', ['-l', folder]);
  }
}

async function main(): Promise<number> {
  const isRoot = process.getuid?.() === 0 && existsSync('/proc/mounts');
  if (isRoot) unmountLeftovers();
  const wanted = KINDS.filter(
    ({ name }) => values.only.length === 0 || values.only.some((part) => name.includes(part)),
  );
  const missing = wanted.flatMap((kind) => {
    const why = kind.lacks({ smallDisk: isRoot });
    return why === null ? [] : [{ kind, why }];
  });
  for (const { kind, why } of missing) console.log(`left out: ${kind.name}; ${why}`);
  const kinds = wanted.filter((kind) => !missing.some((one) => one.kind === kind));
  const seed = Number(values.seed);
  if (wanted.length === 0) return 0;
  const seconds = kinds.length * Number(values.times) * SECONDS_OF_A_FAULT;
  const bids = Math.max(Number(values.operations), seconds * BIDS_A_SECOND);
  console.log(`seed ${seed}: ${kinds.length} kinds of faults, ${values.times} of each`);
  const setting = await openSetting({
    webs: Number(values.webs),
    workers: Number(values.workers),
    bidders: Number(values.bidders),
    smallDisk: isRoot,
    postgresMib: 1_024 + Math.ceil((bids * KIB_OF_A_BID) / 1_024),
    program: ['dist/src/cli.js'],
    redisLines: values.redis,
    databaseUrl: null,
  });
  console.log('all processes are ready');
  const stop = () => void setting.close().finally(() => process.exit(1));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const figures = await runFaults(setting, {
      seed,
      kinds,
      timesEach: Number(values.times),
      operations: Number(values.operations),
      outageMs: Number(values['away-seconds']) * 1_000,
      thinkMs: Number(values['think-ms']),
      maxSeconds: Number(values['most-seconds']),
      say: (line) => console.log(line),
    });
    const found = shortcomings(figures, {
      operations: Number(values.operations),
      timesEach: Number(values.times),
      kinds: kinds.map(({ name }) => name),
      recoveryMs: 5_000,
      answer503Ms: 2_000,
      closeMs: 10_000,
    });
    console.log(tableOf(figures));
    for (const what of figures.surprises) console.log(`by itself: ${what}`);
    for (const what of found) console.log(`not good: ${what}`);
    if (missing.length > 0 && !values['allow-missing'])
      console.log('kinds were left out: not good, unless --allow-missing is given');
    return found.length > 0 || (missing.length > 0 && !values['allow-missing']) ? 1 : 0;
  } catch (error) {
    console.log(error);
    return 1;
  } finally {
    await setting.close();
  }
}

process.exitCode = await main();
for (const name of await runApart(values.only)) {
  console.log(`not good: ${name}`);
  process.exitCode = 1;
}

/**
 * `npm run test:soak`: real processes under a steady load for half an hour (`-- --minutes 5` for less). Memory, file
 * descriptors other than those of bidders' connections, and the projection's lag are measured every few seconds; none
 * of them may grow. Draws docs/soak.svg with `--write`. Bounded, ends by itself, and ends all that it started.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readLag } from '../../src/bidding/projection/lag.ts';
import { startCrowd } from '../faults/bidders.ts';
import { openRound } from '../faults/rounds.ts';
import { openSetting, type Setting } from '../faults/setting.ts';
import { diceOf } from '../history/random-histories.ts';
import { drawLines, growthOf, type Series } from './lines.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    bidders: { type: 'string', default: '200' },
    /** Between two bids of one bidder, at most: with 200 bidders and 400 ms about a thousand a second are attempted. */
    'think-ms': { type: 'string', default: '400' },
    'sample-seconds': { type: 'string', default: '5' },
    'most-growth': { type: 'string', default: '1.15' },
    write: { type: 'boolean', default: false },
  },
});

/** The first part of a run, in which memory still grows to its working size, is not judged. */
const WARM = 0.25;
/** A lag below this is none, however often it grows. */
const LAG_SECONDS = 2;
const LOTS = 40;

async function main(): Promise<number> {
  const setting = await openSetting({
    webs: 2,
    workers: 1,
    bidders: Number(values.bidders),
    smallDisk: false,
    program: ['dist/src/cli.js'],
    redisLines: [],
    databaseUrl: null,
  });
  const stop = () => void setting.close().finally(() => process.exit(1));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    return await soak(setting);
  } finally {
    await setting.close();
  }
}

async function soak(setting: Setting): Promise<number> {
  const { people, clientWires, nowUs, webs, workers, backends } = setting;
  const minutes = Number(values.minutes);
  const endsAtUs = nowUs() + (minutes + 60) * 60_000_000;
  const lots = await openRound(setting, { lots: LOTS, endsAtUs, staggerSeconds: 0, limitCents: null });
  const urls = clientWires.map(({ port }) => `http://127.0.0.1:${port}`);
  const dice = diceOf(17);
  const crowd = startCrowd({
    people,
    urls,
    dice,
    lots: () => lots,
    nowUs,
    thinkMs: Number(values['think-ms']),
  });
  const lag: Series = { name: 'projection lag', unit: 's', points: [] };
  const members = [...webs, ...workers];
  const watched = members.map(({ name, pid }, at) => ({
    pid: pid ?? 0,
    wire: at < webs.length ? clientWires[at] : undefined,
    memory: { name: `${name}: memory`, unit: 'MiB', points: [] } as Series,
    files: { name: `${name}: file descriptors`, unit: '', points: [] } as Series,
  }));
  const beganMs = performance.now();
  const untilMs = beganMs + minutes * 60_000;
  while (performance.now() < untilMs && members.every(({ lives }) => lives === 1)) {
    await sleep(Number(values['sample-seconds']) * 1_000);
    if (watched.some(({ pid }) => !existsSync(`/proc/${pid}`))) break;
    const minute = (performance.now() - beganMs) / 60_000;
    for (const { pid, wire, memory, files } of watched) {
      memory.points.push([minute, residentMib(pid)]);
      // Bidders open as many connections as they have bids under way: more on a slower machine.
      files.points.push([minute, readdirSync(`/proc/${pid}/fd`).length - (wire?.connections ?? 0)]);
    }
    lag.points.push([minute, (await readLag(backends.knex, backends.redis)).seconds]);
  }
  await crowd.stop();
  const all = [...watched.flatMap(({ memory, files }) => [memory, files]), lag];
  const faults = all.flatMap((series) => faultOf(series));
  const rate = Math.round(crowd.tries.length / (minutes * 60));
  const failed = crowd.tries.filter(({ status }) => status === 0 || status >= 500);
  console.log(`${minutes} minutes, ${crowd.tries.length} bids (${rate} a second), ${failed.length} failed`);
  for (const code of new Set(failed.map((one) => one.code))) {
    console.log(`failed: ${failed.filter((one) => one.code === code).length} × ${code}`);
  }
  const noted = members.flatMap(({ errors, surprises }) => [...errors, ...surprises]);
  for (const line of noted) console.log(`by itself: ${line}`);
  for (const series of all) console.log(`${series.name}: grew ${growthOf(series, WARM).toFixed(3)}-fold`);
  for (const fault of faults) console.log(`not good: ${fault}`);
  if (values.write) {
    const title = `${minutes} minutes at ${rate} bids a second`;
    writeFileSync(new URL('../../docs/soak.svg', import.meta.url), drawLines(title, all));
  }
  return faults.length + failed.length + noted.length === 0 ? 0 : 1;
}

function faultOf(series: Series): string[] {
  const growth = growthOf(series, WARM);
  const isSmall = series.unit === 's' && series.points.every(([, value]) => value < LAG_SECONDS);
  return isSmall || growth <= Number(values['most-growth'])
    ? []
    : [`${series.name} grew ${growth.toFixed(2)}-fold`];
}

function residentMib(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib ?? 0) / 1_024;
}

process.exitCode = await main();

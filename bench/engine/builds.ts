/**
 * Builds of the engine compared, without HTTP: what a bid costs the engine's process and Redis, and how long Redis
 * works in the commit's script, alternately in one run. `npm run bench:builds:engine -- <folder of the other build>`;
 * nothing is recorded. The build that runs second in a round seems dearer: run it in both orders (`--last`).
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { createClient } from 'redis';
import { startEmbedded } from '../../adapters/embedded/servers.ts';
import { cpuOfProcessUs } from '../support/cpu.ts';
import { printTable, shown } from '../support/report.ts';
import { interleaved, quantile } from '../support/rounds.ts';
import type { BuildLoad, BuildSample, BuildStart } from './builds-load.ts';

interface Options {
  readonly rounds: number;
  readonly ms: number;
  readonly lots: number;
  readonly auctions: number;
  readonly waiting: number;
  readonly last: boolean;
}

type Cost = Record<'engine' | 'redis' | 'script' | 'rate', number>;

const THIS = fileURLToPath(new URL('../../', import.meta.url));
const WARM_MS = 1_500;

async function main(other: string, options: Options): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rostrum-bench-builds-'));
  const servers = await startEmbedded({ dataDir });
  const redis = createClient({ url: servers.redisUrl });
  await redis.connect();
  const pid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
  const roots = options.last ? [other, THIS] : [THIS, other];
  const children = new Map<string, ChildProcess>();
  let epoch: string | null = null;
  for (const [at, root] of roots.entries()) {
    const child = fork(fileURLToPath(new URL('./builds-load.ts', import.meta.url)), {
      execArgv: ['--max-semi-space-size=16', ...process.execArgv],
    });
    const start: BuildStart = { ...options, root, redisUrl: servers.redisUrl, epoch, number: at + 1 };
    child.send(start);
    [{ epoch }] = (await once(child, 'message')) as [{ epoch: string }];
    children.set(root === THIS ? 'this' : 'other', child);
  }
  const measure = async (name: string, ms: number): Promise<Cost> => {
    await redis.sendCommand(['CONFIG', 'RESETSTAT']);
    const before = cpuOfProcessUs(pid);
    const load: BuildLoad = { ms };
    children.get(name)!.send(load);
    const [sample] = (await once(children.get(name)!, 'message')) as [BuildSample];
    const scriptUs = Number(
      /cmdstat_evalsha:calls=\d+,usec=(\d+)/.exec(await redis.info('commandstats'))?.[1],
    );
    const { recorded, cpuUs, seconds } = sample;
    const redisUs = cpuOfProcessUs(pid) - before;
    return {
      engine: cpuUs / recorded,
      redis: redisUs / recorded,
      script: scriptUs / recorded,
      rate: recorded / seconds,
    };
  };
  const names = [...children.keys()];
  for (const name of names) await measure(name, WARM_MS);
  report(await interleaved(names, options.rounds, (name) => measure(name, options.ms)));
  for (const child of children.values()) child.disconnect();
  redis.destroy();
  await servers.close();
  await rm(dataDir, { recursive: true, force: true });
}

/** The lower quartile and the median: a busy machine only ever makes a bid dearer. */
function report(samples: Readonly<Record<string, readonly Cost[]>>): void {
  const parts = ['engine', 'redis', 'script', 'rate'] as const;
  const rows = Object.entries(samples).map(([name, costs]) => [
    name,
    ...parts.map((part) => {
      const values = costs.map((cost) => cost[part]);
      return `${shown(quantile(values, 0.25))} / ${shown(quantile(values, 0.5))}`;
    }),
  ]);
  printTable(['lower quartile / median', 'engine µs/bid', 'Redis µs/bid', 'in the script', 'bids/s'], rows);
}

const given = new Command('bench:builds:engine')
  .argument('<folder>', 'the other build')
  .option('--rounds <n>', 'of which the quartile and the median are taken', Number, 8)
  .option('--ms <n>', 'of load for each measurement', Number, 600)
  .option('--lots <n>', 'that are bid on', Number, 1_000)
  .option('--auctions <n>', 'that they belong to', Number, 4)
  .option('--waiting <n>', 'bidders that wait at any time', Number, 64)
  .option('--last', 'this build comes second', false)
  .parse();
await main(given.args[0] ?? '', given.opts<Options>());
process.exit(0);

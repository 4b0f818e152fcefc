/**
 * What a marketplace costs while nothing happens: processor time and wake-ups of web, worker, Redis and Postgres in a
 * second, with lots that are live and nobody who bids. `npm run bench:idle` writes its part of docs/benchmarks.md; with
 * `--other` another build alternates with this one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { openDatabase } from '../../adapters/postgres/database.ts';
import { openMarketplace } from '../http/marketplace.ts';
import { CLI, startWeb, startWorker, stop } from '../http/servers.ts';
import { childrenOf, cpuOfFamilyUs, cpuOfProcessUs, parentOf } from '../support/cpu.ts';
import { loadNow, markdownTable, measuredOn, printTable, shown, writeSection } from '../support/report.ts';
import { interleaved, medians } from '../support/rounds.ts';

const PARTS = ['web', 'worker', 'Postgres', 'Redis'] as const;
type Idle = Record<`${(typeof PARTS)[number]}${'' | ', wake-ups'}`, number>;

interface Options {
  readonly other?: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly settle: number;
  readonly lots: number;
  readonly write: boolean;
}

/** How often a process has waited for something so far, all its threads. Linux only. */
function waitsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
    return sum + Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]);
  }, 0);
}

async function main(options: Options): Promise<void> {
  const load = loadNow();
  const market = await openMarketplace({ lots: options.lots, auctions: 16, sets: 1, bidders: 1 });
  const database = openDatabase(market.databaseUrl);
  const { rows } = await database.knex.raw('SELECT pg_backend_pid() AS pid');
  const postmaster = parentOf(Number(rows[0].pid));
  await database.close();
  const builds: Readonly<Record<string, string>> = {
    this: CLI,
    ...(options.other === undefined ? {} : { other: options.other }),
  };
  const measure = async (cli: string): Promise<Idle> => {
    const web = await startWeb(market, { core: null, cli });
    const worker = { child: startWorker(market, cli), url: '' };
    await sleep(options.settle * 1_000);
    const [webPid, workerPid] = [web.child.pid!, worker.child.pid!];
    const read = (): Idle => ({
      web: cpuOfProcessUs(webPid),
      worker: cpuOfProcessUs(workerPid),
      Postgres: cpuOfFamilyUs(postmaster),
      Redis: cpuOfProcessUs(market.redisPid),
      'web, wake-ups': waitsOf(webPid),
      'worker, wake-ups': waitsOf(workerPid),
      'Postgres, wake-ups': [postmaster, ...childrenOf(postmaster)].reduce(
        (sum, pid) => sum + waitsOf(pid),
        0,
      ),
      'Redis, wake-ups': waitsOf(market.redisPid),
    });
    const before = read();
    await sleep(options.seconds * 1_000);
    const after = read();
    for (const server of [worker, web]) await stop(server);
    const perSecond = (name: keyof Idle) => (after[name] - before[name]) / options.seconds;
    const both = (part: (typeof PARTS)[number]) =>
      [
        [part, perSecond(part) / 1_000],
        [`${part}, wake-ups`, perSecond(`${part}, wake-ups`)],
      ] as const;
    return Object.fromEntries(PARTS.flatMap(both)) as Idle;
  };
  try {
    const samples = await interleaved(Object.keys(builds), options.rounds, (build) =>
      measure(builds[build]!),
    );
    const of = Object.entries(samples).map(([build, all]) => [build, medians(all)] as const);
    report(of, options, load);
  } finally {
    await market.close();
  }
}

function report(of: readonly (readonly [string, Idle])[], options: Options, load: string): void {
  const head = ['in a second', ...PARTS, 'all'];
  const rows = of.flatMap(([build, idle]) => {
    const name = of.length === 1 ? '' : `${build}: `;
    const row = (what: string, values: readonly number[]) => [
      `${name}${what}`,
      ...[...values, values.reduce((sum, value) => sum + value, 0)].map(shown),
    ];
    return [
      row(
        'processor time, ms',
        PARTS.map((part) => idle[part]),
      ),
      row(
        'wake-ups',
        PARTS.map((part) => idle[`${part}, wake-ups`]),
      ),
    ];
  });
  printTable(head, rows);
  if (!options.write) return;
  writeSection(
    'idle',
    `## Nothing to do

A web process and a worker with ${options.lots} live lots and nobody who bids, ${options.settle} s after their start; medians of ${options.rounds}
rounds of ${options.seconds} s. A wake-up is a voluntary context switch.

${markdownTable(head, rows)}

${measuredOn('npm run bench:idle', load)}`,
  );
}

const program = new Command()
  .option('--other <cli>', 'another build, alternating with this one')
  .option('--rounds <n>', 'rounds', Number, 3)
  .option('--seconds <s>', 'seconds of a round', Number, 20)
  .option('--settle <s>', 'seconds from the start of the processes to a round', Number, 40)
  .option('--lots <n>', 'live lots', Number, 1_000)
  .option('--no-write', 'leave docs/benchmarks.md as it is');
await main(program.parse().opts<Options>());

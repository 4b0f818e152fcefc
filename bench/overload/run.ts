/**
 * A web process under ten times its best number of connections: what it answers, how much it still records, whether its
 * memory stays bounded, and how soon it recovers. `npm run bench:overload`; writes its part of docs/benchmarks.md.
 */
import { Command } from 'commander';
import type { Answers } from '../http/load.ts';
import { openMarketplace } from '../http/marketplace.ts';
import { Generator, OTHER_CORE, pin, SERVER_CORE, startWeb, stop } from '../http/servers.ts';
import { residentBytes } from '../support/cpu.ts';
import { loadNow, markdownTable, measuredOn, printTable, shown, writeSection } from '../support/report.ts';
import { median } from '../support/rounds.ts';

interface Options {
  readonly seconds: number;
  readonly connections: number;
  readonly quick: boolean;
  readonly write: boolean;
}

interface Phase {
  readonly timeline: readonly Answers[];
  readonly statuses: Readonly<Record<number, number>>;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The web process' resident memory, second by second. */
  readonly memory: readonly number[];
}

const BEST = 64;
const FEW = 16;
const MAX_SECONDS_UNTIL_NORMAL = 5;
const MIB = 1024 ** 2;

async function main(options: Options): Promise<void> {
  const load = loadNow();
  const market = await openMarketplace({ lots: 500, auctions: 10, sets: 1, bidders: options.connections });
  const generator = await Generator.start(OTHER_CORE);
  pin(market.redisPid, OTHER_CORE);
  const web = await startWeb(market, { core: SERVER_CORE });
  const phase = async (connections: number, seconds: number, warmMs: number): Promise<Phase> => {
    const memory: number[] = [];
    const watch = setInterval(() => memory.push(residentBytes(web.child.pid!)), 1_000);
    const of = { urls: [web.url], connections, tokens: market.tokens, lots: market.sets[0]! };
    const { loaded } = await generator.put({ ...of, warmMs, ms: seconds * 1_000 }, []);
    clearInterval(watch);
    const { timeline, statuses, p50Ms, p99Ms } = loaded;
    return { timeline, statuses, p50Ms, p99Ms, memory, perSecond: (statuses[201] ?? 0) / loaded.seconds };
  };
  try {
    await phase(options.connections, 8, 0);
    await phase(FEW, 1, 1_000);
    const few = await phase(FEW, 6, 1_000);
    const best = await phase(BEST, 8, 1_000);
    await market.forgetLogs();
    const over = await phase(options.connections, options.seconds, 0);
    // At once, while the effects of the overload last.
    const after = await phase(FEW, MAX_SECONDS_UNTIL_NORMAL + 4, 0);
    report({ few, best, over, after }, options, load);
  } finally {
    await stop(web);
    generator.close();
    await market.close();
  }
}

type Phases = Readonly<Record<'few' | 'best' | 'over' | 'after', Phase>>;

/** The first second after the drop whose latency is what it was before; null when none is. */
function secondsUntilNormal({ few, after }: Phases): number | null {
  const before = {
    p50: median(few.timeline.map(({ p50Ms }) => p50Ms)),
    p99: Math.max(...few.timeline.map(({ p99Ms }) => p99Ms)),
  };
  const normal = after.timeline.findIndex(
    ({ p50Ms, p99Ms }) => p50Ms <= before.p50 * 1.25 && p99Ms <= before.p99 * 1.25,
  );
  return normal < 0 ? null : normal + 1;
}

function report(phases: Phases, options: Options, load: string): void {
  const { few, best, over, after } = phases;
  const head = ['connections', 'recorded/s', 'p50 ms', 'p99 ms', 'peak memory MiB', 'answers'];
  const row = (name: string, { perSecond, p50Ms, p99Ms, memory, statuses }: Phase) => [
    name,
    ...[perSecond, p50Ms, p99Ms, Math.max(...memory) / MIB].map(shown),
    Object.entries(statuses)
      .map(([status, count]) => `${status}: ${shown(count)}`)
      .join(', '),
  ];
  const rows = [
    row(`${FEW}, before`, few),
    row(`${BEST}, the peak`, best),
    row(`${options.connections}, for ${options.seconds} s`, over),
    row(`${FEW}, right after it`, after),
  ];
  const strange = Object.keys(over.statuses).filter((status) => !/^(2..|4..|503)$/.test(status));
  const half = over.memory.length >> 1;
  const growth = (Math.max(...over.memory.slice(half)) - Math.max(...over.memory.slice(0, half))) / MIB;
  const normal = secondsUntilNormal(phases);
  const goals = [
    ['answers other than 2xx, 4xx and 503', strange.length === 0 ? 'none' : strange.join(', '), 'none'],
    ['recorded, beside the peak', `${shown(over.perSecond / best.perSecond)} ×`, '≥ 0.7 ×'],
    [
      'peak memory of the second half, beside the first’s',
      `${growth < 0 ? '−' : '+'}${shown(Math.abs(growth))} MiB`,
      'bounded',
    ],
    [
      'seconds until the latency has recovered',
      normal === null ? 'not within the time' : `${normal}`,
      `≤ ${MAX_SECONDS_UNTIL_NORMAL}`,
    ],
  ];
  printTable(head, rows);
  printTable(['overload', 'measured', 'to reach'], goals);
  console.log(`memory MiB: ${over.memory.map((bytes) => Math.round(bytes / MIB)).join(' ')}`);
  if (!options.write) return;
  writeSection(
    'overload',
    `## Overload

${options.connections} connections in a closed loop, ten times the number that the web process works best with, on 500 lots of 10 auctions; the web process on one
core, the load and Redis on the other. The latency has recovered when the median and the 99th percentile of a second are within a
quarter of those before.

${markdownTable(head, rows)}

${markdownTable(['overload', 'measured', 'to reach'], goals)}

${measuredOn('npm run bench:overload', load)}`,
  );
}

const number = (text: string): number => Number(text);
const given = new Command('bench:overload')
  .option('--seconds <n>', 'of overload', number, 60)
  .option('--connections <n>', 'that are too many', number, 640)
  .option('--quick', 'ten seconds of it, nothing written', false)
  .option('--no-write', 'leave docs/benchmarks.md as it is')
  .parse()
  .opts<Options>();
await main(given.quick ? { ...given, seconds: 10, write: false } : given);
process.exit(0);

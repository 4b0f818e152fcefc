/**
 * Two builds compared: the processor time of a web process for a bid and for a read of the catalog, alternately in one
 * run. `npm run bench:builds -- /path/to/other/dist/src/cli.js` shows whether a change made a request dearer; nothing
 * is recorded.
 */
import { Command } from 'commander';
import { cpuOfProcessUs } from '../support/cpu.ts';
import { printTable } from '../support/report.ts';
import { interleaved, quantile } from '../support/rounds.ts';
import { type Marketplace, openMarketplace } from './marketplace.ts';
import { Generator, OTHER_CORE, pin, SERVER_CORE, type Server, startWeb, stop } from './servers.ts';

const BUILDS = ['other', 'this'] as const;
const KINDS = ['other bid', 'this bid', 'other read', 'this read'] as const;
type Kind = (typeof KINDS)[number];

const READS_AT_ONCE = 16;

async function main(cli: string, rounds: number, seconds: number): Promise<void> {
  const market = await openMarketplace({ lots: 200, auctions: 8, sets: 2, bidders: 32 });
  const generator = await Generator.start(OTHER_CORE);
  pin(market.redisPid, OTHER_CORE);
  const servers = {
    other: await startWeb(market, { core: SERVER_CORE, cli }),
    this: await startWeb(market, { core: SERVER_CORE }),
  };
  const measure = (kind: Kind, ms: number) => {
    const [build, what] = kind.split(' ') as [(typeof BUILDS)[number], 'bid' | 'read'];
    const server = servers[build];
    const lots = market.sets[BUILDS.indexOf(build)] ?? [];
    return what === 'bid' ? bids(market, generator, server, lots, ms) : reads(server, lots, ms);
  };
  try {
    for (const kind of KINDS) await measure(kind, 2_500);
    const samples = await interleaved(KINDS, rounds, (kind) => measure(kind, seconds * 1_000));
    const row = (kind: Kind) =>
      [0.25, 0.5, 0.75].map((share) => `${quantile(samples[kind], share).toFixed(1)} µs`);
    printTable(
      ['processor time for each', 'quartile', 'median', 'quartile'],
      KINDS.map((kind) => [kind, ...row(kind)]),
    );
  } finally {
    for (const server of Object.values(servers)) await stop(server);
    generator.close();
    await market.close();
  }
}

async function bids(
  market: Marketplace,
  generator: Generator,
  server: Server,
  lots: readonly number[],
  ms: number,
): Promise<number> {
  const load = { urls: [server.url], connections: 32, tokens: market.tokens, lots, warmMs: 300, ms };
  const { loaded, cpuUs } = await generator.put(load, [server.child.pid ?? 0]);
  await market.forgetLogs();
  const { 201: recorded = 0, 422: refused = 0, ...others } = loaded.statuses;
  if (Object.keys(others).length > 0) throw new Error(JSON.stringify(loaded.statuses));
  return cpuUs / (recorded + refused);
}

/** Reads one page of the catalog repeatedly, nearly always from the short cache. */
async function reads({ url, child }: Server, lots: readonly number[], ms: number): Promise<number> {
  const endMs = performance.now() + ms;
  const before = cpuOfProcessUs(child.pid ?? 0);
  let count = 0;
  const read = async () => {
    while (performance.now() < endMs) {
      const path = count % 2 === 0 ? '/api/v1/lots?per_page=5' : `/api/v1/lots/${lots[count % lots.length]}`;
      const answer = await fetch(url + path);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
      await answer.arrayBuffer();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, read));
  return (cpuOfProcessUs(child.pid ?? 0) - before) / count;
}

const given = new Command('bench:builds')
  .argument('<cli>', "the other build's dist/src/cli.js")
  .option('--rounds <n>', 'of which the median is taken', Number, 7)
  .option('--seconds <n>', 'of load for each measurement', Number, 2)
  .parse();
const { rounds, seconds } = given.opts<{ rounds: number; seconds: number }>();
await main(given.args[0] ?? '', rounds, seconds);
process.exit(0);

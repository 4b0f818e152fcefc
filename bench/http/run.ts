/**
 * Bids over HTTP compared with what one core can do at best and what people would build: bare `node:http` that answers
 * the same bytes, Koa with a stub, and Koa before a row lock in Postgres, alternately in one run. `npm run bench:http`;
 * writes its part of docs/benchmarks.md.
 */
import { Command } from 'commander';
import { loadNow } from '../support/report.ts';
import { interleaved, medians } from '../support/rounds.ts';
import { measureAlone } from './alone.ts';
import { measureCost } from './cost.ts';
import type { Handler } from './koa-service.ts';
import type { Load } from './load.ts';
import { type Marketplace, openMarketplace } from './marketplace.ts';
import { profileWeb } from './profile.ts';
import { KINDS, type Kind, type Options, type Report, report, type Sample } from './report.ts';
import { lockRows, rowLockTables, sweep } from './row-lock.ts';
import {
  bidsOf,
  Generator,
  instruct,
  OTHER_CORE,
  pin,
  SERVER_CORE,
  type Server,
  sampleAnswer,
  startOther,
  startWeb,
  stop,
} from './servers.ts';

const WARM_MS = 700;
const HIGH_LIMIT = '1000000000';

interface Field {
  readonly market: Marketplace;
  readonly generator: Generator;
  readonly bare: Server;
  readonly koa: Server;
  readonly web: Server;
  readonly limited: Server;
  readonly handler: Handler;
  readonly tablesUrl: string;
}

/** Which set of lots each server uses. */
const SETS = { web: 0, limited: 1, fixed: 2, rowLock: 3 } as const;

async function main(options: Options): Promise<void> {
  const load = loadNow();
  const market = await openMarketplace({
    lots: options.lots,
    auctions: options.auctions,
    sets: options.shards?.length ?? 4,
    bidders: options.connections,
    ...(options.shards === undefined ? {} : { shards: options.shards }),
  });
  // What a bid costs end to end is measured as the machine spreads it.
  const generator = await Generator.start(options.cost ? null : OTHER_CORE);
  if (!options.cost) pin(market.redisPid, OTHER_CORE);
  try {
    if (options.cost) await measureCost(market, generator, options);
    else if (options.alone) await measureAlone(market, generator, options);
    else if (options.profile) await profileWeb(market, generator, options);
    else report(await measureAll(market, generator, options, load), options);
  } finally {
    generator.close();
    await market.close();
  }
}

async function measureAll(
  market: Marketplace,
  generator: Generator,
  options: Options,
  load: string,
): Promise<Report> {
  const field = await setUp(market, generator);
  try {
    const { connections, quick } = options;
    const rateOf = (kind: Kind) => async (pool: number) =>
      (await sample(field, kind, pool, connections, quick ? 700 : 1_200)).perSecond;
    const pools = { many: await sweep(rateOf('row lock')), hot: await sweep(rateOf('row lock, hot')) };
    for (const kind of ['Rostrum', 'Rostrum, limit on'] as const) {
      await sample(field, kind, 0, connections, options.warm * 1_000);
    }
    const samples = await interleaved(KINDS, options.rounds, (kind) =>
      sample(
        field,
        kind,
        pools[isHot(kind) ? 'hot' : 'many'].best,
        options.connections,
        options.seconds * 1_000,
      ),
    );
    const of = Object.fromEntries(KINDS.map((kind) => [kind, medians(samples[kind])])) as Record<
      Kind,
      Sample
    >;
    return { of, pools, load };
  } finally {
    for (const server of [field.bare, field.koa, field.web, field.limited]) await stop(server);
  }
}

async function setUp(market: Marketplace, generator: Generator): Promise<Field> {
  const core = SERVER_CORE;
  const web = await startWeb(market, { core });
  const limited = await startWeb(market, { core, environment: { RATE_LIMIT_PER_MINUTE: HIGH_LIMIT } });
  const bare = await startOther('./bare.ts', core);
  const koa = await startOther('./koa-service.ts', core);
  const answer = await sampleAnswer(web, market.tokens[0]!, market.sets[SETS.web]![0]!);
  await instruct(bare, answer);
  const tablesUrl = await rowLockTables(market);
  return {
    market,
    generator,
    bare,
    koa,
    web,
    limited,
    tablesUrl,
    handler: { tokens: market.tokens, answer },
  };
}

function isHot(kind: Kind): boolean {
  return kind.endsWith('hot');
}

async function sample(
  field: Field,
  kind: Kind,
  pool: number,
  connections: number,
  ms: number,
): Promise<Sample> {
  const { market, generator, koa, handler, tablesUrl } = field;
  const [server, set] = contenderOf(field, kind);
  if (server === koa) {
    if (kind === 'stub') await instruct(koa, handler);
    else await lockRows(koa, handler, tablesUrl, pool);
  }
  const all = market.sets[set]!;
  const lots = isHot(kind) ? all.slice(-1) : all.slice(0, -1);
  const load: Load = { urls: [server.url], connections, tokens: market.tokens, lots, warmMs: WARM_MS, ms };
  const { loaded, cpuUs } = await generator.put(load, [server.child.pid!]);
  await market.forgetLogs();
  return {
    ...bidsOf({ loaded, cpuUs }, kind),
    p50Ms: loaded.p50Ms,
    serverBusy: cpuUs / loaded.seconds / 1_000_000,
    generatorBusy: loaded.cpuUs / loaded.seconds / 1_000_000,
  };
}

function contenderOf(field: Field, kind: Kind): [Server, number] {
  switch (kind) {
    case 'bare':
      return [field.bare, SETS.fixed];
    case 'stub':
      return [field.koa, SETS.fixed];
    case 'row lock':
    case 'row lock, hot':
      return [field.koa, SETS.rowLock];
    case 'Rostrum, limit on':
      return [field.limited, SETS.limited];
    default:
      return [field.web, SETS.web];
  }
}

const number = (text: string): number => Number(text);
const numbers = (text: string): number[] => text.split(',').map(Number);
const given = new Command('bench:http')
  .option('--rounds <n>', 'of which the median is taken', number, 5)
  .option('--seconds <n>', 'of load for each measurement', number, 3)
  .option('--connections <n>', 'that bid at once', number, 64)
  .option('--auctions <n>', 'that the 1,000 lots belong to', number, 16)
  .option('--warm <n>', 'seconds in which every server meets its lots and bidders', number, 4)
  .option(
    '--worker-warm <n>',
    'with --cost: seconds of load that a worker has had before it counts',
    number,
    8,
  )
  .option('--quick', 'three short rounds, nothing written', false)
  .option('--profile', 'instead: where the time of the web process goes', false)
  .option('--cost', 'instead: the processor time of a bid by process, with a worker', false)
  .option('--alone', 'instead: one bid alone, beside an fsync', false)
  .option('--shards <list>', 'with --cost: lots over so many shards, say 1,4, in turn', numbers)
  .option('--other <cli>', 'with --cost: another build’s dist/src/cli.js, in turn with this one')
  .option('--other-node <options>', 'with --other: Node’s options for that build’s web process')
  .option('--lots <n>', 'of each set', number, 1_000)
  .option('--keep <folder>', 'with --profile: where the profiles are left')
  .option('--no-write', 'leave docs/benchmarks.md and the chart as they are')
  .parse()
  .opts<Options>();
await main(given.quick ? { ...given, rounds: 3, seconds: 1.2, write: false } : given);
process.exit(0);

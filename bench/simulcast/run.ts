/**
 * Signed simulcast events from the hall to the answer, which goes out only after the journal has them, against bare
 * `node:http` that does nothing but verify the HMAC: events one at a time, and in batches of 100. `npm run
 * bench:simulcast`. With `--other /path/to/dist/src/cli.js` another build alternates with this one, and nothing is
 * recorded.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { openLink } from '../../adapters/redis/link.ts';
import { openBackends } from '../../src/app/process/backends.ts';
import { publishAuction } from '../../src/bidding/records/publishing.ts';
import { openLog } from '../../src/shared/log.ts';
import { anAuction, aTeam } from '../../test/support/builders.ts';
import { migratedDatabase } from '../../test/support/migrated-database.ts';
import { freshRedis } from '../../test/support/redis-servers.ts';
import { forgetLogs } from '../http/marketplace.ts';
import { CLI, type Server, startWeb, stop } from '../http/servers.ts';
import { writeChart } from '../support/chart.ts';
import { cpuOfProcessUs } from '../support/cpu.ts';
import { loadNow, markdownTable, measuredOn, printTable, shown, writeSection } from '../support/report.ts';
import { interleaved, medians, quantile } from '../support/rounds.ts';
import type { Load, Loaded } from './load.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const AUCTIONS = 16;
const LOTS_EACH = 16;
const CONNECTIONS = 64;
const EVENTS_PER_BODY = 100;
/** Events in a sample. */
const SINGLE = Number(process.env['EVENTS'] ?? 25_600);
const BATCHED_EVENTS = SINGLE * 5;
const ONE_DOLLAR = JSON.stringify([{ from_cents: 0, increment_cents: 100 }]);
const SECRET = 'only-for-this-bench';
const KINDS = ['bare', 'single', 'many', 'other single', 'other many'] as const;
type Kind = (typeof KINDS)[number];

const { other, node } = new Command('bench:simulcast')
  .option('--other <cli>', 'another build’s dist/src/cli.js, in turn with this one')
  .option('--node <options>', 'Node’s options for the web processes, such as --cpu-prof')
  .parse()
  .opts<{ other?: string; node?: string }>();
const kinds = other === undefined ? KINDS.slice(0, 3) : KINDS;

interface Sample {
  readonly perSecond: number;
  /** Processor time of the server for each event, in µs. */
  readonly cpuUs: number;
}

type Samples = Readonly<Record<Kind, readonly Sample[]>>;

const load0 = loadNow();
const dataDir = await mkdtemp(join(tmpdir(), 'rostrum-bench-simulcast-'));
const database = await migratedDatabase();
const redis = await freshRedis();
const addresses = { databaseUrl: database.databaseUrl, redisUrl: redis.redisUrl };
/** Each build has lots of its own: another process' commits would be conflicts. */
const lots = { this: await putUpLots('this'), other: other === undefined ? [] : await putUpLots('other') };

async function putUpLots(set: string): Promise<number[][]> {
  const backends = await openBackends(addresses, openLog('warn', 'bench'));
  const team = await aTeam(database.db);
  const found: number[][] = [];
  for (let at = 0; at < AUCTIONS; at += 1) {
    const auction = await anAuction(database.db, {
      team_id: team.id,
      type: 'simulcast',
      simulcast_platforms: ['hall'],
    });
    await database.db.knex('auctions').where('id', auction.id).update({ increments: ONE_DOLLAR });
    const rows = Array.from({ length: LOTS_EACH }, (_, n) => ({
      auction_id: auction.id,
      lot_number: n + 1,
      title: `Lot ${n + 1}`,
      slug: `bench-${set}-${at}-${n}`,
      starting_bid_cents: 10_000,
      status: 'active',
    }));
    const ids: { id: number }[] = await database.db.knex('lots').insert(rows).returning('id');
    await publishAuction(backends, auction.id);
    const each = (LOTS_EACH * AUCTIONS) / CONNECTIONS;
    for (let from = 0; from < ids.length; from += each)
      found.push(ids.slice(from, from + each).map(({ id }) => id));
  }
  await backends.close();
  return found;
}

async function forked(file: string, ...args: string[]): Promise<{ child: ChildProcess; said: unknown }> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, { execArgv: process.execArgv });
  const [said] = (await once(child, 'message')) as [unknown];
  return { child, said };
}

const start = (cli: string): Promise<Server> =>
  startWeb(
    { ...addresses, dataDir },
    { core: null, environment: { SIMULCAST_SECRETS: `hall=${SECRET}` }, node: node?.split(' ') ?? [], cli },
  );
const web = await start(CLI);
const otherWeb = other === undefined ? null : await start(other);
const bare = await forked('./bare.ts', SECRET);
const generator = await forked('./load.ts');
const link = await openLink(redis.redisUrl);

async function send(load: Pick<Load, 'url' | 'lots' | 'bodies' | 'eventsPerBody'>): Promise<Loaded> {
  const whole: Load = { ...load, path: '/webhooks/bid/hall', secret: SECRET };
  generator.child.send(whole);
  const [loaded] = (await once(generator.child, 'message')) as [Loaded];
  return loaded;
}

async function measure(kind: Kind, events: number): Promise<Sample> {
  const eventsPerBody = isBatched(kind) ? EVENTS_PER_BODY : 1;
  const isOther = kind.startsWith('other');
  const served = isOther && otherWeb !== null ? otherWeb : web;
  const server = kind === 'bare' ? bare.child : served.child;
  const url = kind === 'bare' ? (bare.said as { url: string }).url : served.url;
  const bodies = Math.ceil(events / eventsPerBody / CONNECTIONS);
  const cpu = cpuOfProcessUs(server.pid!);
  const { seconds, statuses, applied } = await send({
    url,
    lots: isOther ? lots.other : lots.this,
    bodies,
    eventsPerBody,
  });
  const sent = bodies * CONNECTIONS * eventsPerBody;
  if (statuses[200] !== bodies * CONNECTIONS || (kind !== 'bare' && applied !== sent)) {
    throw new Error(`${kind}: of ${sent} events ${applied} were applied; ${JSON.stringify(statuses)}`);
  }
  const cpuUs = (cpuOfProcessUs(server.pid!) - cpu) / sent;
  // No worker empties the log here, and a full one takes no events.
  await forgetLogs(link);
  return { perSecond: sent / seconds, cpuUs };
}

function isBatched(kind: Kind): boolean {
  return kind.endsWith('many');
}

function eventsOf(kind: Kind): number {
  return isBatched(kind) ? BATCHED_EVENTS : SINGLE;
}

/** Two builds beside each other: what a change is judged by. */
function compare(samples: Samples): void {
  const row = (kind: Kind) => {
    const cpuUs = samples[kind].map((sample) => sample.cpuUs);
    const perSecond = samples[kind].map((sample) => sample.perSecond);
    return [kind, shown(Math.min(...cpuUs)), shown(quantile(cpuUs, 0.5)), shown(quantile(perSecond, 0.5))];
  };
  printTable(['signed events', 'least µs/event', 'median µs/event', 'events/s'], kinds.map(row));
}

function record(samples: Samples): void {
  const of = Object.fromEntries(kinds.map((kind) => [kind, medians(samples[kind])])) as Record<Kind, Sample>;
  const ratio = of.single.perSecond / of.bare.perSecond;
  const more = of.many.perSecond / of.single.perSecond;
  const head = ['signed events', 'events/s', 'processor µs/event', 'compared', 'goal'];
  const rows = [
    ['bare `node:http`, HMAC only', shown(of.bare.perSecond), shown(of.bare.cpuUs), '1', ''],
    ['one at a time', shown(of.single.perSecond), shown(of.single.cpuUs), `${shown(ratio)} × bare`, '0.4'],
    [
      `batches of ${EVENTS_PER_BODY}`,
      shown(of.many.perSecond),
      shown(of.many.cpuUs),
      `${shown(more)} × one at a time`,
      '8',
    ],
  ];
  printTable(head, rows);
  console.log(JSON.stringify({ samples, ratio, more, holds: ratio >= 0.4 && more >= 8 }));
  writeChart('bench-simulcast.svg', {
    title: 'Signed simulcast events, from the hall to the answer',
    unit: 'events per second',
    scale: 'logarithmic',
    groups: [
      {
        title: 'One at a time',
        bars: [
          { label: 'bare node:http, HMAC only', value: of.bare.perSecond },
          { label: 'Rostrum', value: of.single.perSecond, accent: true },
        ],
      },
      {
        title: `Batches of ${EVENTS_PER_BODY}`,
        bars: [{ label: 'Rostrum', value: of.many.perSecond, accent: true }],
      },
    ],
  });
  writeSection(
    'simulcast',
    `## Simulcast events in

${measuredOn('npm run bench:simulcast', load0)} ${CONNECTIONS} connections, one request at a time on each, ${AUCTIONS * LOTS_EACH} lots of ${AUCTIONS}
auctions. Redis writes with fsync on every commit; every event is a bid that leads. The load, the web process and Redis share the machine's cores.

${markdownTable(head, rows)}

![Simulcast events per second](bench-simulcast.svg)`,
  );
}

async function end(): Promise<void> {
  generator.child.disconnect();
  bare.child.disconnect();
  await stop(web);
  if (otherWeb !== null) await stop(otherWeb);
  link.link.destroy();
  await redis.close();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
}

try {
  for (const kind of kinds) await measure(kind, eventsOf(kind) / 2);
  const samples = await interleaved(kinds, ROUNDS, (kind) => measure(kind, eventsOf(kind)));
  if (other === undefined) record(samples);
  else compare(samples);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
// Whatever does not end by itself is left behind.
setTimeout(() => process.exit(), 15_000);
await end();
process.exit();

/**
 * Deliveries from the outbox to a local receiver, against a bare loop that signs and posts the same bodies with as many
 * at once: the rate, and how soon after its commit an event's first attempt arrives, even beside a receiver that hangs.
 * `npm run bench:deliveries`.
 */
import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Registry } from 'prom-client';
import { Agent } from 'undici';
import { newWebhookSecret, signedHeaders, signingKey } from '../../adapters/webhooks/signature.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import { startWebhooks, type Webhooks } from '../../src/app/jobs/start-webhooks.ts';
import { eventBody } from '../../src/events/event-body.ts';
import { openLog } from '../../src/shared/log.ts';
import { webhookMetrics } from '../../src/webhooks/webhook-metrics.ts';
import { createSubscription } from '../../src/webhooks/webhook-subscriptions.ts';
import { aTeam } from '../../test/support/builders.ts';
import { append, bidFact, closedFact } from '../../test/support/facts.ts';
import { migratedDatabase } from '../../test/support/migrated-database.ts';
import { freshRedis } from '../../test/support/redis-servers.ts';
import { loadNow, markdownTable, measuredOn, printTable, shown, writeSection } from '../support/report.ts';
import { interleaved, median, quantile } from '../support/rounds.ts';

const EVENTS = Number(process.env['EVENTS'] ?? 10_000);
const ROUNDS = 3;
const LOTS = 500;
const AT_ONCE = 32;
const STEADY_S = 10;
/** One in this many events is a lot that passed; the others are bids. */
const ONE_PASSED_IN = 50;
const GROUPS_PER_S = 25;

const load0 = loadNow();
const receiver = fork(fileURLToPath(new URL('./receiver.ts', import.meta.url)), {
  execArgv: process.execArgv,
});
let port = 0;
let count = 0;
const delays: [path: string, ms: number][] = [];
receiver.on('message', (message: { port?: number; count?: number; delays?: [string, number][] }) => {
  port = message.port ?? port;
  count = message.count ?? count;
  delays.push(...(message.delays ?? []));
});
while (port === 0) await sleep(10);
const url = `http://127.0.0.1:${port}`;

const database = await migratedDatabase();
const redis = await freshRedis();
const { knex } = database.db;
const config = loadConfig({
  NODE_ENV: 'test',
  DATA_DIR: '/tmp/rostrum-bench-deliveries',
  WEBHOOK_ALLOW_LOOPBACK: '1',
});
const team = await aTeam(database.db);
const fact = (n: number) => bidFact(team.id, (n % LOTS) + 1, n + 1);

/** What arrived per second while `work` ran. */
async function rateOf(many: number, work: () => Promise<unknown>): Promise<number> {
  const before = count;
  const started = performance.now();
  await work();
  while (count < before + many) await sleep(2);
  return Math.round((many / (performance.now() - started)) * 1_000);
}

async function bareLoop(bodies: readonly string[]): Promise<void> {
  const agent = new Agent({ pipelining: 1 });
  const keys = [signingKey(newWebhookSecret())];
  let next = 0;
  const worker = async () => {
    while (next < bodies.length) {
      const at = next++;
      const body = bodies[at]!;
      const answer = await agent.request({
        origin: url,
        path: '/bare',
        method: 'POST',
        headers: {
          ...signedHeaders(keys, `evt_${at}`, Date.now(), body),
          'content-type': 'application/json',
        },
        body,
      });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await agent.close();
}

const start = () =>
  startWebhooks(
    config,
    {
      knex,
      database: database.db,
      tracing: null,
      addresses: { databaseUrl: database.databaseUrl, redisUrl: redis.redisUrl },
    },
    webhookMetrics(new Registry()),
    openLog('warn', 'bench'),
  );
const subscribe = (path: string, events: Parameters<typeof createSubscription>[3]['events']) =>
  createSubscription(knex, config.appSecrets, team.id, { url: `${url}${path}`, events });

async function appendAll(many: number): Promise<void> {
  for (let at = 0; at < many; at += 500) {
    await append(
      database.db,
      Array.from({ length: Math.min(500, many - at) }, (_, n) => fact(at + n)),
    );
  }
}

const at = new Date().toISOString().replace('Z', '000Z');
const bodies = Array.from({ length: EVENTS }, (_, n) =>
  eventBody('lot.bid_placed', { created_at: at, data_text: JSON.stringify(fact(n).data) }),
);
await subscribe('/all', ['lot.bid_placed']);
await subscribe('/some', ['lot.sold']);

/** A backlog, delivered by a worker that has just started. */
async function drain(many: number): Promise<number> {
  await appendAll(many);
  let worker: Webhooks | null = null;
  const rate = await rateOf(many, async () => {
    worker = await start();
  });
  await worker!.close();
  return rate;
}

await bareLoop(bodies.slice(0, 2_000));
await drain(2_000);
const measured = await interleaved(['bare', 'drained'], ROUNDS, (kind) =>
  kind === 'bare' ? rateOf(EVENTS, () => bareLoop(bodies)) : drain(EVENTS),
);
const bare = median(measured.bare);
const drained = median(measured.drained);

/** Half of the rate that deliveries reach on their own; each bid is two events to a subscriber of everything. */
const steadyPerS = Math.round(drained / 4 / GROUPS_PER_S) * GROUPS_PER_S;
await knex('webhook_subscriptions').update({ is_active: false });
const webhooks = await start();
await subscribe('/everything', ['*']);
await subscribe('/sales', ['lot.sold', 'lot.passed', 'lot.unsold', 'invoice.created', 'invoice.paid']);
await sleep(500);

/** Events at a steady rate; delays of first attempts by receiver. */
async function steady(from: number): Promise<Record<string, Delays>> {
  delays.length = 0;
  const each = steadyPerS / GROUPS_PER_S;
  for (let group = 0; group < STEADY_S * GROUPS_PER_S; group += 1) {
    const began = performance.now();
    const facts = Array.from({ length: each }, (_, n) => {
      const number = from + group * each + n;
      return number % ONE_PASSED_IN === 0 ? closedFact(team.id, 1_000 + number, 'passed') : fact(number);
    });
    const sent_at_ms = Date.now();
    await append(
      database.db,
      facts.map((one) => ({ ...one, data: { ...one.data, sent_at_ms } })),
    );
    await sleep(Math.max(0, 1_000 / GROUPS_PER_S - (performance.now() - began)));
  }
  await sleep(1_000);
  return { everything: delaysOf('/everything'), sales: delaysOf('/sales') };
}

interface Delays {
  readonly arrived: number;
  readonly p50: number;
  readonly p99: number;
}

function delaysOf(path: string): Delays {
  const ms = delays.filter(([to]) => to === path).map(([, delay]) => delay);
  return { arrived: ms.length, p50: quantile(ms, 0.5), p99: quantile(ms, 0.99) };
}

const alone = await steady(0);
await subscribe('/hang', ['*']);
await sleep(500);
const besideOneThatHangs = await steady(1_000_000);
const ratio = Number((drained / bare).toFixed(2));
const HEAD = ['deliveries', 'per second', '× bare', 'goal'];
const ROWS = [
  ['bare loop that signs and posts', shown(bare), '1', ''],
  ['a backlog from the outbox', shown(drained), shown(ratio), '0.5'],
];
const DELAY_HEAD = ['from commit to first try', 'arrived', 'p50 ms', 'p99 ms'];
const DELAY_ROWS = Object.entries({ '': alone, ', beside one that hangs': besideOneThatHangs }).flatMap(
  ([beside, found]) =>
    Object.entries(found).map(([name, { arrived, p50, p99 }]) => [
      `to a subscriber to ${name}${beside}`,
      arrived,
      shown(p50),
      shown(p99),
    ]),
);
printTable(HEAD, ROWS);
printTable(DELAY_HEAD, DELAY_ROWS);
console.log(
  JSON.stringify({
    bare_per_s: measured.bare,
    deliveries_per_s: measured.drained,
    ratio,
    holds: ratio >= 0.5,
    steady: { facts_per_s: steadyPerS, alone, besideOneThatHangs },
  }),
);
writeSection(
  'deliveries',
  `## Webhook deliveries

${measuredOn('npm run bench:deliveries', load0)} ${AT_ONCE} at once to a local receiver; below, ${steadyPerS} events a second, nearly all of them bids.

${markdownTable(HEAD, ROWS)}

${markdownTable(DELAY_HEAD, DELAY_ROWS)}`,
);
await webhooks.close();
await redis.close();
await database.drop();
receiver.disconnect();
process.exit(0);

/**
 * Deliveries from the outbox to a local receiver, against a bare loop that signs and posts the same bodies with as many at once: the
 * rate, and how soon after its commit an event's first try arrives, beside a receiver that hangs. `npm run bench:deliveries`.
 */
import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Registry } from 'prom-client';
import { Agent } from 'undici';
import { newWebhookSecret, signedHeaders, signingKey } from '../../adapters/webhooks/signature.ts';
import { loadConfig } from '../../src/config.ts';
import { eventBody } from '../../src/events/event-body.ts';
import { openLog } from '../../src/log.ts';
import { startWebhooks, type Webhooks } from '../../src/webhooks/start-webhooks.ts';
import { createSubscription } from '../../src/webhooks/webhook-subscriptions.ts';
import { aTeam } from '../../test/support/builders.ts';
import { append, bidFact } from '../../test/support/facts.ts';
import { migratedDatabase } from '../../test/support/migrated-database.ts';
import { freshRedis } from '../../test/support/redis-servers.ts';
import { interleaved, median, quantile } from '../support/rounds.ts';

const EVENTS = Number(process.env['EVENTS'] ?? 10_000);
const ROUNDS = 3;
const LOTS = 500;
const AT_ONCE = 32;
const STEADY_S = 10;
const STEADY_PER_S = 500;
const BATCHES_PER_S = 25;

const receiver = fork(fileURLToPath(new URL('./receiver.ts', import.meta.url)), {
  execArgv: process.execArgv,
});
let port = 0;
let count = 0;
const delays: number[] = [];
receiver.on('message', (message: { port?: number; count?: number; delays?: number[] }) => {
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

/** What came within a time in which `work` was done, per second. */
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
      addresses: { databaseUrl: database.databaseUrl, redisUrl: redis.redisUrl },
    },
    new Registry(),
    openLog('warn', 'bench'),
  );
const subscribe = (path: string, events: readonly ('lot.bid_placed' | 'lot.sold')[]) =>
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

/** A backlog, taken up by a worker that has just started. */
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

const webhooks = await start();
await subscribe('/hang', ['lot.bid_placed']);
await sleep(500);
delays.length = 0;
for (let batch = 0; batch < STEADY_S * BATCHES_PER_S; batch += 1) {
  const began = performance.now();
  const facts = Array.from({ length: STEADY_PER_S / BATCHES_PER_S }, (_, n) => fact(batch * 40 + n));
  const sent_at_ms = Date.now();
  await append(
    database.db,
    facts.map((one) => ({ ...one, data: { ...one.data, sent_at_ms } })),
  );
  await sleep(Math.max(0, 1_000 / BATCHES_PER_S - (performance.now() - began)));
}
await sleep(500);
console.log(
  JSON.stringify({
    bare_per_s: measured.bare,
    deliveries_per_s: measured.drained,
    ratio: Number((drained / bare).toFixed(2)),
    steady: { per_s: STEADY_PER_S, arrived: delays.length, of: STEADY_S * STEADY_PER_S },
    first_try_ms: { p50: quantile(delays, 0.5), p99: quantile(delays, 0.99), most: Math.max(...delays) },
    beside: 'a subscriber that hangs, and one that asks for other events',
  }),
);
await webhooks.close();
await redis.close();
await database.drop();
receiver.disconnect();
process.exit(0);

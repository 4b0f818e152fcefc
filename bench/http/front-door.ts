/**
 * What the short path of the hot endpoints saves: one endpoint of a bid's shape, served once as a hot one and once
 * through Koa and its router, processor time of the server for each request. `npm run bench:door`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Type } from '@sinclair/typebox';
import autocannon from 'autocannon';
import { endpoint } from '../../adapters/http/endpoint.ts';
import { success } from '../../adapters/http/envelope.ts';
import { loadNow } from '../support/report.ts';
import { interleaved, median } from '../support/rounds.ts';
import { serveAlone } from '../support/served-endpoints.ts';

const ROUNDS = 5;
const REQUESTS = 20_000;
const CONNECTIONS = 32;
const WAYS = ['short', 'koa'] as const;

if (process.argv[2] === undefined) await compare();
else await serve(process.argv[2] === 'short');

/** The server's own process: it reports its address, and on request its processor time. */
async function serve(hot: boolean): Promise<void> {
  const bid = endpoint({
    method: 'POST',
    path: '/api/v1/lots/{lot}/bids',
    operationId: 'placeBid',
    summary: 'A bid that nobody decides',
    tags: ['Bids'],
    access: { kind: 'public' },
    ...(hot ? { hot } : {}),
    params: Type.Object({ lot: Type.Integer() }),
    body: Type.Object({ amount: Type.String() }),
    responses: { 201: { description: 'Taken.', schema: Type.Object({}) } },
    handle: async ({ params, body }) => success({ lot: params.lot, amount: body.amount }, { status: 201 }),
  });
  const { url } = await serveAlone([bid], { error: console.error, warn: console.error });
  const used = () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  };
  process.on('message', () => process.send?.(used()));
  process.once('disconnect', () => process.exit());
  process.send?.(url);
}

async function compare(): Promise<void> {
  const loadBefore = loadNow();
  const servers = { short: await start('short'), koa: await start('koa') };
  // Compiled by V8 before anything is measured.
  for (const way of WAYS) await measured(servers[way]);
  const samples = await interleaved(WAYS, ROUNDS, (way) => measured(servers[way]));
  for (const way of WAYS) {
    const all = samples[way].map((us) => us.toFixed(1)).join(', ');
    console.log(`${way}: ${median(samples[way]).toFixed(1)} µs of processor time a request (${all})`);
    servers[way].child.disconnect();
  }
  console.log(
    `${CONNECTIONS} connections, ${ROUNDS} rounds of ${REQUESTS} requests in turn, load ${loadBefore} at the start`,
  );
}

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
}

async function start(way: string): Promise<Started> {
  const child = fork(fileURLToPath(import.meta.url), [way]);
  const [url] = await once(child, 'message');
  return { child, url: String(url) };
}

/** The server's processor time for a request, in microseconds. */
async function measured({ child, url }: Started): Promise<number> {
  const before = await usedUs(child);
  const { non2xx } = await autocannon({
    url: `${url}/api/v1/lots/7/bids`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ amount: '100.00' }),
    connections: CONNECTIONS,
    amount: REQUESTS,
  });
  if (non2xx > 0) throw new Error(`${non2xx} requests were refused`);
  return ((await usedUs(child)) - before) / REQUESTS;
}

async function usedUs(child: ChildProcess): Promise<number> {
  child.send('used');
  const [us] = await once(child, 'message');
  return Number(us);
}

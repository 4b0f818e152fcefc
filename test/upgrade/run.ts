/**
 * `npm run test:upgrade`: the previous release and this one alongside each other under load, as UPGRADING.md has it.
 * The schema is migrated under load, every process is replaced one after the other, one of each kind goes back and
 * forth again. No request may be dropped, no stream be unavailable for longer than a second, no bid lost or doubled;
 * each sold lot has one invoice, and both releases find the journals in order. Bounded, ends by itself, and ends all
 * that it started.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { pino } from 'pino';
import { startGuardian } from '../../adapters/embedded/guardian.ts';
import { openDatabase } from '../../adapters/postgres/database.ts';
import { openQueue } from '../../adapters/queue/queue.ts';
import { openLink } from '../../adapters/redis/link.ts';
import { openBackends } from '../../src/app/process/backends.ts';
import { QUEUES, queueAddressOf, SCHEDULED_JOBS_QUEUE } from '../../src/app/process/queue-address.ts';
import { startCrowd } from '../faults/bidders.ts';
import { startMember } from '../faults/fleet.ts';
import { startPostgresPart } from '../faults/postgres-part.ts';
import { startRedisPart } from '../faults/redis-part.ts';
import { type OfferedLot, offerRound } from '../faults/rounds.ts';
import { clockLike, somePeople } from '../faults/setting.ts';
import { diceOf } from '../history/random-histories.ts';
import { startCollector } from '../support/otlp-collector.ts';
import { openBalancer } from './balancer.ts';
import { faultsOf, type UpgradeRun } from './judge.ts';
import { buildRelease, releaseBefore } from './release.ts';
import { DELIVERING, subscribe } from './subscriber.ts';
import { watch } from './watcher.ts';

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    'step-seconds': { type: 'string', default: '4' },
    bidders: { type: 'string', default: '24' },
    'think-ms': { type: 'string', default: '150' },
    'most-gap-ms': { type: 'string', default: '1000' },
  },
});

const WEBS = 2;
const WORKERS = 2;
const WATCHERS = 8;
/** Given-up jobs of a queue that are told of one by one. */
const SHOWN = 10;
/** For a lot to come into the journal before its end. */
const OPEN_US = 8_000_000;
const THIS_RELEASE = ['dist/src/cli.js'];
const run = promisify(execFile);

async function main(): Promise<number> {
  const before = releaseBefore(values.from);
  console.log(`from ${before.revision.slice(0, 12)} (${before.why})`);
  const base = await mkdtemp(join(tmpdir(), 'rostrum-upgrade-'));
  const ending: (() => Promise<unknown>)[] = [() => rm(base, { recursive: true, force: true })];
  try {
    const old = [await buildRelease(before, join(base, 'before'))];
    console.log('the release before is built');
    return await upgrade(base, old, ending);
  } finally {
    for (const end of ending.reverse()) await end().catch((error: unknown) => console.log(error));
  }
}

async function upgrade(
  base: string,
  old: readonly string[],
  ending: (() => Promise<unknown>)[],
): Promise<number> {
  const guardian = startGuardian();
  ending.push(async () => guardian.release());
  await mkdir(join(base, 'redis'));
  const command = async (program: readonly string[], ...words: string[]) =>
    run(process.execPath, [...program, ...words, '--json'], { env: { ...process.env, ...env() } });
  const servers = { databaseUrl: '', redisUrl: '' };
  const env = () => ({ DATABASE_URL: servers.databaseUrl, REDIS_URL: servers.redisUrl, NODE_ENV: 'test' });
  const redis = await startRedisPart({ folder: join(base, 'redis'), base, guardian, extra: [] });
  ending.push(() => redis.close());
  servers.redisUrl = redis.redisUrl;
  const postgres = await startPostgresPart(base, guardian, async (databaseUrl) => {
    servers.databaseUrl = databaseUrl;
    await command(old, 'migrate');
  });
  ending.push(() => postgres.close());
  const collector = await startCollector();
  ending.push(() => collector.close());

  // What only the present release writes must not be in the way of the one before.
  const now = {
    program: THIS_RELEASE,
    env: { ...DELIVERING, TRUST_PROXY: '127.0.0.1', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  };
  const common = { base, guardian, ...servers, program: old, env: DELIVERING };
  const members = await Promise.all([
    ...Array.from({ length: WEBS }, (_, at) => startMember(common, 'web', at)),
    ...Array.from({ length: WORKERS }, (_, at) => startMember(common, 'worker', at)),
  ]);
  ending.push(() => Promise.all(members.map((member) => member.close())));
  await Promise.all(members.map((member) => member.ready()));
  const webs = members.filter(({ role }) => role === 'web');
  const workers = members.filter(({ role }) => role === 'worker');
  const balancer = await openBalancer(webs.map(({ port }) => port));
  ending.push(() => balancer.close());
  const db = openDatabase(servers.databaseUrl, { max: 4 });
  ending.push(() => db.close());
  const link = await openLink(servers.redisUrl, () => undefined);
  ending.push(async () => link.link.destroy());
  const nowUs = await clockLike(link);

  const subscriber = await subscribe(db);
  ending.push(() => subscriber.close());
  const people = await somePeople(db, Number(values.bidders));
  const lots: OfferedLot[] = [];
  const stepUs = Number(values['step-seconds']) * 1_000_000;
  let hot: OfferedLot[] = [];
  const offer = async (count: number, inUs: number) => {
    const { teamId } = subscriber;
    const terms = { lots: count, endsAtUs: nowUs() + inUs, staggerSeconds: 0, limitCents: null, teamId };
    const round = await offerRound(db, nowUs, terms);
    for (const lot of round) await untilOpen(`${balancer.url}/api/v1/lots/${lot.lotId}/journal`);
    lots.push(...round);
    return round;
  };
  const watched = await offer(2, 1_200_000_000);
  const watchers = Array.from({ length: WATCHERS }, (_, at) =>
    watch(`${balancer.url}/api/v1/lots/${watched[at % watched.length]?.lotId}/stream`, () => balancer.step),
  );
  const dice = diceOf(20_261_122);
  const thinkMs = Number(values['think-ms']);
  const crowd = startCrowd({ people, urls: [balancer.url], dice, lots: () => hot, nowUs, thinkMs });
  const step = async (what: string, work: () => Promise<unknown>) => {
    hot = [...watched, ...(await offer(2, stepUs + OPEN_US))];
    await sleep(500);
    const beganMs = performance.now();
    balancer.step = what;
    await work();
    await sleep(Number(values['step-seconds']) * 1_000);
    console.log(
      `${what}, ${((performance.now() - beganMs) / 1_000).toFixed(1)} s: ${crowd.tries.length} bids so far`,
    );
  };
  await step('the release before alone', async () => undefined);
  await step('migrated', () => command(THIS_RELEASE, 'migrate'));
  for (const worker of workers) await step(`${worker.name} replaced`, () => worker.replace(now));
  const theirs = webs.map(({ name }) => `${name} replaced`);
  for (const [at, web] of webs.entries()) await step(theirs[at] ?? '', () => web.replace(now));
  const back = { program: old, env: DELIVERING };
  const [web, worker] = [webs[0], workers[0]];
  await step('one of each back', async () => [await worker?.replace(back), await web?.replace(back)]);
  theirs.push('and forth');
  await step('and forth', async () => [await worker?.replace(now), await web?.replace(now)]);
  await step('this release again', () => webs[1]?.replace(now) ?? Promise.resolve());
  await step('finished', () => command(THIS_RELEASE, 'migrate', '--finish'));
  await Promise.all([crowd.stop(), ...watchers.map((watcher) => watcher.stop())]);

  const backends = await openBackends(servers, pino({ level: 'silent' }), { connections: 4 });
  ending.push(() => backends.close());
  const verify = async (program: readonly string[]) => (await command(program, 'journal', 'verify')).stdout;
  const finished: UpgradeRun = {
    backends,
    lots,
    watched,
    watchers,
    tries: crowd.tries,
    oddities: crowd.oddities,
    dropped: balancer.dropped,
    theirs,
    surprises: members.flatMap(({ surprises }) => surprises),
    subscriber,
    failedJobs: await failedJobs(servers.redisUrl),
    mostGapMs: Number(values['most-gap-ms']),
    verified: [verify(old), verify(THIS_RELEASE)],
  };
  const faults = await faultsOf(finished, (line) => console.log(line));
  for (const fault of faults) console.log(`not good: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

/** Jobs that were given up, each as a sentence with its reason. */
async function failedJobs(redisUrl: string): Promise<string[]> {
  const failed: string[] = [];
  for (const name of QUEUES) {
    // A failed pass of the clock is corrected by the next one, and not retried.
    if (name === SCHEDULED_JOBS_QUEUE) continue;
    const queue = openQueue(queueAddressOf({ environment: 'test' }, redisUrl), name);
    const { rows, total } = await queue.failed(SHOWN);
    failed.push(
      ...rows.map((job) => `job ${job.name} of ${name} was given up at ${job.failedAt}: ${job.reason}`),
    );
    if (total > rows.length) failed.push(`${total - rows.length} more jobs of ${name} were given up`);
    await queue.close();
  }
  return failed;
}

/** A lot can be read by everybody before it is in the journal; its journal cannot. */
async function untilOpen(url: string): Promise<void> {
  for (const until = performance.now() + 60_000; performance.now() < until; await sleep(100)) {
    const answer = await fetch(url);
    const { data } = (await answer.json()) as { data?: readonly unknown[] };
    if (answer.status === 200 && data !== undefined && data.length > 0) return;
  }
  throw new Error(`${url} tells of nothing`);
}

process.exitCode = await main();

/**
 * Redis comes back older, again and again, under constant bids: no bid may be taken between its return and the
 * rebuild, no sequence may be given out twice, every bid that was acknowledged before the copy must be there, the
 * journal must verify, and whoever says that it is ready must take bids. Called by `run-older.ts` and, once, by a test.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { startGuardian } from '../../adapters/embedded/guardian.ts';
import { openDatabase } from '../../adapters/postgres/database.ts';
import { openBackends } from '../../src/app/process/backends.ts';
import { rebuildJournal } from '../../src/bidding/journal/rebuild.ts';
import { verifyJournal } from '../../src/bidding/journal/verify.ts';
import { invoiceClosedLots } from '../../src/billing/invoices/winner-invoices.ts';
import { diceOf } from '../history/random-histories.ts';
import { type Crowd, type Person, startCrowd, type Try } from './bidders.ts';
import { type Member, startMember } from './fleet.ts';
import { untilProjected } from './journals.ts';
import type { Age, OlderServers } from './older-copies.ts';
import { openRound } from './rounds.ts';
import { clockLike, somePeople } from './setting.ts';

export interface OlderPlan {
  readonly servers: OlderServers;
  readonly databaseUrl: string;
  readonly base: string;
  readonly program: readonly string[];
  readonly webs: number;
  readonly times: number;
  readonly seed: number;
  /** Every so many returns the web processes are killed with it; 0: never. */
  readonly restartEvery: number;
  /** It begins no return after that, whatever is left. */
  readonly maxSeconds: number;
  readonly say: (line: string) => void;
}

export interface OlderFigures {
  readonly returns: number;
  /** Bids that were taken all in all, and those of them between a return and its rebuild. */
  readonly accepted: number;
  readonly wrong: readonly string[];
  /** Returns after which the first 200 of `/readyz` was followed by 20 bids that were all taken. */
  readonly readyMeantReady: number;
}

const LOTS = 6;
const PEOPLE = 30;
const PROBES = 20;
/** Above every increment of the table. */
const STEP_CENTS = 300_000;
const PATIENCE_MS = 40_000;
const HANDED_IN_MS = 1_500;

/** Runs the plan; everything that it starts has ended when it resolves. */
export async function runOlder(plan: OlderPlan): Promise<OlderFigures> {
  const { servers, databaseUrl, base, program, webs } = plan;
  const guardian = startGuardian();
  const db = openDatabase(databaseUrl, { max: 4 });
  const addresses = { databaseUrl, redisUrl: servers.redisUrl };
  const silent = pino({ level: 'silent' });
  const backends = await openBackends(addresses, silent, { connections: 4 });
  const settings = { ...addresses, base, guardian, program };
  const members = await Promise.all(
    Array.from({ length: webs }, (_, at) => startMember(settings, 'web', at)),
  );
  const worker = await startMember(settings, 'worker', 0);
  for (const member of [...members, worker]) await member.ready();
  const nowUs = await clockLike(backends.redis);
  const people = await somePeople(db, PEOPLE + 2);
  const terms = { lots: LOTS + 1, endsAtUs: nowUs() + 7_200_000_000, staggerSeconds: 0, limitCents: null };
  const lots = await openRound({ db, backends, nowUs }, terms);
  const [probed, ...bidOn] = lots;
  const urls = members.map(({ port }) => `http://127.0.0.1:${port}`);
  const crowd = startCrowd({
    people: people.slice(2),
    urls,
    dice: diceOf(plan.seed),
    lots: () => bidOn,
    nowUs,
    thinkMs: 150,
  });
  const run: Run = {
    plan,
    crowd,
    nowUs,
    urls,
    lotId: probed!.lotId,
    probers: people.slice(0, 2),
    cents: 10_000,
    lifeUs: 0,
    wrong: [],
    copies: [],
    projected: async () => new Set(await backends.knex('bids').pluck<string[]>('bid_id')),
    worker,
    restartWebs: () => Promise.all(members.map((member) => member.kill())),
    rebuild: async () => {
      const own = await openBackends(addresses, silent, { connections: 4 });
      const parts = { ...own, onLotClosed: [invoiceClosedLots] };
      await rebuildJournal(parts, { discard: async () => undefined }).finally(() => own.close());
    },
  };
  let [returns, readyMeantReady] = [0, 0];
  const latestMs = performance.now() + plan.maxSeconds * 1_000;
  try {
    for (; returns < plan.times && performance.now() < latestMs; returns += 1)
      readyMeantReady += Number(await oneReturn(run, returns));
  } finally {
    await crowd.stop();
  }
  await untilProjected(backends, lots, 60_000).catch((error: Error) => run.wrong.push(error.message));
  await judge(run, backends);
  for (const member of [...members, worker]) await member.close();
  await backends.close();
  await db.close();
  guardian.release();
  const accepted = crowd.tries.filter(isAccepted).length;
  return { returns, accepted, wrong: run.wrong, readyMeantReady };
}

interface Run {
  readonly plan: OlderPlan;
  readonly crowd: Crowd;
  readonly nowUs: () => number;
  readonly urls: readonly string[];
  /** The lot that is bid on where it says that it is ready, and its own bidders. */
  readonly lotId: number;
  readonly probers: readonly Person[];
  cents: number;
  /** When the copy was made that is two lives old when it comes back. */
  lifeUs: number;
  readonly wrong: string[];
  /** What each return may take: what was acknowledged since a moment, and what was not projected yet. */
  readonly copies: {
    readonly keptUs: number;
    readonly rebuiltUs: number;
    readonly unprojected: ReadonlySet<string>;
  }[];
  /** The bids that Postgres has. */
  readonly projected: () => Promise<ReadonlySet<string>>;
  readonly worker: Member;
  readonly restartWebs: () => Promise<unknown>;
  readonly rebuild: () => Promise<void>;
}

/** One return; whether the first that said it was ready was. */
async function oneReturn(run: Run, at: number): Promise<boolean> {
  const { plan, crowd, nowUs, wrong } = run;
  const { servers } = plan;
  const age: Age = servers.ages[at % servers.ages.length]!;
  const isRestarting = plan.restartEvery > 0 && at % plan.restartEvery === plan.restartEvery - 1;
  await sleep(500);
  if (age === 'one') {
    run.lifeUs = nowUs();
    if (servers.ages.length === 3) await servers.keep('life');
  }
  const keptUs = age === 'life' ? run.lifeUs : nowUs();
  // Then Postgres knows only what the web processes hand in.
  if (isRestarting) run.worker.signal('SIGSTOP');
  if (age === 'many' || servers.ages.length === 2) await servers.keep('now');
  const enough = crowd.tries.length + (age === 'one' ? 10 : 60);
  while (crowd.tries.length < enough) await sleep(20);
  // Only an answered commit is missed.
  if (age === 'one') await crowd.pause();
  // What was acknowledged within the last second before a process is killed is known to nobody else.
  if (age === 'one' && isRestarting) await sleep(HANDED_IN_MS);
  await servers.end();
  const endedUs = nowUs();
  // Without its newest commit all but that must be there, and behind Sentinel what the replica had.
  const isCut = age === 'one' && servers.ages.length === 3;
  const unprojected = isCut ? await unprojectedOf(run) : NONE;
  const copyName = { one: null, many: 'now', life: 'life' }[age];
  await servers.comeBack(servers.ages.length === 2 ? 'now' : copyName);
  crowd.goOn();
  if (isRestarting) await run.restartWebs();
  const isRefused = await refusedEverywhere(run, at);
  if (isRestarting) run.worker.signal('SIGCONT');
  if (!isRefused) return false;
  await sleep(700);
  const rebuildUs = nowUs();
  await run.rebuild();
  const between = crowd.tries.filter(
    (one) => isAccepted(one) && one.returnedUs > endedUs + 200_000 && one.returnedUs < rebuildUs,
  );
  if (between.length > 0)
    wrong.push(`return ${at} (${age}): ${between.length} bids were taken before the rebuild`);
  run.copies.push({ keptUs: isCut ? endedUs : keptUs, rebuiltUs: endedUs, unprojected });
  const isReady = await readyMeansReady(run, at);
  plan.say(
    `return ${at + 1}: ${age}${isRestarting ? ', web processes too' : ''}; ${crowd.tries.length} tries`,
  );
  return isReady;
}

function isAccepted({ answer }: Try): boolean {
  return answer.kind === 'accepted';
}

const NONE: ReadonlySet<string> = new Set();

/** Acknowledged bids that only Redis knows: its newest commit may be one of them, and is gone from its disk. */
async function unprojectedOf({ crowd, projected }: Run): Promise<ReadonlySet<string>> {
  const known = await projected();
  const ids = crowd.tries.flatMap(({ answer }) => (answer.kind === 'accepted' ? [answer.bidId] : []));
  return new Set(ids.filter((id) => !known.has(id)));
}

/** Whether every web process says, in time, that Redis is older. */
async function refusedEverywhere({ urls, wrong, plan }: Run, at: number): Promise<boolean> {
  const untilMs = performance.now() + PATIENCE_MS;
  for (const url of urls)
    for (;;) {
      const text = await fetch(`${url}/readyz`).then(
        (response) => response.text(),
        () => '',
      );
      if (text.includes('journal rebuild')) break;
      if (performance.now() > untilMs) {
        wrong.push(`return ${at}: a web process never said that Redis was older: ${text.slice(0, 300)}`);
        plan.say(wrong.at(-1)!);
        return false;
      }
      await sleep(50);
    }
  return true;
}

/** The first 200 of `/readyz` is followed by bids at the same process, and in turn at all of them when all say so. */
async function readyMeansReady(run: Run, at: number): Promise<boolean> {
  const { urls, wrong } = run;
  const asked = at % 2 === 0 ? [urls[at % urls.length]!] : urls;
  const untilMs = performance.now() + PATIENCE_MS;
  for (const url of asked)
    while (!(await isReady(url))) {
      if (performance.now() > untilMs) {
        wrong.push(`return ${at}: ${url} was not ready after the rebuild`);
        return false;
      }
      await sleep(5);
    }
  const answers: string[] = [];
  for (let count = 0; count < PROBES; count += 1)
    answers.push(await probe(run, asked[count % asked.length]!, count));
  const refused = answers.filter((answer) => answer !== '201');
  if (refused.length > 0) wrong.push(`return ${at}: ready, and then ${refused.join('; ')}`);
  return refused.length === 0;
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );
}

async function probe(run: Run, url: string, count: number): Promise<string> {
  run.cents += STEP_CENTS;
  const response = await fetch(`${url}/api/v1/lots/${run.lotId}/bids`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${run.probers[count % 2]!.token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ amount: (run.cents / 100).toFixed(2) }),
  });
  const text = await response.text();
  return response.status === 201 ? '201' : `${response.status} ${text.slice(0, 160)}`;
}

/** What the whole run came to: sequences, what was acknowledged before each copy, and the chains. */
async function judge(run: Run, backends: Awaited<ReturnType<typeof openBackends>>): Promise<void> {
  const { crowd, wrong, copies } = run;
  const bySequence = new Map<string, string>();
  const accepted = crowd.tries.filter(isAccepted);
  for (const { lotId, answer } of accepted) {
    if (answer.kind !== 'accepted') continue;
    const name = `lot ${lotId}, sequence ${answer.sequence}`;
    const known = bySequence.get(name);
    if (known !== undefined && known !== answer.bidId) wrong.push(`${name} was given out twice`);
    bySequence.set(name, answer.bidId);
  }
  const there = await run.projected();
  const mayBeLost = (bidId: string, returnedUs: number) =>
    copies.some(
      ({ keptUs, rebuiltUs, unprojected }) =>
        unprojected.has(bidId) || (returnedUs >= keptUs && returnedUs <= rebuiltUs + 200_000),
    );
  const lost = accepted.filter(
    ({ answer, returnedUs }) =>
      answer.kind === 'accepted' && !there.has(answer.bidId) && !mayBeLost(answer.bidId, returnedUs),
  );
  if (lost.length > 0) wrong.push(`${lost.length} bids that were acknowledged before a copy are not there`);
  const verified = await verifyJournal(backends, null);
  if (!verified.ok) wrong.push(`journal verify: ${verified.difference}`);
}

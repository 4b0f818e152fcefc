/**
 * One seed: a cast, operations drawn one after the other or given as a history, each sent to the real service and
 * compared with the model's prediction, and after each what people see.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Dice } from '../simulation/dice.ts';
import { sendSigned } from '../support/money.ts';
import { slowness } from '../support/slowness.ts';
import { AUCTION_KINDS } from './auction-kinds.ts';
import { BID_KINDS } from './bid-kinds.ts';
import { BIDDER_KINDS } from './bidder-kinds.ts';
import { compare, compareAll, differences } from './comparisons.ts';
import { CONSIGNOR_KINDS } from './consignor-kinds.ts';
import { DISPUTE_KINDS } from './dispute-kinds.ts';
import { LOSS_KINDS } from './loss-kinds.ts';
import { LOT_ENDS } from './lot-ends.ts';
import { LOT_KINDS } from './lot-kinds.ts';
import { castOfSeed } from './market-cast.ts';
import type { MarketService } from './market-service.ts';
import { MarketWorld } from './market-world.ts';
import { MONEY_KINDS } from './money-kinds.ts';
import { learnMoney } from './money-views.ts';
import { advance, advanceMoney, isDue } from './moves.ts';
import { OFFER_KINDS } from './offer-kinds.ts';
import type { Kind, Operation, Play, Until } from './operation.ts';
import { OWN_KINDS } from './own-kinds.ts';
import { Planner } from './planner.ts';
import { propose, WAIT } from './steering.ts';
import { TEAM_KINDS } from './team-kinds.ts';

export const KINDS: readonly Kind[] = [
  ...AUCTION_KINDS,
  ...LOT_KINDS,
  ...LOT_ENDS,
  ...BIDDER_KINDS,
  ...BID_KINDS,
  ...MONEY_KINDS,
  ...DISPUTE_KINDS,
  ...OFFER_KINDS,
  ...TEAM_KINDS,
  ...OWN_KINDS,
  ...CONSIGNOR_KINDS,
  ...LOSS_KINDS,
];
const KIND_OF = new Map(KINDS.map((kind) => [kind.name, kind]));
const STEP_MS = 10;

export interface Outcome {
  readonly seed: number;
  readonly history: readonly Operation[];
  /** What differed first, or null. */
  readonly failure: string | null;
  /** How often each operation was done with which answer, and each view compared. */
  readonly counts: ReadonlyMap<string, number>;
}

export interface Playing {
  readonly seed: number;
  /** How many operations to draw; or the ones to play. */
  readonly operations: number | readonly Operation[];
}

/** Plays until the first difference. */
export async function playSeed(market: MarketService, { seed, operations }: Playing): Promise<Outcome> {
  const dice = new Dice(seed);
  // What is compared must not depend on what was left out of a history.
  const chosen = typeof operations === 'number' ? null : operations;
  const length = chosen?.length ?? (operations as number);
  const planner = chosen === null ? Planner.of(seed) : null;
  const cast = await castOfSeed(market.service);
  const world = new MarketWorld({ ...cast, tag: `zq${tagOf()}`, nowUs: market.clock.nowUs });
  const counts = new Map<string, number>();
  const note = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
  const history: Operation[] = [];
  for (let at = 0; at < length; at += 1) {
    const operation = chosen?.[at] ?? planner?.next(world) ?? propose(world, dice, KINDS);
    history.push(operation);
    const eye = new Dice(hashOf(seed, operation));
    const failure = await step(world, market, operation, eye, note).catch((error: unknown) => {
      throw new Error(`seed ${seed}, ${JSON.stringify(operation)}`, { cause: error });
    });
    if (failure !== null) return { seed, history, failure, counts };
  }
  await work(world, market);
  const seen = await compareAll(world, market, new Dice(seed), (kind) => note(`view ${kind}`));
  const failure = seen === null ? null : `${seen.where} by ${seen.by}: ${seen.differences.join('; ')}`;
  return { seed, history, failure, counts };
}

let tags = 0;

/** No two seeds of a database share a word. */
function tagOf(): string {
  tags += 1;
  return [...`${tags * 7_919}`].map((digit) => 'bcdfghjklm'[Number(digit)]).join('');
}

/** The same operation is looked at in the same way, in whatever history. */
function hashOf(seed: number, operation: Operation): number {
  let hash = seed;
  for (const letter of JSON.stringify(operation)) hash = (hash * 31 + letter.charCodeAt(0)) % 2 ** 40;
  return hash;
}

/** Who does what is due: a worker that dies before its n-th statement, and another; or two at once. */
interface Wait {
  readonly crashAt?: number;
  readonly workers?: number;
}

/** All that is due happens, in the service and in the model; and what only its answers can say is read. */
async function work(
  world: MarketWorld,
  market: MarketService,
  { crashAt, workers }: Wait = {},
): Promise<void> {
  if (crashAt) await market.workAfterCrash(crashAt);
  else await (workers === 2 ? market.workAtOnce() : market.work());
  advance(world);
  await learnMoney(world, market);
  world.ledger.order();
  advanceMoney(world);
  await learnMoney(world, market);
}

/** One operation; gives what differs, or null. */
async function step(
  world: MarketWorld,
  market: MarketService,
  operation: Operation,
  eye: Dice,
  note: (what: string) => void,
): Promise<string | null> {
  const waitMs = operation.kind === WAIT ? Number(operation['ms']) : STEP_MS;
  await market.clock.moveTo(market.clock.nowMs + waitMs);
  world.nowUs = market.clock.nowUs;
  let touched: readonly string[] = [];
  if (operation.kind === WAIT) {
    // Cast: as it was proposed.
    const how = operation as Wait;
    note(how.crashAt ? `${WAIT}: the worker dies` : how.workers === 2 ? `${WAIT}: two workers` : WAIT);
    await work(world, market, how);
  } else {
    if (isDue(world)) await work(world, market);
    const kind = KIND_OF.get(operation.kind);
    // A page looks for its lot in the rows, also for whoever was let in a moment ago.
    if (kind?.settled === true || operation['form'] === true) await market.tick();
    const play = kind?.play(world, operation) ?? null;
    if (play === null) return null;
    const failure = await send(world, market, operation.kind, play, note);
    if (failure !== null) return failure;
    touched = play.touched ?? [];
    advance(world);
    // What was answered is there for the next reader, whether or not a worker has written it.
    if (operation.kind !== 'bid' || eye.chance(0.3)) await market.tick();
  }
  const seen = await compare(world, market, touched, eye, (kind) => note(`view ${kind}`));
  return seen === null ? null : `${seen.where} by ${seen.by}: ${seen.differences.join('; ')}`;
}

async function send(
  world: MarketWorld,
  market: MarketService,
  kind: string,
  { sent, expected, check, learn, until }: Play,
  note: (what: string) => void,
): Promise<string | null> {
  const { by, method, path, body, team, signed, command, call, key } = sent;
  if (call !== undefined) {
    const wrong = await call(market);
    note(`${kind}: 200`);
    return wrong.length === 0 ? null : `${method} ${path}: ${wrong.join('; ')}`;
  }
  const headers: Record<string, string> = team ? { 'x-team-id': String(world.teams[team].id) } : {};
  if (key !== undefined) headers['idempotency-key'] = key;
  const token = world.person(by)?.token;
  const { form, page } = sent;
  const request = () =>
    form === undefined
      ? market.service.call(method, path, { token, body, headers })
      : market.sendForm(world.person(by)?.email ?? '', { path, fields: form, page });
  // At once: both come before either is answered.
  const second = sent.twice === true ? request() : null;
  const answer =
    command !== undefined
      ? await market.run(command)
      : signed === true
        ? await sendSigned(market.service, JSON.stringify(body))
        : await request();
  const code: string | undefined = answer.body?.code;
  const label = `${answer.status}${code === undefined ? '' : ` ${code}`}`;
  note(`${kind}: ${label}`);
  const wanted = `${expected.status}${expected.code === undefined ? '' : ` ${expected.code}`}`;
  const asked = `${method} ${path} ${JSON.stringify(body ?? null)} by ${by}`;
  if (label !== wanted) return `${asked}: ${wanted} expected, not ${label} (${answer.text.slice(0, 300)})`;
  const wrong = expected.data === undefined ? [] : differences(expected.data, answer.body.data);
  if (check !== undefined && answer.status === 200) wrong.push(...check(answer.body.data));
  const other = await second;
  if (other !== null && !isDeepStrictEqual([other.status, other.body], [answer.status, answer.body]))
    wrong.push(`at once: ${answer.text.slice(0, 300)} and ${other.text.slice(0, 300)}`);
  if (wrong.length > 0) return `${asked}: ${wrong.join('; ')}`;
  learn?.(answer.body?.data);
  return until === undefined ? null : arrival(world, market, until);
}

/** Waits for a change to be seen, which may take a second; gives what is still answered. */
async function arrival(world: MarketWorld, market: MarketService, until: Until): Promise<string | null> {
  const { by, method, path, status, team } = until;
  const headers: Record<string, string> = team ? { 'x-team-id': String(world.teams[team].id) } : {};
  for (const startedMs = performance.now(); ; await sleep(5)) {
    const answer = await market.service.call(method, path, { token: world.person(by)?.token, headers });
    if (status === 'not 403' ? answer.status !== 403 : answer.status === status) return null;
    if (performance.now() - startedMs > 1_000 * slowness())
      return `${method} ${path} by ${by}: ${status} expected within a second, not ${answer.status}`;
  }
}

/**
 * `npm run attack:guessing`: a stranger tries 10,000 passwords, 400 at once, against real hashes on a web process, from
 * one address and then from 2,500, each of a network of its own. Meanwhile the owner signs in with the browser that
 * they have, and with new ones at home and in places that nobody has seen; others read, bid, and sign in with new browsers. How
 * these fare is held against a quarter of a minute before and after it. Prints what became of the tries, how the owner
 * and the others fared; exits 1 where the owner was kept out or the others waited more than twice as long. `TRIES`,
 * `ADDRESSES=1,2500`, `AT_ONCE` and `SECONDS` (at most, for each) change it. Takes some seven minutes.
 */
import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { hashPassword } from '../../src/accounts/people/password.ts';
import { BrowserLike, signIn } from '../support/browser-like.ts';
import { aLot, anAuction, aToken, aUser } from '../support/builders.ts';
import { openMarket } from '../support/market.ts';
import type { Orders } from './stranger.ts';

const TRIES = Number(process.env['TRIES'] ?? 10_000);
const ADDRESSES = (process.env['ADDRESSES'] ?? '1,2500').split(',').map(Number);
const MAX_SECONDS = Number(process.env['SECONDS'] ?? 180);
const AT_ONCE = Number(process.env['AT_ONCE'] ?? 400);
const QUIET_MS = 15_000;
/** What waits for its hash when the last try is made is hashed by then. */
const DRAIN_MS = 11_000;
const READERS = 3;
/** A person gives up. */
const PATIENCE_MS = 60_000;
const PASSWORD = 'a long enough password';

const quantile = (times: readonly number[], share: number): number =>
  [...times].sort((one, other) => one - other)[Math.floor(times.length * share)] ?? 0;

type Phase = 'quiet' | 'attacked' | 'between' | 'over';

/** How long something took, separately while the stranger was idle and while they tried. */
class Times {
  readonly quiet: number[] = [];
  readonly attacked: number[] = [];
  /** The quantile that is compared; the rarer something is, the lower. */
  readonly share: number;

  constructor(share: number) {
    this.share = share;
  }

  add(phase: Phase, ms: number): void {
    if (phase === 'quiet' || phase === 'attacked') this[phase].push(ms);
  }

  get slowdown(): number {
    return quantile(this.attacked, this.share) / quantile(this.quiet, this.share);
  }

  say(): string {
    const name = `p${this.share * 100}`;
    const of = (times: readonly number[]) =>
      `p50 ${quantile(times, 0.5).toFixed(1)}, ${name} ${quantile(times, this.share).toFixed(1)} ms (${times.length})`;
    return `quiet ${of(this.quiet)}; attacked ${of(this.attacked)}; ${name} × ${this.slowdown.toFixed(2)}`;
  }
}

interface Scene {
  readonly url: string;
  readonly lots: readonly number[];
  readonly token: string;
  /** Somebody who is not attacked. */
  readonly other: string;
}

/** A sign-in by the owner: whether it succeeded, after how long, and how often they were told to try again. */
interface OwnSignIn {
  readonly isIn: boolean;
  readonly ms: number;
  readonly sentAway: number;
}

interface Fight {
  readonly reads: Times;
  readonly bids: Times;
  readonly signIns: Times;
  readonly known: OwnSignIn[];
  readonly atHome: OwnSignIn[];
  readonly unknown: OwnSignIn[];
  readonly refusedOthers: Record<string, number>;
  became: Record<string, number> | null;
}

interface Clock {
  phase: Phase;
}

/** Runs the attack between two quiet times, with the others and the owner alongside it. */
async function fight(scene: Scene, email: string, known: BrowserLike, addresses: number): Promise<Fight> {
  const { url } = scene;
  const stranger = fork(fileURLToPath(new URL('./stranger.ts', import.meta.url)), {
    execArgv: process.execArgv,
  });
  const [reads, bids, signIns] = [new Times(0.99), new Times(0.99), new Times(0.9)];
  const result: Fight = {
    reads,
    bids,
    signIns,
    known: [],
    atHome: [],
    unknown: [],
    refusedOthers: {},
    became: null,
  };
  const clock: Clock = { phase: 'quiet' };
  const owner = async (own: OwnSignIn[], pauseMs: number, browser: (n: number) => BrowserLike) => {
    for (let n = 0; clock.phase !== 'over'; n++) {
      // In quiet times too: what the owner's own hashes cost the others is none of the stranger's doing.
      const signedIn = await persist(browser(n), email);
      if (clock.phase === 'attacked') own.push(signedIn);
      await sleep(pauseMs);
    }
  };
  const running = [
    ...othersOf(scene, result, clock),
    owner(result.known, 1_000, () => known),
    owner(
      result.atHome,
      2_000,
      (n) => new BrowserLike(url, { 'x-forwarded-for': `203.0.113.${2 + (n % 250)}` }),
    ),
    owner(result.unknown, 2_000, (n) => new BrowserLike(url, { 'x-forwarded-for': `150.${n & 255}.7.7` })),
  ];
  await sleep(QUIET_MS);
  const became = new Promise<Record<string, number>>((resolve) => stranger.once('message', resolve));
  const orders: Orders = { url, email, tries: TRIES, addresses, atOnce: AT_ONCE };
  stranger.send(orders);
  clock.phase = 'attacked';
  result.became = await Promise.race([became, sleep(MAX_SECONDS * 1_000, null)]);
  clock.phase = 'between';
  stranger.disconnect();
  await sleep(DRAIN_MS);
  clock.phase = 'quiet';
  await sleep(QUIET_MS);
  clock.phase = 'over';
  await Promise.all(running);
  return result;
}

/** Signs the owner in, retrying when told to, for as long as a person would. */
async function persist(browser: BrowserLike, email: string): Promise<OwnSignIn> {
  const startMs = performance.now();
  for (let sentAway = 0; ; sentAway++) {
    const { status } = await signIn(browser, email, PASSWORD);
    const ms = performance.now() - startMs;
    if (status !== 503 || ms > PATIENCE_MS) return { isIn: status === 303, ms, sentAway };
    await sleep(1_000);
  }
}

/** People who use the service: they read, bid and sign in. */
function othersOf(
  { url, lots, token, other }: Scene,
  { reads, bids, signIns, refusedOthers }: Fight,
  clock: Clock,
): Promise<void>[] {
  const again = async (times: Times, pauseMs: number, act: (n: number) => Promise<number>) => {
    for (let n = 0; clock.phase !== 'over'; n++) {
      const [startMs, phase] = [performance.now(), clock.phase];
      const status = await act(n);
      if (status >= 400) refusedOthers[status] = (refusedOthers[status] ?? 0) + 1;
      if (phase === clock.phase) times.add(phase, performance.now() - startMs);
      await sleep(pauseMs);
    }
  };
  const read = async () => {
    const response = await fetch(`${url}/api/v1/lots`);
    await response.arrayBuffer();
    return response.status;
  };
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const bid = async (n: number) => {
    const body = JSON.stringify({ max_amount: String(1_000 + n) });
    const response = await fetch(`${url}/api/v1/lots/${lots[n % lots.length]}/bids`, {
      method: 'POST',
      headers,
      body,
    });
    await response.arrayBuffer();
    return response.status;
  };
  const newcomer = async (n: number) => {
    const browser = new BrowserLike(url, { 'x-forwarded-for': `10.20.${(n >> 8) & 255}.${n & 255}` });
    return (await signIn(browser, other, PASSWORD)).status;
  };
  return [
    ...Array.from({ length: READERS }, () => again(reads, 20, read)),
    again(bids, 50, bid),
    again(signIns, 500, newcomer),
  ];
}

/** The owner's sign-ins in words; nobody is kept out where all came to be. */
function ownersWords(own: readonly OwnSignIn[]): string {
  const out = own.filter(({ isIn }) => !isIn).length;
  const sentAway = own.reduce((all, one) => all + one.sentAway, 0);
  const times = own.map(({ ms }) => ms);
  const [median, slowest] = [quantile(times, 0.5), Math.max(0, ...times)].map((ms) => ms.toFixed(0));
  return `${own.length} sign-ins, ${out} kept out, told to come back ${sentAway} times, p50 ${median}, slowest ${slowest} ms`;
}

async function main(): Promise<boolean> {
  const market = await openMarket();
  const auction = await anAuction(market.db);
  const lots: number[] = [];
  for (let n = 0; n < 20; n += 1) lots.push((await aLot(market.db, { auction_id: auction.id })).id);
  await market.publish(auction.id);
  const { url } = await market.webProcess({ TRUST_PROXY: '127.0.0.1' });
  const somebody = async () => aUser(market.db, { password_hash: await hashPassword(PASSWORD) });
  const bidder = await somebody();
  const { token } = await aToken(market.db, { user: bidder });
  const scene: Scene = { url, lots, token, other: (await somebody()).email };
  let good = true;
  for (const addresses of ADDRESSES) {
    const { email } = await somebody();
    const known = new BrowserLike(url, { 'x-forwarded-for': '203.0.113.1' });
    await signIn(known, email, PASSWORD);
    const result = await fight(scene, email, known, addresses);
    const { became, refusedOthers, ...kinds } = result;
    const tries = became === null ? 'not done in time' : JSON.stringify(became);
    console.log(`${addresses} addresses; tries by status: ${tries}`);
    console.log(`owner, known browser: ${ownersWords(result.known)}`);
    console.log(`owner, new browser at home: ${ownersWords(result.atHome)}`);
    console.log(`owner, new browser in a new place: ${ownersWords(result.unknown)}`);
    const { reads, bids, signIns } = kinds;
    for (const [kind, times] of Object.entries({ reads, bids, 'sign-ins': signIns })) {
      const isGood = times.slowdown <= 2;
      console.log(`others' ${kind}: ${times.say()} ${isGood ? '(good: at most 2)' : '(BAD: more than 2)'}`);
      good &&= isGood;
    }
    console.log(`others refused: ${JSON.stringify(refusedOthers)}`);
    const { known: own, atHome, unknown } = result;
    good &&= [...own, ...atHome, ...unknown].every(({ isIn }) => isIn) && became !== null;
  }
  // The shared servers end with this process, which must not wait for them to close.
  await Promise.race([market.close(), sleep(5_000)]);
  return good;
}

process.exit((await main()) ? 0 : 1);

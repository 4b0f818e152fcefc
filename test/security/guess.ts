/**
 * `npm run attack:guessing`: a stranger tries 10,000 passwords, fifty at once, against real hashes on a web process,
 * from one address and then from 2,500, while the owner signs in, and others read, bid, and sign in with browsers that
 * nobody has seen before. The stranger stands still every other three seconds, so that the others' 99th percentile with
 * and without the attack is of the same machine. Prints what became of the tries, how long the owner took, and how the
 * others fared; exits 1 where the owner was kept out or the others waited more than twice as long. `TRIES`,
 * `ADDRESSES=1,2500` and `SECONDS` (at most, for each) change it.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { hashPassword } from '../../src/accounts/people/password.ts';
import { BrowserLike, signIn } from '../support/browser-like.ts';
import { aLot, anAuction, aToken, aUser } from '../support/builders.ts';
import { openMarket } from '../support/market.ts';
import type { Orders } from './stranger.ts';

const TRIES = Number(process.env['TRIES'] ?? 10_000);
const ADDRESSES = (process.env['ADDRESSES'] ?? '1,2500').split(',').map(Number);
const MAX_SECONDS = Number(process.env['SECONDS'] ?? 900);
const AT_ONCE = 50;
const WINDOW_MS = 3_000;
const READERS = 3;
const PASSWORD = 'a long enough password';

const quantile = (times: readonly number[], share: number): number =>
  [...times].sort((one, other) => one - other)[Math.floor(times.length * share)] ?? 0;

/** How long something took, apart for while the stranger stood still and while they tried. */
class Times {
  readonly quiet: number[] = [];
  readonly attacked: number[] = [];

  add(during: boolean, ms: number): void {
    (during ? this.attacked : this.quiet).push(ms);
  }

  get slowdown(): number {
    return quantile(this.attacked, 0.99) / quantile(this.quiet, 0.99);
  }

  say(): string {
    const of = (times: readonly number[]) =>
      `p50 ${quantile(times, 0.5).toFixed(1)}, p99 ${quantile(times, 0.99).toFixed(1)} ms (${times.length})`;
    return `quiet ${of(this.quiet)}; attacked ${of(this.attacked)}; p99 × ${this.slowdown.toFixed(2)}`;
  }
}

interface Scene {
  readonly url: string;
  readonly lots: readonly number[];
  readonly token: string;
  /** Somebody who is not attacked. */
  readonly other: string;
}

interface Fight {
  readonly reads: Times;
  readonly bids: Times;
  readonly signIns: Times;
  readonly owner: { status: number; ms: number }[];
  readonly refusedOthers: Record<string, number>;
  became: Record<string, number> | null;
}

/** Runs the attack in windows, with the others and the owner beside it. */
async function fight(scene: Scene, email: string, known: BrowserLike, addresses: number): Promise<Fight> {
  const { url } = scene;
  const stranger = fork(fileURLToPath(new URL('./stranger.ts', import.meta.url)), {
    execArgv: process.execArgv,
  });
  const [reads, bids, signIns] = [new Times(), new Times(), new Times()];
  const result: Fight = { reads, bids, signIns, owner: [], refusedOthers: {}, became: null };
  const state = { attacking: false, over: false };
  const others = othersOf(scene, result, state);
  const owner = async () => {
    while (!state.over) {
      const [startMs, during] = [performance.now(), state.attacking];
      const { status } = await signIn(known, email, PASSWORD);
      if (during) result.owner.push({ status, ms: performance.now() - startMs });
      await sleep(1_000);
    }
  };
  const became = new Promise<Record<string, number>>((resolve) => stranger.once('message', resolve));
  const running = [...others, owner()];
  const orders: Orders = { url, email, tries: TRIES, addresses, atOnce: AT_ONCE };
  stranger.send('stand');
  stranger.send(orders);
  result.became = await windows(stranger, became, (now) => {
    state.attacking = now;
  });
  state.over = true;
  await Promise.all(running);
  stranger.disconnect();
  return result;
}

/** People who use the service: they read, bid and sign in. */
function othersOf(
  { url, lots, token, other }: Scene,
  { reads, bids, signIns, refusedOthers }: Fight,
  state: { readonly attacking: boolean; readonly over: boolean },
): Promise<void>[] {
  const again = async (times: Times, pauseMs: number, act: (n: number) => Promise<number>) => {
    for (let n = 0; !state.over; n++) {
      const [startMs, during] = [performance.now(), state.attacking];
      const status = await act(n);
      if (status >= 400) refusedOthers[status] = (refusedOthers[status] ?? 0) + 1;
      if (during === state.attacking) times.add(during, performance.now() - startMs);
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

async function windows(
  stranger: ChildProcess,
  became: Promise<Record<string, number>>,
  note: (attacking: boolean) => void,
): Promise<Record<string, number> | null> {
  const endMs = Date.now() + MAX_SECONDS * 1_000;
  for (;;) {
    await sleep(WINDOW_MS);
    stranger.send('go');
    // Only what is under attack from the start counts.
    await sleep(200);
    note(true);
    const done = await Promise.race([became, sleep(WINDOW_MS, null)]);
    note(false);
    if (done !== null || Date.now() > endMs) return done;
    stranger.send('stand');
    await sleep(2_000);
  }
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
    const { owner, became, refusedOthers, ...kinds } = await fight(scene, email, known, addresses);
    const out = owner.filter(({ status }) => status !== 303).length;
    const slowest = Math.max(0, ...owner.map(({ ms }) => ms));
    const tries = became === null ? 'not done in time' : JSON.stringify(became);
    console.log(`${addresses} addresses; tries by status: ${tries}`);
    console.log(`owner: ${owner.length} sign-ins, ${out} kept out, slowest ${slowest.toFixed(0)} ms`);
    const { reads, bids, signIns } = kinds;
    for (const [kind, times] of Object.entries({ reads, bids, 'sign-ins': signIns })) {
      console.log(`others' ${kind}: ${times.say()}`);
      good &&= times.slowdown <= 2;
    }
    console.log(`others refused: ${JSON.stringify(refusedOthers)}`);
    good &&= out === 0 && became !== null;
  }
  // The shared servers end with this process; closing must not be what it waits for.
  await Promise.race([market.close(), sleep(5_000)]);
  return good;
}

process.exit((await main()) ? 0 : 1);

/**
 * `npm run attack:guessing`: a stranger tries 10,000 passwords, fifty at once, against real hashes on a web process,
 * from one address and then from 2,500, while the owner signs in and others read. The stranger stands still every
 * other five seconds, so that the others' 99th percentile with and without the attack is of the same machine. Prints
 * what became of the tries, how long the owner took, and how the others fared; exits 1 where the owner was kept out
 * or the others waited more than twice as long. `TRIES`, `ADDRESSES=1,2500` and `SECONDS` (at most, for each) change it.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { hashPassword } from '../../src/accounts/people/password.ts';
import { BrowserLike, signIn } from '../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../support/builders.ts';
import { openMarket } from '../support/market.ts';
import type { Orders } from './stranger.ts';

const TRIES = Number(process.env['TRIES'] ?? 10_000);
const ADDRESSES = (process.env['ADDRESSES'] ?? '1,2500').split(',').map(Number);
const MAX_SECONDS = Number(process.env['SECONDS'] ?? 600);
const AT_ONCE = 50;
const WINDOW_MS = 5_000;
const READERS = 4;
const PASSWORD = 'a long enough password';

const quantile = (times: readonly number[], share: number): number =>
  [...times].sort((one, other) => one - other)[Math.floor(times.length * share)] ?? 0;

interface Fight {
  readonly quiet: number[];
  readonly attacked: number[];
  readonly signIns: { status: number; ms: number }[];
  readonly became: Record<string, number> | null;
}

/** Runs the attack in windows, with the readers and the owner beside it. */
async function fight(url: string, email: string, known: BrowserLike, addresses: number): Promise<Fight> {
  const stranger = fork(fileURLToPath(new URL('./stranger.ts', import.meta.url)), {
    execArgv: process.execArgv,
  });
  const result: Fight = { quiet: [], attacked: [], signIns: [], became: null };
  let attacking = false;
  let over = false;
  const reader = async () => {
    while (!over) {
      const [startMs, during] = [performance.now(), attacking];
      await (await fetch(`${url}/api/v1/lots`)).arrayBuffer();
      if (during === attacking) (during ? result.attacked : result.quiet).push(performance.now() - startMs);
      await sleep(20);
    }
  };
  const owner = async () => {
    while (!over) {
      const [startMs, during] = [performance.now(), attacking];
      const { status } = await signIn(known, email, PASSWORD);
      if (during) result.signIns.push({ status, ms: performance.now() - startMs });
      await sleep(1_000);
    }
  };
  const became = new Promise<Record<string, number>>((resolve) => stranger.once('message', resolve));
  const others = [...Array.from({ length: READERS }, reader), owner()];
  const orders: Orders = { url, email, tries: TRIES, addresses, atOnce: AT_ONCE };
  stranger.send('stand');
  stranger.send(orders);
  const done = await windows(stranger, became, (now) => {
    attacking = now;
  });
  over = true;
  await Promise.all(others);
  stranger.disconnect();
  return { ...result, became: done };
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
  for (let n = 0; n < 20; n += 1) await aLot(market.db, { auction_id: auction.id });
  await market.publish(auction.id);
  const { url } = await market.webProcess({ TRUST_PROXY: '127.0.0.1' });
  let good = true;
  for (const addresses of ADDRESSES) {
    const { email } = await aUser(market.db, { password_hash: await hashPassword(PASSWORD) });
    const known = new BrowserLike(url, { 'x-forwarded-for': '203.0.113.1' });
    await signIn(known, email, PASSWORD);
    const { quiet, attacked, signIns, became } = await fight(url, email, known, addresses);
    const out = signIns.filter(({ status }) => status !== 303).length;
    const slowest = Math.max(0, ...signIns.map(({ ms }) => ms));
    const [before, during] = [quantile(quiet, 0.99), quantile(attacked, 0.99)];
    console.log(
      `${addresses} addresses; tries by status: ${became === null ? 'not done in time' : JSON.stringify(became)}`,
    );
    console.log(`owner: ${signIns.length} sign-ins, ${out} kept out, slowest ${slowest.toFixed(0)} ms`);
    const medians = `${quantile(quiet, 0.5).toFixed(1)} and ${quantile(attacked, 0.5).toFixed(1)} ms`;
    console.log(
      `others: p50 ${medians}, p99 ${before.toFixed(1)} ms quiet, ${during.toFixed(1)} ms attacked`,
    );
    good &&= out === 0 && during <= 2 * before;
  }
  // The shared servers end with this process; closing must not be what it waits for.
  await Promise.race([market.close(), sleep(5_000)]);
  return good;
}

process.exit((await main()) ? 0 : 1);

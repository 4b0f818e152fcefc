/**
 * `npm run attack:guessing`: a stranger tries 10,000 passwords from 2,500 addresses, fifty at once, against real
 * hashes, while the owner signs in and others read. Prints what became of the tries, how long the owner took, and the
 * others' 99th percentile before and during the attack; exits 1 where the owner was kept out or the others waited
 * more than twice as long.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { hashPassword } from '../../src/accounts/people/password.ts';
import { BrowserLike, signIn } from '../support/browser-like.ts';
import { aUser } from '../support/builders.ts';
import { type Service, startService } from '../support/service.ts';

const TRIES = Number(process.env['TRIES'] ?? 10_000);
const ADDRESSES = 2_500;
const AT_ONCE = 50;
const PASSWORD = 'a long enough password';

const p99 = (times: readonly number[]): number =>
  [...times].sort((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0;

/** Reads at a steady pace until told to stop; how long each took, in milliseconds. */
async function readSteadily(service: Service, goesOn: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (goesOn()) {
    const startMs = performance.now();
    await (await fetch(`${service.url}/api/v1/lots`)).arrayBuffer();
    times.push(performance.now() - startMs);
    await sleep(10);
  }
  return times;
}

async function attack(service: Service, email: string): Promise<Map<number, number>> {
  const became = new Map<number, number>();
  let next = 0;
  const stranger = async () => {
    while (next < TRIES) {
      const n = next++;
      const place = n % ADDRESSES;
      const browser = new BrowserLike(service.url, {
        'x-forwarded-for': `10.9.${place >> 8}.${place & 255}`,
      });
      const { status } = await signIn(browser, email, `guess ${n}`);
      became.set(status, (became.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, stranger));
  return became;
}

async function main(): Promise<boolean> {
  const service = await startService({ env: { TRUST_PROXY: '127.0.0.1' } });
  const { email } = await aUser(service.database, { password_hash: await hashPassword(PASSWORD) });
  const known = new BrowserLike(service.url, { 'x-forwarded-for': '203.0.113.1' });
  await signIn(known, email, PASSWORD);
  const quietUntil = Date.now() + 5_000;
  const before = p99(await readSteadily(service, () => Date.now() < quietUntil));
  let attacking = true;
  const reading = readSteadily(service, () => attacking);
  const owner = (async () => {
    const seen: { status: number; ms: number }[] = [];
    while (attacking) {
      const startMs = performance.now();
      const { status } = await signIn(known, email, PASSWORD);
      seen.push({ status, ms: performance.now() - startMs });
      await sleep(1_000);
    }
    return seen;
  })();
  const became = await attack(service, email);
  attacking = false;
  const [during, signIns] = [p99(await reading), await owner];
  const out = signIns.filter(({ status }) => status !== 303).length;
  const slowest = Math.max(...signIns.map(({ ms }) => ms));
  console.log(`tries by status: ${JSON.stringify(Object.fromEntries(became))}`);
  console.log(`owner: ${signIns.length} sign-ins, ${out} kept out, slowest ${slowest.toFixed(0)} ms`);
  console.log(`others, p99: ${before.toFixed(1)} ms before, ${during.toFixed(1)} ms during`);
  // The shared servers end with this process; closing must not be what it waits for.
  await Promise.race([service.close(), sleep(5_000)]);
  return out === 0 && during <= 2 * before;
}

process.exit((await main()) ? 0 : 1);

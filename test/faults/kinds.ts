/**
 * The kinds of faults: each strikes one part of the setting, lets it be for a while and heals it. What a kind needs of
 * the machine it says itself. Called by the run, one after the other.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { below, type Dice } from '../history/random-histories.ts';
import { backUpAndRestore } from './backup-fault.ts';
import { standbyLacks } from './postgres-host.ts';
import type { Setting } from './setting.ts';

/** What a strike says when it is over. */
export interface Healed {
  /** From when to when the journal could not be reached, where that is the fault. */
  readonly journalOutage: { readonly fromUs: number; readonly toUs: number } | null;
  /** Only a bid taken by this web process shows that the part is back. */
  readonly slot: number | null;
}

export interface Strike extends Setting {
  readonly dice: Dice;
  /** How many faults of this kind came before. */
  readonly before: number;
  /** How long a part is unavailable, for faults that stop it. */
  readonly outageMs: number;
}

export interface FaultKind {
  readonly name: string;
  /** About how long it strikes, in milliseconds: lots are made to come due around its end. */
  readonly lastsMs: (outageMs: number) => number;
  /** What this machine lacks for it, or null. */
  readonly lacks: (setting: { readonly smallDisk: boolean }) => string | null;
  readonly strike: (setting: Strike) => Promise<Healed>;
}

const nothingLacks = () => null;
const unharmed: Healed = { journalOutage: null, slot: null };

async function pausing(strike: Strike, workers: boolean): Promise<Healed> {
  const { dice, webs } = strike;
  const members = workers ? strike.workers : webs;
  const at = below(dice, members.length);
  members[at]!.signal('SIGSTOP');
  await sleep(1_500 + dice() * 2_000);
  members[at]!.signal('SIGCONT');
  return { journalOutage: null, slot: workers ? null : at };
}

async function killing(strike: Strike, workers: boolean): Promise<Healed> {
  const { dice, webs } = strike;
  const members = workers ? strike.workers : webs;
  const at = below(dice, members.length);
  await members[at]!.kill();
  return { journalOutage: null, slot: workers ? null : at };
}

async function shiftingClock(strike: Strike): Promise<Healed> {
  const { before, dice } = strike;
  const isWorker = before % 3 === 2;
  const members = isWorker ? strike.workers : strike.webs;
  const at = below(dice, members.length);
  await members[at]!.kill(before % 2 === 0 ? 30_000 : -30_000);
  await sleep(3_000);
  await members[at]!.kill();
  return { journalOutage: null, slot: isWorker ? null : at };
}

/** The machine's clock jumps an hour ahead under a process that runs, and is put right again. */
async function jumpingClock(strike: Strike): Promise<Healed> {
  const { before, dice } = strike;
  const isWorker = before % 2 === 1;
  const members = isWorker ? strike.workers : strike.webs;
  const at = below(dice, members.length);
  members[at]!.signal('SIGUSR2');
  await sleep(3_000);
  members[at]!.signal('SIGUSR2');
  return { journalOutage: null, slot: isWorker ? null : at };
}

async function stalledProcess(strike: Strike): Promise<Healed> {
  const { before, dice } = strike;
  const isWorker = before % 2 === 1;
  const members = isWorker ? strike.workers : strike.webs;
  const at = below(dice, members.length);
  members[at]!.signal('SIGWINCH');
  await sleep(STANDSTILL_MS);
  return { journalOutage: null, slot: isWorker ? null : at };
}

const STANDSTILL_MS = 5_000;

/** In turn gone altogether and standing still with its connections open. */
async function redisOutage({ redis, nowUs, before, outageMs }: Strike): Promise<Healed> {
  const fromUs = nowUs();
  if (before % 2 === 0) {
    await redis.holdDown();
    await sleep(outageMs);
    await redis.release();
  } else {
    redis.signal('SIGSTOP');
    await sleep(outageMs);
    redis.signal('SIGCONT');
  }
  return { journalOutage: { fromUs, toUs: nowUs() }, slot: null };
}

/** In turn somewhat slow, and so slow that a write waits for the one before it. */
async function redisKilledWhileSlow({ redis, nowUs, dice, before }: Strike): Promise<Healed> {
  await redis.slowFsync(before % 2 === 0 ? 1_000_000 + below(dice, 500_000) : 20_000 + below(dice, 60_000));
  await sleep(1_500 + dice() * 500);
  const fromUs = nowUs();
  redis.signal('SIGKILL');
  await redis.untilGone(5_000);
  await redis.untilUp();
  return { journalOutage: { fromUs, toUs: nowUs() }, slot: null };
}

async function redisDiskFull({ redis, nowUs }: Strike): Promise<Healed> {
  await redis.fillDisk();
  const gone = await redis.untilGone(10_000);
  if (!gone) throw new Error('Redis lives on with a full disk');
  // While its disk was being filled, and until it had to write, it still took bids and closed lots.
  const fromUs = nowUs();
  await sleep(2_000);
  await redis.makeRoom();
  await redis.untilUp();
  return { journalOutage: { fromUs, toUs: nowUs() }, slot: null };
}

/** In turn standing still with its connections open and gone altogether. */
async function postgresOutage({ postgres, before, outageMs }: Strike): Promise<Healed> {
  const stands = before % 2 === 0 && existsSync('/proc/self');
  await (stands ? postgres!.signal('SIGSTOP') : postgres!.crash());
  await sleep(outageMs);
  await (stands ? postgres!.signal('SIGCONT') : postgres!.start());
  return unharmed;
}

/**
 * In turn with a standby that has everything and with one that lacks the last second. The server that was replaced
 * comes back as it was, alongside a web process that has just started and knows of no failover.
 */
async function postgresFailover({ postgres, webs, dice, before }: Strike): Promise<Healed> {
  const isSynchronous = before % 2 === 0;
  await postgres!.addStandby(isSynchronous);
  if (!isSynchronous) {
    await postgres!.cutStandby();
    while ((await postgres!.projectedAhead()) === 0) await sleep(200);
  }
  await postgres!.crash();
  await sleep(1_000);
  await postgres!.promote();
  await postgres!.reviveReplaced();
  const at = below(dice, webs.length);
  await webs[at]!.kill();
  await sleep(1_000);
  await postgres!.endReplaced();
  return { journalOutage: null, slot: at };
}

export const KINDS: readonly FaultKind[] = [
  {
    name: 'web process killed',
    lastsMs: () => 1_500,
    lacks: nothingLacks,
    strike: (strike) => killing(strike, false),
  },
  {
    name: 'worker process killed',
    lastsMs: () => 1_500,
    lacks: nothingLacks,
    strike: (strike) => killing(strike, true),
  },
  {
    name: 'web process stopped',
    lastsMs: () => 2_500,
    lacks: nothingLacks,
    strike: (strike) => pausing(strike, false),
  },
  {
    name: 'worker process stopped',
    lastsMs: () => 2_500,
    lacks: nothingLacks,
    strike: (strike) => pausing(strike, true),
  },
  {
    name: 'Redis killed while fsync is slow',
    lastsMs: () => 2_500,
    lacks: () => straceLacks(),
    strike: redisKilledWhileSlow,
  },
  {
    name: 'Redis disk full',
    lastsMs: () => 4_000,
    lacks: ({ smallDisk }) => (smallDisk ? null : 'it takes root, who may mount a small file system'),
    strike: redisDiskFull,
  },
  { name: 'Redis unavailable', lastsMs: (outageMs) => outageMs, lacks: nothingLacks, strike: redisOutage },
  {
    name: 'Postgres unavailable',
    lastsMs: (outageMs) => outageMs,
    lacks: nothingLacks,
    strike: postgresOutage,
  },
  {
    name: 'Postgres failover',
    lastsMs: () => 10_000,
    lacks: () => standbyLacks(),
    strike: postgresFailover,
  },
  {
    name: 'replies cut before the client',
    lastsMs: () => 1_000,
    lacks: nothingLacks,
    async strike({ clientWires, dice }) {
      for (const wire of clientWires) wire.loseAnswers('POST /api/v1/lots/', 3 + below(dice, 5));
      await sleep(1_000);
      return unharmed;
    },
  },
  {
    name: 'replies cut before the web process',
    lastsMs: () => 1_000,
    lacks: nothingLacks,
    async strike({ redisWire, dice }) {
      for (let times = 3 + below(dice, 3); times > 0; times -= 1) {
        redisWire.loseAnswers('EVALSHA', 1 + below(dice, 2));
        await sleep(300);
      }
      return unharmed;
    },
  },
  { name: 'clock 30 s off', lastsMs: () => 5_000, lacks: nothingLacks, strike: shiftingClock },
  { name: 'clock jumps by an hour', lastsMs: () => 3_000, lacks: nothingLacks, strike: jumpingClock },
  {
    name: 'event loop stands still',
    lastsMs: () => STANDSTILL_MS,
    lacks: nothingLacks,
    strike: stalledProcess,
  },
  {
    name: 'rolling restart',
    lastsMs: () => 10_000,
    lacks: nothingLacks,
    async strike({ workers, webs }) {
      for (const member of [...workers, ...webs]) await member.replace();
      return unharmed;
    },
  },
  {
    name: 'backup under load, restored',
    lastsMs: () => 10_000,
    lacks: nothingLacks,
    async strike(strike) {
      await backUpAndRestore(strike, strike.before);
      return unharmed;
    },
  },
  {
    name: 'Postgres disk full',
    lastsMs: () => 5_000,
    lacks: ({ smallDisk }) => (smallDisk ? null : 'it takes root, who may mount a small file system'),
    async strike({ postgres }) {
      await postgres!.fillDisk();
      await sleep(3_000);
      await postgres!.makeRoom();
      return unharmed;
    },
  },
];

let strace: string | null | undefined;

/** Tries it on a process of our own: strace may be there and yet not be let in. */
function straceLacks(): string | null {
  if (strace !== undefined) return strace;
  try {
    const inject = ['-e', 'trace=fdatasync', '-e', 'inject=fdatasync:delay_enter=1'];
    execFileSync('strace', ['-f', '-qq', ...inject, '-o', '/dev/null', 'true'], { stdio: 'ignore' });
    strace = null;
  } catch {
    strace = 'it takes strace, and to be let trace processes';
  }
  return strace;
}

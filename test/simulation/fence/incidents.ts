/**
 * What happens to the processes and the servers of a run until its faults end: kills, stops, Postgres away, and a Redis
 * that goes away and returns with its own disk, with an older one, empty, or as its replica.
 */
import { shardKeys } from '../../../adapters/redis/shards.ts';
import type { FenceProcess } from './process.ts';
import { rebuild } from './projection.ts';
import { type Disk, EMPTY, type Host, type Run } from './servers.ts';
import type { FenceWorld } from './world.ts';

/** How a server returns. */
const RETURNS = ['same', 'same', 'one', 'one', 'one', 'many', 'many', 'life', 'before', 'empty'] as const;
type Return = (typeof RETURNS)[number];

/** Earlier states of a server's disk. */
interface Copies {
  /** Taken now and then, the newest last. */
  readonly regular: Disk[];
  /** As it was when the journal was rebuilt last. */
  life: Disk;
  /** As it was when the server ended last. */
  before: Disk;
  /** The replica, and what it had received when it lost touch; null: it is in touch. */
  replica: Run | null;
  received: Disk | null;
}

const COPY_US = 500_000;
const KEPT = 8;
const LOOK_US = 10_000;

export class Incidents {
  readonly #world: FenceWorld;
  readonly #processes: readonly FenceProcess[];
  readonly #operator: FenceProcess;
  readonly #copies = new Map<Host, Copies>();
  #isRebuilding = false;
  #life = 0;

  constructor(world: FenceWorld, processes: readonly FenceProcess[], operator: FenceProcess) {
    this.#world = world;
    this.#processes = processes;
    this.#operator = operator;
    for (const host of world.hosts)
      this.#copies.set(host, {
        ...{ regular: [], life: EMPTY, before: EMPTY, received: null },
        replica: world.plan.hasReplica ? host.newRun(EMPTY) : null,
      });
  }

  begin(): void {
    this.#copy();
    this.#next();
    this.#attend();
  }

  /** The operator looks after it now and then. */
  #attend(): void {
    const { time, dice } = this.#world;
    time.after(dice.between(500_000, 4_000_000), () => {
      if (this.#world.faultsAreOver) return;
      const says = this.#processes.some(({ trouble }) => trouble?.includes('journal rebuild') === true);
      if (says) void this.act();
      this.#attend();
    });
  }

  #copy(): void {
    const { truth, time } = this.#world;
    for (const [host, copies] of this.#copies) {
      if (host.run === null) continue;
      if (truth.life > this.#life) copies.life = copies.regular.at(-1) ?? EMPTY;
      copies.regular.push(host.run.disk);
      if (copies.regular.length > KEPT) copies.regular.shift();
    }
    this.#life = truth.life;
    time.after(COPY_US, () => this.#copy());
  }

  #next(): void {
    const { time, dice, plan } = this.#world;
    time.after(dice.wait(plan.incidentGapUs), () => {
      if (this.#world.faultsAreOver) return;
      this.#happen();
      this.#next();
    });
  }

  #happen(): void {
    const { dice } = this.#world;
    const chosen = dice.pick(this.#processes);
    if (dice.chance(0.5)) this.#loseLate(dice.pick(this.#world.hosts));
    else if (dice.chance(0.1)) this.#forgetScripts(dice.pick(this.#world.hosts));
    else if (dice.chance(0.35)) {
      this.#losePostgres();
      // Both may have been on one machine.
      if (dice.chance(0.4)) this.#loseRedis(dice.pick(this.#world.hosts));
    } else if (dice.chance(0.55)) this.#stop(chosen);
    else this.#kill(chosen);
  }

  /** Somebody follows what the processes say. */
  async act(): Promise<void> {
    if (this.#isRebuilding) return;
    this.#isRebuilding = true;
    if (!this.#world.faultsAreOver && this.#world.dice.chance(0.5)) this.#loseWiped();
    await rebuild(this.#world, this.#operator);
    this.#isRebuilding = false;
  }

  /** A server ends while it is being wiped, and that has not come to its disk. */
  #loseWiped(): void {
    const { time } = this.#world;
    const host = this.#world.hostOf(0);
    const isWiped = host.run !== null && host.run.hash(shardKeys(0).meta)['epoch'] === undefined;
    if (isWiped) this.#loseRedis(host, { soon: true, how: 'many' });
    else if (this.#isRebuilding) time.after(LOOK_US, () => this.#loseWiped());
  }

  /** Some of its last answers are on their way for long, and it may be gone by then. */
  #loseLate(host: Host): void {
    const { dice, time } = this.#world;
    const forUs = dice.chance(0.3) ? dice.between(20_000, 200_000) : 0;
    if (forUs > 0) this.#answerLate(host, dice.between(900_000, 1_400_000), forUs);
    time.after(forUs, () => this.#loseRedis(host));
  }

  #answerLate(host: Host, afterUs: number, forUs: number): void {
    host.answersAfterUs = afterUs;
    this.#world.time.after(forUs, () => {
      host.answersAfterUs = 0;
    });
  }

  /** Behind a proxy nobody sees a connection end: a server takes over again only when the other one was compared. */
  #mayTakeOver({ runId }: Run): boolean {
    const { plan, postgres } = this.#world;
    const runs = postgres.tables.journal_meta[0]?.['runs'];
    return !plan.isProxied || (Array.isArray(runs) && String(runs[0]).split(' ')[0] === runId);
  }

  /** Somebody has them flushed everywhere. */
  forgetAllScripts(): void {
    for (const host of this.#world.hosts) this.#forgetScripts(host);
  }

  /** Every server returns at once without its newest entry. */
  loseNewest(): void {
    for (const host of this.#world.hosts) this.#loseRedis(host, { soon: true, how: 'one' });
  }

  /** Somebody has them flushed. */
  #forgetScripts({ run }: Host): void {
    if (run === null) return;
    this.#world.truth.count('scripts_flushed');
    run.forgetScripts();
  }

  /** `soon`: at once it is back, or its replica there. */
  #loseRedis(host: Host, { soon = false, how = this.#world.dice.pick(RETURNS) } = {}): void {
    const { dice, time, truth, trace } = this.#world;
    const { run } = host;
    if (run === null) return;
    const copies = this.#copies.get(host)!;
    const takesOver = copies.replica !== null && this.#mayTakeOver(run) && (soon || dice.chance(0.6));
    trace.note(`${host.name} ends: ${run.runId}`);
    host.run = null;
    const awayUs = soon
      ? dice.between(500, 5_000)
      : dice.pick([dice.between(1_000, 50_000), dice.between(50_000, 600_000), 2_500_000]);
    time.after(awayUs, () => {
      if (takesOver) this.#takeOver(host, run, copies);
      else {
        truth.count(how);
        const disk = this.#diskOf(how, run.disk, copies);
        const next = host.start(disk);
        trace.note(`${host.name} returns (${how}): ${next.runId}`);
        // What it has is not in memory yet.
        if (dice.chance(0.3)) this.#answerLate(host, dice.between(100_000, 600_000), 500_000);
      }
      copies.before = run.disk;
      // The one that was replaced takes over again before anybody has said anything to the other.
      if (takesOver && copies.replica === run && dice.chance(0.6))
        time.after(dice.between(0, 3_000), () => this.#loseRedis(host, { soon: true }));
    });
  }

  #diskOf(how: Return, disk: Disk, copies: Copies): Disk {
    const { dice } = this.#world;
    switch (how) {
      case 'same':
        return disk;
      case 'one':
        return this.#withoutNewest(disk);
      case 'many':
        return copies.regular.length === 0 ? disk : dice.pick(copies.regular);
      case 'life':
        return copies.life;
      case 'before':
        return copies.before;
      case 'empty':
        return dice.chance(0.3) ? EMPTY : disk;
    }
  }

  /** Without the newest entry of one shard. */
  #withoutNewest(disk: Disk): Disk {
    const logs = new Map(disk.logs);
    const keys = [...logs.keys()].filter((key) => logs.get(key)!.length > 0);
    if (keys.length === 0) return disk;
    const key = this.#world.dice.pick(keys);
    const left = logs.get(key)!.slice(0, -1);
    const tag = key.slice(0, key.indexOf(':'));
    const sequence = String(Number(disk.hashes.get(`${tag}:ver`)?.['sequence'] ?? 1) - 1);
    const hashes = new Map(disk.hashes)
      .set(`${tag}:ver`, { sequence })
      .set(`${tag}:meta`, { ...disk.hashes.get(`${tag}:meta`), at: left.at(-1)?.id ?? '0-0' });
    return { hashes, logs: logs.set(key, left) };
  }

  /** The replica is what the master was a while ago; the old master becomes its replica, started again or as it is. */
  #takeOver(host: Host, old: Run, copies: Copies): void {
    const { dice, truth, trace } = this.#world;
    truth.count('taken_over');
    const received = this.#diskOf(dice.pick(['same', 'one', 'one', 'many']), old.disk, copies);
    const next = copies.replica!;
    next.disk = received;
    next.isMaster = true;
    next.beganAfter(old);
    host.run = next;
    trace.note(`${host.name}: ${next.runId} takes over from ${old.runId}`);
    if (dice.chance(0.5)) copies.replica = host.newRun(EMPTY);
    else {
      old.isMaster = false;
      copies.replica = old;
    }
  }

  #losePostgres(): void {
    const { dice, time, trace, postgres, truth } = this.#world;
    if (postgres.isUnavailable) return;
    truth.count('postgres_away');
    trace.note('postgres goes away');
    postgres.isUnavailable = true;
    const awayUs = dice.chance(0.6) ? dice.between(100_000, 2_000_000) : dice.between(4_000_000, 9_000_000);
    time.after(awayUs, () => {
      trace.note('postgres is back');
      postgres.isUnavailable = false;
    });
  }

  #stop(process: FenceProcess): void {
    const { dice, time, truth } = this.#world;
    const { machine } = process;
    if (!machine.up || machine.stopped) return;
    truth.count('stopped');
    process.stop();
    const { life } = machine;
    const forUs = dice.chance(0.6) ? dice.between(20_000, 2_000_000) : dice.between(3_000_000, 7_000_000);
    time.after(forUs, () => {
      if (machine.life === life) process.goOn();
    });
  }

  #kill(process: FenceProcess): void {
    const { dice, time, truth } = this.#world;
    const { machine } = process;
    if (!machine.up || machine.stopped) return;
    if (dice.chance(0.4)) void process.end();
    else {
      truth.count('killed');
      machine.kill();
    }
    const { life } = machine;
    const again = () => {
      if (machine.up && machine.life === life) time.after(500_000, again);
      else if (!machine.up) process.start();
    };
    time.after(dice.between(50_000, 2_000_000), again);
  }
}

/**
 * What happens to the processes, the servers and the clock of a run until its faults end: kills and restarts, stops,
 * the journal or Postgres unavailable for a while, Redis' clock set back or ahead.
 */
import type { Machine } from './machine.ts';
import type { World } from './world.ts';

export interface Process {
  readonly machine: Machine;
  start(): Promise<void>;
}

/** Injects faults until their time is over; whatever is down then restarts by itself. */
export function startIncidents(world: World, processes: readonly Process[]): void {
  const { time, dice, plan } = world;
  const again = () => {
    if (world.faultsAreOver) return;
    const chosen = dice.pick(processes);
    switch (dice.between(0, 9)) {
      case 0:
      case 1:
      case 2:
      case 3:
        kill(world, chosen);
        break;
      case 4:
      case 5:
      case 6:
        stop(world, chosen.machine);
        break;
      case 7:
        if (dice.chance(0.7)) interruptRedis(world);
        else interruptPostgres(world);
        break;
      default:
        world.redis.step(dice.chance(0.5) ? -dice.between(1_000, 1_500_000) : dice.between(1_000, 600_000));
    }
    time.after(dice.wait(plan.incidentGapUs), again);
  };
  time.after(dice.wait(plan.incidentGapUs), again);
}

function kill(world: World, { machine, start }: Process): void {
  if (!machine.up) return;
  world.trace.count('crash');
  machine.kill();
  world.time.after(world.dice.between(50_000, 1_500_000), () => void start());
}

function stop(world: World, machine: Machine): void {
  if (!machine.up || machine.stopped) return;
  world.trace.count('pause');
  machine.stop();
  const { life } = machine;
  world.time.after(world.dice.between(20_000, 2_500_000), () => {
    if (machine.life === life) machine.goOn();
  });
}

function interruptRedis({ trace, time, dice, redis }: World): void {
  if (redis.isUnavailable) return;
  trace.count('outage');
  trace.note('redis goes away');
  redis.becomeUnavailable();
  // One in four outlasts what rule 16 lets pass.
  const outageUs = dice.chance(0.25) ? dice.between(2_100_000, 4_000_000) : dice.between(100_000, 2_000_000);
  time.after(outageUs, () => {
    trace.note('redis is back');
    redis.comeBack();
  });
}

function interruptPostgres({ trace, time, dice, postgres }: World): void {
  if (postgres.isUnavailable) return;
  trace.count('outage');
  trace.note('postgres goes away');
  postgres.isUnavailable = true;
  time.after(dice.between(100_000, 2_000_000), () => {
    trace.note('postgres is back');
    postgres.isUnavailable = false;
  });
}

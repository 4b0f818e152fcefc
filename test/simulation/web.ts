/**
 * A web process: an engine behind a door. Asking one that is down, or that dies meanwhile, gives an error and no
 * answer.
 */

import type { Engine } from '../../engine/actor/engine.ts';
import type { CommandResult, IdempotencyKey } from '../../engine/actor/pending-command.ts';
import type { Command } from '../../engine/lot/commands.ts';
import type { Machine } from './machine.ts';
import type { SimJournal } from './sim-journal.ts';
import type { World } from './world.ts';

export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

export interface Serving {
  readonly engine: Engine;
  readonly journal: SimJournal;
  readonly life: number;
}

export class Web {
  readonly machine: Machine;
  #serving: Serving | null = null;
  readonly #world: World;

  constructor(machine: Machine, world: World) {
    this.machine = machine;
    this.#world = world;
  }

  async start(): Promise<void> {
    this.machine.begin();
    const { life } = this.machine;
    const parts = await this.#world.startEngine(this.machine);
    this.#serving = { ...parts, life };
  }

  /** Runs something in the process, with the network's latency each way. Rejects if the process is down. */
  async within<T>(work: (serving: Serving) => Promise<T>): Promise<T> {
    const { time, dice } = this.#world;
    const unreachable = (why: string) => new Unreachable(`${this.machine.name} ${why}`);
    return new Promise((resolve, reject) => {
      time.after(dice.between(100, 2_000), () => {
        const serving = this.#serving;
        if (!this.machine.up || serving === null || serving.life !== this.machine.life) {
          time.after(dice.between(100, 2_000), () => reject(unreachable('is down')));
          return;
        }
        this.machine.whenKilled(() => time.after(1_000, () => reject(unreachable('died'))));
        this.machine.deliver(serving.life, () => {
          work(serving).then(
            (value) => time.after(300, () => resolve(value)),
            (error) => time.after(300, () => reject(error as Error)),
          );
        });
      });
    });
  }

  submit(lotId: number, command: Command, key: IdempotencyKey | null): Promise<CommandResult> {
    return this.within(({ engine }) => engine.submit(lotId, command, key));
  }
}

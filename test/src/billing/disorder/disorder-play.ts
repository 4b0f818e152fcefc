/** Plays a history on the service and on the naive ledger. Throws what differs first, with what was done before. */
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { moneyParts } from '../../../../src/app/process/money-parts.ts';
import { aUser } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';
import type { Parts, Step } from './disorder-hands.ts';
import { stepsOf } from './disorder-steps.ts';
import { type Beginning, DisorderWorld } from './disorder-world.ts';

/** A step by its number, or by its name with what is not zero. */
export type Played = Step | readonly [name: string, more?: Partial<Omit<Step, 'what'>>];

const NOTHING: Step = { what: 0, who: 0, cents: 0, how: 0 };

export class Disorder {
  readonly service: Service;
  readonly tally = new Map<string, number>();
  readonly #people: readonly User[];
  readonly #parts: Parts;
  readonly #providerName: string;

  private constructor(service: Service, people: readonly User[]) {
    const { followUps, provider } = moneyParts(service.config);
    this.service = service;
    this.#people = people;
    this.#parts = { followUps };
    this.#providerName = provider?.name ?? 'external';
  }

  static async open(): Promise<Disorder> {
    const service = await startService();
    const { database } = service;
    return new Disorder(service, [await aUser(database), await aUser(database), await aUser(database)]);
  }

  async play(begin: Beginning, steps: readonly Played[]): Promise<void> {
    const world = new DisorderWorld(this.service, this.#providerName, begin);
    const lines: string[] = [];
    try {
      await world.begin(begin, this.#people.slice(0, 2), this.#people[2]!);
      for (const step of steps) {
        lines.push(await this.#step(world, step));
        assertSame(await world.differences());
      }
      await this.#finish(world, lines);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n  after: ${lines.join('; ')}`, { cause: error });
    } finally {
      for (const line of lines) this.tally.set(line, (this.tally.get(line) ?? 0) + 1);
      await world.close();
    }
  }

  /** All that was delayed comes, and the clock does what is left. */
  async #finish(world: DisorderWorld, lines: string[]): Promise<void> {
    const deliverAll = async () => {
      for (let left = 100; left > 0 && world.provider.queue.length > 0; left -= 1)
        lines.push(await this.#step(world, ['deliver']));
    };
    await deliverAll();
    world.provider.names();
    await deliverAll();
    for (const name of ['end the sale', 'end the sale', 'return deposits', 'return surplus', 'settle'])
      lines.push(await this.#step(world, [name]));
    await deliverAll();
    assertSame(await world.differences());
    // The books of an auction read everything anew: of some histories only.
    assertSame(await world.finalDifferences(world.next() % 4 === 0));
  }

  /** Does it, or, of one by its number, the first from there on that has something to be done to. */
  async #step(world: DisorderWorld, step: Played): Promise<string> {
    const isNamed = 'length' in step;
    const all = Object.entries(stepsOf(world, this.#parts, isNamed ? { ...NOTHING, ...step[1] } : step));
    const from = isNamed ? all.findIndex(([name]) => name === step[0]) : step.what;
    if (from < 0) throw new Error(`there is no step "${isNamed ? step[0] : ''}"`);
    // Seven apart, so that no step always is in for its neighbour.
    for (let at = 0; at < (isNamed ? 1 : all.length); at += 1) {
      const [name, make] = all[(from + at * 7) % all.length]!;
      const work = make();
      if (work === null) continue;
      try {
        return `${name}: ${await work()}`;
      } catch (error) {
        throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
      }
    }
    return 'nothing to do';
  }
}

function assertSame(differences: readonly string[]): void {
  if (differences.length > 0) throw new Error(differences.join('\n  '));
}

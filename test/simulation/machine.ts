/**
 * A process of the simulation: it lives, may be killed and started again, and may be stopped for a while like with
 * SIGSTOP. What reaches a dead life is lost; what reaches a stopped one waits. Its monotonic clock runs a little
 * wrong.
 */
import type { Dice } from './dice.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

export class Machine {
  readonly name: string;
  /** Counts its lives. */
  life = 0;
  up = false;
  /** Since when nothing has been wrong with it. */
  steadySinceUs = 0;
  /** The extra latency of every call in this life, each way: some processes are distant. */
  distanceUs = 0;
  #stopped = false;
  #held: (() => void)[] = [];
  #atEnd: (() => void)[] = [];
  #driftPart = 0;
  #startedUs = 0;
  readonly #time: VirtualTime;
  readonly #trace: Trace;
  readonly #dice: Dice;

  constructor(name: string, time: VirtualTime, trace: Trace, dice: Dice) {
    this.name = name;
    this.#time = time;
    this.#trace = trace;
    this.#dice = dice;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  begin(): void {
    this.life += 1;
    this.up = true;
    this.steadySinceUs = this.#time.nowUs;
    this.#driftPart = this.#dice.between(-300, 300) / 1_000_000;
    this.distanceUs = this.#dice.chance(0.3) ? this.#dice.between(2_000, 40_000) : 0;
    this.#startedUs = this.#dice.between(0, 1_000_000_000);
    this.#trace.note(`${this.name} begins life ${this.life}`);
  }

  /** Kills it: its memory is lost. */
  kill(): void {
    this.#trace.note(`${this.name} is killed`);
    this.up = false;
    this.#stopped = false;
    this.#held = [];
    const endings = this.#atEnd;
    this.#atEnd = [];
    for (const ending of endings) ending();
  }

  stop(): void {
    this.#trace.note(`${this.name} is stopped`);
    this.#stopped = true;
  }

  goOn(): void {
    if (!this.#stopped) return;
    this.#trace.note(`${this.name} goes on`);
    this.#stopped = false;
    this.steadySinceUs = this.#time.nowUs;
    const held = this.#held;
    this.#held = [];
    for (const work of held) work();
  }

  /** Runs `work` in this life of the machine: at once, when it continues, or never. */
  deliver(life: number, work: () => void): void {
    if (!this.up || life !== this.life) return;
    if (this.#stopped) this.#held.push(work);
    else work();
  }

  /** Called when this life is cut off. */
  whenKilled(work: () => void): void {
    this.#atEnd.push(work);
  }

  /** Waits in this life; in a dead one for ever. */
  sleep(delayUs: number): Promise<void> {
    const { life } = this;
    return new Promise((resolve) => {
      this.#time.after(delayUs, () => this.deliver(life, resolve));
    });
  }

  monotonicMs(): number {
    return (this.#startedUs + this.#time.nowUs * (1 + this.#driftPart)) / 1_000;
  }
}

/**
 * The network between processes and servers: every call has a latency; it may be lost on the way there, or its reply on
 * the way back, or take so long that the caller has given up. The caller cannot tell which.
 */
import type { Dice } from './dice.ts';
import type { Machine } from './machine.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

/** How often calls go wrong, as parts of one. */
export interface NetworkFaults {
  readonly lostRequests: number;
  readonly lostAnswers: number;
  readonly slow: number;
}

export const NO_FAULTS: NetworkFaults = { lostRequests: 0, lostAnswers: 0, slow: 0 };

/** A server that calls go to. */
export interface Server {
  readonly name: string;
  readonly isUnavailable: boolean;
  /** How long callers wait for a reply. */
  readonly timeoutUs: number;
  fault(why: string): Error;
}

type CallOutcome = 'fine' | 'lost_request' | 'lost_reply';

interface Call<T> {
  readonly from: Machine;
  readonly life: number;
  readonly server: Server;
  readonly label: string;
  readonly outcome: CallOutcome;
  readonly backUs: number;
  /** When the caller notices that the connection was cut. */
  readonly cutUs: number;
  isOver: boolean;
  readonly resolve: (value: T) => void;
  readonly reject: (fault: Error) => void;
}

/** Gives the caller the outcome, unless it has received another or is gone. */
function end<T>(call: Call<T>, ending: () => void): void {
  call.from.deliver(call.life, () => {
    if (call.isOver) return;
    call.isOver = true;
    ending();
  });
}

export class Network {
  faults: NetworkFaults = NO_FAULTS;
  readonly #time: VirtualTime;
  readonly #dice: Dice;
  readonly #trace: Trace;

  constructor(time: VirtualTime, dice: Dice, trace: Trace) {
    this.#time = time;
    this.#dice = dice;
    this.#trace = trace;
  }

  /** Has `work` done at a server, once or not at all, and gives what comes back of it. */
  call<T>(from: Machine, server: Server, label: string, work: () => T | Promise<T>): Promise<T> {
    const { life } = from;
    const outcome = this.#outcome();
    const thereUs = this.#delayUs() + from.distanceUs;
    const backUs = this.#delayUs() + from.distanceUs;
    return new Promise((resolve, reject) => {
      const cutUs = this.#dice.chance(0.5) ? this.#dice.between(500, 20_000) : server.timeoutUs;
      const call: Call<T> = {
        ...{ from, life, server, label, outcome, backUs, cutUs },
        ...{ isOver: false, resolve, reject },
      };
      this.#time.after(thereUs, () => this.#arrive(call, work));
      if (thereUs + backUs > server.timeoutUs) {
        this.#trace.count('timeout');
        this.#fail(call, server.timeoutUs, 'no reply in time');
      }
    });
  }

  #arrive<T>(call: Call<T>, work: () => T | Promise<T>): void {
    const { server, outcome, cutUs, backUs } = call;
    if (outcome === 'lost_request') {
      this.#trace.count('lost_request');
      this.#fail(call, cutUs, 'the request was lost');
      return;
    }
    if (server.isUnavailable) {
      this.#fail(call, this.#dice.between(200, 2_000), `${server.name} is away`);
      return;
    }
    const done = (value: T) => this.#answer(call, value);
    const refused = (error: unknown) =>
      this.#time.after(backUs, () => end(call, () => call.reject(error as Error)));
    try {
      const value = work();
      if (value instanceof Promise) value.then(done, refused);
      else done(value);
    } catch (error) {
      refused(error);
    }
  }

  #answer<T>(call: Call<T>, value: T): void {
    if (call.outcome === 'lost_reply') {
      this.#trace.count('lost_reply');
      this.#trace.note(`${call.from.name} ${call.label}: done, the reply is lost`);
      this.#fail(call, call.cutUs, 'the reply was lost');
    } else this.#time.after(call.backUs, () => end(call, () => call.resolve(value)));
  }

  #fail<T>(call: Call<T>, afterUs: number, why: string): void {
    const told = () => {
      this.#trace.note(`${call.from.name} ${call.label}: ${why}`);
      call.reject(call.server.fault(why));
    };
    this.#time.after(afterUs, () => end(call, told));
  }

  #outcome(): CallOutcome {
    const { lostRequests, lostAnswers } = this.faults;
    const part = this.#dice.part();
    if (part < lostRequests) return 'lost_request';
    return part < lostRequests + lostAnswers ? 'lost_reply' : 'fine';
  }

  #delayUs(): number {
    if (!this.#dice.chance(this.faults.slow)) return this.#dice.between(100, 1_500);
    this.#trace.count('slow_call');
    return this.#dice.chance(0.7)
      ? this.#dice.between(2_000, 400_000)
      : this.#dice.between(400_000, 2_500_000);
  }
}

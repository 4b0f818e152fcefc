/**
 * What lies between the processes and the servers: every call takes its time, may be lost on the way there, or done and its
 * reply lost on the way back, or take so long that the caller has given up. Nobody is told which it was.
 */
import type { Dice } from './dice.ts';
import type { Machine } from './machine.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

/** How often calls go wrong, as parts of one. */
export interface Weather {
  readonly lostRequests: number;
  readonly lostReplies: number;
  readonly slow: number;
}

export const CALM: Weather = { lostRequests: 0, lostReplies: 0, slow: 0 };

/** A server that calls go to. */
export interface Place {
  readonly name: string;
  readonly away: boolean;
  /** How long callers wait for a reply. */
  readonly timeoutUs: number;
  fault(why: string): Error;
}

export class Network {
  weather: Weather = CALM;
  readonly #time: VirtualTime;
  readonly #dice: Dice;
  readonly #trace: Trace;

  constructor(time: VirtualTime, dice: Dice, trace: Trace) {
    this.#time = time;
    this.#dice = dice;
    this.#trace = trace;
  }

  /** Has `work` done at a place, once or not at all, and gives what comes back of it. */
  call<T>(from: Machine, place: Place, label: string, work: () => T | Promise<T>): Promise<T> {
    const { life } = from;
    const fate = this.#fate();
    const thereUs = this.#delayUs() + from.distanceUs;
    const backUs = this.#delayUs() + from.distanceUs;
    return new Promise((resolve, reject) => {
      let over = false;
      const end = (ending: () => void) => {
        from.deliver(life, () => {
          if (over) return;
          over = true;
          ending();
        });
      };
      const fail = (afterUs: number, why: string) =>
        this.#time.after(afterUs, () =>
          end(() => {
            this.#trace.note(`${from.name} ${label}: ${why}`);
            reject(place.fault(why));
          }),
        );
      const cutUs = this.#dice.chance(0.5) ? this.#dice.between(500, 20_000) : place.timeoutUs;
      this.#time.after(thereUs, () => {
        if (fate === 'lost_request') {
          this.#trace.count('lost_request');
          fail(cutUs, 'the request was lost');
          return;
        }
        if (place.away) {
          fail(this.#dice.between(200, 2_000), `${place.name} is away`);
          return;
        }
        const arrived = (value: T) => {
          if (fate === 'lost_reply') {
            this.#trace.count('lost_reply');
            this.#trace.note(`${from.name} ${label}: done, the reply is lost`);
            fail(cutUs, 'the reply was lost');
          } else this.#time.after(backUs, () => end(() => resolve(value)));
        };
        const refused = (error: unknown) => this.#time.after(backUs, () => end(() => reject(error as Error)));
        try {
          const value = work();
          if (value instanceof Promise) value.then(arrived, refused);
          else arrived(value);
        } catch (error) {
          refused(error);
        }
      });
      if (thereUs + backUs > place.timeoutUs) {
        this.#trace.count('timeout');
        fail(place.timeoutUs, 'no reply in time');
      }
    });
  }

  #fate(): 'fine' | 'lost_request' | 'lost_reply' {
    const { lostRequests, lostReplies } = this.weather;
    const part = this.#dice.part();
    if (part < lostRequests) return 'lost_request';
    return part < lostRequests + lostReplies ? 'lost_reply' : 'fine';
  }

  #delayUs(): number {
    if (!this.#dice.chance(this.weather.slow)) return this.#dice.between(100, 1_500);
    this.#trace.count('slow_call');
    return this.#dice.chance(0.7)
      ? this.#dice.between(2_000, 400_000)
      : this.#dice.between(400_000, 2_500_000);
  }
}

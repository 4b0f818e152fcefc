/**
 * A seeded source of chance for the demo marketplace: the same seed gives the same marketplace and the same bids, on
 * every machine. Not for secrets.
 */
import { itemAt } from '../../../engine/first-of.ts';

export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, but not including, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return itemAt(items, this.int(0, items.length - 1));
  }

  /** `count` different ones, in the order of the list. */
  some<T>(items: readonly T[], count: number): T[] {
    const left = items.map((_, index) => index);
    while (left.length > count) left.splice(this.int(0, left.length - 1), 1);
    return left.map((index) => itemAt(items, index));
  }
}

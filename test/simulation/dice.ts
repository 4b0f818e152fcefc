/**
 * All randomness of a simulated run: one generator, initialized by the seed. Draws must happen in an order that only
 * the seed decides; then the same seed gives the same run on every machine.
 */

export class Dice {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  /** `seed` is a whole number from 0 to 2^53 - 1. */
  constructor(seed: number) {
    this.#a = seed >>> 0;
    this.#b = Math.floor(seed / 2 ** 32) >>> 0;
    this.#c = 0x9e3779b9;
    this.#d = 1;
    for (let round = 0; round < 16; round += 1) this.#word();
  }

  /** The next 32 bits (sfc32). */
  #word(): number {
    const sum = (this.#a + this.#b + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  /** From 0 up to, not including, 1. */
  part(): number {
    return this.#word() / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.part() < probability;
  }

  /** A whole number from `least` to `most`, both included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.part() * (max - min + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[this.between(0, items.length - 1)]!;
  }

  /** A waiting time of this mean, as events have that come by chance. */
  wait(meanUs: number): number {
    return Math.round(-Math.log(1 - this.part()) * meanUs);
  }

  /** Eight hex digits for each word. */
  hex(words: number): string {
    let text = '';
    for (let word = 0; word < words; word += 1) text += this.#word().toString(16).padStart(8, '0');
    return text;
  }
}

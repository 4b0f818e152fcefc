/** The end of a sale that ends with its auction: pauses move it, and an outage gives its last window back. */
export class MovingEnd {
  readonly startsAt: number;
  readonly #windowUs: number;
  at: number;

  constructor(startsAtUs: number, endsAtUs: number, windowUs: number) {
    this.startsAt = startsAtUs;
    this.at = endsAtUs;
    this.#windowUs = windowUs;
  }

  paused(fromUs: number, toUs: number): void {
    if (this.at > fromUs) this.at += toUs - fromUs;
  }

  outlast(fromUs: number, toUs: number): void {
    const isNear = this.startsAt < toUs && this.at > fromUs && this.at - this.#windowUs < toUs;
    if (this.#windowUs > 0 && isNear) this.at = toUs + this.#windowUs;
  }
}

/** The actors that are here, by the lots that they decide. Idle ones go where there are too many. */
import type { LotActor } from './lot-actor.ts';

export class Residents {
  readonly #actors = new Map<number, LotActor>();
  /** The lots that are decided in another's journal, or with others in theirs, with the one that hosts it. */
  readonly #hosts = new Map<number, number>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#actors.size;
  }

  /** Whether none has anything to do. */
  get idle(): boolean {
    return [...this.#actors.values()].every((actor) => actor.idle);
  }

  /** The actor that decides a lot, if it is here. */
  of(lotId: number): LotActor | undefined {
    return this.#actors.get(this.#hosts.get(lotId) ?? lotId);
  }

  /** Whether a lot is known to be sold with others. */
  isHosted(lotId: number): boolean {
    return this.#hosts.has(lotId);
  }

  /** Notes which lot hosts the journal that a lot is decided in. */
  setHost(lotId: number, hostId: number): void {
    this.#hosts.set(lotId, hostId);
  }

  add(actor: LotActor): void {
    if (this.#actors.size >= this.#limit) this.#makeRoom();
    this.#actors.set(actor.lotId, actor);
  }

  /** Another that has come for the same lot stays. */
  drop(actor: LotActor): void {
    if (this.#actors.get(actor.lotId) === actor) this.#actors.delete(actor.lotId);
  }

  #makeRoom(): void {
    const surplus = Math.max(1, Math.floor(this.#limit / 20));
    let dropped = 0;
    for (const [lotId, actor] of this.#actors) {
      if (!actor.idle) continue;
      this.#actors.delete(lotId);
      dropped += 1;
      if (dropped >= surplus) return;
    }
  }
}

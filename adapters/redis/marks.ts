/**
 * How far each shard's log was acknowledged to this process: a Redis that does not reach as far is an older one. Each
 * commit names its shard's mark, and the script refuses where the log ends before it.
 */
import { compareLogIds } from './shard-log.ts';

export class Marks {
  readonly #ids = new Map<number, string>();
  /** Shards whose mark has moved since they were last taken. */
  readonly #moved = new Set<number>();

  /** The log of `shard` was acknowledged up to and with the message `id`. */
  note(shard: number, id: string): void {
    const known = this.#ids.get(shard);
    if (known !== undefined && compareLogIds(id, known) <= 0) return;
    this.#ids.set(shard, id);
    this.#moved.add(shard);
  }

  /** The id of the newest message that was acknowledged; '' where none was. */
  of(shard: number): string {
    return this.#ids.get(shard) ?? '';
  }

  /** Every shard's mark. */
  all(): ReadonlyMap<number, string> {
    return this.#ids;
  }

  get haveMoved(): boolean {
    return this.#moved.size > 0;
  }

  /** The marks that have moved since this was last called. */
  takeMoved(): [shard: number, id: string][] {
    const moved = [...this.#moved].map((shard): [number, string] => [shard, this.of(shard)]);
    this.#moved.clear();
    return moved;
  }

  /** What was taken of this shard did not get where it should: it is taken again. */
  moveAgain(shard: number): void {
    this.#moved.add(shard);
  }

  /** The log begins anew: nothing of it was acknowledged. */
  clear(): void {
    this.#ids.clear();
    this.#moved.clear();
  }
}

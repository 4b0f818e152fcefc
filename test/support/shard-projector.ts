/** A projector of one shard, for tests that drive it step by step. */
import type { Position } from '../../src/bidding/projection/positions.ts';
import { Projector, type ProjectorParts } from '../../src/bidding/projection/projector.ts';
import type { Failure } from '../../src/bidding/projection/set-aside.ts';

export interface ShardStep {
  readonly messages: number;
  readonly position: Position | null;
  /** There may be more to read, or somebody else has moved the shard. */
  readonly more: boolean;
  readonly failures: readonly Failure[];
}

export class ShardProjector {
  readonly #shard: number;
  readonly #projector: Projector;

  constructor(shard: number, parts: ProjectorParts) {
    this.#shard = shard;
    this.#projector = new Projector(parts);
  }

  get position(): Position | null {
    return this.#projector.position(this.#shard);
  }

  /** Throws what Postgres or Redis throw. */
  async step(): Promise<ShardStep> {
    const { messages, more, moved, unread, failures } = await this.#projector.step([this.#shard]);
    if (unread.size > 0) throw unread.get(this.#shard);
    return { messages, position: this.position, more: more.length + moved.length > 0, failures };
  }
}

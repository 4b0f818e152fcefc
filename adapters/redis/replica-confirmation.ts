/**
 * Waits until a replica has what this connection has written: `WAITAOF` where the server has it (then it is on the
 * replica's disk), otherwise `WAIT` (then it is in the replica's memory).
 */
import { JournalUnavailable } from '../../engine/actor/journal.ts';
import type { RedisLink } from './link.ts';
import type { ShardKeys } from './shards.ts';

const PATIENCE_MS = '1000';

export class ReplicaConfirmation {
  #hasWaitAof = true;

  /**
   * Resolves when one replica has all that this connection's server had written when it was called. `wrote`: the last
   * call over this connection has written. Otherwise something is written now, because Redis checks only a connection's
   * own writes. Rejects with `JournalUnavailable` after a second.
   */
  async wait(link: RedisLink, { meta }: Pick<ShardKeys, 'meta'>, wrote: boolean): Promise<void> {
    const barrier = wrote ? null : link.send(meta, ['HSET', meta, 'barrier', '1']);
    const [confirmed] = await Promise.all([this.#confirmed(link, meta), barrier]);
    if (confirmed < 1) throw new JournalUnavailable('no replica has confirmed the commit within a second');
  }

  async #confirmed(link: RedisLink, key: string): Promise<number> {
    if (this.#hasWaitAof) {
      try {
        const answer = await link.send<number[]>(key, ['WAITAOF', '1', '1', PATIENCE_MS]);
        return Number(answer[1]);
      } catch (error) {
        if (!(error instanceof Error && /unknown command/i.test(error.message))) throw error;
        this.#hasWaitAof = false;
      }
    }
    return Number(await link.send(key, ['WAIT', '1', PATIENCE_MS]));
  }
}

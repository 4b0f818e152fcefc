/**
 * The journal's life: a name that is written into every shard once and that each commit checks. A Redis that comes back
 * empty, or is another one, carries no such name and so takes no bid until an operator has checked.
 */
import { JournalUnavailable } from '../../engine/actor/journal.ts';
import type { Outage } from '../../engine/auction/record.ts';
import { outageFields } from './heartbeat.ts';
import type { OpenLink } from './link.ts';
import { SHARD_COUNT, shardKeys } from './shards.ts';

/**
 * Writes the epoch into every shard, with the outage that it comes back from. Only for a journal that starts its life,
 * or is rebuilt.
 */
export async function writeEpoch(open: OpenLink, epoch: string, outage: Outage | null = null): Promise<void> {
  const fields = { epoch, ...(outage === null ? {} : outageFields(outage)) };
  for (let shard = 0; shard < SHARD_COUNT; shard += 1) await open.link.hSet(shardKeys(shard).meta, fields);
}

/** The epoch that each shard carries, null where it carries none. */
export async function shardEpochs(open: OpenLink): Promise<(string | null)[]> {
  return Promise.all(
    Array.from({ length: SHARD_COUNT }, (_, shard) => open.link.hGet(shardKeys(shard).meta, 'epoch')),
  );
}

/** What a call on a Redis of another life ends with. */
export function otherEpoch(): JournalUnavailable {
  return new JournalUnavailable(
    'this Redis is not the one that the journal was written to: run `rostrum journal rebuild`',
  );
}

/**
 * The journal's life: a name that is written into every shard once and that each commit checks. A Redis that returns
 * empty, or is another one, carries no such name and so takes no bid until an operator has checked.
 */
import { JournalUnavailable } from '../../engine/actor/journal.ts';
import type { Outage } from '../../engine/auction/record.ts';
import { outageFields } from './heartbeat.ts';
import type { OpenLink } from './link.ts';
import { SHARD_COUNT, shardKeys } from './shards.ts';

/** Names from before failovers that a shard remembers. */
const MAX_FORMER = 100;

/**
 * Writes the epoch into every shard, with the outage that it returns from. Only for a journal that starts its life,
 * or is rebuilt: it continues from no other.
 */
export async function writeEpoch(open: OpenLink, epoch: string, outage: Outage | null = null): Promise<void> {
  const fields = { epoch, former: '', ...(outage === null ? {} : outageFields(outage)) };
  for (let shard = 0; shard < SHARD_COUNT; shard += 1) await open.link.hSet(shardKeys(shard).meta, fields);
}

/** Gives the same journal another name, after a failover. Each shard remembers those that it had. */
export async function renameEpoch(open: OpenLink, epoch: string): Promise<void> {
  for (const [shard, names] of (await shardNames(open)).entries()) {
    if (names === null || names.epoch === epoch) continue;
    const former = [...names.former, names.epoch].slice(-MAX_FORMER).join(' ');
    await open.link.hSet(shardKeys(shard).meta, { epoch, former });
  }
}

/** The epoch that a shard carries, and those from before failovers, oldest first. */
interface ShardNames {
  readonly epoch: string;
  readonly former: readonly string[];
}

/** The names of each shard, null where it carries none. */
async function shardNames(open: OpenLink): Promise<(ShardNames | null)[]> {
  return Promise.all(
    Array.from({ length: SHARD_COUNT }, async (_, shard) => {
      const [epoch, former] = await open.link.hmGet(shardKeys(shard).meta, ['epoch', 'former']);
      return epoch == null ? null : { epoch, former: former?.split(' ') ?? [] };
    }),
  );
}

/**
 * The name that the journal in Redis has now, where it went by `epoch` before a failover; null where it did not, or
 * has that name still.
 */
export async function laterName(open: OpenLink, epoch: string): Promise<string | null> {
  const names = await shardNames(open);
  const all = names.flatMap((one) => one ?? []);
  if (all.length < names.length || !all.every((one) => one.epoch === epoch || one.former.includes(epoch)))
    return null;
  // While a failover is being written down, some shards have the name from before it.
  const newest = all.filter(({ epoch: name }) => !all.some(({ former }) => former.includes(name)));
  const found = new Set(newest.map(({ epoch: name }) => name));
  const [name] = found;
  return found.size === 1 && name !== undefined && name !== epoch ? name : null;
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

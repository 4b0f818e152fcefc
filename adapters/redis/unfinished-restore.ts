/**
 * A journal that a restore has begun to put into Redis and not finished: marked so from before its first key until
 * Postgres is committed, so that another attempt may throw it away. No deployment takes bids on it meanwhile.
 */
import { shardEpochs, writeEpoch } from './epoch.ts';
import type { OpenLink } from './link.ts';
import { wipeShards } from './restore.ts';

const MARK = 'restore-begun';
const PREFIX = 'restoring ';

/** Says that what is loaded from now on is not finished. */
export async function beginUnfinished(open: OpenLink): Promise<void> {
  await open.link.send(MARK, ['SET', MARK, '1']);
}

/** Everything is loaded: the name under which it waits to be `epoch`. */
export async function nameUnfinished(open: OpenLink, epoch: string): Promise<string> {
  const name = `${PREFIX}${epoch}`;
  await writeEpoch(open, name);
  await open.link.del(MARK);
  return name;
}

/** Whether Redis holds a journal that no restore has finished. */
export async function isUnfinished(open: OpenLink): Promise<boolean> {
  if (Number(await open.link.send(MARK, ['EXISTS', MARK])) === 1) return true;
  return (await shardEpochs(open)).every(isUnfinishedName);
}

export function isUnfinishedName(epoch: string | null): boolean {
  return epoch?.startsWith(PREFIX) ?? false;
}

/** Empties Redis of it. */
export async function wipeUnfinished(open: OpenLink): Promise<void> {
  await wipeShards(open);
  await open.link.del(MARK);
}

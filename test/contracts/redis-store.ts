/**
 * A Redis (one server or a cluster) as a store for the journal's contract suite: processes are journals with a link
 * each, all of one epoch.
 */
import { join } from 'node:path';
import { writeEpoch } from '../../adapters/redis/epoch.ts';
import { unpackFrames } from '../../adapters/redis/frames.ts';
import type { RedisJournalOptions } from '../../adapters/redis/journal-options.ts';
import { type OpenLink, openLink } from '../../adapters/redis/link.ts';
import { RedisJournal } from '../../adapters/redis/redis-journal.ts';
import { ShardDirectory } from '../../adapters/redis/shard-directory.ts';
import { shardKeys, shardOf } from '../../adapters/redis/shards.ts';
import type { JournalStore, LogFrame } from './market.ts';

export const SCRIPTS = join(import.meta.dirname, '../../adapters/redis');
export const EPOCH = 'epoch-of-the-tests';

export interface RedisStore extends JournalStore {
  readonly open: OpenLink;
  journal(options?: Partial<RedisJournalOptions>): Promise<RedisJournal>;
}

/**
 * Opens a store on a Redis of its own with the given number of shards; without one, as in journals of older releases.
 */
export async function redisStore(url: string, shards: number | null = null): Promise<RedisStore> {
  const own = (auctionId: number) => (shards === null ? null : auctionId % shards);
  const keysOf = (auctionId: number) => shardKeys(shardOf(auctionId, own(auctionId)));
  const links: OpenLink[] = [];
  const journals: RedisJournal[] = [];
  const link = async () => {
    const opened = await openLink(url);
    links.push(opened);
    return opened;
  };
  const open = await link();
  await writeEpoch(open, EPOCH);
  return {
    open,
    async journal(options = {}) {
      const journal = await new RedisJournal(await link(), {
        guard: EPOCH,
        shards: new ShardDirectory(async (auctionId) => own(auctionId)),
        scripts: SCRIPTS,
        ...options,
      }).start();
      journals.push(journal);
      return journal;
    },
    frames: (auctionId) => framesOf(open, keysOf(auctionId).log, auctionId),
    clockUs: () => open.timeUs(),
    async dueLots(auctionId, byUs) {
      const ids = await open.link.zRangeByScore(keysOf(auctionId).due, '-inf', byUs);
      return ids.map(Number);
    },
    async silence(auctionId, us) {
      const lastUs = String((await open.timeUs()) - us);
      await open.link.hSet(keysOf(auctionId).meta, { beat: lastUs, clock: lastUs });
    },
    async close() {
      for (const journal of journals) journal.stop();
      for (const { link } of links) link.destroy();
    },
  };
}

async function framesOf(open: OpenLink, log: string, auctionId: number): Promise<LogFrame[]> {
  const messages = await open.link.xRange(log, '-', '+');
  const frames = messages.flatMap(({ message }) => unpackFrames(message['e']!));
  return frames.filter(
    (frame) => (frame.kind === 'entry' ? frame.entry.auctionId : frame.auctionId) === auctionId,
  );
}

/**
 * Tells when a shard's log has grown. Every script that appends to a log publishes its key, which wakes the watchers
 * at once; a slow poll of all shards stands in for what was missed, as messages are not kept.
 */
import type { RedisPubSub } from './pub-sub.ts';
import { SHARD_COUNT } from './shards.ts';

const CHANNEL = 'rostrum:log';
const SHARD_OF_KEY = /^\{s(\d\d)\}:/;

export interface LogWatch {
  close(): Promise<void>;
}

/**
 * Calls `onShard` whenever a shard may have news: when its writer says so, after the link has been down, and every
 * `pollMs` (1,000) in any case. Must not throw.
 */
export async function watchLog(
  pubSub: Pick<RedisPubSub, 'subscribe'>,
  onShard: (shard: number) => void,
  pollMs = 1_000,
): Promise<LogWatch> {
  const all = () => {
    for (let shard = 0; shard < SHARD_COUNT; shard += 1) onShard(shard);
  };
  const hear = (key: string) => {
    const match = SHARD_OF_KEY.exec(key);
    if (match) onShard(Number(match[1]));
  };
  const end = await pubSub.subscribe(CHANNEL, hear, (up) => {
    if (up) all();
  });
  const poll = setInterval(all, pollMs).unref();
  return {
    async close() {
      clearInterval(poll);
      await end();
    },
  };
}

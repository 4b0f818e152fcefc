/**
 * Tells when a shard's log has grown. Every script that appends to a log publishes its key, which wakes the watchers
 * at once; a slow poll is in for what was missed, as messages are not kept: of the shards that have had news,
 * and now and then of all, because most shards are never used.
 */
import type { RedisPubSub } from './pub-sub.ts';
import { SHARD_COUNT } from './shards.ts';

const CHANNEL = 'rostrum:log';
/** Every so many polls all shards are polled. */
const POLLS = 4;
const SHARD_OF_KEY = /^\{s(\d\d)\}:/;

export interface LogWatch {
  close(): Promise<void>;
}

/**
 * Calls `onShard` whenever a shard may have news: when its writer says so, after the link has been down, and in any
 * case every `pollMs` (1,000) for a shard that has had news, every four times that for any. Must not throw.
 */
export async function watchLog(
  pubSub: Pick<RedisPubSub, 'subscribe'>,
  onShard: (shard: number) => void,
  pollMs = 1_000,
): Promise<LogWatch> {
  const heard = new Set<number>();
  const all = () => {
    for (let shard = 0; shard < SHARD_COUNT; shard += 1) onShard(shard);
  };
  const hear = (key: string) => {
    const match = SHARD_OF_KEY.exec(key);
    if (!match) return;
    const shard = Number(match[1]);
    heard.add(shard);
    onShard(shard);
  };
  const end = await pubSub.subscribe(CHANNEL, hear, (up) => {
    if (up) all();
  });
  let polls = 0;
  const poll = setInterval(() => {
    polls += 1;
    if (polls % POLLS === 0) all();
    else for (const shard of heard) onShard(shard);
  }, pollMs).unref();
  return {
    async close() {
      clearInterval(poll);
      await end();
    },
  };
}

/**
 * Reads the next segment of each shard's log: as much as fits well into one transaction, however large its messages
 * are. A shard whose log cannot be read delays no other.
 */
import type { Frame } from '../../../adapters/redis/frames.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { type LogMessage, readLog } from '../../../adapters/redis/shard-log.ts';
import { itemAt } from '../../../engine/first-of.ts';
import { readShardEpoch } from './log-fit.ts';
import type { MoveOfEpoch, Position } from './positions.ts';

/** What follows on a shard's position, with the position behind it. */
export interface LogSegment extends MoveOfEpoch {
  readonly frames: readonly Frame[];
  /** The idempotency records of its messages. */
  readonly records: readonly string[];
  readonly messages: number;
  /** There may be more to read at once. */
  readonly more: boolean;
}

export interface ReadSegments {
  /** Only of shards that have news. */
  readonly segments: readonly LogSegment[];
  readonly failed: ReadonlyMap<number, unknown>;
}

const SEGMENT_CHARS = 8_000_000;
/** However many shards share a transaction, each gets on. */
const MIN_CHARS = 200_000;
const MAX_MESSAGES = 1_000;
/**
 * A message may hold the bids of a whole commit: the first read takes few, and their sizes say how many to take next.
 */
const FIRST_MESSAGES = 4;

export class LogSegmentReader {
  readonly #redis: OpenLink;
  readonly #maxChars: number;
  readonly #charsPerMessage = new Map<number, number>();
  readonly #confirm: (shard: number) => Promise<void>;

  /** `confirm` resolves when what was read of a shard will survive its server. */
  constructor(
    redis: OpenLink,
    confirm: (shard: number) => Promise<void> = async () => {},
    maxChars = SEGMENT_CHARS,
  ) {
    this.#redis = redis;
    this.#confirm = confirm;
    this.#maxChars = maxChars;
  }

  async read(shards: readonly (readonly [shard: number, from: Position])[]): Promise<ReadSegments> {
    const share = Math.floor(this.#maxChars / Math.max(1, shards.length));
    const max = Math.min(this.#maxChars, Math.max(MIN_CHARS, share));
    const segments: LogSegment[] = [];
    const failed = new Map<number, unknown>();
    await Promise.all(
      shards.map(async ([shard, from]) => {
        try {
          // With the log: Redis may have become another one since the position was found to be one of its own.
          const [epoch, messages] = await Promise.all([
            readShardEpoch(this.#redis, shard),
            this.#readShard(shard, from, max),
          ]);
          if (messages.length === 0) return;
          await this.#confirm(shard);
          segments.push({ ...segmentOf(shard, from, messages, max), epoch });
        } catch (error) {
          failed.set(shard, error);
        }
      }),
    );
    // Locks are taken in this order by everybody.
    segments.sort((a, b) => a.shard - b.shard);
    return { segments, failed };
  }

  async #readShard(shard: number, from: Position, max: number): Promise<LogMessage[]> {
    let charsPerMessage = this.#charsPerMessage.get(shard) ?? SEGMENT_CHARS / FIRST_MESSAGES;
    const messages: LogMessage[] = [];
    let chars = 0;
    let after = from.streamId;
    while (chars < max && messages.length < MAX_MESSAGES) {
      const fitting = Math.ceil((max - chars) / charsPerMessage);
      const count = Math.max(1, Math.min(fitting, Math.max(FIRST_MESSAGES, messages.length * 2)));
      const got = await readLog(this.#redis, shard, after, count);
      for (const message of got) chars += message.chars;
      messages.push(...got);
      if (messages.length > 0) charsPerMessage = Math.max(200, chars / messages.length);
      if (got.length < count) break;
      after = itemAt(got, -1).id;
    }
    if (messages.length > 0) this.#charsPerMessage.set(shard, charsPerMessage);
    return messages;
  }
}

function segmentOf(
  shard: number,
  from: Position,
  messages: readonly LogMessage[],
  max: number,
): Omit<LogSegment, 'epoch'> {
  const chars = messages.reduce((sum, message) => sum + message.chars, 0);
  return {
    shard,
    from,
    to: { streamId: itemAt(messages, -1).id, messages: from.messages + messages.length },
    frames: messages.flatMap((message) => message.frames),
    records: messages.flatMap(({ records }) => (records === '' ? [] : [records])),
    messages: messages.length,
    more: chars >= max || messages.length >= MAX_MESSAGES,
  };
}

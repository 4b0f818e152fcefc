/**
 * Reading a shard's log and cutting off its old end. The projection reads from its position on, and whoever shows bids
 * reads what is not projected yet; only the projection trims, and it keeps the shard's count of bytes right while it
 * does.
 */
import { type Frame, unpackFrames } from './frames.ts';
import type { OpenLink, StreamMessage } from './link.ts';
import { shardKeys } from './shards.ts';

/** One message: what one commit wrote for a shard. */
export interface LogMessage {
  readonly id: string;
  readonly chars: number;
  readonly frames: readonly Frame[];
  /** The idempotency records of the same commit, as `decodeKeptRecords` reads them; empty where there are none. */
  readonly records: string;
}

export interface LogEnd {
  /** The last id given out, `0-0` for a log that is not there; trimming does not change it. */
  readonly lastId: string;
  /** How many messages were ever written. */
  readonly added: number;
  /** How many are there now. */
  readonly length: number;
}

/** The id before every message. */
export const LOG_START = '0-0';

/** At most `count` messages after `afterId` (null: from the start), oldest first. Throws what the link throws. */
export async function readLog(
  open: Pick<OpenLink, 'link'>,
  shard: number,
  afterId: string | null,
  count: number,
): Promise<LogMessage[]> {
  const start = afterId === null ? '-' : `(${afterId}`;
  return (await open.link.xRange(shardKeys(shard).log, start, '+', { COUNT: count })).map(messageOf);
}

function messageOf({ id, message }: StreamMessage): LogMessage {
  const { e: text = '', k: records = '' } = message;
  return { id, chars: text.length + records.length, frames: unpackFrames(text), records };
}

/** Where a shard's log ends. */
export async function logEnd(open: Pick<OpenLink, 'link'>, shard: number): Promise<LogEnd> {
  try {
    const info = await open.link.xInfoStream(shardKeys(shard).log);
    return {
      lastId: String(info['last-generated-id']),
      added: Number(info['entries-added']),
      length: Number(info['length']),
    };
  } catch (error) {
    if (error instanceof Error && error.message.includes('no such key'))
      return { lastId: LOG_START, added: 0, length: 0 };
    throw error;
  }
}

export async function lastLogId(open: Pick<OpenLink, 'link'>, shard: number): Promise<string> {
  return (await logEnd(open, shard)).lastId;
}

/** How many bytes a shard's log holds, as the commits count them. */
export async function logBytes(open: OpenLink, shard: number): Promise<number> {
  return Number((await open.link.hGet(shardKeys(shard).meta, 'bytes')) ?? 0);
}

/** Whether a script's answer is the id of a message, and nothing else. */
export function isMessageId(answer: unknown): answer is string {
  return typeof answer === 'string' && /^[0-9]+-[0-9]+$/.test(answer);
}

/** Orders stream ids: negative when `a` comes before `b`. */
export function compareLogIds(a: string, b: string): number {
  const [aMs = 0, aCounter = 0] = a.split('-').map(Number);
  const [bMs = 0, bCounter = 0] = b.split('-').map(Number);
  return aMs - bMs || aCounter - bCounter;
}

/** The milliseconds of the server's clock at which a message was written. */
export function logIdMs(id: string): number {
  return Number(id.split('-', 1)[0]);
}

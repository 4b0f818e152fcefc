/**
 * Reading a shard's log and cutting off its old end. The projection reads from its position on, and whoever shows bids
 * reads what is not projected yet; only the projection trims, and it keeps the shard's count of bytes right while it
 * does.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Frame, unpackFrames } from './frames.ts';
import { type OpenLink, Script, type StreamMessage } from './link.ts';
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
  open: OpenLink,
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
export async function logEnd(open: OpenLink, shard: number): Promise<LogEnd> {
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

export async function lastLogId(open: OpenLink, shard: number): Promise<string> {
  return (await logEnd(open, shard)).lastId;
}

/** How many bytes a shard's log holds, as the commits count them. */
export async function logBytes(open: OpenLink, shard: number): Promise<number> {
  return Number((await open.link.hGet(shardKeys(shard).meta, 'bytes')) ?? 0);
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

/** Cuts logs. Built once, as it reads its script from a file. */
export class LogTrimmer {
  readonly #script: Script<[count: number, more: number]>;
  readonly #open: OpenLink;

  /** `scripts` is the folder of the .lua files. */
  constructor(open: OpenLink, scripts: string) {
    this.#open = open;
    this.#script = new Script(readFileSync(join(scripts, 'trim-log.lua'), 'utf8'));
  }

  /**
   * Removes every message up to and with `throughId`, in steps that hold Redis up for a moment only, each with the
   * count of bytes in one script. Safe to break off and to repeat. Returns how many messages went.
   */
  async trim(shard: number, throughId: string): Promise<number> {
    const { log, meta } = shardKeys(shard);
    let removed = 0;
    for (;;) {
      const args = [throughId, String(STEP_BYTES)];
      const [count, more] = await this.#script.run(this.#open.link, [log, meta], args);
      removed += count;
      if (more === 0) return removed;
    }
  }
}

const STEP_BYTES = 1_000_000;

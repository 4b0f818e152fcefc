/**
 * The newest part of the logs, for readers that must show what is not projected yet. Concurrent callers share one read,
 * and what was read is kept for a while, so that a busy shard costs each request only what came since the last one.
 */

import { itemAt } from '../../engine/first-of.ts';
import type { SealedEntry } from '../../engine/lot/entry.ts';
import { answerInTime } from './answer-in-time.ts';
import type { OpenLink } from './link.ts';
import { compareLogIds, type LogMessage, readLog } from './shard-log.ts';

interface Window {
  /** Everything after this id is in `messages`, as far as it was there at the last read. */
  fromId: string;
  messages: LogMessage[];
  chars: number;
  usedMs: number;
  reading: Promise<void> | null;
  next: Promise<void> | null;
}

export interface TailLimits {
  /** Characters kept for one shard; a longer tail is read again each time. */
  readonly keptChars: number;
  /** Windows that nobody has read for this long are dropped. */
  readonly idleMs: number;
  readonly timeoutMs: number;
}

const LIMITS: TailLimits = { keptChars: 8_000_000, idleMs: 10_000, timeoutMs: 1_500 };
const READ_AT_ONCE = 200;

export class LogTail {
  readonly #open: OpenLink;
  readonly #limits: TailLimits;
  readonly #windows = new Map<number, Window>();

  constructor(open: OpenLink, limits: Partial<TailLimits> = {}) {
    this.#open = open;
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * Every message of a shard after `afterId` that was there when this was called, oldest first, and perhaps later
   * ones. Throws when Redis cannot be read in time.
   */
  async after(shard: number, afterId: string): Promise<readonly LogMessage[]> {
    return this.#bounded(this.#after(shard, afterId));
  }

  /** The entries of one lot in what `after` gives. */
  async entriesOf(shard: number, lotId: number, afterId: string): Promise<SealedEntry[]> {
    const entries: SealedEntry[] = [];
    for (const { frames } of await this.after(shard, afterId)) {
      for (const frame of frames) {
        if (frame.kind === 'entry' && frame.entry.lotId === lotId) entries.push(frame.entry);
      }
    }
    return entries;
  }

  async #after(shard: number, afterId: string): Promise<readonly LogMessage[]> {
    const window = this.#windowOf(shard, afterId);
    await this.#extend(shard, window);
    // Somebody who knew of a later position may have cut the window meanwhile.
    if (compareLogIds(window.fromId, afterId) > 0) return this.#readAll(shard, afterId);
    window.messages = window.messages.filter((message) => compareLogIds(message.id, afterId) > 0);
    window.fromId = afterId;
    window.chars = window.messages.reduce((sum, message) => sum + message.chars, 0);
    if (window.chars > this.#limits.keptChars) this.#windows.delete(shard);
    return window.messages;
  }

  #windowOf(shard: number, afterId: string): Window {
    const nowMs = performance.now();
    for (const [other, { usedMs, reading }] of this.#windows) {
      if (reading === null && nowMs - usedMs > this.#limits.idleMs) this.#windows.delete(other);
    }
    let window = this.#windows.get(shard);
    if (window === undefined || compareLogIds(afterId, window.fromId) < 0) {
      window = { fromId: afterId, messages: [], chars: 0, usedMs: nowMs, reading: null, next: null };
      this.#windows.set(shard, window);
    }
    window.usedMs = nowMs;
    return window;
  }

  /**
   * Whoever comes while a read is in flight waits for the next one: that read may have missed what the caller must
   * see.
   */
  #extend(shard: number, window: Window): Promise<void> {
    if (window.reading === null) return this.#read(shard, window);
    window.next ??= window.reading
      .catch(() => undefined)
      .then(() => {
        window.next = null;
        return this.#read(shard, window);
      });
    return window.next;
  }

  #read(shard: number, window: Window): Promise<void> {
    const from = window.messages.at(-1)?.id ?? window.fromId;
    window.reading = this.#readAll(shard, from)
      .then((messages) => {
        window.messages = [...window.messages, ...messages];
      })
      .finally(() => {
        window.reading = null;
      });
    return window.reading;
  }

  async #readAll(shard: number, afterId: string): Promise<LogMessage[]> {
    const all: LogMessage[] = [];
    let from = afterId;
    for (;;) {
      const messages = await readLog(this.#open, shard, from, READ_AT_ONCE);
      all.push(...messages);
      if (messages.length < READ_AT_ONCE) return all;
      from = itemAt(messages, -1).id;
    }
  }

  #bounded<T>(work: Promise<T>): Promise<T> {
    const { timeoutMs } = this.#limits;
    return answerInTime(work, timeoutMs, () => new Error(`no tail of the log within ${timeoutMs} ms`));
  }
}

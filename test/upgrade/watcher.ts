/**
 * Somebody who watches a lot through everything, as a browser does: comes back when the stream ends, after the wait
 * that the server requested, and says which event arrived last.
 */
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Watcher {
  /** Ids of the events in the order in which they came. */
  readonly ids: readonly string[];
  /** How long each time without a stream was, in milliseconds, where the server had said when to come back. */
  readonly gapsMs: readonly number[];
  /** The same where it had not: releases before do not. */
  readonly otherGapsMs: readonly number[];
  stop(): Promise<void>;
}

/** What browsers wait where the server says nothing. */
const DEFAULT_RETRY_MS = 3_000;

export function watch(url: string): Watcher {
  const ids: string[] = [];
  const gapsMs: number[] = [];
  const otherGapsMs: number[] = [];
  let retryMs = DEFAULT_RETRY_MS;
  let open: IncomingMessage | null = null;
  let running = true;
  let endedMs: number | null = null;

  const line = (text: string) => {
    if (text.startsWith('id: ')) ids.push(text.slice(4));
    else if (text.startsWith('retry: ')) retryMs = Number(text.slice(7));
  };
  const follow = async () => {
    const last = ids.at(-1);
    const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': last };
    const stream = await opened(url, headers);
    if (stream.statusCode !== 200) {
      stream.destroy();
      throw new Error(`status ${stream.statusCode}`);
    }
    const gaps = retryMs === DEFAULT_RETRY_MS ? otherGapsMs : gapsMs;
    if (endedMs !== null) gaps.push(performance.now() - endedMs);
    endedMs = null;
    retryMs = DEFAULT_RETRY_MS;
    open = stream;
    let rest = '';
    for await (const chunk of stream.setEncoding('utf8')) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines) line(text);
    }
  };
  const done = (async () => {
    while (running) {
      let isOpen = true;
      await follow().catch(() => {
        isOpen = open !== null;
      });
      if (isOpen) endedMs ??= performance.now();
      open = null;
      if (running) await sleep(retryMs);
    }
  })();
  return {
    ids,
    gapsMs,
    otherGapsMs,
    async stop() {
      running = false;
      open?.destroy();
      await done;
    },
  };
}

function opened(url: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, resolve).on('error', reject);
  });
}

/**
 * Somebody who watches a lot through everything, as a browser does: comes back when the stream ends, after the wait
 * that the server requested, and says which event arrived last.
 */
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A time without a stream, and the step of the upgrade in which it ended. */
export interface Gap {
  readonly ms: number;
  readonly step: string;
}

export interface Watcher {
  /** Ids of the events in the order in which they came. */
  readonly ids: readonly string[];
  /** Each time without a stream where the server had said when to come back. */
  readonly gaps: readonly Gap[];
  /** The same where it had not: releases before do not. */
  readonly otherGaps: readonly Gap[];
  stop(): Promise<void>;
}

/** What browsers wait where the server says nothing. */
const DEFAULT_RETRY_MS = 3_000;

export function watch(url: string, stepNow: () => string): Watcher {
  const ids: string[] = [];
  const gaps: Gap[] = [];
  const otherGaps: Gap[] = [];
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
    const ended = retryMs === DEFAULT_RETRY_MS ? otherGaps : gaps;
    if (endedMs !== null) ended.push({ ms: Math.round(performance.now() - endedMs), step: stepNow() });
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
    gaps,
    otherGaps,
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

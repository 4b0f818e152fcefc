/**
 * Metrics of all processes under `start`, so that whichever of them a scraper reaches gives the sums over all. A child
 * sends its request to the parent, the parent to every child, and hands what they answer back. Of what has not answered
 * within a second it takes the last figures that are known, and what an ended process has counted stays counted: no sum
 * of counts ever falls.
 */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import pTimeout from 'p-timeout';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { type Figures, isChild, type MetricsMessage, sendToParent } from './process-life.ts';

const PARENT_MS = 1_000;
const CHILD_MS = 2_000;

/**
 * How a process serves its metrics: under `start` those of all, otherwise its own. Gives null while the parent does not
 * answer: its own alone would look like a fall of all.
 */
export function metricsText(registry: Registry): () => Promise<string | null> {
  if (!isChild()) return () => registry.metrics();
  const waiting = new Map<string, (all: readonly Figures[]) => void>();
  process.on('message', (message: MetricsMessage) => {
    if ('metricsWanted' in message) void answer(registry, message.metricsWanted);
    if ('metricsFound' in message) waiting.get(message.metricsFound)?.(message.all);
  });
  return async () => {
    const id = randomUUID();
    const found = new Promise<readonly Figures[]>((resolve) => waiting.set(id, resolve));
    sendToParent({ metricsOfAll: id });
    try {
      const all = await pTimeout(found, { milliseconds: CHILD_MS, fallback: () => null });
      return all === null ? null : await AggregatorRegistry.aggregate([...all]).metrics();
    } finally {
      waiting.delete(id);
    }
  };
}

async function answer(registry: Registry, id: string): Promise<void> {
  sendToParent({ metrics: id, figures: await registry.getMetricsAsJSON() });
}

interface Answer {
  readonly metrics: string;
  readonly figures: Figures;
}

/** Only children of this program send messages. */
function isAnswer(message: object): message is Answer {
  return 'metrics' in message && 'figures' in message;
}

interface Collecting {
  readonly left: Set<ChildProcess>;
  readonly done: () => void;
}

/** The parent's side. */
export class MetricsOfChildren {
  readonly #children: () => Iterable<ChildProcess>;
  readonly #collecting = new Map<string, Collecting>();
  /** The newest figures of each child. */
  readonly #last = new Map<ChildProcess, Figures>();
  /** What ended children had counted. */
  #ended: Figures[] = [];

  constructor(children: () => Iterable<ChildProcess>) {
    this.#children = children;
  }

  /** Takes a message of a child; other messages are passed over. */
  hear(child: ChildProcess, message: object): void {
    if ('metricsOfAll' in message) void this.#collect(child, String(message.metricsOfAll));
    if (isAnswer(message)) {
      // One that has ended is counted among those already.
      if ([...this.#children()].includes(child)) this.#last.set(child, message.figures);
      const collecting = this.#collecting.get(message.metrics);
      if (!collecting?.left.delete(child)) return;
      if (collecting.left.size === 0) collecting.done();
    }
  }

  /** A child that is gone: what it counted is kept, what it measured ends with it. */
  ended(child: ChildProcess): void {
    const last = this.#last.get(child) ?? [];
    this.#last.delete(child);
    this.#ended.push(last.filter(({ type }) => COUNTED.has(String(type))));
  }

  async #collect(requester: ChildProcess, id: string): Promise<void> {
    const connected = [...this.#children()].filter((child) => child.connected);
    const answered = new Promise<void>((done) => {
      this.#collecting.set(id, { left: new Set(connected), done });
    });
    for (const child of connected) child.send({ metricsWanted: id } satisfies MetricsMessage, noop);
    await pTimeout(answered, { milliseconds: PARENT_MS, fallback: noop });
    this.#collecting.delete(id);
    await this.#joinEnded();
    const all = [...this.#last.values(), ...this.#ended];
    if (requester.connected) requester.send({ metricsFound: id, all } satisfies MetricsMessage, noop);
  }

  /** However many have ended, their figures are one list. */
  async #joinEnded(): Promise<void> {
    const ended = [...this.#ended];
    if (ended.length < 2) return;
    const joined = await AggregatorRegistry.aggregate([...ended]).getMetricsAsJSON();
    this.#ended = [joined, ...this.#ended.slice(ended.length)];
  }
}

/** What only grows. */
const COUNTED: ReadonlySet<string> = new Set(['counter', 'histogram']);

/** A child that has died meanwhile needs no answer. */
function noop(): void {}

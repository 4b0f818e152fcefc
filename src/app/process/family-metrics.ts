/**
 * Metrics of all processes under `start`, so that whichever of them a scraper reaches tells the sums over all. A
 * child asks the parent, the parent asks every child, and hands what they answer back: what has not answered within a
 * second is left out.
 */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import pTimeout from 'p-timeout';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { type Figures, isChild, type MetricsMessage, tellParent } from './process-life.ts';

const PARENT_MS = 1_000;
const CHILD_MS = 2_000;

/** How a process tells its metrics: under `start` those of all, otherwise its own. */
export function metricsText(registry: Registry): () => Promise<string> {
  if (!isChild()) return () => registry.metrics();
  const waiting = new Map<string, (all: readonly Figures[]) => void>();
  process.on('message', (message: MetricsMessage) => {
    if ('metricsWanted' in message) void answer(registry, message.metricsWanted);
    if ('metricsFound' in message) waiting.get(message.metricsFound)?.(message.all);
  });
  return async () => {
    const id = randomUUID();
    const found = new Promise<readonly Figures[]>((resolve) => waiting.set(id, resolve));
    tellParent({ metricsOfAll: id });
    try {
      const all = await pTimeout(found, { milliseconds: CHILD_MS, fallback: () => null });
      return all === null ? await registry.metrics() : await AggregatorRegistry.aggregate([...all]).metrics();
    } finally {
      waiting.delete(id);
    }
  };
}

async function answer(registry: Registry, id: string): Promise<void> {
  tellParent({ metrics: id, figures: await registry.getMetricsAsJSON() });
}

interface Answer {
  readonly metrics: string;
  readonly figures: Figures;
}

/** Only children of this program send messages. */
function isAnswer(message: object): message is Answer {
  return 'metrics' in message && 'figures' in message;
}

interface Gathering {
  readonly left: Set<ChildProcess>;
  readonly all: Figures[];
  readonly done: () => void;
}

/** The parent's side. */
export class MetricsOfChildren {
  readonly #children: () => Iterable<ChildProcess>;
  readonly #gathering = new Map<string, Gathering>();

  constructor(children: () => Iterable<ChildProcess>) {
    this.#children = children;
  }

  /** Takes a message of a child; other messages are passed over. */
  hear(child: ChildProcess, message: object): void {
    if ('metricsOfAll' in message) void this.#gather(child, String(message.metricsOfAll));
    if (isAnswer(message)) {
      const gathering = this.#gathering.get(message.metrics);
      if (!gathering?.left.delete(child)) return;
      gathering.all.push(message.figures);
      if (gathering.left.size === 0) gathering.done();
    }
  }

  async #gather(asking: ChildProcess, id: string): Promise<void> {
    const asked = [...this.#children()].filter((child) => child.connected);
    const all: Figures[] = [];
    const answered = new Promise<void>((done) => {
      this.#gathering.set(id, { left: new Set(asked), all, done });
    });
    for (const child of asked) child.send({ metricsWanted: id } satisfies MetricsMessage, noop);
    await pTimeout(answered, { milliseconds: PARENT_MS, fallback: noop });
    this.#gathering.delete(id);
    if (asking.connected) asking.send({ metricsFound: id, all } satisfies MetricsMessage, noop);
  }
}

/** A child that is gone meanwhile needs no answer. */
function noop(): void {}

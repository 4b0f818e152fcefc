/**
 * The figures of all processes, wherever they run, for the office: while somebody reads them, each web and worker
 * process puts its own into one hash in Redis every two seconds, with those of some seconds before, so that rates can
 * be computed. While nobody reads them, nothing is done. The figures are those of the process' metrics.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { type Figure, type ProcessFigures, WATCHED } from '../../pages/office/live-figures.ts';
import type { Backends } from './backends.ts';

export type FiguresBackends = Pick<Backends, 'redis' | 'pubSub'>;

const CHANNEL = 'rostrum:figures';
const HASH = 'rostrum:figures';
/** After somebody has read them, figures continue this long. */
const MEASURED_AT_MS = 15_000;
const EVERY_MS = 2_000;
/** Between the first two, so that the first reader waits no longer for a rate. */
const FIRST_MS = 1_000;
const MAX_SAMPLES = 6;
/** Anything older belongs to a process that has died. */
const FRESH_MS = 8_000;
const HASH_LIVES_S = 120;
const STEP_MS = 250;
const PATIENCE_MS = 2_500;

interface Sample {
  readonly atMs: number;
  readonly figures: readonly Figure[];
}

/** Shares a process' figures from now on, whenever somebody reads them. Returns what ends it. */
export async function shareFigures(
  backends: FiguresBackends,
  registry: Registry,
  role: ProcessFigures['role'],
): Promise<() => Promise<void>> {
  const process = new SharingProcess(backends, registry, role);
  const unsubscribe = await backends.pubSub.subscribe(
    CHANNEL,
    () => process.measuredAt(),
    () => {},
  );
  return async () => {
    process.stop();
    await unsubscribe();
  };
}

class SharingProcess {
  readonly #backends: FiguresBackends;
  readonly #registry: Registry;
  readonly #who: Pick<ProcessFigures, 'id' | 'role' | 'host' | 'pid'>;
  #samples: Sample[] = [];
  #untilMs = 0;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(backends: FiguresBackends, registry: Registry, role: ProcessFigures['role']) {
    this.#backends = backends;
    this.#registry = registry;
    this.#who = { id: randomUUID(), role, host: hostname(), pid: process.pid };
  }

  measuredAt(): void {
    this.#untilMs = performance.now() + MEASURED_AT_MS;
    if (this.#timer === null && !this.#stopped) this.#plan(0);
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #plan(afterMs: number): void {
    this.#timer = setTimeout(() => void this.#refresh(), afterMs).unref();
  }

  async #refresh(): Promise<void> {
    // While Redis is unavailable nothing can be shared; the next round does.
    await this.#share().catch(() => {});
    if (this.#stopped) return;
    if (performance.now() < this.#untilMs) return this.#plan(this.#samples.length < 2 ? FIRST_MS : EVERY_MS);
    this.#timer = null;
    this.#samples = [];
  }

  async #share(): Promise<void> {
    const { redis } = this.#backends;
    const figures = await figuresOf(this.#registry);
    const atMs = Math.floor((await redis.timeUs()) / 1_000);
    this.#samples = [...this.#samples.slice(1 - MAX_SAMPLES), { atMs, figures }];
    const first = this.#samples[0] ?? { atMs, figures };
    const shared: ProcessFigures = {
      ...this.#who,
      atMs,
      now: figures,
      before: first.figures,
      beforeMs: first.atMs,
    };
    await redis.timely.hSet(HASH, { [shared.id]: JSON.stringify(shared) });
    await redis.timely.send(HASH, ['EXPIRE', HASH, String(HASH_LIVES_S)]);
  }
}

async function figuresOf(registry: Registry): Promise<Figure[]> {
  const metrics = WATCHED.flatMap((name) => registry.getSingleMetric(name) ?? []);
  const read = await Promise.all(metrics.map((metric) => metric.get()));
  return read.map(({ name, help, type, aggregator, values }) => ({ name, help, type, aggregator, values }));
}

/**
 * What the processes have shared a moment ago. The first reader waits until there is enough for rates; throws while
 * Redis is unavailable.
 */
export function figuresReader({ redis, pubSub }: FiguresBackends): () => Promise<ProcessFigures[]> {
  return async () => {
    await pubSub.publish(CHANNEL, 'looked at');
    const patienceEnds = performance.now() + PATIENCE_MS;
    for (;;) {
      const found = await readHash(redis);
      const enough = found.length > 0 && found.every(({ atMs, beforeMs }) => beforeMs < atMs);
      if (enough || performance.now() > patienceEnds) return found;
      await sleep(STEP_MS);
    }
  };
}

async function readHash(redis: FiguresBackends['redis']): Promise<ProcessFigures[]> {
  const [values, nowUs] = await Promise.all([
    redis.timely.send<string[]>(HASH, ['HVALS', HASH]),
    redis.timeUs(),
  ]);
  const nowMs = nowUs / 1_000;
  const found = values.map((text): ProcessFigures => JSON.parse(text));
  return found
    .filter(({ atMs }) => nowMs - atMs < FRESH_MS)
    .toSorted((a, b) => a.role.localeCompare(b.role) || a.host.localeCompare(b.host) || a.pid - b.pid);
}

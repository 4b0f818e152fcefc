/**
 * Makes the first attempts of one subscription: reads the facts after its cursor, posts a bounded number at once, those
 * of one lot one after the other, and moves the cursor past what is recorded. A slow receiver fills its own window and
 * delays nobody else. After a crash it begins again at the stored cursor: everything is tried at least once.
 */

import type { Knex } from 'knex';
import { entryOf, firstOf, itemAt, present } from '../../engine/first-of.ts';
import { eventBody } from '../events/event-body.ts';
import {
  EVENT_KINDS,
  type EventKind,
  eventIdOf,
  kindsAmong,
  namesOf,
  storedTypesOf,
} from '../events/event-names.ts';
import {
  type EventPosition,
  type PublishedEvent,
  readPlatformEvents,
  readTeamEvents,
} from '../events/read-events.ts';
import type { OutcomeRecorder } from './outcomes.ts';
import type { RetryPlan } from './retry-plan.ts';
import { type Trying, tryDelivery } from './try-delivery.ts';
import type { DeliveryTerms } from './webhook-subscriptions.ts';

export interface SubscriptionWorkerParts extends Trying {
  readonly knex: Knex;
  readonly recorder: Pick<OutcomeRecorder, 'record'>;
  readonly plan: RetryPlan;
  readonly readTerms: (subscriptionId: number) => Promise<DeliveryTerms | null>;
  /** Called with how long after its fact each first attempt was made. */
  readonly onFirstTry: (delayMs: number) => void;
  readonly onError: (error: unknown) => void;
}

/** A fact of which something is still to be delivered or recorded. */
interface Undelivered {
  readonly position: EventPosition;
  left: number;
}

interface Task {
  readonly entry: Undelivered;
  readonly event: PublishedEvent;
  readonly kind: EventKind;
  /** Tasks with one key are delivered in order: those of a lot. */
  readonly queueKey: string;
}

/** Posts at once. */
const AT_ONCE = 32;
/** Unfinished facts at most. */
const WINDOW = 1_000;
const GROUP_SIZE = 200;
const GONE = 410;
const RETRY_MS = 1_000;

export class SubscriptionWorker {
  readonly id: number;
  readonly #parts: SubscriptionWorkerParts;
  #terms: DeliveryTerms | null = null;
  #window: Undelivered[] = [];
  /** Queues by lot, the running task first. */
  readonly #queues = new Map<string, Task[]>();
  readonly #ready: Task[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #writing = new Set<Promise<void>>();
  #readTo: EventPosition;
  #cursor: EventPosition;
  #settled: EventPosition;
  #filling: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(id: number, cursor: EventPosition, parts: SubscriptionWorkerParts) {
    this.id = id;
    this.#parts = parts;
    this.#readTo = cursor;
    this.#cursor = cursor;
    this.#settled = cursor;
  }

  /** Everything up to here is recorded. */
  get cursor(): EventPosition {
    return this.#cursor;
  }

  get hasStopped(): boolean {
    return this.#stopped;
  }

  /** Everything up to `position` is settled, and some of it may be for this subscription. */
  wake(position: EventPosition): void {
    if (isBefore(this.#settled, position)) this.#settled = position;
    this.#fill();
  }

  /** Starts no more; resolves when everything that was started has ended and is recorded. */
  async close(): Promise<void> {
    this.#stop();
    await this.#filling;
    await Promise.all(this.#running);
    await Promise.all(this.#writing);
  }

  #stop(): void {
    this.#stopped = true;
    this.#ready.length = 0;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #fill(): void {
    const full = this.#window.length > WINDOW - GROUP_SIZE;
    if (this.#filling !== null || this.#stopped || full || !isBefore(this.#readTo, this.#settled)) return;
    this.#filling = this.#read().then(
      () => {
        this.#filling = null;
        this.#fill();
      },
      (error: unknown) => {
        this.#filling = null;
        this.#parts.onError(error);
        if (!this.#stopped) this.#timer ??= setTimeout(() => this.#retry(), RETRY_MS);
      },
    );
  }

  #retry(): void {
    this.#timer = null;
    this.#fill();
  }

  async #read(): Promise<void> {
    const upTo = this.#settled;
    const terms = await this.#parts.readTerms(this.id);
    if (terms === null || !terms.isActive || terms.isPaused) {
      this.#stop();
      return;
    }
    this.#terms = terms;
    const wanted = terms.events.includes('*') ? EVENT_KINDS : kindsAmong(terms.events);
    const query = { after: this.#readTo, upTo, types: storedTypesOf(wanted), limit: GROUP_SIZE };
    const { knex } = this.#parts;
    const events =
      'teamId' in terms.of
        ? await readTeamEvents(knex, terms.of.teamId, query)
        : await readPlatformEvents(knex, terms.of.platform, query);
    if (this.#stopped) return;
    for (const event of events) this.#take(event, wanted);
    const last = events.at(-1);
    this.#readTo = last === undefined || events.length < GROUP_SIZE ? upTo : { tx: last.tx, id: last.id };
    this.#moveCursor();
    this.#start();
  }

  #take(event: PublishedEvent, wanted: readonly EventKind[]): void {
    const kinds = namesOf(event.type, event.status).filter((kind) => wanted.includes(kind));
    if (kinds.length === 0) return;
    const entry: Undelivered = { position: { tx: event.tx, id: event.id }, left: kinds.length };
    this.#window.push(entry);
    const queueKey = event.lot_id === null ? `event ${event.id}` : `lot ${event.lot_id}`;
    for (const kind of kinds) this.#queue({ entry, event, kind, queueKey: queueKey });
  }

  #queue(task: Task): void {
    const queueKey = this.#queues.get(task.queueKey);
    if (queueKey !== undefined) {
      queueKey.push(task);
      return;
    }
    this.#queues.set(task.queueKey, [task]);
    this.#ready.push(task);
  }

  #start(): void {
    while (this.#running.size < AT_ONCE) {
      const task = this.#ready.shift();
      if (task === undefined) return;
      const running = this.#deliver(task);
      this.#running.add(running);
      void running.finally(() => {
        this.#running.delete(running);
        this.#start();
        this.#fill();
      });
    }
  }

  /** Ends when the next task of the queueKey may begin; writing down continues alongside. */
  async #deliver({ entry, event, kind, queueKey }: Task): Promise<void> {
    const terms = present(this.#terms);
    const { plan, recorder, onFirstTry } = this.#parts;
    const bornMs = Date.parse(event.created_at);
    const waitMs = plan.waitMs(1) ?? 0;
    if (waitMs > 0) await sleep(Math.max(0, bornMs + waitMs - Date.now()));
    onFirstTry(Math.max(0, Date.now() - bornMs));
    const eventId = eventIdOf(event.id, event.type, kind);
    const result = await tryDelivery(this.#parts, terms, eventId, eventBody(kind, event), event.trace);
    if (result.status === GONE) this.#stop();
    const written = recorder
      .record({
        subscriptionId: this.id,
        of: { eventId, event: kind, eventRow: event.id },
        attempt: 1,
        repeats: true,
        result,
      })
      .then(() => {
        entry.left -= 1;
        this.#moveCursor();
        this.#writing.delete(written);
        this.#fill();
      });
    this.#writing.add(written);
    this.#next(queueKey);
  }

  #next(queueKey: string): void {
    const tasks = entryOf(this.#queues, queueKey);
    tasks.shift();
    if (tasks.length === 0) this.#queues.delete(queueKey);
    else if (!this.#stopped) this.#ready.push(firstOf(tasks));
  }

  #moveCursor(): void {
    let done = 0;
    while (this.#window[done]?.left === 0) done += 1;
    if (done > 0) this.#cursor = itemAt(this.#window.splice(0, done), -1).position;
    if (this.#window.length === 0 && isBefore(this.#cursor, this.#readTo)) this.#cursor = this.#readTo;
  }
}

function isBefore(one: EventPosition, other: EventPosition): boolean {
  return one.tx < other.tx || (one.tx === other.tx && one.id < other.id);
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

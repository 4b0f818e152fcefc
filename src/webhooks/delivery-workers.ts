/**
 * The delivery workers of this worker: shares the active subscriptions out among the workers that are there, keeps
 * one delivery worker for each that it has claimed, and stores how far they have come. A claim saves work and
 * repeats; two delivery workers on one subscription would only deliver twice.
 */

import type { Knex } from 'knex';
import pTimeout from 'p-timeout';
import { LockSession } from '../../adapters/postgres/lock-session.ts';
import { entryOf } from '../../engine/first-of.ts';
import { type EventKind, kindsAmong, storedTypesOf } from '../events/event-names.ts';
import type { EventPosition, SettledEvents } from '../events/read-events.ts';
import { SubscriptionWorker, type SubscriptionWorkerParts } from './subscription-worker.ts';
import { WebhookSubscription } from './webhook.model.ts';
import { PAUSED_SQL } from './webhook-subscriptions.ts';

export interface DeliveryWorkersParts extends SubscriptionWorkerParts {
  readonly knex: Knex;
  readonly databaseUrl: string;
  /** How far everything is settled now. */
  readonly settled: () => EventPosition;
}

interface Claimed {
  readonly worker: SubscriptionWorker;
  /** Null for a platform's, which concerns the listings of every team. */
  readonly teamId: number | null;
  /** As far as is known here; the delivery worker itself reads it at every reading. */
  types: ReadonlySet<string>;
  stored: EventPosition;
  lazy: NodeJS.Timeout | null;
}

interface ActiveRow {
  readonly id: number;
  readonly team_id: number | null;
  readonly events: readonly (EventKind | '*')[];
}

/** Names the family of locks. */
const FAMILY = 726_573_742;
const BEAT_MS = 1_000;
/** Where there is nothing to share out, the session only has to stay alive. */
const LONE_BEAT_MS = 4_500;
/** How late facts of a kind are noticed that a subscription did not name when it was last read. */
const LAZY_MS = 500;
/** How long closing waits for running attempts. */
const GRACE_MS = 3_000;

export class DeliveryWorkers {
  readonly #parts: DeliveryWorkersParts;
  readonly #claimed = new Map<number, Claimed>();
  #session: LockSession | null = null;
  #sharing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #shareAgain = false;
  #beatMs = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(parts: DeliveryWorkersParts) {
    this.#parts = parts;
  }

  /** Claims at once and from then on. Never throws: what fails is reported and retried. */
  async start(): Promise<void> {
    await this.beat();
    this.#timer = setInterval(() => void this.beat(), BEAT_MS);
  }

  /** Reads the subscriptions and what others have claimed. */
  beat(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    if (this.#sharing !== null) {
      this.#shareAgain = true;
      return this.#sharing;
    }
    this.#shareAgain = false;
    this.#sharing = this.#share()
      .then(() => this.#store())
      .catch((error: unknown) => this.#parts.onError(error))
      .finally(() => {
        this.#sharing = null;
        if (this.#shareAgain) void this.beat();
      });
    return this.#sharing;
  }

  /** Wakes the delivery workers that news concern. */
  notify({ position, news }: SettledEvents): void {
    const types = new Map<number | null, Set<string>>();
    for (const { team_id, type } of news) {
      const known = types.get(team_id);
      if (known === undefined) types.set(team_id, new Set([type]));
      else known.add(type);
    }
    const all = [...types.values()].flatMap((ofTeam) => [...ofTeam]);
    const ofPeople = types.get(null) ?? NONE;
    for (const claimed of this.#claimed.values()) {
      const { teamId, worker } = claimed;
      const concerning = teamId === null ? all : [...(types.get(teamId) ?? NONE), ...ofPeople];
      if (concerning.some((type) => claimed.types.has(type))) worker.wake(position);
      else if (teamId !== null && concerning.length > 0)
        claimed.lazy ??= setTimeout(() => wakeLazily(claimed, this.#parts.settled()), LAZY_MS);
    }
  }

  /**
   * Ends within a few seconds; attempts that still hang are repeated by the worker that claims their subscription next.
   */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#sharing;
    const closing = Promise.all([...this.#claimed.values()].map(closeWorker));
    await pTimeout(closing, { milliseconds: GRACE_MS, fallback: () => [] });
    await this.#store().catch((error: unknown) => this.#parts.onError(error));
    await this.#session?.close();
  }

  async #share(): Promise<void> {
    if (this.#session?.lost) {
      this.#session = null;
      for (const claimed of this.#claimed.values()) void closeWorker(claimed);
      this.#claimed.clear();
    }
    this.#session ??= await LockSession.open(this.#parts.databaseUrl, FAMILY);
    const active = await this.#readActive();
    const nowMs = performance.now();
    if (active.size + this.#claimed.size === 0 && nowMs - this.#beatMs < LONE_BEAT_MS) return;
    this.#beatMs = nowMs;
    const workers = Math.max(1, await this.#session.beat(FAMILY));
    const fair = Math.ceil(active.size / workers);
    for (const [id, { worker }] of [...this.#claimed]) {
      if (active.has(id) && !worker.hasStopped) continue;
      await this.#release(this.#session, id);
      // One that stopped and is active again begins again at the stored cursor, with the next round.
      active.delete(id);
    }
    const free = [...active.keys()].filter((id) => !this.#claimed.has(id));
    const wanted = fair - this.#claimed.size;
    if (wanted > 0 && free.length > 0) {
      for (const id of await this.#session.take(FAMILY, shuffled(free), wanted))
        await this.#claim(entryOf(active, id));
    }
    for (const id of [...this.#claimed.keys()].slice(fair)) await this.#release(this.#session, id);
  }

  async #readActive(): Promise<Map<number, ActiveRow>> {
    const rows: ActiveRow[] = await WebhookSubscription.query(this.#parts.knex)
      .where('is_active', true)
      .whereRaw(`NOT ${PAUSED_SQL}`)
      .select('id', 'team_id', 'events');
    for (const row of rows) {
      const claimed = this.#claimed.get(row.id);
      if (claimed !== undefined) claimed.types = typesOf(row);
    }
    return new Map(rows.map((row) => [row.id, row]));
  }

  async #claim(row: ActiveRow): Promise<void> {
    // SQL: a transaction id (xid8) as a number.
    const { rows } = await this.#parts.knex.raw<{ rows: EventPosition[] }>(
      'SELECT cursor_tx::text::bigint AS tx, cursor_id AS id FROM webhook_subscriptions WHERE id = ?',
      [row.id],
    );
    const stored = rows[0];
    if (stored === undefined) return;
    const worker = new SubscriptionWorker(row.id, stored, this.#parts);
    this.#claimed.set(row.id, { worker, teamId: row.team_id, types: typesOf(row), stored, lazy: null });
    worker.wake(this.#parts.settled());
  }

  /**
   * Releases a subscription once none of its attempts is running; in the background, since an attempt may hang for
   * long.
   */
  async #release(session: LockSession, id: number): Promise<void> {
    const claimed = entryOf(this.#claimed, id);
    this.#claimed.delete(id);
    void closeWorker(claimed)
      .then(() => storeCursors(this.#parts.knex, [claimed]))
      .then(() => (session.lost ? undefined : session.release(FAMILY, id)))
      .catch((error: unknown) => this.#parts.onError(error));
  }

  async #store(): Promise<void> {
    await storeCursors(this.#parts.knex, [...this.#claimed.values()]);
  }
}

const NONE: ReadonlySet<string> = new Set();

function wakeLazily(claimed: Claimed, position: EventPosition): void {
  claimed.lazy = null;
  claimed.worker.wake(position);
}

async function closeWorker(claimed: Claimed): Promise<void> {
  if (claimed.lazy !== null) clearTimeout(claimed.lazy);
  await claimed.worker.close();
}

function typesOf({ events }: ActiveRow): ReadonlySet<string> {
  return events.includes('*') ? ALL : new Set(storedTypesOf(kindsAmong(events)));
}

/** Everything is requested. */
const ALL: ReadonlySet<string> = Object.assign(new Set<string>(), { has: () => true });

async function storeCursors(knex: Knex, all: readonly Claimed[]): Promise<void> {
  const moved = all.filter(({ worker, stored }) => worker.cursor !== stored);
  if (moved.length === 0) return;
  const positions = moved.map((claimed) => ({ claimed, position: claimed.worker.cursor }));
  // SQL: each row its own position in one statement, cast to xid8.
  await knex.raw(
    `UPDATE webhook_subscriptions s SET cursor_tx = n.tx::xid8, cursor_id = n.id
     FROM json_to_recordset(?::json) AS n (sub bigint, tx text, id bigint)
     WHERE s.id = n.sub AND (s.cursor_tx, s.cursor_id) < (n.tx::xid8, n.id)`,
    [
      JSON.stringify(
        positions.map(({ claimed, position }) => ({
          sub: claimed.worker.id,
          tx: String(position.tx),
          id: position.id,
        })),
      ),
    ],
  );
  for (const { claimed, position } of positions) claimed.stored = position;
}

/** Workers that try in the same order would all try for the same ones. */
function shuffled(ids: readonly number[]): number[] {
  const start = process.pid % Math.max(1, ids.length);
  return [...ids.slice(start), ...ids.slice(0, start)];
}

/**
 * Makes the attempts that are due: retries, tests and redeliveries. Each subscription has a bounded number at once, so
 * a dead receiver costs nobody else anything. A process that makes an attempt holds its row for a while; if it dies,
 * the row is due again afterwards.
 */
import type { Knex } from 'knex';
import { eventBody } from '../events/event-body.ts';
import type { EventKind } from '../events/event-names.ts';
import { JOINED_EVENT, type JoinedEvent, joinEvent, textOfJoined } from '../events/joined-event.ts';
import type { OutcomeRecorder } from './outcomes.ts';
import { type Trying, tryDelivery } from './try-delivery.ts';
import { WebhookDelivery } from './webhook.model.ts';
import type { DeliveryTerms } from './webhook-subscriptions.ts';

export interface DueParts extends Trying {
  readonly knex: Knex;
  readonly recorder: Pick<OutcomeRecorder, 'record'>;
  readonly readTerms: (subscriptionId: number) => Promise<DeliveryTerms | null>;
  readonly onError: (error: unknown) => void;
}

interface DueRow extends JoinedEvent {
  readonly id: number;
  readonly origin: 'event' | 'test' | 'redelivery';
  readonly event_id: string;
  readonly event: EventKind;
  readonly event_row: number | null;
  readonly attempt: number;
  readonly body: string | null;
}

const AT_ONCE = 8;
const CLAIM = 2;
/** Longer than the tries of one claim can take. */
const HOLD = '60 seconds';
/** What is due within this is waited for: retry jobs come by another clock than the rows are judged by. */
const SOON_MS = 1_000;

export class DueTries {
  readonly #parts: DueParts;
  readonly #running = new Map<number, Promise<void>>();
  readonly #wokenMeanwhile = new Set<number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #closed = false;

  constructor(parts: DueParts) {
    this.#parts = parts;
  }

  /** Makes what is due of a subscription, alongside the caller. */
  wake(subscriptionId: number): void {
    if (this.#closed) return;
    if (this.#running.has(subscriptionId)) {
      this.#wokenMeanwhile.add(subscriptionId);
      return;
    }
    const running = this.#run(subscriptionId)
      .catch((error: unknown) => this.#parts.onError(error))
      .finally(() => {
        this.#running.delete(subscriptionId);
        if (this.#wokenMeanwhile.delete(subscriptionId)) this.wake(subscriptionId);
      });
    this.#running.set(subscriptionId, running);
  }

  /** Ends after the running attempts. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all(this.#running.values());
  }

  async #run(subscriptionId: number): Promise<void> {
    await Promise.all(Array.from({ length: AT_ONCE }, () => this.#work(subscriptionId)));
    const inMs = await dueSoon(this.#parts.knex, subscriptionId);
    if (inMs === null || this.#closed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.wake(subscriptionId);
    }, inMs);
    this.#timers.add(timer);
  }

  async #work(subscriptionId: number): Promise<void> {
    while (!this.#closed) {
      const terms = await this.#parts.readTerms(subscriptionId);
      if (terms === null || terms.isPaused) return;
      if (!terms.isActive) await giveUp(this.#parts.knex, subscriptionId);
      const rows = await claim(this.#parts.knex, subscriptionId);
      if (rows.length === 0) return;
      for (const row of rows) await this.#try(terms, row);
    }
  }

  async #try(terms: DeliveryTerms, row: DueRow): Promise<void> {
    const { body, trace } = bodyOf(row);
    const result = await tryDelivery(this.#parts, terms, row.event_id, body, trace);
    await this.#parts.recorder.record({
      subscriptionId: terms.id,
      of: { deliveryId: row.id },
      attempt: row.attempt,
      repeats: row.origin !== 'test',
      result,
    });
  }
}

function bodyOf(row: DueRow): { body: string; trace: string | null } {
  if (row.body !== null) return { body: row.body, trace: null };
  const kept = textOfJoined(row, row.event_row);
  if (kept === null) throw new Error(`event ${row.event_id} is no longer stored`);
  return { body: eventBody(row.event, kept), trace: kept.trace };
}

async function claim(knex: Knex, subscriptionId: number): Promise<DueRow[]> {
  // SQL: takes what nobody else has locked, in one statement.
  const { rows } = await knex.raw<{ rows: DueRow[] }>(
    `WITH due AS MATERIALIZED (
       SELECT id FROM webhook_deliveries
        WHERE subscription_id = ? AND next_attempt_at <= now()
        ORDER BY next_attempt_at, id LIMIT ${CLAIM} FOR UPDATE SKIP LOCKED),
     held AS (
       UPDATE webhook_deliveries d SET status = 'pending', attempt = d.attempt + 1,
         next_attempt_at = now() + interval '${HOLD}'
       FROM due WHERE d.id = due.id
       RETURNING d.id, d.origin, d.event_id, d.event, d.event_row, d.attempt, d.body)
     SELECT held.*, ${JOINED_EVENT} FROM held ${joinEvent('held.event_row')} ORDER BY held.id`,
    [subscriptionId],
  );
  return rows;
}

/** Milliseconds until the next try that is due soon, or null. */
async function dueSoon(knex: Knex, subscriptionId: number): Promise<number | null> {
  // SQL: milliseconds by the clock of the database.
  const { rows } = await knex.raw<{ rows: { in_ms: number | null }[] }>(
    `SELECT ceil(extract(epoch FROM min(next_attempt_at) - now()) * 1000)::int AS in_ms FROM webhook_deliveries
      WHERE subscription_id = ? AND next_attempt_at <= now() + ? * interval '1 millisecond'`,
    [subscriptionId, SOON_MS],
  );
  const inMs = rows[0]?.in_ms ?? null;
  return inMs === null ? null : Math.max(1, inMs);
}

/** A subscription that is off repeats nothing; what was requested by hand goes out all the same. */
async function giveUp(knex: Knex, subscriptionId: number): Promise<void> {
  await WebhookDelivery.query(knex)
    .where({ subscription_id: subscriptionId, origin: 'event' })
    .whereNotNull('next_attempt_at')
    .patch({ status: 'exhausted', next_attempt_at: null });
}

/**
 * Records the outcomes of attempts: many at once in one transaction, as they arrive. A first attempt becomes a row of
 * the log, a later one changes its row; a subscription that fails for days or answers 410 is turned off here. What
 * cannot be written is kept and retried.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { PostResult } from '../../adapters/webhooks/poster.ts';
import type { RetryPlan } from './retry-plan.ts';
import { SUBSCRIPTIONS_CHANNEL } from './webhook-subscriptions.ts';

/** The outcome of one attempt. */
export interface Outcome {
  readonly subscriptionId: number;
  /** Of an event's first attempt, which has no row yet; or the row of a later try. */
  readonly of: FirstTry | { readonly deliveryId: number };
  /** From 1. */
  readonly attempt: number;
  /** Whether another attempt may follow. */
  readonly repeats: boolean;
  readonly result: PostResult;
}

export interface FirstTry {
  readonly eventId: string;
  readonly event: string;
  readonly eventRow: number;
}

export interface OutcomeParts {
  readonly knex: Knex;
  readonly plan: RetryPlan;
  /** Called after the commit when deliveries of a subscription will be due. */
  readonly scheduleRetry: (subscriptionId: number, inMs: number) => void;
  /** Called for each recorded outcome, with the resulting status of its delivery. */
  readonly onWritten: (status: string) => void;
  readonly onError: (error: unknown) => void;
}

interface Waiting {
  readonly outcome: Outcome;
  readonly nextInMs: number | null;
  readonly done: () => void;
}

const AT_ONCE = 500;
const COLLECT_MS = 50;
const PAUSE_MS = 500;
const GIVE_UP_AFTER = '5 days';
const GONE = 410;

export class OutcomeRecorder {
  readonly #parts: OutcomeParts;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | null = null;
  #closed = false;

  constructor(parts: OutcomeParts) {
    this.#parts = parts;
  }

  /** Resolves when it is written. After `close` it may stay unwritten: the attempt is then repeated. */
  record(outcome: Outcome): Promise<void> {
    return new Promise((done) => {
      const waitMs = this.#parts.plan.waitMs(outcome.attempt + 1);
      const willRetry = !isSuccess(outcome) && outcome.result.status !== GONE && outcome.repeats;
      this.#waiting.push({ outcome, nextInMs: willRetry ? waitMs : null, done });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Writes what is waiting, with at most one more attempt. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Outcomes that arrive together share a transaction, which would otherwise cost more than the attempt.
      if (!this.#closed && this.#waiting.length < AT_ONCE) await sleep(COLLECT_MS);
      const group = this.#waiting.splice(0, AT_ONCE);
      try {
        await this.#write(group);
        for (const one of group) {
          this.#parts.onWritten(statusOf(one));
          one.done();
        }
      } catch (error) {
        this.#parts.onError(error);
        this.#waiting.unshift(...group);
        if (this.#closed) break;
        await sleep(PAUSE_MS);
      }
    }
    this.#writing = null;
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    await this.#parts.knex.transaction(async (trx) => {
      // A crash of Postgres may lose the last outcomes: their attempts are repeated.
      // SQL: a setting of this transaction; no builder knows it.
      await trx.raw('SET LOCAL synchronous_commit TO off');
      await insertFirst(trx, group);
      await updateLater(trx, group);
      await judgeSubscriptions(trx, group);
    });
    for (const { outcome, nextInMs } of group) {
      if (nextInMs !== null) this.#parts.scheduleRetry(outcome.subscriptionId, nextInMs);
    }
  }
}

function isSuccess({ result: { status } }: Outcome): boolean {
  return status !== null && status >= 200 && status < 300;
}

function statusOf({ outcome, nextInMs }: Pick<Waiting, 'outcome' | 'nextInMs'>): string {
  if (isSuccess(outcome)) return 'success';
  return nextInMs === null ? 'exhausted' : 'failed';
}

function columnsOf({ outcome, nextInMs }: Waiting) {
  const { result } = outcome;
  return {
    subscription_id: outcome.subscriptionId,
    attempt: outcome.attempt,
    status: statusOf({ outcome, nextInMs }),
    response_status: result.status,
    response_body: result.status === null ? null : result.responseBody,
    error: result.error,
    duration_ms: result.durationMs,
    next_in_ms: nextInMs,
  };
}

const RESULT_COLUMNS = `attempt integer, status text, response_status integer, response_body text, error text,
  duration_ms integer, next_in_ms bigint`;
const NEXT_AT = `now() + n.next_in_ms * interval '1 millisecond'`;

async function insertFirst(trx: Knex, group: readonly Waiting[]): Promise<void> {
  const rows = group.flatMap((waiting) => {
    const { of } = waiting.outcome;
    if ('deliveryId' in of) return [];
    return [{ ...columnsOf(waiting), event_id: of.eventId, event: of.event, event_row: of.eventRow }];
  });
  if (rows.length === 0) return;
  // SQL: many in one statement.
  await trx.raw(
    `INSERT INTO webhook_deliveries AS d (subscription_id, origin, event_id, event, event_row, attempt, status,
       response_status, response_body, error, duration_ms, next_attempt_at)
     SELECT n.subscription_id, 'event', n.event_id, n.event, n.event_row, n.attempt, n.status,
       n.response_status, n.response_body, n.error, n.duration_ms, ${NEXT_AT}
     FROM json_to_recordset(?::json) AS n (subscription_id bigint, event_id text, event text, event_row bigint,
       ${RESULT_COLUMNS})
     WHERE EXISTS (SELECT 1 FROM webhook_subscriptions s WHERE s.id = n.subscription_id)
     ON CONFLICT (subscription_id, event_id) WHERE origin = 'event' DO UPDATE SET status = excluded.status,
       response_status = excluded.response_status, response_body = excluded.response_body, error = excluded.error,
       duration_ms = excluded.duration_ms, next_attempt_at = excluded.next_attempt_at
       WHERE d.status <> 'success' AND excluded.status = 'success'`,
    [JSON.stringify(rows)],
  );
}

async function updateLater(trx: Knex, group: readonly Waiting[]): Promise<void> {
  const rows = group.flatMap((waiting) => {
    const { of } = waiting.outcome;
    return 'deliveryId' in of ? [{ ...columnsOf(waiting), id: of.deliveryId }] : [];
  });
  if (rows.length === 0) return;
  // SQL: each delivery its own columns, many in one statement (measured).
  await trx.raw(
    `UPDATE webhook_deliveries d SET attempt = n.attempt, status = n.status, response_status = n.response_status,
       response_body = n.response_body, error = n.error, duration_ms = n.duration_ms, next_attempt_at = ${NEXT_AT}
     FROM json_to_recordset(?::json) AS n (id bigint, ${RESULT_COLUMNS})
     WHERE d.id = n.id`,
    [JSON.stringify(rows)],
  );
}

/**
 * The last outcome of each subscription counts: a success ends a time of failures, a failure begins or continues with
 * one.
 */
async function judgeSubscriptions(trx: Knex, group: readonly Waiting[]): Promise<void> {
  const last = new Map(group.map(({ outcome }) => [outcome.subscriptionId, outcome]));
  const gone = group.filter(({ outcome }) => outcome.result.status === GONE);
  const goneIds = new Set(gone.map(({ outcome }) => outcome.subscriptionId));
  const [good, bad]: [number[], number[]] = [[], []];
  for (const [id, outcome] of last) if (!goneIds.has(id)) (isSuccess(outcome) ? good : bad).push(id);
  if (good.length > 0) {
    // SQL: a list of any length as one binding, and columns that follow from each other.
    await trx.raw(
      `UPDATE webhook_subscriptions SET failing_since = NULL
        WHERE id = ANY(?::bigint[]) AND failing_since IS NOT NULL`,
      [good],
    );
  }
  if (bad.length + goneIds.size === 0) return;
  const { rows: off } = await trx.raw<{ rows: { is_active: boolean }[] }>(
    `UPDATE webhook_subscriptions SET failing_since = coalesce(failing_since, now()),
       is_active = is_active AND NOT (id = ANY(:gone) OR coalesce(failing_since < now() - :limit::interval, false)),
       disabled_reason = CASE WHEN NOT is_active THEN disabled_reason
         WHEN id = ANY(:gone) THEN 'gone'
         WHEN failing_since < now() - :limit::interval THEN 'failing' END
      WHERE id = ANY(:ids) AND (failing_since IS NULL OR id = ANY(:gone) OR failing_since < now() - :limit::interval)
      RETURNING is_active`,
    { gone: [...goneIds], ids: [...bad, ...goneIds], limit: GIVE_UP_AFTER },
  );
  if (off.some(({ is_active }) => !is_active))
    await trx.raw(`SELECT pg_notify(?, '')`, [SUBSCRIPTIONS_CHANNEL]);
}

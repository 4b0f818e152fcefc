/**
 * Webhook subscriptions with the place that each has reached among the facts, and one row for every delivery that was begun. A
 * delivery that waits for its next try has `next_attempt_at`; the row is the truth, queues only remind of it.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE webhook_subscriptions (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      team_id bigint NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      url text NOT NULL,
      events text[] NOT NULL CHECK (cardinality(events) > 0),
      description text,
      is_active boolean NOT NULL DEFAULT true,
      disabled_reason text CHECK (disabled_reason IN ('gone', 'failing')),
      sealed_secret text NOT NULL,
      previous_sealed_secret text,
      previous_valid_until timestamptz,
      cursor_tx xid8 NOT NULL,
      cursor_id bigint NOT NULL DEFAULT 0,
      failing_since timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX webhook_subscriptions_of_team ON webhook_subscriptions (team_id, id);
    CREATE INDEX webhook_subscriptions_active ON webhook_subscriptions (id) WHERE is_active;

    CREATE TABLE webhook_deliveries (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      subscription_id bigint NOT NULL REFERENCES webhook_subscriptions (id) ON DELETE CASCADE,
      origin text NOT NULL CHECK (origin IN ('event', 'test', 'redelivery')),
      event_id text NOT NULL,
      event text NOT NULL,
      event_row bigint,
      body text,
      attempt integer NOT NULL DEFAULT 0,
      status text NOT NULL CHECK (status IN ('pending', 'success', 'failed', 'exhausted')),
      response_status integer,
      response_body text,
      error text,
      duration_ms integer,
      next_attempt_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      CHECK ((event_row IS NULL) <> (body IS NULL))
    );
    CREATE INDEX webhook_deliveries_of_subscription ON webhook_deliveries (subscription_id, id DESC);
    CREATE UNIQUE INDEX webhook_deliveries_once ON webhook_deliveries (subscription_id, event_id)
      WHERE origin = 'event';
    CREATE INDEX webhook_deliveries_due ON webhook_deliveries (subscription_id, next_attempt_at)
      WHERE next_attempt_at IS NOT NULL;
    CREATE INDEX webhook_deliveries_age ON webhook_deliveries USING brin (created_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE webhook_deliveries; DROP TABLE webhook_subscriptions;');
}

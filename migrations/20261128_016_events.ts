/** Facts for the world outside, and the webhook subscriptions that are told of them. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Written in the transaction that made the fact. Readers go by (tx, id) and stop before the oldest transaction
    -- still open, so that a row that commits late is never passed over. Bids of one lot that are projected together
    -- share a row: ids go up in steps, so that each bid of such a row has one of its own, the last one the row's.
    CREATE TABLE events (
      id bigint GENERATED ALWAYS AS IDENTITY (INCREMENT BY 64) PRIMARY KEY,
      tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
      team_id bigint,
      user_id bigint,
      auction_id bigint,
      lot_id bigint,
      created_at timestamptz NOT NULL DEFAULT now(),
      type text NOT NULL,
      event_key text NOT NULL,
      data jsonb NOT NULL CHECK (jsonb_typeof(data) = 'object'),
      trace text,
      bids text
    );
    CREATE INDEX events_in_order ON events (tx, id);
    CREATE INDEX events_of_team ON events (team_id, tx, id) WHERE team_id IS NOT NULL;
    CREATE INDEX events_of_user ON events (user_id, tx, id) WHERE user_id IS NOT NULL;
    CREATE INDEX events_of_listings ON events ((data ->> 'platform'), tx, id) WHERE type LIKE 'listing.%';
    CREATE UNIQUE INDEX events_key ON events (event_key) WHERE type <> 'lot.bid_placed';

    DO $$ BEGIN
      ALTER TABLE events ALTER COLUMN bids SET COMPRESSION lz4;
    EXCEPTION WHEN feature_not_supported THEN
      ALTER TABLE events ALTER COLUMN bids SET STORAGE EXTERNAL;
    END $$;

    -- Subscriptions of teams, and of platforms, which are told what becomes of the lots listed there and signed to
    -- with the platform's own secrets; each with the place that it has reached among the events.
    CREATE TABLE webhook_subscriptions (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      team_id bigint REFERENCES teams ON DELETE CASCADE,
      url text NOT NULL,
      events text[] NOT NULL CHECK (cardinality(events) > 0),
      description text,
      is_active boolean NOT NULL DEFAULT true,
      disabled_reason text CHECK (disabled_reason IN ('gone', 'failing')),
      sealed_secret text,
      previous_sealed_secret text,
      previous_valid_until timestamptz,
      cursor_tx xid8 NOT NULL,
      cursor_id bigint NOT NULL DEFAULT 0,
      failing_since timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      platform text UNIQUE REFERENCES simulcast_platforms (slug) ON DELETE CASCADE,
      CHECK ((team_id IS NULL) = (platform IS NOT NULL)),
      CHECK ((sealed_secret IS NULL) = (platform IS NOT NULL))
    );
    CREATE INDEX webhook_subscriptions_of_team ON webhook_subscriptions (team_id, id);
    CREATE INDEX webhook_subscriptions_active ON webhook_subscriptions (id) WHERE is_active;

    -- One row for every delivery that was begun. One that waits for its next try has next_attempt_at; the row is the
    -- truth, queues only remind of it.
    CREATE TABLE webhook_deliveries (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      subscription_id bigint NOT NULL REFERENCES webhook_subscriptions ON DELETE CASCADE,
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
    CREATE INDEX webhook_deliveries_by_hand ON webhook_deliveries (subscription_id, created_at)
      WHERE origin <> 'event';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE webhook_deliveries, webhook_subscriptions, events;
  `);
}

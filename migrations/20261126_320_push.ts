/** Web Push: the keys by which push services know us, and the browsers that want to be told. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE push_keys (
      id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
      public_key text NOT NULL,
      private_key_sealed text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE push_subscriptions (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      endpoint text NOT NULL UNIQUE CHECK (length(endpoint) <= 2000),
      p256dh text NOT NULL,
      auth text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      notified_until timestamptz NOT NULL DEFAULT now(),
      sent text[] NOT NULL DEFAULT '{}',
      tries integer NOT NULL DEFAULT 0,
      wakes_at timestamptz
    );
    CREATE INDEX push_subscriptions_of_user ON push_subscriptions (user_id);
    CREATE INDEX push_subscriptions_wakes ON push_subscriptions (wakes_at) WHERE wakes_at IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE push_subscriptions; DROP TABLE push_keys;');
}

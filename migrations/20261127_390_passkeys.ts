/** Passkeys (WebAuthn): the public half of each, whose it is, and when it was used last. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE passkeys (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      credential_id text NOT NULL UNIQUE CHECK (length(credential_id) BETWEEN 1 AND 2000),
      public_key text NOT NULL,
      user_handle text NOT NULL,
      counter bigint NOT NULL CHECK (counter >= 0),
      transports text[] NOT NULL DEFAULT '{}',
      name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
      synced boolean NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      last_used_at timestamptz
    );
    CREATE INDEX passkeys_user ON passkeys (user_id, id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE passkeys');
}

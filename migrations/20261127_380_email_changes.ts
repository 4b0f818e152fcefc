/**
 * Requests to use another address for an account: the new mailbox confirms, and the old one can stop it, or take it
 * back for a while. Tokens are kept as hashes, and so is the password of the request, which taking it back asks for.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE email_changes (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      old_email text NOT NULL,
      new_email text NOT NULL,
      confirm_hash text NOT NULL UNIQUE CHECK (confirm_hash ~ '^[0-9a-f]{64}$'),
      stop_hash text NOT NULL UNIQUE CHECK (stop_hash ~ '^[0-9a-f]{64}$'),
      undo_hash text UNIQUE CHECK (undo_hash ~ '^[0-9a-f]{64}$'),
      password_hash text,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      confirmed_at timestamptz,
      stopped_at timestamptz
    );
    CREATE INDEX email_changes_user ON email_changes (user_id, created_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE email_changes');
}

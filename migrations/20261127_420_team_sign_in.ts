/**
 * A team's OpenID Connect provider, and which of its people is whose account: each linked by the account's owner. Another
 * provider of the team knows nobody of the one before.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE team_identity_providers (
      team_id bigint PRIMARY KEY REFERENCES teams ON DELETE CASCADE,
      issuer text NOT NULL CHECK (length(issuer) BETWEEN 1 AND 2000),
      client_id text NOT NULL CHECK (length(client_id) BETWEEN 1 AND 500),
      sealed_secret text NOT NULL,
      changed_at timestamptz NOT NULL DEFAULT now(),
      changed_by bigint REFERENCES users ON DELETE SET NULL
    );
    CREATE TABLE team_identities (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      team_id bigint NOT NULL REFERENCES team_identity_providers ON DELETE CASCADE,
      user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      subject text NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
      email text,
      linked_at timestamptz NOT NULL DEFAULT now(),
      last_used_at timestamptz,
      UNIQUE (team_id, subject),
      UNIQUE (team_id, user_id)
    );
    CREATE INDEX team_identities_user ON team_identities (user_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE team_identities; DROP TABLE team_identity_providers;');
}

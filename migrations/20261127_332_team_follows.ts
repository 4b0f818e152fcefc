/** Who follows which seller: followers are told of its new sales. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE team_follows (
      user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      team_id bigint NOT NULL REFERENCES teams ON DELETE CASCADE,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (user_id, team_id)
    );
    CREATE INDEX team_follows_team ON team_follows (team_id)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE team_follows');
}

/**
 * Who did what from where, in one table that only grows: rows are neither changed nor deleted, and outlive whom they name.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE activity (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      action text NOT NULL CHECK (length(action) BETWEEN 1 AND 100),
      via text NOT NULL CHECK (via IN ('page', 'token', 'link', 'command')),
      user_id bigint,
      about_user_id bigint,
      team_id bigint,
      token_id bigint,
      ip text,
      detail jsonb NOT NULL DEFAULT '{}'
    );
    CREATE INDEX activity_user ON activity (user_id, id DESC);
    CREATE INDEX activity_about ON activity (about_user_id, id DESC) WHERE about_user_id IS NOT NULL;
    CREATE INDEX activity_team ON activity (team_id, id DESC) WHERE team_id IS NOT NULL;
    CREATE INDEX activity_time ON activity (recorded_at);
    CREATE FUNCTION activity_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'activity is append-only'; END $$;
    CREATE TRIGGER activity_append_only BEFORE UPDATE OR DELETE ON activity
      FOR EACH ROW EXECUTE FUNCTION activity_only_grows();
    CREATE TRIGGER activity_no_truncate BEFORE TRUNCATE ON activity
      FOR EACH STATEMENT EXECUTE FUNCTION activity_only_grows();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE activity; DROP FUNCTION activity_only_grows();');
}

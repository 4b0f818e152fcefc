/**
 * People are never deleted, so nothing has to be looked up in `users` for each notification; where many are outbid that
 * was one for nearly every bid.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE notifications DROP CONSTRAINT notifications_user_id_fkey');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`ALTER TABLE notifications ADD CONSTRAINT notifications_user_id_fkey
    FOREIGN KEY (user_id) REFERENCES users ON DELETE CASCADE`);
}

/**
 * A link that confirms an address belongs to the sign-up that asked for it: the password that was chosen, the browser
 * it was chosen in, and, where somebody had signed up with the address before and never confirmed it, the account that
 * takes the place of theirs.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE account_links ADD COLUMN browser_hash text, ADD COLUMN password_hash text, ADD COLUMN name text;
    COMMENT ON COLUMN account_links.password_hash IS 'Of a sign-up that replaces the account, which was never confirmed';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'ALTER TABLE account_links DROP COLUMN browser_hash, DROP COLUMN password_hash, DROP COLUMN name',
  );
}

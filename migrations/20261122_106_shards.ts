/**
 * The shard of an auction is given to it at its creation and kept with it: out of as many as the journal has at that moment. An auction
 * without one is from before, and lies where it always has: in the shard of its id among 64. So nothing is ever moved.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE journal_meta ADD COLUMN shards smallint CHECK (shards BETWEEN 1 AND 64);
    ALTER TABLE auctions ADD COLUMN shard smallint CHECK (shard BETWEEN 0 AND 63);
    CREATE FUNCTION auction_takes_shard() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.shard := (SELECT NEW.id % shards FROM journal_meta);
        RETURN NEW;
      END $$;
    CREATE TRIGGER auctions_have_a_shard BEFORE INSERT ON auctions
      FOR EACH ROW WHEN (NEW.shard IS NULL) EXECUTE FUNCTION auction_takes_shard();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER auctions_have_a_shard ON auctions;
    DROP FUNCTION auction_takes_shard();
    ALTER TABLE auctions DROP COLUMN shard;
    ALTER TABLE journal_meta DROP COLUMN shards;
  `);
}

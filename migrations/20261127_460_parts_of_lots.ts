/** Of a lot that several people have bought a part of, each pays and collects their own: what is collected is billed. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE invoices ADD COLUMN take integer CHECK (take > 0);
    ALTER TABLE collection_lots ADD COLUMN invoice_id bigint REFERENCES invoices ON DELETE CASCADE;
    UPDATE collection_lots n SET invoice_id = (SELECT i.id FROM invoices i JOIN collections c ON c.user_id = i.user_id
      WHERE c.id = n.collection_id AND i.lot_id = n.lot_id AND i.kind = 'winner' ORDER BY i.status <> 'paid', i.id LIMIT 1);
    DELETE FROM collection_lots WHERE invoice_id IS NULL;
    ALTER TABLE collection_lots ALTER invoice_id SET NOT NULL,
      ADD CONSTRAINT collection_lots_of_invoice UNIQUE (invoice_id),
      DROP CONSTRAINT collection_lots_lot_id_key;
    CREATE INDEX collection_lots_of_lot ON collection_lots (lot_id)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM collection_lots n USING collection_lots o WHERE o.lot_id = n.lot_id AND o.id > n.id;
    ALTER TABLE collection_lots DROP COLUMN invoice_id, ADD UNIQUE (lot_id);
    DROP INDEX collection_lots_of_lot;
    ALTER TABLE invoices DROP COLUMN take`);
}

/**
 * Which cards people have paid with, as far as the provider says so: the office compares those of a sale's bidders with
 * each other and with the seller's. A card is known by its fingerprint alone, which is the same for the same card.
 */
import type { Knex } from 'knex';

/** By user; whose payments name no card is not in it. */
export async function cardsOf(
  knex: Knex,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  // SQL: looks into the events as they were received, wherever in them the provider puts the card.
  const { rows } = await knex.raw<{ rows: { user_id: number; card: string }[] }>(
    `SELECT DISTINCT i.user_id, card #>> '{}' AS card
     FROM invoices i
     JOIN payments y ON y.invoice_id = i.id
     JOIN payment_events e ON e.body #>> '{data,object,id}' = y.payment_id
     CROSS JOIN LATERAL jsonb_path_query(e.body, 'strict $.**.card.fingerprint') AS card
     WHERE i.user_id = ANY(?::bigint[])`,
    [[...userIds]],
  );
  const found = new Map<number, Set<string>>();
  for (const { user_id: id, card } of rows) found.set(id, (found.get(id) ?? new Set()).add(card));
  return found;
}

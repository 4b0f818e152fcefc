/**
 * Prices of lots that are offered together (rule 25): bids are written to the row of the one that carries the bidding,
 * and lists are sorted and filtered by the price that all of them are shown with, so a repeated job copies it.
 */
import type { Knex } from 'knex';

/** Brings the prices of open lots up to those of their groups. Returns how many it changed. */
export async function followGroups(knex: Knex): Promise<number> {
  // SQL: a window over each group; `priced_lots` has no model, triggers fill it.
  const result = await knex.raw<{ rowCount: number }>(
    `UPDATE priced_lots p SET price_cents = n.price_cents, current_bid_cents = n.current_bid_cents
     FROM (SELECT l.id, first_value(c.price_cents) OVER offered AS price_cents,
             first_value(c.current_bid_cents) OVER offered AS current_bid_cents
           FROM auctions a JOIN lots l ON l.auction_id = a.id JOIN priced_lots c ON c.id = l.id
           WHERE a.status = 'active' AND a.type = 'simulcast' AND l.choice_group IS NOT NULL AND l.status = 'active'
           WINDOW offered AS (PARTITION BY l.auction_id, l.choice_group ORDER BY l.lot_number)) n
     WHERE p.id = n.id AND p.status = 'active'
       AND (p.price_cents, p.current_bid_cents) IS DISTINCT FROM (n.price_cents, n.current_bid_cents)`,
  );
  return result.rowCount;
}

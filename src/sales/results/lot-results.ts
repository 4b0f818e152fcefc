/**
 * What became of each lot of an auction, for its seller: the price, the buyer, the invoice, and whether it is paid and
 * gone. The seller's pages and papers are made of these rows.
 */
import type { Knex } from 'knex';
import { onLotSql } from '../../bidding/records/sale-units.ts';

/** A lot, or the part of one that several have bought; money in cents. */
export interface LotResult {
  readonly id: number;
  readonly lot_number: number;
  readonly catalog_number: string | null;
  readonly title: string;
  readonly sku: string | null;
  /** Where it lies in the team's warehouse, where it came from the inventory. */
  readonly shelf: string | null;
  readonly status: string;
  readonly starting_bid_cents: number;
  readonly reserve_price_cents: number | null;
  /** Null where there is none: nobody has bid, or on a tract with others only. */
  readonly current_bid_cents: number | null;
  readonly hammer_price_cents: number | null;
  readonly bid_count: number;
  /** The highest bidder who has an account. */
  readonly leader_user_id: number | null;
  /** Of a lot that is sold with others: the one whose journal it is in. */
  readonly host_id: number | null;
  readonly closed_at: string | null;
  /** How many pieces, where several have bought of it. */
  readonly take: number | null;
  readonly paddle: string | null;
  readonly buyer_id: number | null;
  readonly buyer: string | null;
  readonly buyer_email: string | null;
  readonly buyer_phone: string | null;
  readonly invoice_number: string | null;
  readonly invoice_status: string | null;
  readonly due_at: string | null;
  readonly overdue_at: string | null;
  /** When its buyer was last reminded. */
  readonly reminded_at: string | null;
  /** What its invoice comes to, and what of it is still to be paid. */
  readonly amount_due_cents: number | null;
  readonly owed_cents: number | null;
  readonly collected_at: string | null;
  /** When its buyer comes for it, and the code at the gate. */
  readonly collection_at: string | null;
  readonly collection_code: string | null;
}

/**
 * A row for each lot, and for each part of one that several have bought. The paddle is the buyer’s own in this auction:
 * the last bid of a lot may be one that their ceiling has answered. Drafts are left out.
 */
export async function readLotResults(knex: Knex, auctionId: number): Promise<LotResult[]> {
  // SQL: each lot with its live invoices and figures that are worked out.
  const { rows } = await knex.raw<{ rows: LotResult[] }>(
    `SELECT l.id, l.leader_user_id, l.host_id, l.closed_at, l.lot_number, l.catalog_number, l.title, l.sku, l.status,
       l.starting_bid_cents, l.reserve_price_cents,
       (SELECT concat_ws(' ', n.warehouse, n.bin) FROM inventory_items n WHERE n.lot_id = l.id LIMIT 1) AS shelf,
       nullif(l.current_bid_cents, 0) AS current_bid_cents,
       coalesce(part.cents, l.hammer_price_cents) AS hammer_price_cents, l.bid_count,
       u.id AS buyer_id, u.name AS buyer, u.email AS buyer_email, u.phone AS buyer_phone,
       i.take, i.invoice_number, i.status AS invoice_status, i.due_at, i.overdue_at, i.reminded_at, i.amount_due_cents,
       i.owed_cents, gone.collected_at, gone.starts_at AS collection_at, gone.code AS collection_code,
       COALESCE(r.paddle_number, NULLIF(b.paddle_number, '')) AS paddle
     FROM lots l
     LEFT JOIN LATERAL (SELECT p.bid_id, p.user_id, sum(n.amount_cents)::bigint AS cents FROM invoices p
       LEFT JOIN invoice_lines n ON n.invoice_id = p.id AND n.kind = 'hammer'
       WHERE p.lot_id = l.id AND p.bid_id IS NOT NULL AND p.status <> 'voided' GROUP BY p.id) part ON true
     LEFT JOIN users u ON u.id = coalesce(part.user_id, l.winner_user_id)
     LEFT JOIN registrations r ON r.auction_id = l.auction_id AND r.user_id = u.id
     LEFT JOIN LATERAL (SELECT paddle_number FROM bids b WHERE ${onLotSql('b', 'l')} AND NOT voided AND l.status = 'sold'
       AND bidder_key = COALESCE('u:' || u.id, l.leader_key) ORDER BY sequence DESC LIMIT 1) b ON true
     LEFT JOIN LATERAL (SELECT o.* FROM invoices o WHERE o.lot_id = l.id AND o.kind = 'winner'
       AND o.status <> 'voided' AND o.bid_id IS NOT DISTINCT FROM part.bid_id ORDER BY o.id DESC LIMIT 1) i ON true
     LEFT JOIN LATERAL (SELECT w.collected_at, c.starts_at, c.code FROM collection_lots w
       JOIN collections c ON c.id = w.collection_id WHERE w.invoice_id = i.id) gone ON true
     WHERE l.auction_id = ? AND l.status <> 'draft' ORDER BY l.lot_number, part.bid_id`,
    [auctionId],
  );
  return rows;
}

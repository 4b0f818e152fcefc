/** What papers are made of, as rows: the sale, its lots, its paddles, who bought what, and its invoices. */
import type { Knex } from 'knex';
import { Team } from '../../accounts/models/team.model.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { type LotResult, readLotResults } from '../../sales/results/lot-results.ts';
import type { Language } from '../../shared/language.ts';
import type { UnitColumns } from '../../shared/lot-units.ts';
import { CLOSED_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';
import { ADMITTED_SQL } from '../../shared/statuses/registration-statuses.ts';
import type { SaidField } from '../../shared/translations.ts';

/** More of anything make no paper. */
export const MAX_PAPER_ROWS = 10_000;
/** Characters of a description that are printed at most. */
const MAX_DESCRIPTION = 1_500;

export interface PaperSale {
  readonly auction: Auction;
  readonly seller: string;
}

export async function readPaperSale(knex: Knex, auctionId: number): Promise<PaperSale> {
  const auction = await Auction.query(knex).findById(auctionId).throwIfNotFound();
  const { name: seller } = await Team.query(knex).findById(auction.team_id).throwIfNotFound();
  return { auction, seller };
}

export interface CatalogLot extends UnitColumns {
  readonly id: number;
  readonly lot_number: number;
  readonly catalog_number: string | null;
  readonly title: string;
  readonly description: string | null;
  readonly category: string | null;
  readonly condition: string | null;
  readonly quantity: number | null;
  readonly sku: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly estimate_low: string | null;
  readonly estimate_high: string | null;
  readonly starting_bid_cents: number;
  readonly slug: string;
  readonly status: string;
  /** The small form of its first picture, as the storage knows it. */
  readonly picture_key: string | null;
}

/**
 * The lots of a sale, drafts too, as a catalog is printed before it is published; without those withdrawn. With a
 * `language` as they are said in it, where they are.
 */
export async function readCatalogLots(
  knex: Knex,
  auctionId: number,
  language: Language | null = null,
): Promise<CatalogLot[]> {
  const localized = (field: SaidField) =>
    `coalesce(l.translations->:language::text->>'${field}', l.${field})`;
  // SQL: texts cut, and each lot's first picture.
  const { rows } = await knex.raw<{ rows: CatalogLot[] }>(
    `SELECT l.id, l.lot_number, l.catalog_number, ${localized('title')} AS title,
       left(${localized('description')}, :most) AS description,
       c.name AS category, ${localized('condition')} AS condition, l.quantity, l.sku, l.city, l.state, l.estimate_low, l.estimate_high, l.starting_bid_cents, l.slug, l.status,
       l.units, l.unit_name, l.bid_per,
       (SELECT coalesce(m.thumb_key, m.file_key) FROM media m WHERE m.lot_id = l.id AND m.kind = 'image'
         ORDER BY m.position, m.id LIMIT 1) AS picture_key
     FROM lots l LEFT JOIN categories c ON c.id = l.category_id
     WHERE l.auction_id = :auctionId AND l.status <> 'withdrawn' ORDER BY l.lot_number, l.id LIMIT :rows`,
    { auctionId, language, most: MAX_DESCRIPTION, rows: MAX_PAPER_ROWS + 1 },
  );
  return rows;
}

export interface PaddleHolder {
  readonly paddle: string;
  readonly name: string;
  readonly contact: string | null;
  /** Handed out in the saleroom; else of a bidder who has registered. */
  readonly from_floor: boolean;
}

/** Everybody who has a paddle, by its number. */
export async function readPaddleHolders(knex: Knex, auctionId: number): Promise<PaddleHolder[]> {
  // SQL: two tables as one list, numbers in their order.
  const { rows } = await knex.raw<{ rows: PaddleHolder[] }>(
    `SELECT * FROM (
       SELECT r.paddle_number AS paddle, u.name, u.email AS contact, false AS from_floor
       FROM registrations r JOIN users u ON u.id = r.user_id
       WHERE r.auction_id = :auctionId AND r.paddle_number IS NOT NULL AND r.status IN ${ADMITTED_SQL}
       UNION ALL
       SELECT f.paddle, f.name, f.contact, true FROM floor_paddles f WHERE f.auction_id = :auctionId) p
     ORDER BY length(p.paddle), p.paddle LIMIT :rows`,
    { auctionId, rows: MAX_PAPER_ROWS + 1 },
  );
  return rows;
}

/** The lots that were sold, and to whom; a lot that several have bought has a row for each. */
export async function readSoldLots(knex: Knex, auctionId: number): Promise<LotResult[]> {
  const results = await readLotResults(knex, auctionId);
  return results.filter(({ status, buyer, invoice_status: invoice }) => {
    // Who was not charged, or has not paid and is no longer asked to, collects nothing.
    return status === 'sold' && (buyer === null || (invoice !== null && invoice !== 'refunded'));
  });
}

export interface RealisedLot {
  readonly lot_number: number;
  readonly catalog_number: string | null;
  readonly title: string;
  readonly status: string;
  readonly hammer_price_cents: number | null;
  readonly estimate_low: string | null;
  readonly estimate_high: string | null;
}

/** What each lot that is over came to. */
export async function readRealisedLots(knex: Knex, auctionId: number): Promise<RealisedLot[]> {
  return Lot.query(knex)
    .where('auction_id', auctionId)
    .whereRaw(`status IN ${CLOSED_LOT_SQL}`)
    .orderBy(['lot_number', 'id'])
    .limit(MAX_PAPER_ROWS + 1)
    .select(
      ...(['lot_number', 'catalog_number', 'title', 'status', 'hammer_price_cents'] as const),
      ...(['estimate_low', 'estimate_high'] as const),
    );
}

export interface BilledLot {
  readonly id: number;
  readonly invoice_number: string;
  readonly status: string;
  readonly created_at: string;
  readonly due_at: string;
  readonly paid_at: string | null;
  readonly buyer: string;
  readonly email: string;
  readonly lot_number: number | null;
  readonly title: string | null;
  readonly hammer_cents: number;
  readonly premium_cents: number;
  readonly tax_cents: number;
  readonly amount_due_cents: number;
  readonly amount_paid_cents: number;
  readonly amount_refunded_cents: number;
  readonly owed_cents: number;
}

/** The invoices to buyers of a sale, in the order of their numbers; those that were voided are no longer any. */
export async function readSaleInvoices(knex: Knex, auctionId: number): Promise<BilledLot[]> {
  // SQL: each invoice's lines as columns.
  const { rows } = await knex.raw<{ rows: BilledLot[] }>(
    `SELECT i.id, i.invoice_number, i.status, i.created_at, i.due_at, i.paid_at, u.name AS buyer, u.email, l.lot_number,
       l.title, n.*, i.amount_due_cents, i.amount_paid_cents, i.amount_refunded_cents, i.owed_cents
     FROM invoices i JOIN users u ON u.id = i.user_id LEFT JOIN lots l ON l.id = i.lot_id
     CROSS JOIN LATERAL (SELECT
       coalesce(sum(amount_cents) FILTER (WHERE kind = 'hammer'), 0)::bigint AS hammer_cents,
       coalesce(sum(amount_cents) FILTER (WHERE kind = 'premium'), 0)::bigint AS premium_cents,
       coalesce(sum(amount_cents) FILTER (WHERE kind = 'tax'), 0)::bigint AS tax_cents
       FROM invoice_lines WHERE invoice_id = i.id) n
     WHERE i.auction_id = :auctionId AND i.kind = 'winner' AND i.status <> 'voided'
     ORDER BY i.id LIMIT :rows`,
    { auctionId, rows: MAX_PAPER_ROWS + 1 },
  );
  return rows;
}

/** Who bid from where somebody else bids from, in the same sales: for staff who ask whether two people are one. */
import type { Knex } from 'knex';

export interface SharedOrigin {
  readonly id: number;
  readonly name: string;
  readonly same_address: boolean;
  readonly same_browser: boolean;
  readonly sales: number;
  readonly seen_at: string;
}

/** Only the newest sales are looked through. */
const MAX_SALES = 50;
const MAX_PEOPLE = 50;

/** Everybody who shares an address or a browser with this bidder, those with the same address first. */
export async function sharedOrigins(knex: Knex, userId: number): Promise<SharedOrigin[]> {
  // SQL: a table compared with itself.
  const { rows } = await knex.raw<{ rows: SharedOrigin[] }>(
    `WITH mine AS (SELECT DISTINCT auction_id, origin_id FROM bids_from WHERE user_id = :userId),
       own AS (SELECT address_hash, browser_hash FROM bid_origins WHERE id IN (SELECT origin_id FROM mine)),
       sales AS (SELECT DISTINCT auction_id FROM mine ORDER BY auction_id DESC LIMIT ${MAX_SALES}),
       others AS (
         SELECT f.user_id, f.auction_id, f.seen_at,
           o.address_hash IN (SELECT address_hash FROM own) AS same_address,
           o.browser_hash IN (SELECT browser_hash FROM own) AS same_browser
         FROM bids_from f JOIN bid_origins o ON o.id = f.origin_id
         WHERE f.auction_id IN (SELECT auction_id FROM sales) AND f.user_id <> :userId)
     SELECT u.id, u.name, bool_or(x.same_address) AS same_address, bool_or(x.same_browser) AS same_browser,
       count(DISTINCT x.auction_id)::int AS sales, max(x.seen_at) AS seen_at
     FROM others x JOIN users u ON u.id = x.user_id
     WHERE x.same_address OR x.same_browser
     GROUP BY u.id, u.name
     ORDER BY bool_or(x.same_address) DESC, max(x.seen_at) DESC LIMIT ${MAX_PEOPLE}`,
    { userId },
  );
  return rows;
}

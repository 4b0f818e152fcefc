/** The lots of a sale that a bid group can be made of, as its form offers them: those that the person watches first. */
import type { Knex } from 'knex';
import { readPrepared } from '../../../adapters/postgres/prepared.ts';
import { OPEN_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';
import { titlesSql } from '../../shared/translations.ts';
import { seesLotSql } from '../../shared/visibility/visibility-sql.ts';

export interface GroupChoice {
  readonly id: number;
  readonly lot_number: number;
  readonly title: string;
  readonly bid_count: number;
  readonly current_cents: number;
  readonly minimum_cents: number;
  readonly is_watched: boolean;
}

/** As many as a form has room for. */
const MAX_CHOICES = 60;

export function readChoices(knex: Knex, userId: number, auctionId: number): Promise<GroupChoice[]> {
  return readPrepared<GroupChoice>(knex, {
    text: `SELECT l.id, l.lot_number, l.title, ${titlesSql('l')} AS translations, l.bid_count, l.current_bid_cents AS current_cents,
        coalesce(l.minimum_next_bid_cents, l.starting_bid_cents) AS minimum_cents, w.lot_id IS NOT NULL AS is_watched
      FROM lots l JOIN auctions a ON a.id = l.auction_id
      LEFT JOIN watchlist w ON w.lot_id = l.id AND w.user_id = $1::bigint
      WHERE l.auction_id = $2::bigint AND l.status IN ${OPEN_LOT_SQL} AND ${seesLotSql('$1::bigint')}
      ORDER BY w.lot_id IS NULL, l.lot_number LIMIT ${MAX_CHOICES}`,
    values: [userId, auctionId],
  });
}

/**
 * What became of a sold lot after its close. The journal says what was bid, not who paid: billing writes here who
 * defaulted and who bought by a second chance, and the readers of one's own bids lay it over what the journal says.
 */
import type { Knex } from 'knex';

export type SaleOutcome = 'won' | 'defaulted';

export interface OutcomeRow {
  readonly lot_id: number;
  readonly user_id: number;
  readonly outcome: SaleOutcome;
  readonly hammer_cents: number;
}

/** Writes what became of a lot for one of its bidders, instead of what was written before. */
export async function writeOutcome(trx: Knex.Transaction, row: OutcomeRow): Promise<void> {
  await trx('sale_outcomes').insert(row).onConflict(['lot_id', 'user_id']).merge(['outcome', 'hammer_cents']);
}

/** What became of a lot for a bidder, as SQL; null where the journal says all. */
export function outcomeSql(lotId: string, userId: string): string {
  return `(SELECT o.outcome FROM sale_outcomes o WHERE o.lot_id = ${lotId} AND o.user_id = CAST(${userId} AS bigint))`;
}

/** What became of these lots for a bidder, by lot; lots of which the journal says all are left out. */
export async function readOutcomes(
  knex: Knex,
  userId: number,
  lotIds: readonly number[],
): Promise<Map<number, SaleOutcome>> {
  if (lotIds.length === 0) return new Map();
  const rows: OutcomeRow[] = await knex('sale_outcomes')
    .where('user_id', userId)
    .whereIn('lot_id', [...lotIds]);
  return new Map(rows.map((row) => [row.lot_id, row.outcome]));
}

/**
 * Who has bought the lot `l`, or a part of it, as a statement of `user_id`s: whoever has all of it is its winner, and
 * those who share it have each a bid that won.
 */
export const BUYERS_SQL = `SELECT l.winner_user_id AS user_id WHERE l.winner_user_id IS NOT NULL
  UNION SELECT w.user_id FROM bids w WHERE l.status = 'sold' AND l.winner_user_id IS NULL AND w.lot_id = l.id
    AND w.outcome = 'won' AND NOT w.voided AND w.user_id IS NOT NULL`;

/**
 * Who has bought a part of the lot `l`, open or sold, of which others may buy too, as rows of `bids w`. A lot that is
 * sold to one is theirs by `winner_user_id`.
 */
export const PARTS_SQL = `FROM bids w WHERE w.lot_id = l.id AND l.winner_user_id IS NULL AND w.outcome = 'won'
  AND NOT w.voided`;

/** Whether a user is one of them, as SQL on `l`. */
export function hasPartSql(userId: string): string {
  return `EXISTS (SELECT ${PARTS_SQL} AND w.user_id = ${userId})`;
}

/** Whether a user is one of those who bought the lot `l`, or a part of it, as SQL. */
export function boughtSql(userId: string): string {
  return `${userId} IN (${BUYERS_SQL})`;
}

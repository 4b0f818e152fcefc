/**
 * The fact that a row of another table names by its id, read alongside that row: what a delivery said, and says again.
 * A fact may share its row with those before it, so the row is found by the id that comes next.
 */
import { factsOf, type StoredFact } from './bid-runs.ts';
import type { EventText } from './event-body.ts';

/** Joins the row of the fact whose id `column` holds, if there is one, as `e`. */
export const joinEvent = (column: string) =>
  `LEFT JOIN LATERAL (SELECT id AS row_id, created_at, auction_id, lot_id, data::text AS data_text, bids, trace
     FROM events
     WHERE id >= ${column} ORDER BY id LIMIT 1) e ON true`;

/** What is read of `joinEvent`; all null where there is no row. */
export const JOINED_EVENT = 'e.row_id, e.created_at, e.auction_id, e.lot_id, e.data_text, e.bids, e.trace';

export type JoinedEvent = { readonly [K in keyof EventRow]: EventRow[K] | null };

interface EventRow extends EventText, Omit<StoredFact, 'id'> {
  readonly row_id: number;
}

/** A fact's text, and the context that it came of. */
export interface JoinedText extends EventText {
  readonly trace: string | null;
}

/** The text of the fact with this id in its row; null where it is not kept any more. */
export function textOfJoined(row: JoinedEvent, id: number | null): JoinedText | null {
  const { row_id, created_at, data_text, auction_id, lot_id, bids, trace } = row;
  if (row_id === null || created_at === null || data_text === null) return null;
  const fact = factsOf({ id: row_id, auction_id, lot_id, data_text, bids, trace }).find(
    (one) => one.id === id,
  );
  return fact === undefined ? null : { created_at, data_text: fact.data_text, trace: fact.trace };
}

/** Which lot of a simulcast auction is on the block, and whether the hammer is about to fall on it. */
import type { Knex } from 'knex';
import { OPEN_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';

export interface Block {
  /** Null: the auction has no lot that could be on it. */
  readonly lotId: number | null;
  /** The sequence of the lot's journal at which fair warning was given. */
  readonly warnedSequence: number | null;
}

/**
 * The lot on the block; the first open one if none has been put there. Lots that are sold as one are all on it, and it
 * is the one that hosts them.
 */
export async function readBlock(knex: Knex, auctionId: number): Promise<Block> {
  const row = await knex('salerooms as s')
    .leftJoin('lots as l', 'l.id', 's.lot_id')
    .where('s.auction_id', auctionId)
    .first<{ lot_id: number | null; warned_sequence: number | null } | undefined>(
      // SQL: a column that is worked out.
      knex.raw('coalesce(l.host_id, s.lot_id) AS lot_id'),
      's.warned_sequence',
    );
  if (row !== undefined && row.lot_id !== null)
    return { lotId: row.lot_id, warnedSequence: row.warned_sequence };
  const [first] = await nextOpenLots(knex, auctionId, null, 1);
  return { lotId: first ?? null, warnedSequence: null };
}

/** The sequence at which fair warning was given for a lot that is on the block; null: none was. */
export async function readWarning(knex: Knex, lotId: number): Promise<number | null> {
  const row = await knex('lots as l')
    // SQL: a lot that is sold with others is on the block as the one that hosts them.
    .joinRaw('JOIN salerooms s ON s.lot_id = coalesce(l.host_id, l.id)')
    .where('l.id', lotId)
    .first<{ warned_sequence: number | null } | undefined>('s.warned_sequence');
  return row?.warned_sequence ?? null;
}

/**
 * Puts the next open lot, or a named one, on the block. Returns its id; null: no lot is open, and the last one stays.
 */
export async function moveBlock(
  knex: Knex,
  auctionId: number,
  fromLotId: number | null,
  toLotId: number | null = null,
): Promise<number | null> {
  const [next] = toLotId === null ? await nextOpenLots(knex, auctionId, fromLotId, 1) : [toLotId];
  if (next === undefined) return null;
  await knex('salerooms')
    .insert({ auction_id: auctionId, lot_id: next, warned_sequence: null, changed_at: knex.fn.now() })
    .onConflict('auction_id')
    .merge();
  return next;
}

export async function noteWarning(
  knex: Knex,
  auctionId: number,
  lotId: number,
  sequence: number,
): Promise<void> {
  await knex('salerooms')
    .insert({ auction_id: auctionId, lot_id: lotId, warned_sequence: sequence, changed_at: knex.fn.now() })
    .onConflict('auction_id')
    .merge();
}

/** The hammer has fallen on this lot: where it can be taken back, this is found. */
export async function noteHammer(knex: Knex, auctionId: number, lotId: number): Promise<void> {
  await knex('salerooms')
    .insert({ auction_id: auctionId, lot_id: lotId, hammer_lot_id: lotId, changed_at: knex.fn.now() })
    .onConflict('auction_id')
    .merge(['hammer_lot_id', 'changed_at']);
}

/**
 * So many by number, those behind a lot, then from the beginning those that were passed over; of several that are sold
 * as one the one that hosts them.
 */
export async function nextOpenLots(
  knex: Knex,
  auctionId: number,
  afterLotId: number | null,
  count: number,
): Promise<number[]> {
  // SQL: orders by what is behind a lot, which no builder says.
  const { rows } = await knex.raw<{ rows: { id: number }[] }>(
    `SELECT coalesce(l.host_id, l.id) AS id FROM lots l
     LEFT JOIN lots before ON before.id = :afterLotId
     WHERE l.auction_id = :auctionId AND l.status IN ${OPEN_LOT_SQL} AND l.id IS DISTINCT FROM :afterLotId
       AND (l.host_id IS NULL OR (l.host_id IS DISTINCT FROM before.host_id AND NOT EXISTS (SELECT FROM lots o
         WHERE o.host_id = l.host_id AND o.status IN ${OPEN_LOT_SQL} AND o.lot_number < l.lot_number)))
     ORDER BY l.lot_number < COALESCE(before.lot_number, 0), l.lot_number LIMIT :count`,
    { auctionId, afterLotId, count },
  );
  return rows.map(({ id }) => id);
}

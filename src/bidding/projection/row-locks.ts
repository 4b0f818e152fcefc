/**
 * What others hold locked of the rows that a projection writes. The common transaction waits for a lock only briefly
 * (`lockPositions`); then this finds, without waiting, which lots are locked, so that they alone wait.
 */
import type { Knex } from 'knex';
import type { Frame } from '../../../adapters/redis/frames.ts';
import { bySubject, type UnwritableFrames } from './containment.ts';
import { foldFrames, type Known } from './fold.ts';
import { noPendingWrites } from './pending-writes.ts';
import { RowLocked } from './unwritable.ts';

/** While what is locked is looked for. */
const SHORT_LOCK_TIMEOUT_MS = 40;

/** Makes the rest of the transaction give up soon on what others hold, and on statements that do not end. */
export async function waitBriefly(trx: Knex, statementTimeoutMs: number): Promise<void> {
  // SQL: SET LOCAL for two settings at once.
  await trx.raw(`SELECT set_config('lock_timeout', ?, true), set_config('statement_timeout', ?, true)`, [
    `${SHORT_LOCK_TIMEOUT_MS}ms`,
    `${statementTimeoutMs}ms`,
  ]);
}

/** Throws where somebody holds a whole table: then there is nothing that could continue. */
export async function requireTables(trx: Knex): Promise<void> {
  // SQL: no builder locks tables.
  await trx.raw(
    `LOCK TABLE journal_entries, bids, lots, lot_states, auctions, registrations, events, idempotency_records,
       projection_failures, projection_set_aside IN ROW EXCLUSIVE MODE NOWAIT`,
  );
}

/**
 * The lots and records among these frames whose rows somebody else holds, each with its frames. The rows of the others
 * are locked for this transaction from then on.
 */
export async function findLocked(
  trx: Knex,
  known: Known,
  frames: readonly Frame[],
): Promise<Map<string, UnwritableFrames>> {
  const lotIds = new Set<number>();
  const auctionIds = new Set<number>();
  for (const frame of frames) {
    if (frame.kind === 'auction') auctionIds.add(frame.auctionId);
    else {
      lotIds.add(frame.entry.lotId);
      auctionIds.add(frame.entry.auctionId);
    }
  }
  const lots = await lockedRows(trx, 'lots', 'id', lotIds);
  const states = await lockedRows(trx, 'lot_states', 'lot_id', lotIds);
  const auctions = await lockedRows(trx, 'auctions', 'id', auctionIds);
  const locked = new Map<string, UnwritableFrames>();
  if (lots.size + states.size + auctions.size === 0) return locked;
  const tableOf = (own: readonly Frame[]): string | null => {
    const [frame] = own;
    if (frame?.kind === 'entry') {
      if (lots.has(frame.entry.lotId)) return 'lots';
      if (states.has(frame.entry.lotId)) return 'lot_states';
      return auctions.has(frame.entry.auctionId) && movesAuction(known, own) ? 'auctions' : null;
    }
    return frame?.event.type === 'auction_recorded' && auctions.has(frame.auctionId) ? 'auctions' : null;
  };
  for (const [subject, own] of bySubject(frames)) {
    const table = tableOf(own);
    if (table !== null)
      locked.set(subject, { error: new RowLocked(`its row in ${table} is locked`), frames: own });
  }
  return locked;
}

/** Locks those of the rows that are free. Gives the others; rows that are not there are not among them. */
async function lockedRows(
  trx: Knex,
  table: 'lots' | 'lot_states' | 'auctions',
  column: 'id' | 'lot_id',
  ids: ReadonlySet<number>,
): Promise<Set<number>> {
  // An auction's end takes the strongest lock (`endAuctions`); nothing else needs more than an update's.
  const strength = table === 'auctions' ? 'UPDATE' : 'NO KEY UPDATE';
  // SQL: distinguishes locked rows from missing rows, in one statement.
  const { rows } = await trx.raw<{ rows: { id: number }[] }>(
    `WITH free AS MATERIALIZED (SELECT ${column} AS id FROM ${table} WHERE ${column} = ANY(?::bigint[])
       ORDER BY 1 FOR ${strength} SKIP LOCKED)
     SELECT ${column} AS id FROM ${table}
     WHERE ${column} = ANY(?::bigint[]) AND ${column} NOT IN (SELECT id FROM free)`,
    [[...ids], [...ids]],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Whether a lot's entries start or end its auction, perhaps. */
function movesAuction(known: Known, own: readonly Frame[]): boolean {
  const pending = noPendingWrites();
  try {
    foldFrames(pending, known, own);
  } catch {
    // An entry that cannot be folded is refused for that reason, even if its auction is locked.
    return false;
  }
  return pending.opened.size + pending.ended.size > 0;
}

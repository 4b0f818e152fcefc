/**
 * Amendments: changes of what a lot with bids is said to be. What was said before is kept and shown with what is said
 * now, and the journal holds the hash of both. A row follows from the journal: where the process that made an amendment
 * ended before its transaction did, the projection writes what the journal has.
 */
import type { Knex } from 'knex';
import { canonicalJson } from '../../../engine/canonical.ts';
import { decodeSnapshot } from '../../../engine/formats/formats.ts';
import { isClosed } from '../../../engine/lot/state.ts';
import { isoFromUs } from '../../../engine/time.ts';
import type { LotInput } from '../../shared/lot.schema.ts';
import { nodeDigest } from '../../shared/node-crypto.ts';
import { invalidTransition, notFound, Refusal } from '../../shared/refusal.ts';
import { holdName } from '../../shared/transactions.ts';
import type { LiveParts } from './auction-lots.ts';
import { lotColumns } from './lot-columns.ts';

/** By field, as the API has it; media as the list of what is shown, in order. */
export type AmendedFields = Readonly<Record<string, unknown>>;

export interface AmendmentOrder {
  readonly lotId: number;
  readonly reason: string;
  readonly userId: number;
  /** Writes the change into the lot's rows, and gives the fields that differ. It is a trial, which is rolled back. */
  readonly change: (trx: Knex.Transaction) => Promise<{ before: AmendedFields; after: AmendedFields }>;
}

/** As served; in RFC 8785 form it is what the journal has the hash of. */
export interface Amendment {
  readonly at: string;
  readonly reason: string;
  readonly before: AmendedFields;
  readonly after: AmendedFields;
}

/**
 * Amends a lot that has a bid. Throws 404, 409 `lot_locked` once the lot is over, 409 `invalid_transition` before its
 * first bid, what `change` throws, and the journal's faults; then nothing has changed. The change is tried out first,
 * and written once the journal has it; no row is locked while the journal is waited for. Amendments of one lot come one
 * after the other, in whatever process: each is tried on what the one before it has left.
 */
export async function amendLot(parts: LiveParts, order: AmendmentOrder): Promise<Amendment> {
  // The lot's actor comes up before the transaction begins: inside it nothing needs a second connection.
  await parts.engine.decimalsOf(order.lotId);
  return parts.knex.transaction(async (trx) => {
    await holdName(trx, `amendments of lot ${order.lotId}`);
    return amendHeld(trx, parts, order);
  });
}

/** The same, while nobody else amends the lot. */
async function amendHeld(
  trx: Knex.Transaction,
  parts: LiveParts,
  { lotId, reason, userId, change }: AmendmentOrder,
): Promise<Amendment> {
  const fields = await tried(trx, change);
  const amendment: Amendment = { at: isoFromUs(parts.journal.nowUs()), reason, ...fields };
  const text = canonicalJson(amendment);
  const sha256 = nodeDigest.sha256(text);
  const result = await parts.engine.submit(lotId, { type: 'amend_lot', sha256, amendment: text });
  if (result.kind === 'no_lot') throw notFound('There is no such lot.');
  if (result.kind !== 'answer' || result.answer.kind === 'bid')
    throw new Error('an amendment got another command’s answer');
  const { answer } = result;
  if (answer.kind === 'refused') {
    if (answer.code !== 'lot_without_bids') throw new Refusal('lot_locked', { message: OVER });
    const message = 'The lot has no bid yet: it is changed without an amendment.';
    throw invalidTransition(message);
  }
  // The lot's row first, as the projection locks them.
  await trx('lots').where('id', lotId).forNoKeyUpdate().first('id');
  await writeAmendments(trx, [{ lotId, sequence: answer.sequence, sha256, amendment: text }]);
  await trx('lot_amendments').where({ lot_id: lotId, sequence: answer.sequence }).update('user_id', userId);
  return amendment;
}

/** What a change would come to: it is made and taken back, and the rows that it locked are free again. */
async function tried<T>(
  trx: Knex.Transaction,
  change: (savepoint: Knex.Transaction) => Promise<T>,
): Promise<T> {
  const savepoint = await trx.transaction();
  try {
    return await change(savepoint);
  } finally {
    await savepoint.rollback();
  }
}

const OVER = 'The lot is over: nothing of it changes any more.';

/** An amendment as the journal has it. */
export interface JournaledAmendment {
  readonly lotId: number;
  readonly sequence: number;
  readonly sha256: string;
  readonly amendment: string;
}

/** Writes amendments that the journal has. One whose rows were not written before is applied to its lot. */
export async function writeAmendments(
  trx: Knex.Transaction,
  amendments: readonly JournaledAmendment[],
): Promise<void> {
  if (amendments.length === 0) return;
  for (const { lot_id: lotId, amendment } of await insertAmendments(trx, amendments)) {
    await applyAmended(trx, lotId, amendment.after);
  }
}

async function insertAmendments(
  trx: Knex.Transaction,
  amendments: readonly JournaledAmendment[],
): Promise<{ lot_id: number; amendment: Amendment }[]> {
  // SQL: many in one statement, each once.
  const { rows } = await trx.raw<{ rows: { lot_id: number; amendment: Amendment }[] }>(
    `INSERT INTO lot_amendments (lot_id, sequence, sha256, amendment, amended_at, reason)
     SELECT n."lotId", n.sequence, n.sha256, n.amendment::json, (n.amendment::json->>'at')::timestamptz,
       n.amendment::json->>'reason'
     FROM json_to_recordset(?::json) AS n ("lotId" bigint, sequence bigint, sha256 text, amendment text)
     WHERE EXISTS (SELECT FROM lots l WHERE l.id = n."lotId")
     ON CONFLICT (lot_id, sequence) DO NOTHING RETURNING lot_id, amendment`,
    [JSON.stringify(amendments)],
  );
  return rows;
}

/** Puts amended fields into a lot's rows. */
export async function applyAmended(
  trx: Knex.Transaction,
  lotId: number,
  after: AmendedFields,
): Promise<void> {
  const { media, category_id, ...fields } = after;
  // Cast: what is amended was checked as a lot's input when it was asked for.
  const columns = lotColumns(fields as Partial<LotInput>, 2);
  const { custom_fields, lot_number, ...plain } = {
    ...columns,
    ...(category_id === undefined ? {} : { category_id }),
  };
  const json = custom_fields === undefined ? {} : { custom_fields: JSON.stringify(custom_fields) };
  const row = { ...plain, ...json };
  if (Object.keys(row).length > 0) await trx('lots').where('id', lotId).update(row);
  if (lot_number !== undefined) await renumber(trx, lotId, lot_number);
  if (Array.isArray(media))
    await showMedia(
      trx,
      lotId,
      media.map(({ id }: { id: number }) => id),
    );
}

/** Gives a lot its number, unless another lot of the auction has taken it meanwhile. */
async function renumber(trx: Knex.Transaction, lotId: number, number: number): Promise<void> {
  // SQL: the row of a lot, and of those beside it.
  await trx.raw(
    `UPDATE lots l SET lot_number = :number WHERE l.id = :lotId AND NOT EXISTS (
       SELECT FROM lots o WHERE o.auction_id = l.auction_id AND o.lot_number = :number AND o.id <> l.id)`,
    { lotId, number },
  );
}

/** Shows these media of a lot, in this order; the others are kept with it, but not shown. */
async function showMedia(trx: Knex.Transaction, lotId: number, ids: readonly number[]): Promise<void> {
  // SQL: every row its own place, in one statement.
  await trx.raw(
    `UPDATE media m SET
       lot_id = CASE WHEN o.place IS NULL THEN NULL ELSE :lotId::bigint END,
       kept_lot_id = CASE WHEN o.place IS NULL THEN :lotId::bigint END,
       position = coalesce(o.place - 1, m.position),
       was_shown = m.was_shown OR m.lot_id IS NOT NULL OR o.place IS NOT NULL
     FROM media x LEFT JOIN unnest(:ids::bigint[]) WITH ORDINALITY AS o (id, place) ON o.id = x.id
     WHERE x.id = m.id AND (m.lot_id = :lotId OR m.kept_lot_id = :lotId)`,
    { lotId, ids: [...ids] },
  );
}

/** The same of a lot by its id alone; false where there is none. */
export async function isLotFixed(
  parts: Pick<LiveParts, 'knex' | 'journal'>,
  lotId: number,
): Promise<boolean> {
  const row = await parts
    .knex('lots')
    .where('id', lotId)
    .first<{ auction_id: number; journal_opened: boolean; status: string } | undefined>(
      'auction_id',
      'status',
    );
  return row !== undefined && row.status !== 'draft' && isFixed(parts, { lotId, auctionId: row.auction_id });
}

/** Whether what a lot is said to be is fixed: it has had a bid, or is over. By the journal; throws its faults. */
export async function isFixed(
  { knex, journal }: Pick<LiveParts, 'knex' | 'journal'>,
  { lotId, auctionId }: { readonly lotId: number; readonly auctionId: number },
): Promise<boolean> {
  const live = await journal.load(auctionId, lotId);
  if (live !== null) return live.frozen || isClosed(live);
  const row = await knex('lot_states')
    .where('lot_id', lotId)
    .first<{ snapshot: string } | undefined>('snapshot');
  const left = row === undefined ? null : decodeSnapshot(row.snapshot);
  return left !== null && (left.frozen || isClosed(left));
}

/** Entries that a lot's journal lacks permanently, as recorded by `journal bridge`. */
import type { Knex } from 'knex';
import { decodeSnapshot, encodeSnapshot } from '../../../engine/formats/formats.ts';
import type { LotState } from '../../../engine/lot/state.ts';

export interface JournalGap {
  readonly lotId: number;
  /** The last sequence before it; 0 where the journal begins with it. */
  readonly afterSequence: number;
  /** Behind this sequence the lot's standing is known; before, `state` is only what the entries are folded into. */
  readonly knownFrom: number;
  /** What the first entry behind the gap is folded into. */
  readonly state: LotState;
}

export async function readGaps(knex: Knex, lotId: number): Promise<JournalGap[]> {
  const rows: { after_sequence: number; known_from: number; snapshot: string }[] = await knex('journal_gaps')
    .where('lot_id', lotId)
    .orderBy('after_sequence')
    .select('after_sequence', 'known_from', 'snapshot');
  return rows.map((row) => ({
    lotId,
    afterSequence: row.after_sequence,
    knownFrom: row.known_from,
    state: decodeSnapshot(row.snapshot),
  }));
}

/** Whether entries of the lot are missing. */
export async function hasGap(knex: Knex, lotId: number): Promise<boolean> {
  return (await knex('journal_gaps').where('lot_id', lotId).first('lot_id')) !== undefined;
}

export async function insertGap(
  trx: Knex,
  { lotId, afterSequence, knownFrom, state }: JournalGap,
): Promise<void> {
  await trx('journal_gaps').insert({
    lot_id: lotId,
    after_sequence: afterSequence,
    known_from: knownFrom,
    snapshot: encodeSnapshot(state),
  });
}

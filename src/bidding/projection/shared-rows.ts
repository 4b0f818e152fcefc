/**
 * Whether bids may share rows of the outbox. Releases before this one cannot read such rows, so nobody writes one until
 * somebody has said that none of their processes runs any more. Once so it stays so.
 */
import type { Knex } from 'knex';

/** False, too, where the journal has not begun. */
export async function mayShareRows(knex: Knex): Promise<boolean> {
  const row = await knex('journal_meta').first<{ bids_share_rows: boolean } | undefined>('bids_share_rows');
  return row?.bids_share_rows ?? false;
}

/** From now on bids share rows. Gives whether that is new. */
export async function allowSharedRows(knex: Knex): Promise<boolean> {
  return (await knex('journal_meta').where({ bids_share_rows: false }).update({ bids_share_rows: true })) > 0;
}

/** The moment in Postgres at which a journal that is rebuilt begins to count anew. */
import type { Knex } from 'knex';
import { noteName } from './journal-names.ts';

/** A new life of the journal: what is known of the log before counts no more. Gives how many a loss began. */
export async function beginLife(knex: Knex, epoch: string): Promise<number> {
  return knex.transaction(async (trx) => {
    // SQL: counts on from what the row has.
    const next = trx.raw('fence + 1');
    // SQL: as above.
    const rebuilds = trx.raw('rebuilds + 1');
    const [begun]: { rebuilds: number }[] = await trx('journal_meta')
      .update({
        ...{ epoch, previous_epoch: null, servers: null, rebuilds },
        ...{ fence: next, rebuilt_fence: next, runs: null, fence_closed_at: trx.fn.now() },
      })
      .returning('rebuilds');
    await noteName(trx, epoch);
    await trx('projection_positions').delete();
    await trx('journal_marks').delete();
    return begun?.rebuilds ?? 1;
  });
}

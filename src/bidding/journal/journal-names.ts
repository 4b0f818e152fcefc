/** Every name that this journal has had: a Redis that goes by an earlier one is an older Redis, not another journal. */
import type { Knex } from 'knex';

/** Notes a name before it is used. */
export async function noteName(trx: Knex, epoch: string): Promise<void> {
  await trx('journal_epochs').insert({ epoch }).onConflict('epoch').ignore();
}

/** The journal has only this name from now on, as it was copied from one that goes on by itself. */
export async function renounceNames(trx: Knex, epoch: string): Promise<void> {
  await trx('journal_epochs').delete();
  await noteName(trx, epoch);
}

export async function readNames(knex: Knex): Promise<ReadonlySet<string>> {
  const names: string[] = await knex('journal_epochs').pluck('epoch');
  return new Set(names);
}

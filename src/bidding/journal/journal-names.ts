/** What Postgres knows of the life of this journal, and every name it has had: one that carries an earlier is older. */
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

/** `written`: every shard has carried the name, so one that does not has lost it. */
export interface Life {
  readonly epoch: string;
  readonly written: boolean;
  /** The name before the last failover. */
  readonly previous_epoch: string | null;
  /** The servers that held the journal at the last check; null: there was none. */
  readonly servers: readonly string[] | null;
  /** Over how many shards new auctions are spread; null in journals from before there was a choice. */
  readonly shards: number | null;
}

const COLUMNS = ['epoch', 'written', 'previous_epoch', 'servers', 'shards'] as const;

/** Null before the journal's first start. */
export async function readLife(knex: Knex): Promise<Life | null> {
  return (await knex('journal_meta').first<Life | undefined>(COLUMNS)) ?? null;
}

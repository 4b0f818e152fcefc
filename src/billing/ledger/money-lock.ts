/**
 * The order in which money is locked: the payment by its names, then the sellers’ teams that it is about, by their ids,
 * then rows (an auction, a lot, a person), and last the numbers of documents (`nextNumbers`). Whatever changes the
 * money of a team waits here for what went before, and reads what that left; so no two of them ever wait for each
 * other. What only makes an invoice, as the projection and registrations do, changes nobody’s money: it locks no team
 * and begins with the rows.
 */
import type { Knex } from 'knex';
import { holdName } from '../../shared/transactions.ts';

/** Holds a payment by all names that the provider has for it, until the transaction ends. Before any team. */
export async function holdPayment(trx: Knex, ...names: readonly (string | null)[]): Promise<void> {
  for (const name of known(names).sort()) await holdName(trx, name, 7);
}

/** Holds the money of these teams until the transaction ends; null: of none. All that are needed in one call. */
export async function holdMoney(trx: Knex, ...teamIds: readonly (number | null)[]): Promise<void> {
  for (const id of known(teamIds).sort((a, b) => a - b)) await holdName(trx, String(id), 12);
}

function known<T>(values: readonly (T | null)[]): T[] {
  return [...new Set(values)].filter((value) => value !== null);
}

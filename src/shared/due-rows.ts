/** Work of the clock on the rows that are due: each by itself, so that one that fails keeps none of the others back. */
import type { Model, QueryBuilder } from 'objection';
import { messageOf } from '../../engine/thrown.ts';

const AT_ONCE = 50;

/**
 * Does the work for every row that is due, by their ids and however many they are; one that fails is tried again by the
 * next pass. Returns how many are done. Throws once all were tried: an `AggregateError` that names those that failed,
 * as `what` and their ids.
 */
export async function forEachDue<M extends Model, R extends { readonly id: number }>(
  what: string,
  due: QueryBuilder<M, R[]>,
  work: (row: R) => Promise<unknown>,
): Promise<number> {
  const failed: Error[] = [];
  let done = 0;
  let rows: readonly R[] = [];
  do {
    const after = rows.at(-1)?.id ?? 0;
    rows = await due.clone().where('id', '>', after).orderBy('id').limit(AT_ONCE);
    for (const row of rows) {
      try {
        await work(row);
        done += 1;
      } catch (cause) {
        failed.push(new Error(`${what} ${row.id}: ${messageOf(cause)}`, { cause }));
      }
    }
  } while (rows.length === AT_ONCE);
  if (failed.length === 0) return done;
  throw new AggregateError(failed, failed.map(({ message }) => message).join('\n'));
}

/**
 * How many lots each of some searches finds, all in one statement. A search finds as its list does: by likeness to
 * titles only where nothing at all begins with what was searched for.
 */
import type { Knex } from 'knex';
import { runPrepared, Values } from '../../../adapters/postgres/prepared.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { filtersByPrice, type LotFilter } from './lot-filters.ts';
import { allRowsSql } from './lot-list-statements.ts';

/** What is counted: the lots of a filter, or those of them that were listed after a moment. */
export interface Counted {
  readonly filter: LotFilter;
  readonly listedAfter?: string;
}

/** The counts, in the order of `wanted`. */
export async function countLots(knex: Knex, wanted: readonly Counted[]): Promise<number[]> {
  if (wanted.length === 0) return [];
  const values = new Values();
  const text = `SELECT ${wanted.map((one) => countSql(one, values)).join(', ')}`;
  const rows = await runPrepared<number[]>(knex, { text, values: values.list, once: true });
  return firstOf(rows).map(Number);
}

function countSql({ filter, listedAfter }: Counted, values: Values): string {
  const counted = listedAfter === undefined ? filter : onlyListedAfter(filter, listedAfter);
  const begins = `(${allRowsSql('count(*)', counted, 'begins', values)})`;
  if (filter.search === null) return begins;
  // Postgres evaluates the condition, and then only the count that it decides for.
  return `CASE WHEN EXISTS (${allRowsSql('1', filter, 'begins', values)}) THEN ${begins}
    ELSE (${allRowsSql('count(*)', counted, 'resembles', values)}) END`;
}

/** A lot is listed when its auction starts, or when it is made in one that is on already. */
function onlyListedAfter(filter: LotFilter, moment: string): LotFilter {
  // The table of prices does not say when a lot was made.
  const made = filtersByPrice(filter)
    ? '(SELECT o.created_at FROM lots o WHERE o.id = l.id)'
    : 'l.created_at';
  return {
    ...filter,
    columns: [...filter.columns, [`greatest(a.start_time, ${made}) > ?::timestamptz`, moment]],
  };
}

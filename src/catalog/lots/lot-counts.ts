/**
 * How many lots each of some searches finds, all in one statement. A search finds as its list does: by likeness to
 * titles only where nothing at all begins with what was searched for.
 */
import type { Knex } from 'knex';
import { runPrepared, Values } from '../../../adapters/postgres/prepared.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { filtersByPrice, type LotFilter } from './lot-filters.ts';
import { allRowsSql, type Match } from './lot-list-statements.ts';

/** What is counted: the lots of a filter, or those of them that were listed after a moment. */
export interface Counted {
  readonly filter: LotFilter;
  readonly listedAfter?: string;
}

/** The counts, in the order of `wanted`; beyond `most`, where that is given, nothing is counted but one more. */
export async function countLots(
  knex: Knex,
  wanted: readonly Counted[],
  most: number | null = null,
): Promise<number[]> {
  if (wanted.length === 0) return [];
  const values = new Values();
  const text = `SELECT ${wanted.map((one) => countSql(one, most, values)).join(', ')}`;
  const rows = await runPrepared<number[]>(knex, { text, values: values.list, once: true });
  return firstOf(rows).map(Number);
}

function countSql({ filter, listedAfter }: Counted, most: number | null, values: Values): string {
  const counted = listedAfter === undefined ? filter : onlyListedAfter(filter, listedAfter);
  const count = (match: Match) =>
    most === null
      ? `(${allRowsSql('count(*)', counted, match, values)})`
      : `(SELECT count(*) FROM (${allRowsSql('1', counted, match, values)} LIMIT ${most + 1}) c)`;
  const begins = count('begins');
  if (filter.search === null) return begins;
  // Postgres evaluates the condition, and then only the count that it decides for.
  return `CASE WHEN EXISTS (${allRowsSql('1', filter, 'begins', values)}) THEN ${begins}
    ELSE ${count('resembles')} END`;
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

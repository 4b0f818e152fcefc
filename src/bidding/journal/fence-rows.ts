/**
 * What processes tell each other by Postgres about the fence: its number and the servers' runs that it is open for, who
 * writes under it, and how far each shard's log was acknowledged to any of them.
 */
import type { Knex } from 'knex';
import { nobodyHoldsSql } from '../../../adapters/postgres/held-lock.ts';

export interface FenceState {
  readonly number: number;
  /** The runs that were compared; null: they are being compared. */
  readonly runs: readonly string[] | null;
  /** The number that the journal was rebuilt under last: marks from before it count no more. */
  readonly rebuiltFence: number;
}

export async function readFence(knex: Knex): Promise<FenceState> {
  // SQL: read every second; one prepared form.
  const { rows } = await knex.raw<{
    rows: { fence: number; runs: string[] | null; rebuilt_fence: number }[];
  }>('SELECT fence, runs, rebuilt_fence FROM journal_meta');
  const [row] = rows;
  return { number: row?.fence ?? 0, runs: row?.runs ?? null, rebuiltFence: row?.rebuilt_fence ?? 0 };
}

/** Nobody writes under this number any more once they know; the next one is open for nothing yet. */
export async function closeFence(knex: Knex, number: number): Promise<void> {
  await knex('journal_meta')
    .where({ fence: number })
    .whereNotNull('runs')
    .update({ fence: number + 1, runs: null, fence_closed_at: knex.fn.now() });
}

/**
 * Opens a number that nobody has opened yet for these runs, and forgets who is gone. Whether it did: not while the
 * journal is being rebuilt, however right its servers may be by then.
 */
export async function openFence(knex: Knex, number: number, runs: readonly string[]): Promise<boolean> {
  // SQL: an array as one value, and a lock.
  const { rows } = await knex.raw<{ rows: unknown[] }>(
    `UPDATE journal_meta SET runs = ?::text[] WHERE fence = ? AND runs IS NULL AND ${nobodyHoldsSql('rebuild')}
     RETURNING fence`,
    [[...runs], number],
  );
  if (rows.length > 0) await knex('journal_writers').where('fence', '<', number).delete();
  return rows.length > 0;
}

/** Takes part under a number; false where it is not open for these runs (any more). */
export async function join(
  knex: Knex,
  id: string,
  number: number,
  runs: readonly string[],
): Promise<boolean> {
  // SQL: holds what it has read until it has written.
  const { rows } = await knex.raw<{ rows: unknown[] }>(
    `WITH fence AS (SELECT fence FROM journal_meta WHERE fence = ? AND runs = ?::text[] FOR SHARE)
     INSERT INTO journal_writers (id, fence) SELECT ?::uuid, fence FROM fence
     ON CONFLICT (id) DO UPDATE SET fence = excluded.fence, seen_at = now() RETURNING id`,
    [number, [...runs], id],
  );
  return rows.length > 0;
}

export async function leave(knex: Knex, id: string): Promise<void> {
  await knex('journal_writers').where({ id }).delete();
}

/** Whether another process may still write under a number before this one: it has not said that it does not. */
export async function othersWriting(knex: Knex, id: string, number: number): Promise<boolean> {
  const other = await knex('journal_writers').where('fence', '<', number).whereNot({ id }).first('id');
  return other !== undefined;
}

export interface HandedIn {
  readonly id: string;
  /** The number that this process writes under; null: it does not. */
  readonly number: number | null;
  readonly marks: readonly (readonly [shard: number, messageId: string])[];
  /** The number that the marks were made under. */
  readonly marksFence: number;
}

/** Says what a process knows, and under which number it writes. */
export async function handIn(knex: Knex, { id, number, marks, marksFence }: HandedIn): Promise<void> {
  const rows = marks
    .map(([shard, messageId]) => {
      const [ms = 0, counter = 0] = messageId.split('-').map(Number);
      return { shard, ms, counter };
    })
    .sort((a, b) => a.shard - b.shard);
  // SQL: a mark never moves back, and those of a journal that was rebuilt since are none.
  if (rows.length > 0)
    await knex.raw(
      `INSERT INTO journal_marks AS m (shard, ms, counter)
       SELECT n.shard, n.ms, n.counter FROM json_to_recordset(?::json) AS n (shard int, ms bigint, counter bigint)
       WHERE (SELECT rebuilt_fence FROM journal_meta) <= ? ORDER BY n.shard
       ON CONFLICT (shard) DO UPDATE SET ms = excluded.ms, counter = excluded.counter
       WHERE (excluded.ms, excluded.counter) > (m.ms, m.counter)`,
      [JSON.stringify(rows), marksFence],
    );
  // SQL: one prepared form, every second.
  await knex.raw(
    `INSERT INTO journal_writers (id, fence) VALUES (?::uuid, ?::bigint)
     ON CONFLICT (id) DO UPDATE SET fence = excluded.fence, seen_at = now()`,
    [id, number],
  );
}

/** What Postgres knows of how far each shard's log has come: acknowledged, and projected. */
export async function readMarks(knex: Knex): Promise<Map<number, string[]>> {
  // SQL: both kinds in one prepared form.
  const { rows } = await knex.raw<{ rows: { shard: number; id: string }[] }>(
    `SELECT shard, ms || '-' || counter AS id FROM journal_marks
     UNION ALL SELECT shard, stream_id FROM projection_positions`,
  );
  const marks = new Map<number, string[]>();
  for (const { shard, id } of rows) marks.set(shard, [...(marks.get(shard) ?? []), id]);
  return marks;
}

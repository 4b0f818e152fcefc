/** The statements that the fence and the positions write out, recognised by their first words and executed by hand. */
import { nobodyHoldsSql } from '../../../adapters/postgres/held-lock.ts';
import type { Row, Tables } from './rows.ts';

type Statement = (tables: Tables, bindings: readonly unknown[], nowUs: number, sql: string) => Row[];

const STATEMENTS: readonly (readonly [string, Statement])[] = [
  ['SELECT fence, runs, rebuilt_fence FROM journal_meta', ({ journal_meta: meta }) => meta],
  ['SELECT epoch FROM journal_meta', ({ journal_meta: meta }) => meta],
  [
    'UPDATE journal_meta SET runs = ?::text[] WHERE fence = ? AND runs IS NULL',
    (tables, [runs, number], _nowUs, sql) => {
      const isHeld = sql.includes(nobodyHoldsSql('rebuild')) && tables.held_locks.length > 0;
      const [row] = tables.journal_meta;
      if (isHeld || row === undefined || row['fence'] !== number || row['runs'] != null) return [];
      tables.journal_meta = [{ ...row, runs }];
      return [{ fence: number }];
    },
  ],
  [
    'WITH fence AS (SELECT fence FROM journal_meta WHERE fence = ? AND runs = ?::text[] FOR SHARE)',
    (tables, [number, runs, id], nowUs) => {
      const [row] = tables.journal_meta;
      if (row?.['fence'] !== number || String(row?.['runs']) !== String(runs)) return [];
      upsertWriter(tables, { id, fence: number, seen_at: nowUs });
      return [{ id }];
    },
  ],
  [
    'INSERT INTO journal_marks AS m (shard, ms, counter)',
    (tables, [json, marksFence]) => {
      if (Number(tables.journal_meta[0]?.['rebuilt_fence'] ?? 0) > Number(marksFence)) return [];
      for (const mark of JSON.parse(String(json)) as { shard: number; ms: number; counter: number }[]) {
        const known = tables.journal_marks.find(({ shard }) => shard === mark.shard);
        const isNewer =
          known === undefined ||
          mark.ms > Number(known['ms']) ||
          (mark.ms === known['ms'] && mark.counter > Number(known['counter']));
        if (isNewer)
          tables.journal_marks = [...tables.journal_marks.filter((row) => row !== known), mark as never];
      }
      return [];
    },
  ],
  [
    'INSERT INTO journal_writers (id, fence) VALUES',
    (tables, [id, number], nowUs) => {
      upsertWriter(tables, { id, fence: number, seen_at: nowUs });
      return [];
    },
  ],
  [
    `SELECT shard, ms || '-' || counter AS id FROM journal_marks UNION ALL SELECT shard, stream_id`,
    ({ journal_marks: marks, projection_positions: positions }) => [
      ...marks.map((row) => ({ shard: row['shard'], id: `${row['ms']}-${row['counter']}` })),
      ...positions.map((row) => ({ shard: row['shard'], id: row['stream_id'] })),
    ],
  ],
  [
    'SELECT shard, stream_id AS id FROM projection_positions',
    ({ projection_positions: positions }) =>
      positions.map((row) => ({ shard: row['shard'], id: row['stream_id'] })),
  ],
  [
    'SELECT shard, stream_id, messages FROM projection_positions',
    ({ projection_positions: positions }, [shards]) =>
      positions.filter((row) => (shards as number[]).includes(row['shard'] as number)),
  ],
];

function upsertWriter(tables: Tables, row: Row): void {
  tables.journal_writers = [...tables.journal_writers.filter(({ id }) => id !== row['id']), row];
}

/** Runs a statement; one that is not known here ends the run. */
export function runStatement(
  tables: Tables,
  sql: string,
  bindings: readonly unknown[],
  nowUs: number,
): Row[] {
  const known = STATEMENTS.find(([beginning]) => sql.startsWith(beginning));
  if (known === undefined) throw new Error(`the simulation knows no statement ${sql}`);
  return known[1](tables, bindings, nowUs, sql);
}

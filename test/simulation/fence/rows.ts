/** Tables of plain rows, and as much of Knex' builder as reads and changes them. */

export type Row = Readonly<Record<string, unknown>>;
export type TableName =
  | 'journal_meta'
  | 'journal_writers'
  | 'journal_marks'
  | 'journal_epochs'
  | 'projection_positions'
  | 'held_locks';
export type Tables = Record<TableName, Row[]>;

/** What a statement came to, and how its changes are made, at once or when its transaction commits. */
export interface Change<T> {
  readonly result: T;
  apply(): void;
}

type Send = <T>(label: string, change: () => Change<T>) => Promise<T>;

/** One line, without the indentation of the source. */
export function textOf(sql: string): string {
  return sql.trim().replaceAll(/\s+/g, ' ');
}

const KEYS: Record<TableName, string | null> = {
  journal_meta: null,
  journal_writers: 'id',
  journal_marks: 'shard',
  journal_epochs: 'epoch',
  projection_positions: 'shard',
  held_locks: null,
};

/** What a new row of the one table that has such columns begins with. */
const META: Row = {
  ...{ fence: 0, runs: null, rebuilt_fence: 0, rebuilds: 0 },
  ...{ written: false, previous_epoch: null, servers: null },
};

export function onRows(tables: Tables, name: string, nowUs: number, send: Send): unknown {
  const table = name as TableName;
  if (!(table in tables)) throw new Error(`the simulation knows no table ${name}`);
  const tests: ((row: Row) => boolean)[] = [];
  const matching = () => tables[table].filter((row) => tests.every((test) => test(row)));
  const change = <T>(label: string, made: () => Change<T>) => send(`${table} ${label}`, made);
  const read = <T>(of: (rows: readonly Row[]) => T) =>
    change('read', () => ({ result: of(matching()), apply: () => undefined }));
  const updated = (row: Row, values: Row): Row =>
    Object.assign(
      { ...row },
      ...Object.entries(values).map(([key, value]) => ({ [key]: valueIn(row, value, nowUs) })),
    );
  const builder = {
    where(column: string | Row, sign?: string, value?: unknown) {
      if (typeof column === 'string')
        tests.push((row) => sign === '<' && Number(row[column] ?? Number.NaN) < Number(value));
      else tests.push((row) => Object.entries(column).every(([key, one]) => row[key] === one));
      return builder;
    },
    whereNot(values: Row) {
      tests.push((row) => Object.entries(values).every(([key, one]) => row[key] !== one));
      return builder;
    },
    whereNotNull(column: string) {
      tests.push((row) => row[column] != null);
      return builder;
    },
    first: () => read((rows) => rows[0]),
    pluck: (column: string) => read((rows) => rows.map((row) => row[column])),
    delete: () =>
      change('delete', () => {
        const gone = new Set(matching());
        return {
          result: gone.size,
          apply: () => {
            tables[table] = tables[table].filter((row) => !gone.has(row));
          },
        };
      }),
    update(values: Row) {
      const made = () => ({
        result: matching().map((row) => updated(row, values)),
        // By then others may have changed the row that it has waited for.
        apply: () => {
          const found = new Set(matching());
          tables[table] = tables[table].map((row) => (found.has(row) ? updated(row, values) : row));
        },
      });
      const sent = (label: string) => change(label, made);
      return {
        returning: () => sent('update'),
        // biome-ignore lint/suspicious/noThenProperty: a query is one.
        then: (done: (value: unknown) => unknown, failed: (error: unknown) => unknown) =>
          sent('update').then(done, failed),
      };
    },
    insert: (row: Row) => ({
      onConflict: () => ({
        ignore: () =>
          change('insert', () => ({
            result: undefined,
            apply: () => {
              const key = KEYS[table];
              const isThere = tables[table].some((one) => key === null || one[key] === row[key]);
              if (isThere) return;
              const begun = table === 'journal_meta' ? { ...META, fence_closed_at: nowUs, ...row } : row;
              tables[table] = [...tables[table], begun];
            },
          })),
      }),
    }),
  };
  return builder;
}

/** A value of an update: as it is, the time, or counted on from the row. */
function valueIn(row: Row, value: unknown, nowUs: number): unknown {
  if (typeof value !== 'object' || value === null || !('sql' in value)) return value;
  const { sql } = value as { sql: string };
  const counted = /^(\w+) \+ 1$/.exec(sql)?.[1];
  if (counted !== undefined) return Number(row[counted]) + 1;
  if (sql === 'now()') return nowUs;
  throw new Error(`the simulation knows no value ${sql}`);
}

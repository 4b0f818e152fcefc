/**
 * The files that sellers have brought, as rows: kept for a day, a few for each team, and bound to the team and the
 * auction they are for.
 */
import type { Knex } from 'knex';
import { found } from '../frame/desk.ts';
import type { BadRow, MeasuredFile, ShownRow } from './lot-importer.ts';

export type ImportStatus =
  | 'waiting'
  | 'checking'
  | 'importing'
  | 'right'
  | 'refused'
  | 'cancelled'
  | 'failed'
  | 'done';

export interface ImportRow {
  readonly id: number;
  readonly auction_id: number;
  readonly file_name: string;
  /** The names in the file's first row. */
  readonly header: readonly string[];
  readonly first_rows: readonly ShownRow[];
  readonly columns: readonly (string | null)[];
  readonly status: ImportStatus;
  readonly rows_total: number;
  readonly rows_done: number;
  /** The first of the rows that were refused. */
  readonly failed: readonly BadRow[];
  readonly rows_failed: number;
  readonly problem: string | null;
}

interface NewImport {
  readonly teamId: number;
  readonly auctionId: number;
  readonly userId: number;
  readonly fileName: string;
  readonly text: string;
  readonly columns: readonly (string | null)[];
  readonly measured: MeasuredFile;
}

const COLUMNS: readonly (keyof ImportRow)[] = [
  'id',
  'auction_id',
  'file_name',
  'header',
  'first_rows',
  'columns',
  'status',
  'rows_total',
  'rows_done',
  'failed',
  'rows_failed',
  'problem',
];

/** Characters of a cell that a page shows. */
const MAX_SHOWN = 80;
/** Sentences about a file that are kept, of the first rows that were refused. */
const MAX_SENTENCES = 500;

const RUNNING: readonly ImportStatus[] = ['checking', 'importing'];
/** Files of one team; the oldest make room. */
const MAX_KEPT = 20;
/** A run whose process has sent no sign of life for so long has ended with it. */
const SILENT = "interval '20 seconds'";

export async function insertImport(knex: Knex, made: NewImport): Promise<number> {
  await knex('lot_imports').whereRaw("created_at < now() - interval '1 day'").delete();
  const kept = knex('lot_imports')
    .where('team_id', made.teamId)
    .orderBy('id', 'desc')
    .limit(MAX_KEPT - 1);
  await knex('lot_imports')
    .where('team_id', made.teamId)
    .whereNotIn('status', RUNNING)
    .whereNotIn('id', kept.select('id'))
    .delete();
  const [row] = await knex('lot_imports')
    .insert({
      team_id: made.teamId,
      auction_id: made.auctionId,
      user_id: made.userId,
      file_name: made.fileName.slice(0, 200),
      text: made.text,
      columns: JSON.stringify(made.columns),
      header: JSON.stringify(made.measured.header.map(shortened)),
      first_rows: JSON.stringify(
        made.measured.rows.map(({ line, cells }) => ({ line, cells: cells.map(shortened) })),
      ),
      rows_total: made.measured.total,
    })
    .returning<{ id: number }[]>('id');
  return found(row, 'import').id;
}

/** A cell as a page shows it. */
const shortened = (cell: string) => (cell.length > MAX_SHOWN ? `${cell.slice(0, MAX_SHOWN)}…` : cell);

/** Throws 404. A run that was broken off has failed: nothing of it was taken. */
export async function readImport(
  knex: Knex,
  teamId: number,
  auctionId: number,
  id: number,
): Promise<ImportRow> {
  await knex('lot_imports')
    .where({ id, team_id: teamId })
    .whereIn('status', RUNNING)
    .whereRaw(`heartbeat_at < now() - ${SILENT}`)
    .update({
      status: 'failed',
      problem: 'The import was interrupted. Nothing was imported: start it again.',
    });
  const row = await knex('lot_imports')
    .where({ id, team_id: teamId, auction_id: auctionId })
    .first<ImportRow | undefined>(COLUMNS);
  return found(row, 'import');
}

/** The file itself; empty once it has been imported. */
export async function readImportText(knex: Knex, id: number): Promise<string> {
  const row = await knex('lot_imports').where({ id }).first<{ text: string } | undefined>('text');
  return found(row, 'import').text;
}

/** Starts a run, unless one is running or the file has been imported. */
export async function beginRun(
  knex: Knex,
  id: number,
  columns: readonly (string | null)[],
  status: 'checking' | 'importing',
): Promise<boolean> {
  const begun = await knex('lot_imports')
    .where({ id })
    .whereNotIn('status', [...RUNNING, 'done'])
    .update({
      ...{ status, rows_done: 0, failed: '[]', rows_failed: 0, problem: null, cancel_asked: false },
      columns: JSON.stringify(columns),
      heartbeat_at: knex.fn.now(),
    });
  return begun === 1;
}

/** Notes how far a run is. Whether it has to stop. */
export async function noteProgress(knex: Knex, id: number, done: number): Promise<boolean> {
  const rows = await knex('lot_imports')
    .where({ id })
    .whereIn('status', RUNNING)
    .update({ rows_done: done, heartbeat_at: knex.fn.now() })
    .returning<{ cancel_asked: boolean }[]>('cancel_asked');
  return rows[0]?.cancel_asked ?? true;
}

/** How a run that took nothing ended. */
export async function endRun(
  knex: Knex,
  id: number,
  status: ImportStatus,
  more: { readonly failed?: readonly BadRow[]; readonly problem?: string } = {},
): Promise<void> {
  const { failed = [], problem = null } = more;
  await knex('lot_imports')
    .where({ id })
    .whereIn('status', RUNNING)
    .update({ status, problem, failed: JSON.stringify(firstRefused(failed)), rows_failed: failed.length });
}

function firstRefused(failed: readonly BadRow[]): readonly BadRow[] {
  let sentences = 0;
  return failed.filter(({ errors }) => {
    sentences += Object.keys(errors).length;
    return sentences <= MAX_SENTENCES;
  });
}

/** In the transaction that takes the lots: the text is needed no more. */
export async function markTaken(trx: Knex.Transaction, id: number): Promise<void> {
  await trx('lot_imports').where({ id }).update({ status: 'done', text: '' });
}

export async function requestCancel(knex: Knex, id: number): Promise<void> {
  await knex('lot_imports').where({ id }).update({ cancel_asked: true });
}

/**
 * The process that writes one XLSX file, started by `xlsx-file.ts` as a child: a large table takes the library seconds,
 * in which the parent does other things. It ends with its parent.
 */
import { createRequire } from 'node:module';
import type { XlsxAnswer, XlsxCell, XlsxWork } from './xlsx-work.ts';

/** What is used of the package; its own declarations speak of browsers as well. */
type Library = (
  rows: readonly Cell[][],
  options: { readonly columns: readonly { width: number }[]; readonly stickyRowsCount: number },
) => { toFile(path: string): Promise<void> };

type Cell = {
  readonly value: string | number;
  readonly type: StringConstructor | NumberConstructor;
  readonly format?: string;
  readonly fontWeight?: 'bold';
} | null;

const writeXlsxFile: Library = createRequire(import.meta.url)('write-excel-file/node');

const MIN_WIDTH = 8;
const MAX_WIDTH = 50;
/** What a spreadsheet takes in one cell. */
const MAX_TEXT = 32_000;

process.on('message', (work: XlsxWork) => {
  write(work).then(
    () => answer({ fault: null }),
    (error: unknown) => answer({ fault: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
// Ctrl-C and the end of a service reach the whole group; the parent decides when this process exits.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

function answer(what: XlsxAnswer): void {
  process.send?.(what);
}

async function write({ path, columns, rows }: XlsxWork): Promise<void> {
  const header = columns.map((name): Cell => ({ value: name, type: String, fontWeight: 'bold' }));
  const data: Cell[][] = [header, ...rows.map((row) => row.map(cellOf))];
  const widths = columns.map((name, index) => ({ width: widthOf(name, index, rows) }));
  await writeXlsxFile(data, { columns: widths, stickyRowsCount: 1 }).toFile(path);
}

function cellOf(cell: XlsxCell): Cell {
  if (cell === null) return null;
  if (typeof cell === 'number') return { value: cell, type: Number };
  if (typeof cell === 'string') return { value: cell.slice(0, MAX_TEXT), type: String };
  const decimals = cell.amount.split('.')[1]?.length ?? 0;
  const format = decimals === 0 ? '#,##0' : `#,##0.${'0'.repeat(decimals)}`;
  return { value: Number(cell.amount), type: Number, format };
}

function widthOf(name: string, index: number, rows: XlsxWork['rows']): number {
  let width = Math.max(MIN_WIDTH, name.length + 2);
  for (const row of rows) {
    const cell = row[index] ?? '';
    width = Math.max(width, typeof cell === 'object' ? cell.amount.length + 3 : String(cell).length + 1);
  }
  return Math.min(MAX_WIDTH, width);
}

/**
 * Rows as a CSV file that programs for tables open without harm: what begins with a sign that they take for a formula,
 * with blanks before it or in its full width, has an apostrophe before it.
 */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

export type Cell = string | number | bigint | null;

/** RFC 4180, with a byte order mark, so that every program reads it as UTF-8. */
export function csvOf(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [header, ...rows].map((row) => row.map(cellText).join(','));
  return `\ufeff${lines.join('\r\n')}\r\n`;
}

function cellText(cell: Cell): string {
  if (cell === null) return '';
  // A number of ours is never a formula; a text that looks like one may be.
  if (typeof cell !== 'string') return String(cell);
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

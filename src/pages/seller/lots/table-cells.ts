/** The cells of a row of the table of lots: which of them were changed on the page, and which by others meanwhile. */
import { type FormTexts, markOf } from '../forms/form-values.ts';
import type { Column } from './table-columns.ts';

interface Columns {
  readonly columns: readonly Column[];
}

/** The cells of a row, as they were sent. */
export function cellsIn({ columns }: Columns, sent: FormTexts): FormTexts {
  return Object.fromEntries(
    columns.flatMap(({ name }) => (sent[name] === undefined ? [] : [[name, sent[name]]])),
  );
}

export function isChanged(texts: FormTexts, marks: FormTexts, name: string): boolean {
  return texts[name] !== undefined && markOf(texts[name]) !== (marks[name] ?? '');
}

/** The cells that are changed here and, since the row was shown, by somebody else as well. */
export function changedMeanwhile(
  { columns }: Columns,
  present: FormTexts,
  texts: FormTexts,
  marks: FormTexts,
): Record<string, string> {
  const wrong: Record<string, string> = {};
  for (const { name } of columns) {
    const now = present[name] ?? '';
    if (!isChanged(texts, marks, name) || markOf(now) === (marks[name] ?? '') || now === texts[name])
      continue;
    wrong[name] = `Somebody has changed this to “${now}” meanwhile. Save again to overwrite it.`;
  }
  return wrong;
}

/** Amendments of a lot as its page shows them: for each changed field what was said before, and what is said since. */
import { objectIn } from '../../../engine/objects.ts';
import type { Amended } from '../../catalog/lots/lot-detail.ts';
import { LANGUAGE_CODES } from '../../shared/language.ts';
import { LOT_FIELDS } from '../../shared/lot-fields.ts';

export interface ShownAmendment {
  readonly at: string;
  readonly reason: string;
  readonly rows: readonly ShownChange[];
}

/** What was said, or a yes or no; null: nothing was, empty: a list of none. */
type ShownValue = string | boolean | null;

interface ShownChange {
  readonly label: string;
  readonly before: ShownValue;
  readonly after: ShownValue;
  /** Of what is said in another language than the lot's own. */
  readonly language?: string;
}

const LABELS: Readonly<Record<string, string>> = {
  title: 'Title',
  lot_number: 'Lot number',
  category_id: 'Category',
  media: 'Pictures',
  custom_fields: 'Facts',
  ...Object.fromEntries(
    Object.values(LOT_FIELDS).flatMap((group) =>
      Object.entries(group).map(([name, { label }]) => [name, label] as const),
    ),
  ),
};

/** The newest first. */
export function shownAmendments(amendments: readonly Amended[]): ShownAmendment[] {
  return amendments.toReversed().map(({ at, reason, before, after }) => ({
    at,
    reason,
    rows: Object.keys(after).flatMap((name) => rowsOf(name, before[name], after[name])),
  }));
}

/** A group is a row for each of its parts that differs, and so is each text of a language. */
function rowsOf(name: string, before: unknown, after: unknown): ShownAmendment['rows'] {
  if (name === 'translations')
    return LANGUAGE_CODES.flatMap((language) =>
      rowsOf(language, objectIn(objectIn(before)[language]), objectIn(objectIn(after)[language])).map(
        (row) => ({
          ...row,
          language,
        }),
      ),
    );
  if (isRecord(before) && isRecord(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names
      .filter((part) => JSON.stringify(before[part]) !== JSON.stringify(after[part]))
      .flatMap((part) => rowsOf(part, before[part], after[part]));
  }
  return [{ label: LABELS[name] ?? name, before: shownValue(before), after: shownValue(after) }];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shownValue(value: unknown): ShownValue {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'boolean') return value;
  if (!Array.isArray(value)) return typeof value === 'object' ? JSON.stringify(value) : String(value);
  return value.map(partOf).join(', ');
}

function partOf(value: unknown): string {
  return isRecord(value) && typeof value['file_name'] === 'string'
    ? value['file_name']
    : String(shownValue(value) ?? '');
}

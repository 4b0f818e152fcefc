/** What the import calls the columns of a file, and what it says is wrong in them: as the lot's form does. */
import { LANGUAGES, type Language } from '../../../shared/language.ts';
import { inLanguage } from '../../../shared/languages/phrasebook.ts';
import { LOT_FIELDS } from '../../../shared/lot-fields.ts';
import { about, fieldSentence, wordsOf } from '../forms/field-words.ts';
import { LOT_LABELS } from '../lots/lot-form.ts';

/** Spans of time are minutes in the form and seconds in files: they keep the names that say so. */
const isSpan = (name: string) => name.endsWith('_seconds');

const LABELS = new Map(
  Object.values(LOT_FIELDS).flatMap((group) =>
    Object.entries(group).map(([name, { label }]): [string, string] => [name, label]),
  ),
);
const NAMES: ReadonlyMap<string, string> = new Map(Object.entries(LANGUAGES));

/** As the lot's form calls it: `starting_bid` → `Starting bid`, `title_de` → `Title (Deutsch)`. */
export function columnLabel(column: string): string {
  const name = column.split('.').at(-1) ?? column;
  const [, base = '', code = ''] = /^(.+)_([a-z]{2})$/.exec(name) ?? [];
  const language = NAMES.get(code);
  if (language !== undefined) return `${columnLabel(base)} (${language})`;
  const own = isSpan(name) ? undefined : (LOT_LABELS[column] ?? LOT_LABELS[name]);
  return own ?? LABELS.get(name) ?? wordsOf(name);
}

/** A sentence of the API about a cell, with the column as people know it. */
export function cellSentence(column: string, sentence: string, language: Language): string {
  const say = (text: string) => inLanguage(language, text);
  return fieldSentence(about(column, sentence), column, columnLabel(column), () => null, say);
}

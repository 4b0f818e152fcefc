/** What the import calls the columns of a file, and what it says is wrong in them: as the lot's form does. */
import { LANGUAGES, type Language } from '../../../shared/language.ts';
import { inLanguage } from '../../../shared/languages/phrasebook.ts';
import { LOT_FIELDS } from '../../../shared/lot-fields.ts';
import { about, fieldSentence, wordsOf } from '../forms/field-words.ts';

const LABELS = new Map(
  Object.values(LOT_FIELDS).flatMap((group) =>
    Object.entries(group).map(([name, { label }]): [string, string] => [name, label]),
  ),
);
const NAMES: ReadonlyMap<string, string> = new Map(Object.entries(LANGUAGES));

/** `starting_bid` → `Starting bid`, `title_de` → `Title (Deutsch)`. */
export function columnLabel(column: string): string {
  const name = column.split('.').at(-1) ?? column;
  const [, base = '', code = ''] = /^(.+)_([a-z]{2})$/.exec(name) ?? [];
  const language = NAMES.get(code);
  if (language !== undefined) return `${columnLabel(base)} (${language})`;
  return LABELS.get(name) ?? wordsOf(name);
}

/** A sentence of the API about a cell, with the column as people know it. */
export function cellSentence(column: string, sentence: string, language: Language): string {
  const say = (text: string) => inLanguage(language, text);
  return fieldSentence(about(column, sentence), column, columnLabel(column), () => null, say);
}

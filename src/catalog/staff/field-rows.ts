/** One field of a category's lots between a row of a form, which is texts, and its JSON Schema. */
import { isObject } from '../../../engine/objects.ts';
import type { Typed } from './typed-values.ts';

/** What a field takes. */
export const FIELD_KINDS = ['text', 'number', 'whole_number', 'one_of_a_list', 'yes_or_no', 'date'] as const;
type FieldKind = (typeof FIELD_KINDS)[number];

export interface FieldRow {
  readonly label: string;
  readonly name: string;
  readonly kind: FieldKind;
  readonly choices: string;
  readonly minimum: string;
  readonly maximum: string;
  readonly required: boolean;
}

/** Adds an error under a column of a row. */
export type AddRowError = (column: string, sentence: string) => void;

/** The keywords of each kind that a row can say. */
const KEYWORDS: Readonly<Record<FieldKind, readonly string[]>> = {
  text: ['type', 'title', 'minLength', 'maxLength'],
  number: ['type', 'title', 'minimum', 'maximum'],
  whole_number: ['type', 'title', 'minimum', 'maximum'],
  one_of_a_list: ['type', 'title', 'enum'],
  yes_or_no: ['type', 'title'],
  date: ['type', 'title', 'format'],
};

/** The kind of a field; null where a row cannot say all of it. */
export function kindOf(property: unknown): FieldKind | null {
  if (!isObject(property)) return null;
  const kind = kindByType(property);
  if (kind === null) return null;
  return Object.keys(property).every((keyword) => KEYWORDS[kind].includes(keyword)) ? kind : null;
}

function kindByType({ type, enum: words, format }: Readonly<Record<string, unknown>>): FieldKind | null {
  if (type === 'boolean') return 'yes_or_no';
  if (type === 'integer') return 'whole_number';
  if (type === 'number') return 'number';
  if (type !== 'string') return null;
  if (format !== undefined) return format === 'date' ? 'date' : null;
  if (words === undefined) return 'text';
  const isPlain = Array.isArray(words) && words.every((one) => typeof one === 'string' && isChoice(one));
  return isPlain ? 'one_of_a_list' : null;
}

const isChoice = (word: string) => word !== '' && word === word.trim() && !word.includes(',');

/** The texts of a field's row besides its name and kind; one without a title is called by its name. */
export function columnsText(
  name: string,
  property: Readonly<Record<string, unknown>>,
): Pick<FieldRow, 'label' | 'choices' | 'minimum' | 'maximum'> {
  const text = (value: unknown) => (value === undefined ? '' : String(value));
  const { title, enum: words, minimum, maximum, minLength, maxLength } = property;
  return {
    label: text(title ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')),
    choices: Array.isArray(words) ? words.join(', ') : '',
    minimum: text(minimum ?? minLength),
    maximum: text(maximum ?? maxLength),
  };
}

/** The schema of a row that was filled in, with an error for each of its texts that is wrong. */
export function propertyOf(row: Typed, addError: AddRowError): Readonly<Record<string, unknown>> {
  const title = row['label'] ?? '';
  const choices = (row['choices'] ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const kind = FIELD_KINDS.find(
    (one) => one === (row['kind'] || (choices.length > 0 ? 'one_of_a_list' : 'text')),
  );
  if (kind === undefined) addError('kind', 'It must be one of those in the list.');
  if (kind !== 'one_of_a_list' && choices.length > 0)
    addError('choices', 'Only a field that is one of a list has choices.');
  switch (kind) {
    case 'number':
      return { type: 'number', title, ...limits(row, addError, ['minimum', 'maximum'], false) };
    case 'whole_number':
      return { type: 'integer', title, ...limits(row, addError, ['minimum', 'maximum'], true) };
    case 'one_of_a_list':
      noLimits(row, addError);
      if (choices.length === 0) addError('choices', 'Name at least one, with commas between them.');
      return { type: 'string', title, enum: [...new Set(choices)] };
    case 'yes_or_no':
      noLimits(row, addError);
      return { type: 'boolean', title };
    case 'date':
      noLimits(row, addError);
      return { type: 'string', title, format: 'date' };
    default:
      return { type: 'string', title, ...limits(row, addError, ['minLength', 'maxLength'], true) };
  }
}

/** From where to where a number is, or how many characters a text has. */
function limits(
  row: Typed,
  addError: AddRowError,
  [low, high]: readonly [string, string],
  isWhole: boolean,
): Readonly<Record<string, number>> {
  const ofText = low === 'minLength';
  const pattern = ofText ? /^[0-9]{1,6}$/ : isWhole ? /^-?[0-9]{1,15}$/ : /^-?[0-9]{1,15}(\.[0-9]{1,6})?$/;
  const found: Record<string, number> = {};
  for (const [column, keyword] of [
    ['minimum', low],
    ['maximum', high],
  ] as const) {
    const text = row[column] ?? '';
    if (text === '') continue;
    if (pattern.test(text)) found[keyword] = Number(text);
    else addError(column, isWhole ? 'It must be a whole number.' : 'It must be a number.');
  }
  const [least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY] = [found[low], found[high]];
  if (least > most) addError('maximum', 'It must not be below the least.');
  return found;
}

function noLimits(row: Typed, addError: AddRowError): void {
  for (const column of ['minimum', 'maximum'])
    if ((row[column] ?? '') !== '') addError(column, 'Only numbers and texts have limits.');
}

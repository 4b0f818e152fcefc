/** The columns of the table of lots: those fields of the lot's form that fit into a cell, with the category's own. */
import type { Language } from '../../../shared/language.ts';
import { inLanguage } from '../../../shared/languages/phrasebook.ts';
import { about, fieldSentence, wordsOf } from '../forms/field-words.ts';
import { type Schema, shapeOf } from '../forms/shapes.ts';
import type { LotForm } from './lot-form.ts';
import { PLACE_FIELD } from './lot-location.ts';

export interface Column {
  readonly name: string;
  readonly label: string;
  readonly isNumber: boolean;
  readonly choices: readonly string[] | null;
  /** What a cell may be completed to. */
  readonly suggestions: readonly string[];
}

const WANTED = [
  ...['catalog_number', 'title', 'starting_bid', 'start_price', 'step', 'step_seconds', 'floor_price'],
  ...[
    'reserve_price',
    'estimate_low',
    'estimate_high',
    'condition',
    'quantity',
    'sku',
    PLACE_FIELD,
    'consignor',
  ],
];
const MAX_CUSTOM = 8;
const IN_A_CELL = ['line', 'text', 'money', 'number', 'decimal', 'choice'];

export function columnsOf(
  { schema, options }: LotForm,
  suggestions: Readonly<Record<string, readonly string[]>>,
): Column[] {
  const { properties = {} } = schema;
  const custom = Object.keys(properties['custom_fields']?.properties ?? {});
  const omitted = new Set(options.omit ?? []);
  const names = WANTED.filter((name) => propertyAt(schema, name) !== undefined && !omitted.has(name));
  const all = [...names, ...custom.slice(0, MAX_CUSTOM).map((name) => `custom_fields.${name}`)];
  return all.flatMap((name) => {
    const property = propertyAt(schema, name);
    const shape = property === undefined ? null : shapeOf(property);
    if (shape === null || !IN_A_CELL.includes(shape.control)) return [];
    const title = property?.title;
    return [
      {
        name,
        label: options.labels?.[name] ?? title ?? wordsOf(name),
        isNumber: ['money', 'number', 'decimal'].includes(shape.control),
        choices: shape.control === 'choice' ? shape.options : null,
        suggestions: suggestions[name] ?? [],
      },
    ];
  });
}

function propertyAt(schema: Schema, name: string): Schema | undefined {
  const [head = '', rest] = name.split('.');
  const property = schema.properties?.[head];
  return rest === undefined ? property : property?.properties?.[rest];
}

/** What is wrong with a row, by its cells; what belongs to none is under ''. */
export function errorsOf(
  columns: readonly Column[],
  errors: Readonly<Record<string, readonly string[]>>,
  language: Language,
): Record<string, string> {
  const say = (text: string) => inLanguage(language, text);
  const wrong: Record<string, string[]> = {};
  for (const [name, sentences] of Object.entries(errors)) {
    const column = columns.find((one) => one.name === name);
    const label = column?.label ?? wordsOf(name);
    const rephrased = sentences.map((sentence) =>
      name === '' ? sentence : fieldSentence(about(name, sentence), name, label, () => null, say),
    );
    const at = column === undefined ? '' : name;
    wrong[at] = [...(wrong[at] ?? []), ...rephrased];
  }
  return Object.fromEntries(Object.entries(wrong).map(([name, sentences]) => [name, sentences.join(' ')]));
}

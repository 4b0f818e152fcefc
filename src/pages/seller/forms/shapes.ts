/**
 * What control a field of a JSON schema needs. The schemas are those of the API's own operations, and those of
 * categories for custom fields, so that a form knows the same types and limits as the API.
 */
import { Day, DayOrMoment, Moment } from '../../../shared/fields.schema.ts';

export type Control =
  | 'line'
  | 'text'
  | 'number'
  | 'decimal'
  | 'money'
  | 'choice'
  | 'tick'
  | 'moment'
  | 'date'
  | 'list'
  | 'ticks'
  | 'group'
  | 'rows'
  | 'json'
  | 'password'
  | 'color'
  | 'file';

/** The shape of one of the words that may be ticked. */
export const TICK: Shape = {
  control: 'tick',
  isNullable: false,
  schema: {},
  options: [],
  reads: 'flag',
};

/** A JSON schema, as far as forms read it. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly pattern?: string;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly 'x-money'?: 'decimal' | 'cents';
  /** Seconds that people are asked for in minutes. */
  readonly 'x-minutes'?: boolean;
  /** Of a list: what may be in it, each to be ticked. */
  readonly 'x-offered'?: readonly string[];
}

export interface Shape {
  readonly control: Control;
  readonly isNullable: boolean;
  /** The schema without its null. */
  readonly schema: Schema;
  /** What may be chosen, in the words of the schema. */
  readonly options: readonly string[];
  /** How the text of a `choice`, `number`, `money` or part of a `list` is read. */
  readonly reads: 'text' | 'number' | 'flag' | 'cents' | 'minutes';
}

const LONG = 1_000;
/** More words than these are typed, one per line. */
const MOST_TICKS = 8;
const DAYS = new Set([Day.pattern, DayOrMoment.pattern]);

/** What a schema leaves besides its null: itself with the only branch, or several branches. */
function withoutNull(whole: Schema) {
  const all = whole.anyOf ?? [];
  const left = all.filter(({ type }) => type !== 'null');
  const isNullable = typesOf(whole).includes('null') || left.length < all.length;
  const [only] = left;
  const schema = left.length === 1 && only !== undefined ? { ...whole, ...only } : whole;
  return { isNullable, schema, branches: left.length > 1 ? left : [] };
}

/** The shape of one field. */
export function shapeOf(whole: Schema): Shape {
  const { isNullable, schema, branches } = withoutNull(whole);
  const shape = { isNullable, schema, options: [], reads: 'text' } as const;
  const words = wordsOf(branches.length > 0 ? branches : (schema.anyOf ?? []), schema.enum);
  if (words !== null) {
    const isNumber = words.every((word) => typeof word === 'number');
    return { ...shape, control: 'choice', options: words.map(String), reads: isNumber ? 'number' : 'text' };
  }
  if (schema['x-minutes'] === true) return { ...shape, control: 'decimal', reads: 'minutes' };
  const money = schema['x-money'];
  if (money !== undefined) return { ...shape, control: 'money', reads: money === 'cents' ? 'cents' : 'text' };
  if (branches.some(isDeep)) return { ...shape, control: 'json' };
  // A percentage is text or a number.
  if (branches.length > 0) return { ...shape, control: 'decimal' };
  return { ...shape, ...byType(schema, isNullable) };
}

type Drawn = Pick<Shape, 'control' | 'options' | 'reads'>;

function byType(schema: Schema, isNullable: boolean): Drawn {
  const plain = { options: [], reads: 'text' } as const;
  switch (typesOf(schema).find((type) => type !== 'null')) {
    case 'integer':
    case 'number':
      return { ...plain, control: 'number', reads: 'number' };
    case 'boolean':
      return isNullable
        ? { control: 'choice', options: ['true', 'false'], reads: 'flag' }
        : { ...plain, control: 'tick', reads: 'flag' };
    case 'array':
      return ofItems(schema.items ?? {}, schema['x-offered'] ?? null);
    case 'object':
      return { ...plain, control: Object.keys(schema.properties ?? {}).length > 0 ? 'group' : 'json' };
    default:
      return { ...plain, control: textControl(schema) };
  }
}

function ofItems(items: Schema, offered: readonly string[] | null): Drawn {
  const plain = { options: [], reads: 'text' } as const;
  const isNumber = ['integer', 'number'].includes(typesOf(items)[0] ?? '');
  if (offered !== null) return { control: 'ticks', options: offered, reads: isNumber ? 'number' : 'text' };
  if (items.properties !== undefined) return { ...plain, control: hasRows(items) ? 'rows' : 'json' };
  if (isDeep(items)) return { ...plain, control: 'json' };
  const words = wordsOf(items.anyOf ?? [], items.enum);
  if (words !== null && words.length <= MOST_TICKS)
    return { ...plain, control: 'ticks', options: words.map(String) };
  return { ...plain, control: 'list', reads: isNumber ? 'number' : 'text' };
}

const isDeep = (schema: Schema) => ['object', 'array'].includes(typesOf(schema)[0] ?? '');

/** A row of a table has fields of one line; what is deeper is written as JSON. */
function hasRows(items: Schema): boolean {
  return Object.values(items.properties ?? {}).every(
    (property) => !['group', 'rows', 'json', 'ticks'].includes(shapeOf(property).control),
  );
}

function textControl({ pattern, format, maxLength }: Schema): Control {
  if (pattern === Moment.pattern || format === 'date-time') return 'moment';
  if (DAYS.has(pattern) || format === 'date') return 'date';
  return format !== 'uri' && (maxLength ?? 0) >= LONG ? 'text' : 'line';
}

function typesOf({ type }: Schema): readonly string[] {
  if (type === undefined) return [];
  return typeof type === 'string' ? [type] : type;
}

function wordsOf(branches: readonly Schema[], listed: Schema['enum']): readonly unknown[] | null {
  if (listed !== undefined) return listed.filter((word) => word !== null);
  const isChoice = branches.length > 0 && branches.every((branch) => branch.const !== undefined);
  return isChoice ? branches.map((branch) => branch.const) : null;
}

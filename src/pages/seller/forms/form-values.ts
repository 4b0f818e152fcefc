/**
 * Between what the API takes and gives and the texts of a form: the fields of a JSON schema by dotted names. A change
 * sends only what was changed on the form, so that a form that stood open for long takes nothing back.
 */
import { createHash } from 'node:crypto';
import { isoOfLocal, localText } from './local-times.ts';
import { type Schema, type Shape, shapeOf } from './shapes.ts';

/** The texts of a form by the names of its fields. */
export type FormTexts = Readonly<Record<string, string>>;

/** How many rows a list of objects has on a form beyond those that are filled. */
export const SPARE_ROWS = 3;
const MAX_ROWS = 100;
/** Longer texts are compared by their digest. */
const LONG = 200;

/** What a resource's values look like on a form; `zone` is that of its moments. */
export function textsOf(schema: Schema, row: Readonly<Record<string, unknown>>, zone: string): FormTexts {
  const texts: Record<string, string> = {};
  fill(texts, '', schema, row, zone);
  return texts;
}

function fill(
  texts: Record<string, string>,
  prefix: string,
  schema: Schema,
  row: Readonly<Record<string, unknown>>,
  zone: string,
): void {
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const name = `${prefix}${key}`;
    const shape = shapeOf(property);
    const value = row[key];
    if (shape.control === 'group') fill(texts, `${name}.`, shape.schema, recordIn(value), zone);
    else if (shape.control === 'rows') {
      const rows: unknown[] = Array.isArray(value) ? value : [];
      for (const [index, one] of rows.entries())
        fill(texts, `${name}.${index}.`, shape.schema.items ?? {}, recordIn(one), zone);
    } else texts[name] = textOf(value, shape, zone);
  }
}

function textOf(value: unknown, { control }: Shape, zone: string): string {
  if (value === null || value === undefined) return '';
  if (control === 'moment') return localText(String(value), zone);
  return Array.isArray(value) ? value.join('\n') : String(value);
}

export function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** What a form remembers of the texts that it was filled with, for `bodyOf`. */
export function marksOf(texts: FormTexts): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, markOf(text)])),
  );
}

function markOf(text: string): string {
  const plain = text.replaceAll('\r\n', '\n');
  if (plain.length <= LONG) return plain;
  return createHash('sha256').update(plain).digest('base64url');
}

/** Reads what `marksOf` wrote; nothing is remembered of what cannot be read. */
export function readMarks(text: string | undefined): FormTexts {
  try {
    const read = recordIn(JSON.parse(text ?? '{}'));
    return Object.fromEntries(
      Object.entries(read).filter((one): one is [string, string] => typeof one[1] === 'string'),
    );
  } catch {
    return {};
  }
}

export interface Reading {
  /** What the form was filled with; null where something is made. */
  readonly marks: FormTexts | null;
  readonly zone: string;
}

/** The body of the API's operation that a form asks for. What does not fit is left for the operation to refuse. */
export function bodyOf(schema: Schema, form: FormTexts, reading: Reading): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const value = readField(key, shapeOf(property), form, reading);
    if (value !== undefined) body[key] = value;
  }
  return body;
}

/** Undefined: nothing is said of the field. */
function readField(name: string, shape: Shape, form: FormTexts, reading: Reading): unknown {
  if (shape.control === 'group') return readGroup(name, shape, form, reading);
  if (shape.control === 'rows') return readRows(name, shape, form, reading);
  if (!isChanged(name, shape, form, reading.marks)) return undefined;
  return readText(form[name] ?? '', shape, reading);
}

function isChanged(name: string, { control }: Shape, form: FormTexts, marks: FormTexts | null): boolean {
  const text = form[name] ?? (control === 'tick' ? 'false' : undefined);
  if (text === undefined) return false;
  return marks === null || markOf(text) !== (marks[name] ?? '');
}

function readText(text: string, shape: Shape, { marks, zone }: Reading): unknown {
  const { control, reads, isNullable } = shape;
  const plain = text.replaceAll('\r\n', '\n');
  if (control === 'tick') return plain === 'true';
  if (control === 'list') return partsOf(plain).map((part) => readOne(part, reads));
  if (plain.trim() === '') {
    if (marks === null) return undefined;
    return isNullable ? null : reads === 'text' ? '' : null;
  }
  if (control === 'moment') return isoOfLocal(plain.trim(), zone);
  return control === 'text' ? plain : readOne(plain.trim(), reads);
}

function readOne(text: string, reads: Shape['reads']): unknown {
  if (reads === 'flag') return text === 'true' ? true : text === 'false' ? false : text;
  return reads === 'number' && /^-?[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : text;
}

function partsOf(text: string): string[] {
  return text
    .split(/[\n,;]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** A group is said whole as soon as one of its fields is changed; one that was emptied is null where it may be. */
function readGroup(name: string, { schema, isNullable }: Shape, form: FormTexts, reading: Reading): unknown {
  const fields = Object.entries(schema.properties ?? {}).map(
    ([key, property]) => [key, `${name}.${key}`, shapeOf(property)] as const,
  );
  if (!fields.some(([, field, shape]) => isChanged(field, shape, form, reading.marks))) return undefined;
  const whole: Record<string, unknown> = {};
  for (const [key, field, shape] of fields) {
    if (form[field] === undefined && shape.control !== 'tick') continue;
    const value = readText(form[field] ?? '', shape, { ...reading, marks: null });
    if (value !== undefined) whole[key] = value;
    else if (reading.marks !== null && shape.isNullable) whole[key] = null;
  }
  const isEmpty = Object.values(whole).every(
    (value) => value === null || value === false || (Array.isArray(value) && value.length === 0),
  );
  if (!isEmpty) return whole;
  return reading.marks === null ? undefined : isNullable ? null : whole;
}

function readRows(name: string, { schema, isNullable }: Shape, form: FormTexts, reading: Reading): unknown {
  const columns = Object.entries(schema.items?.properties ?? {}).map(
    ([key, property]) => [key, shapeOf(property)] as const,
  );
  const rows: Record<string, unknown>[] = [];
  let changed = false;
  for (let index = 0; index < MAX_ROWS; index++) {
    const row: Record<string, unknown> = {};
    for (const [key, shape] of columns) {
      const field = `${name}.${index}.${key}`;
      if (isChanged(field, shape, form, reading.marks)) changed = true;
      const value = readText(form[field] ?? '', shape, { ...reading, marks: null });
      if (value !== undefined) row[key] = value;
    }
    if (Object.keys(row).length > 0) rows.push(row);
  }
  if (!changed || (rows.length === 0 && reading.marks === null)) return undefined;
  return rows.length === 0 && isNullable ? null : rows;
}

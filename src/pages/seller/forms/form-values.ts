/**
 * Between what the API takes and gives and the texts of a form: the fields of a JSON schema by dotted names. A change
 * sends only what was changed on the form, so that a form that was open for long takes nothing back.
 */
import { createHash } from 'node:crypto';
import { passedBound } from '../../../../adapters/http/json-bounds.ts';
import { objectIn } from '../../../../engine/objects.ts';
import type { Language } from '../../../shared/language.ts';
import { amountShown, centsTyped, groupedAmount, plainAmount } from '../../../shared/typed-amount.ts';
import { isoOfLocal, localText } from './local-times.ts';
import { type Schema, type Shape, shapeOf, TICK } from './shapes.ts';

/** The texts of a form by the names of its fields. */
export type FormTexts = Readonly<Record<string, string>>;

/** How many rows a list of objects has on a form beyond those that are filled. */
export const SPARE_ROWS = 3;
const MAX_ROWS = 100;
const DAY_LENGTH = '2026-07-12'.length;
/** Longer texts are compared by their digest. */
const LONG = 200;

/** The zone of moments, and the language of amounts. */
export interface ShownFor {
  readonly zone: string;
  readonly language: Language;
}

/** What a resource's values look like on a form. */
export function textsOf(schema: Schema, row: Readonly<Record<string, unknown>>, shown: ShownFor): FormTexts {
  const texts: Record<string, string> = {};
  fill(texts, '', schema, row, shown);
  return texts;
}

function fill(
  texts: Record<string, string>,
  prefix: string,
  schema: Schema,
  row: Readonly<Record<string, unknown>>,
  shown: ShownFor,
): void {
  for (const [key, property] of Object.entries(schema.properties ?? {}))
    fillField(texts, `${prefix}${key}`, shapeOf(property), row[key], shown);
}

function fillField(
  texts: Record<string, string>,
  name: string,
  shape: Shape,
  value: unknown,
  shown: ShownFor,
): void {
  const list: unknown[] = Array.isArray(value) ? value : [];
  switch (shape.control) {
    case 'group':
      fill(texts, `${name}.`, shape.schema, objectIn(value), shown);
      break;
    case 'rows':
      for (const [index, one] of list.entries())
        fill(texts, `${name}.${index}.`, shape.schema.items ?? {}, objectIn(one), shown);
      break;
    case 'ticks':
      for (const word of shape.options)
        texts[`${name}.${word}`] = String(list.some((one) => String(one) === word));
      break;
    default:
      texts[name] = textOf(value, shape, shown);
  }
}

function textOf(value: unknown, { control, reads }: Shape, { zone, language }: ShownFor): string {
  if (value === null || value === undefined) return '';
  if (control === 'json') return JSON.stringify(value, null, 2);
  if (reads === 'minutes') return String(Math.round((Number(value) / 60) * 10_000) / 10_000);
  if (control === 'money') {
    return reads === 'cents'
      ? amountShown(Number(value), 2, language)
      : groupedAmount(plainAmount(String(value)), language);
  }
  if (control === 'moment') return localText(String(value), zone);
  if (control === 'date') return String(value).slice(0, DAY_LENGTH);
  return Array.isArray(value) ? value.join('\n') : String(value);
}

/** A form's record of its initial texts, for `bodyOf`. */
export function marksOf(texts: FormTexts): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, markOf(text)])),
  );
}

export function markOf(text: string): string {
  const plain = text.replaceAll('\r\n', '\n');
  if (plain.length <= LONG) return plain;
  return createHash('sha256').update(plain).digest('base64url');
}

/** What a form says of its own fields is shorter. */
const MAX_MARKS = 256 * 1024;

/** Reads what `marksOf` wrote; unreadable marks are ignored. */
export function readMarks(text: string | undefined): FormTexts {
  try {
    const read = objectIn(JSON.parse(text === undefined || text.length > MAX_MARKS ? '{}' : text));
    return Object.fromEntries(
      Object.entries(read).filter((one): one is [string, string] => typeof one[1] === 'string'),
    );
  } catch {
    return {};
  }
}

export interface Reading extends ShownFor {
  /** What the form was filled with; null where something is made. */
  readonly marks: FormTexts | null;
}

/** The body of the API's operation that a form calls. What does not fit is left for the operation to refuse. */
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
  if (shape.control === 'ticks') return readTicks(name, shape, form, reading);
  return readText(form[name] ?? '', shape, reading);
}

/** The words that are ticked; where something is made, nothing is said by none. */
function readTicks(name: string, { options, reads }: Shape, form: FormTexts, { marks }: Reading): unknown {
  const words = options.filter((word) => form[`${name}.${word}`] === 'true');
  const ticked = words.map((word) => readOne(word, reads));
  return ticked.length === 0 && marks === null ? undefined : ticked;
}

/** Whether anything of a field was: of a group or of rows, any of their own. */
function isChanged(name: string, shape: Shape, form: FormTexts, marks: FormTexts | null): boolean {
  const { control, schema } = shape;
  if (control === 'group')
    return Object.entries(schema.properties ?? {}).some(([key, property]) =>
      isChanged(`${name}.${key}`, shapeOf(property), form, marks),
    );
  if (control === 'rows')
    return rowsOf(name, shape, form).some((fields) =>
      fields.some(([, field, own]) => isChanged(field, own, form, marks)),
    );
  if (control === 'ticks')
    return shape.options.some((word) => isChanged(`${name}.${word}`, TICK, form, marks));
  const text = form[name] ?? (control === 'tick' ? 'false' : undefined);
  if (text === undefined) return false;
  return marks === null || markOf(text) !== (marks[name] ?? '');
}

function readText(text: string, shape: Shape, { marks, zone, language }: Reading): unknown {
  const { control, reads } = shape;
  const plain = text.replaceAll('\r\n', '\n');
  if (control === 'tick') return plain === 'true';
  if (plain.trim() === '') return marks === null ? undefined : emptied(shape);
  if (control === 'list') return partsOf(plain).map((part) => readOne(part, reads));
  if (control === 'moment') return isoOfLocal(plain.trim(), zone);
  if (control === 'json') return readJson(plain);
  if (control === 'money')
    return reads === 'cents' ? (centsTyped(plain, 2, language) ?? plain) : plainAmount(plain, language);
  return control === 'text' ? plain : readOne(plain.trim(), reads);
}

/** What a field is once its text is taken away. */
function emptied({ control, reads, isNullable }: Shape): unknown {
  if (control === 'list') return [];
  return reads === 'text' && !isNullable ? '' : null;
}

function readOne(text: string, reads: Shape['reads']): unknown {
  if (reads === 'minutes') return secondsOf(text) ?? text;
  if (reads === 'flag') return text === 'true' ? true : text === 'false' ? false : text;
  return reads === 'number' && /^-?[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : text;
}

/** The seconds of `5`, `0.5` or `0,5` minutes; null for anything else. */
export function secondsOf(minutes: string): number | null {
  return /^-?[0-9]{1,9}([.,][0-9]{1,9})?$/.test(minutes)
    ? Math.round(Number(minutes.replace(',', '.')) * 60)
    : null;
}

/** What is no JSON, or more of it than anybody may send, stays text, for the API to refuse. */
function readJson(text: string): unknown {
  try {
    return passedBound(text) === null ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

function partsOf(text: string): string[] {
  return text
    .split(/[\n,;]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** A group is said whole as soon as one of its fields is changed; one that was emptied is null where it may be. */
function readGroup(name: string, shape: Shape, form: FormTexts, reading: Reading): unknown {
  if (!isChanged(name, shape, form, reading.marks)) return undefined;
  const whole: Record<string, unknown> = {};
  for (const [key, property] of Object.entries(shape.schema.properties ?? {})) {
    const value = readMember(`${name}.${key}`, shapeOf(property), form, reading);
    if (value !== undefined) whole[key] = value;
  }
  const isEmpty = Object.values(whole).every(
    (value) => value === null || value === false || (Array.isArray(value) && value.length === 0),
  );
  if (!isEmpty) return whole;
  return reading.marks === null ? undefined : shape.isNullable ? null : whole;
}

/** A field of a group, which is said whole. */
function readMember(name: string, shape: Shape, form: FormTexts, reading: Reading): unknown {
  const { control, isNullable } = shape;
  const isParted = control === 'group' || control === 'rows';
  if (!isParted && form[name] === undefined && control !== 'tick') return undefined;
  const fresh = { ...reading, marks: null };
  const value = isParted ? readField(name, shape, form, fresh) : readText(form[name] ?? '', shape, fresh);
  if (value !== undefined) return value;
  if (reading.marks !== null && isNullable) return null;
  return control === 'list' && isChanged(name, shape, form, reading.marks ?? {}) ? [] : undefined;
}

/** The fields of each row that a form may have: key, name and shape. */
function rowsOf(name: string, { schema }: Shape, form: FormTexts): (readonly [string, string, Shape])[][] {
  const columns = Object.entries(schema.items?.properties ?? {}).map(
    ([key, property]) => [key, shapeOf(property)] as const,
  );
  const rows = Array.from({ length: MAX_ROWS }, (_, index) =>
    columns.map(([key, shape]) => [key, `${name}.${index}.${key}`, shape] as const),
  );
  return rows.filter((fields) => fields.some(([, field]) => form[field] !== undefined));
}

function readRows(name: string, shape: Shape, form: FormTexts, reading: Reading): unknown {
  const rows: Record<string, unknown>[] = [];
  for (const fields of rowsOf(name, shape, form)) {
    const row: Record<string, unknown> = {};
    for (const [key, field, own] of fields) {
      const value = readText(form[field] ?? '', own, { ...reading, marks: null });
      if (value !== undefined) row[key] = value;
    }
    if (Object.values(row).some((value) => value !== false)) rows.push(row);
  }
  const isChangedOne = isChanged(name, shape, form, reading.marks);
  if (!isChangedOne || (rows.length === 0 && reading.marks === null)) return undefined;
  return rows.length === 0 && shape.isNullable ? null : rows;
}

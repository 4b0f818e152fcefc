/**
 * The first check of an import file: that it is JSON, fits the schema, and holds no text that Postgres cannot store.
 * Every wrong place is named.
 */
import type { ValidateFunction } from 'ajv';
import { newAjv, strictly } from '../../../adapters/http/validate.ts';
import { addAjvErrors, ValidationErrors } from '../../../adapters/http/validation-errors.ts';
import { isObject, objectIn } from '../../../engine/objects.ts';
import { messageOf } from '../../../engine/thrown.ts';
import { type ImportDocument, ImportDocumentSchema } from './import.schema.ts';
import { ImportError, ImportErrors } from './import-errors.ts';

/** Where an error is that no field has. */
const THE_FILE = 'the file';

/** Parses the file's text. Throws `ImportError`. */
export function parseDocument(json: string): unknown {
  try {
    return JSON.parse(json.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new ImportError([{ path: THE_FILE, message: `is not JSON: ${messageOf(error)}` }]);
  }
}

/** A document with the errors that do not fit taken out, so that the rest can be checked too. */
export interface ReadDocument {
  readonly document: ImportDocument;
  /** What was taken out, and why. */
  readonly errors: ImportErrors;
}

/** Holds a value against the schema. Throws `ImportError` only when it is nothing like a document. */
export function readDocument(value: unknown): ReadDocument {
  if (!isObject(value)) throw new ImportError([{ path: THE_FILE, message: 'must be a JSON object' }]);
  const errors = new ImportErrors();
  const validate = validator();
  if (!validate(value)) addAjvErrors(new PathErrors(errors), validate.errors ?? [], THE_FILE);
  checkText(value, [], errors);
  // Cast: what does not fit the schema is taken out below.
  const document = structuredClone(value) as ImportDocument;
  for (const path of errors.paths()) takeOut(document, path);
  return { document, errors };
}

/** Leaves a hole in a list, so that the others keep their numbers. */
function takeOut(document: object, path: string): void {
  const parts = path.replace(/\[(\d+)\]/g, '.$1').split('.');
  const last = parts.pop() ?? '';
  let at: unknown = document;
  for (const part of parts) at = Array.isArray(at) ? at[Number(part)] : objectIn(at)[part];
  if (Array.isArray(at)) at[Number(last)] = null;
  else if (isObject(at)) Reflect.deleteProperty(at, last);
}

let compiled: ValidateFunction | null = null;

function validator(): ValidateFunction {
  compiled ??= newAjv(true).compile(strictly(ImportDocumentSchema));
  return compiled;
}

/** `auctions.0.lots.2.title` → `auctions[0].lots[2].title`, without the request's bound on the number of fields. */
class PathErrors extends ValidationErrors {
  readonly #errors: ImportErrors;

  constructor(errors: ImportErrors) {
    super();
    this.#errors = errors;
  }

  override add(field: string, sentence: string): void {
    this.#errors.add(field.replace(/\.(\d+)(?=\.|$)/g, '[$1]'), sentence);
  }
}

/** Half of a surrogate pair. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Postgres stores neither NUL nor half characters. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && !LONE_SURROGATE.test(text);
}

function checkText(value: unknown, path: (string | number)[], errors: ImportErrors): void {
  if (typeof value === 'string') {
    if (!isStorable(value) && !errors.covers(pathOf(path)))
      errors.add(pathOf(path), 'contains a character that cannot be stored');
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkText(item, [...path, index], errors);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (!isStorable(key)) errors.add(pathOf(path), 'has a field whose name cannot be stored');
      checkText(item, [...path, key], errors);
    }
  }
}

function pathOf(path: readonly (string | number)[]): string {
  const text = path.reduce<string>(
    (all, part) => (typeof part === 'number' ? `${all}[${part}]` : `${all}.${part}`),
    '',
  );
  return text.replace(/^\./, '') || THE_FILE;
}

/**
 * Compiles an endpoint's schemas once and checks what comes in. The pipeline checks in the order of the API's refusals:
 * path parameters first (404), then query, headers and body together (422, every wrong field named). The quick
 * validator stops at the first error; the thorough one is built and run only after it has failed.
 */
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { isObject, objectIn } from '../../engine/objects.ts';
import type { BodySchema, Endpoint, FormBody, MultipartBody } from './endpoint.ts';
import { coerce, filledAndNamed, parseQuery } from './query.ts';
import { addAjvErrors, MESSAGE_KEYWORD, type ValidationErrors } from './validation-errors.ts';

/** Adds a message for each error; defaults are filled into `value` in place. */
export type Check = (value: unknown, errors: ValidationErrors) => void;

/** As `Check`; true where the value is what the schema says. */
export type Guard<T extends TSchema> = (value: unknown, errors: ValidationErrors) => value is Static<T>;

export interface InputChecks {
  /** The typed parameters, or null when the path cannot be one of ours. */
  params(raw: Record<string, string>): unknown;
  query(rawQuery: string, errors: ValidationErrors): unknown;
  headers: Check | null;
  body: Check;
}

/** For bodies beyond this only the first error is reported: naming them all would cost more than it helps. */
const THOROUGH_BELOW_ENTRIES = 2_000;

/** Compiles schemas. What two of them say in the same words is compiled once in a process, for all callers. */
export class SchemaCompiler {
  inputsOf(endpoint: Endpoint): InputChecks {
    const { params, query, headers, body, page } = endpoint;
    const paramsCheck = params === undefined ? null : QUICK.compile(closed(params));
    const querySchema = closed(query ?? EMPTY);
    const queryCheck = this.checkOf(querySchema, 'query');
    const names = new Set(Object.keys(querySchema.properties));
    const takesNoQuery = names.size === 0;
    return {
      params: (raw) => {
        if (params === undefined || paramsCheck === null) return raw;
        const values: Record<string, unknown> = { ...raw };
        coerce(values, params);
        return paramsCheck(values) ? values : null;
      },
      query: (rawQuery, errors) => {
        if (takesNoQuery && rawQuery === '') return NO_QUERY;
        const text = page === true ? filledAndNamed(rawQuery, names) : rawQuery;
        const values = parseQuery(text, errors);
        coerce(values, querySchema);
        if (errors.isEmpty) queryCheck(values, errors);
        return values;
      },
      headers: headers === undefined ? null : this.#headersCheck(headers),
      body: this.#bodyCheck(body),
    };
  }

  /** A check for any schema; `root` names the whole value in messages. */
  checkOf<T extends TSchema>(schema: T, root: string): Guard<T> {
    const quick = QUICK.compile(schema);
    let thorough: ValidateFunction | null = null;
    return (value, errors): value is Static<T> => {
      if (quick(value)) return true;
      let found = quick.errors ?? [];
      if (!isLarge(value)) {
        thorough ??= THOROUGH.compile(schema);
        if (!thorough(value)) found = thorough.errors ?? found;
      }
      addAjvErrors(errors, found, root);
      return false;
    };
  }

  #headersCheck(schema: TObject): Check {
    const names = Object.keys(schema.properties);
    const check = QUICK.compile(closed(schema));
    return (value, errors) => {
      const all = objectIn(value);
      const chosen: Record<string, unknown> = {};
      for (const name of names) if (all[name] !== undefined) chosen[name] = all[name];
      if (check(chosen)) return;
      addAjvErrors(errors, (check.errors ?? []).map(underscored), 'headers');
    };
  }

  #bodyCheck(body: BodySchema | undefined): Check {
    if (body === undefined) return this.checkOf(EMPTY, 'body');
    if (isForm(body)) return this.#fieldsCheck(body.form);
    if (isMultipart(body)) return this.#fieldsCheck(body.multipart.fields);
    return this.checkOf(strictly(body), 'body');
  }

  #fieldsCheck(fields: TObject): Check {
    const check = this.checkOf(closed(fields), 'body');
    return (value, errors) => {
      if (isObject(value)) coerce(value, fields);
      check(value, errors);
    };
  }
}

/**
 * Validators by the words of their schemas: a name in a schema is not kept, so that no two can be in each other's
 * way.
 */
class Compiled {
  readonly #ajv: Ajv;
  readonly #byWords = new Map<string, ValidateFunction>();

  constructor(allErrors: boolean) {
    this.#ajv = newAjv(allErrors);
  }

  compile(schema: TSchema): ValidateFunction {
    const words = JSON.stringify(schema);
    const compiled = this.#byWords.get(words);
    if (compiled !== undefined) return compiled;
    const validate = this.#ajv.compile(schema);
    this.#byWords.set(words, validate);
    return validate;
  }
}

const QUICK = new Compiled(false);
const THOROUGH = new Compiled(true);

/** With the formats and keywords that schemas here may use; fills in defaults. */
export function newAjv(allErrors: boolean): Ajv {
  const ajv = new Ajv({
    allErrors,
    useDefaults: true,
    verbose: true,
    strict: true,
    allowUnionTypes: true,
    addUsedSchema: false,
    // Ajv's own pass over what it writes takes as long as the writing, and V8 runs both alike.
    code: { optimize: false },
  });
  addFormats.default(ajv);
  ajv.addFormat('date-time', { validate: quickly(ajv.formats['date-time']) });
  for (const keyword of [MESSAGE_KEYWORD, 'x-money', 'x-flag', 'example']) ajv.addKeyword({ keyword });
  return ajv;
}

/** Moments as programs print them in UTC, on a day that every month has. */
const USUAL_MOMENT =
  /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?Z$/;

/** The library takes a moment apart by three expressions; only what is not usual is left to it. */
function quickly(format: Ajv['formats'][string]): (text: string) => boolean {
  if (typeof format !== 'object' || format instanceof RegExp || typeof format.validate !== 'function')
    throw new TypeError('the format has another form');
  const { validate } = format;
  // The library's type leaves open whether it takes numbers.
  return (text) => USUAL_MOMENT.test(text) || Reflect.apply(validate, null, [text]) === true;
}

export function isMultipart(body: BodySchema): body is MultipartBody {
  return 'multipart' in body;
}

/** A page's form with files: without JavaScript its CSRF token comes among its fields. */
export function isPageUpload({ page, body }: Endpoint): boolean {
  return page === true && body !== undefined && isMultipart(body);
}

export function isForm(body: BodySchema): body is FormBody {
  return 'form' in body;
}

/**
 * The schema with every object closed whose author did not say whether it is open, and without names: unknown fields
 * of a body are refused at every depth. Branches of `allOf` are left as they are; each sees the others' fields.
 */
export function strictly(schema: TSchema): TSchema {
  return { ...schema, ...closedInside(schema), $id: undefined };
}

function closedInside(schema: unknown): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...objectIn(schema) };
  delete copy['$id'];
  const { properties, items } = copy;
  if (isObject(properties)) {
    copy['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => [name, closedInside(inner)]),
    );
    copy['additionalProperties'] ??= false;
  }
  if (isObject(items)) copy['items'] = closedInside(items);
  for (const union of ['anyOf', 'oneOf']) {
    const branches = copy[union];
    if (Array.isArray(branches)) copy[union] = branches.map(closedInside);
  }
  return copy;
}

const NO_QUERY = Object.freeze({});

const EMPTY = Type.Object({}, { additionalProperties: false });

/** Parameters nobody declared are refused, whatever the schema's author left open. */
function closed(schema: TObject): TObject {
  return { ...schema, $id: undefined, additionalProperties: false };
}

function isLarge(value: unknown): boolean {
  let seen = 0;
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    for (const inner of Object.values(next)) {
      seen += 1;
      if (seen > THOROUGH_BELOW_ENTRIES) return true;
      open.push(inner);
    }
  }
  return false;
}

function underscored(error: ErrorObject): ErrorObject {
  const params: Record<string, unknown> = error.params;
  const missing = params['missingProperty'];
  return {
    ...error,
    instancePath: error.instancePath.replaceAll('-', '_'),
    params:
      typeof missing === 'string' ? { ...params, missingProperty: missing.replaceAll('-', '_') } : params,
  };
}

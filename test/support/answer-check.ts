/**
 * Holds every JSON answer of a service against the API's description that the same service prints: the status must be
 * documented and the body must fit, without fields that are not. Tests give `observe` to the HTTP side and call `finish` at the end.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Endpoint } from '../../adapters/http/endpoint.ts';
import type { Serialized } from '../../adapters/http/serialize.ts';

type Json = Record<string, unknown>;

const DOCUMENT = 'https://rostrum.test/openapi.json';

/** A document's validators, each compiled when the first answer is checked against it. */
interface Validators {
  readonly words: string;
  readonly ajv: Ajv2020;
  readonly compiled: Map<string, ValidateFunction>;
}

// One service after the other has the same description: what was compiled for it serves the next.
let latest: Validators | null = null;

function validatorsOf(document: object): Validators {
  const words = JSON.stringify(document);
  if (latest?.words === words) return latest;
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    code: { optimize: false },
  });
  addFormats.default(ajv);
  ajv.addSchema({ ...closed(document), $id: DOCUMENT });
  latest = { words, ajv, compiled: new Map() };
  return latest;
}

/**
 * The document with every object closed: a field that it does not name may be a secret. Envelopes and the paging of
 * lists are left open: any may carry a `message` or `stale`.
 */
function closed(document: object): object {
  return JSON.parse(JSON.stringify(document), (_key, node: unknown) => {
    if (!isJson(node) || node['type'] !== 'object') return node;
    const named = node['properties'];
    const isRecord = isJson(named) && !('success' in named) && !('current_page' in named);
    return isRecord ? { additionalProperties: false, ...node } : node;
  });
}

const isJson = (node: unknown): node is Json =>
  typeof node === 'object' && node !== null && !Array.isArray(node);

export class AnswerCheck {
  readonly #faults = new Set<string>();
  #document: Json | null = null;
  #validators: Validators | null = null;

  /** The document to check against; earlier answers are not checked. */
  use(document: object): void {
    this.#document = document as Json;
    this.#validators = validatorsOf(document);
  }

  readonly observe = (endpoint: Endpoint, serialized: Serialized): void => {
    if (this.#document === null || endpoint.undocumented === true || serialized.status === 304) return;
    const fault = this.#faultOf(endpoint, serialized);
    if (fault !== null) {
      this.#faults.add(`${endpoint.method} ${endpoint.path} → ${serialized.status}: ${fault}`);
    }
  };

  /** Throws the list of answers that did not fit. */
  finish(): void {
    if (this.#faults.size === 0) return;
    throw new Error(`answers that the API's description does not allow:\n${[...this.#faults].join('\n')}`);
  }

  #faultOf(endpoint: Endpoint, { status, payload, headers }: Serialized): string | null {
    const path = ['paths', endpoint.path, endpoint.method.toLowerCase(), 'responses', String(status)];
    const response = lookUp(this.#document, path);
    if (response === undefined) return 'the status is not documented';
    if (typeof payload !== 'string') return null;
    const type = headers[headers.indexOf('Content-Type') + 1]?.split(';')[0] ?? '';
    if (!/json$/.test(type)) return null;
    const location = [...path, 'content', type, 'schema'];
    if (lookUp(this.#document, location) === undefined) return `${type} is not documented`;
    const { ajv } = this.#validators!;
    const validate = this.#validator(location);
    return validate(JSON.parse(payload)) ? null : ajv.errorsText(validate.errors);
  }

  #validator(location: readonly string[]): ValidateFunction {
    const { ajv, compiled } = this.#validators!;
    const pointer = location
      .map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
      .join('');
    const known = compiled.get(pointer);
    if (known !== undefined) return known;
    const validate = ajv.compile({ $ref: `${DOCUMENT}#${pointer}` });
    compiled.set(pointer, validate);
    return validate;
  }
}

function lookUp(document: Json | null, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, part) => (typeof value === 'object' && value !== null ? (value as Json)[part] : undefined),
    document,
  );
}

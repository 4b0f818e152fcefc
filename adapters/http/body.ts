/**
 * Reads request bodies under a bound: JSON and browser forms by our own reader, multipart uploads by koa-body's
 * parser (`upload.ts`). The pipeline calls it after authentication and the rate limit; it answers 413, 415 and 400
 * and nothing else.
 */
import type { IncomingMessage } from 'node:http';
import type { BodySchema } from './endpoint.ts';
import { parseJson } from './json.ts';
import { refuse } from './problem.ts';
import { isForm } from './validate.ts';

export const MAX_BODY_BYTES = 1024 * 1024;

const NOTHING = Buffer.alloc(0);

export interface ReadBody {
  /** JSON value, the text of a form, or undefined if nothing was sent. */
  readonly value: unknown;
  readonly bytes: Buffer;
}

export interface BodyRules {
  readonly schema: BodySchema | undefined;
  readonly optional: boolean;
  readonly maxBytes: number;
  /** The list whose items are judged one by one, as `parseJson` takes it. */
  readonly judgedList: string | null;
  /** Sees the exact bytes before anything else of the body is read; may throw. */
  readonly inspect?: (bytes: Buffer) => void | Promise<void>;
}

/** The parsed body of a JSON or form endpoint. Throws 413, 415 or 400. */
export async function readBody(request: IncomingMessage, rules: BodyRules): Promise<ReadBody> {
  const wanted = rules.schema !== undefined && isForm(rules.schema) ? FORM : JSON_TYPE;
  const type = request.headers['content-type'];
  // The type of an oversized body is not worth knowing; one that is merely wrong need not be read.
  if (Number(request.headers['content-length'] ?? 0) > rules.maxBytes) throw refuse('payload_too_large');
  const hasBody = bodyFollows(request);
  const { inspect } = rules;
  // Callers who sign bodies are answered first whether the signature is right, and only then what is wrong with the
  // type.
  if (inspect === undefined && (hasBody || type !== undefined)) refuseOtherTypes(request, type, wanted);
  const bytes = hasBody ? await readBytes(request, rules.maxBytes) : NOTHING;
  if (inspect !== undefined) {
    const inspected = inspect(bytes);
    if (inspected instanceof Promise) await inspected;
    if (hasBody || type !== undefined) refuseOtherTypes(request, type, wanted);
  }
  return { value: bodyValue(bytes, rules, wanted), bytes };
}

/** What the bytes mean in the type that the route takes. */
function bodyValue(bytes: Buffer, { schema, optional, judgedList }: BodyRules, wanted: string): unknown {
  if (bytes.length > 0) return wanted === FORM ? bytes.toString('utf8') : parseJson(bytes, judgedList);
  if (schema === undefined || optional) return undefined;
  if (wanted === FORM) return '';
  throw refuse('malformed_json', { message: 'A JSON body is required.' });
}

/** Whether the request announces a body, by length or in chunks. */
export function bodyFollows(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return length === undefined ? request.headers['transfer-encoding'] !== undefined : length !== '0';
}

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';

function refuseOtherTypes(request: IncomingMessage, type: string | undefined, wanted: string): void {
  if (type !== wanted && !isType(type, wanted)) {
    throw refuse('unsupported_media_type', { message: `The body must be ${wanted}.` });
  }
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw refuse('unsupported_media_type', { message: 'Compressed bodies are not supported.' });
  }
}

function isType(header: string | undefined, wanted: string): boolean {
  if (header === undefined) return false;
  const [type = '', ...parameters] = header.split(';');
  if (type.trim().toLowerCase() !== wanted) return false;
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=');
    return name.trim().toLowerCase() !== 'charset' || /^"?utf-?8"?$/i.test(value.trim());
  });
}

function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let first: Buffer | null = null;
    let chunks: Buffer[] | null = null;
    let length = 0;
    let refused = false;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (refused) return;
      if (length > maxBytes) {
        refused = true;
        chunks = first = null;
        reject(refuse('payload_too_large'));
      } else if (first === null) first = chunk;
      else {
        chunks ??= [first];
        chunks.push(chunk);
      }
    });
    request.on('end', () => resolve(chunks === null ? (first ?? NOTHING) : Buffer.concat(chunks, length)));
    // Broken framing and cut connections alike: whatever was wrong, the rest will not come.
    request.on('error', () => reject(new ClientGone()));
    request.on('close', () => {
      if (!request.complete) reject(new ClientGone());
    });
  });
}

/** The client left before its request was complete; there is nobody to answer. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection before its request was complete');
    this.name = 'ClientGone';
  }
}

/**
 * Endpoints performed inside the process: a page does for who is signed in what the API does for programs, by the
 * same checks of account, path, query and body, the same handler, and with the same refusals. The pages of the
 * seller's desk call it; nothing goes over HTTP.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { TSchema } from '@sinclair/typebox';
import { objectIn } from '../../engine/objects.ts';
import type { Endpoint, HttpRequest, Principal, Reply } from './endpoint.ts';
import { notFound, refuse } from './problem.ts';
import { type InputChecks, isForm, isMultipart, SchemaCompiler } from './validate.ts';
import { ValidationErrors } from './validation-errors.ts';

export interface OperationInput {
  /** The team to act for. */
  readonly teamId?: number;
  readonly params?: Readonly<Record<string, string | number>>;
  /** What is undefined is left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
}

/** The parts of an answer's envelope. */
export interface OperationAnswer {
  readonly status: number;
  readonly data: unknown;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly message: string | null;
}

type AccountRefusal = (
  endpoint: Endpoint,
  who: Principal,
  headers: IncomingHttpHeaders,
  params: Readonly<Record<string, string>>,
) => Error | null;

interface Operation {
  readonly endpoint: Endpoint;
  readonly inputs: InputChecks;
}

export class Operations {
  readonly #byId = new Map<string, Operation>();
  readonly #accountRefusal: AccountRefusal;

  constructor(accountRefusal: AccountRefusal) {
    this.#accountRefusal = accountRefusal;
  }

  /** Takes what can be performed: called once, when all endpoints are there. */
  serve(endpoints: readonly Endpoint[]): void {
    const compiler = new SchemaCompiler();
    for (const endpoint of endpoints) {
      if (endpoint.undocumented === true) continue;
      this.#byId.set(endpoint.operationId, { endpoint, inputs: compiler.inputsOf(endpoint) });
    }
  }

  /** The schema of an operation's JSON body. Throws `TypeError` where there is none. */
  bodySchema(operationId: string): TSchema {
    const { body } = this.#find(operationId).endpoint;
    if (body === undefined || isForm(body) || isMultipart(body))
      throw new TypeError(`${operationId} takes no JSON body`);
    return body;
  }

  /**
   * Does what the operation does, as the person behind the request's session. Throws the refusals that the API
   * would answer with.
   */
  async perform(
    operationId: string,
    request: HttpRequest,
    input: OperationInput = {},
  ): Promise<OperationAnswer> {
    const { endpoint, inputs } = this.#find(operationId);
    const principal = request.session?.principal ?? null;
    if (principal === null) throw refuse('unauthenticated');
    const headers = { ...request.headers };
    if (input.teamId !== undefined) headers['x-team-id'] = String(input.teamId);
    const refusal = this.#accountRefusal(endpoint, principal, headers, texts(input.params));
    if (refusal !== null) throw refusal;
    const params = inputs.params(texts(input.params));
    if (params === null) throw notFound();
    const errors = new ValidationErrors();
    const rawQuery = new URLSearchParams(texts(input.query)).toString();
    const query = inputs.query(rawQuery, errors);
    if (input.body !== undefined) inputs.body(checkedBody(endpoint, input.body), errors);
    if (!errors.isEmpty) throw refuse('validation_failed', { errors: errors.toErrors() });
    const { session, requestId, ip, secure, signal, baseUrl, ownUrl, path } = request;
    const inner: HttpRequest = {
      ...{ session, requestId, ip, secure, signal, baseUrl, ownUrl, path, rawQuery },
      ...{ method: endpoint.method, params, query, body: input.body, principal, headers },
    };
    return answerOf(await endpoint.handle(inner));
  }

  #find(operationId: string): Operation {
    const found = this.#byId.get(operationId);
    if (found === undefined) throw new TypeError(`there is no operation ${operationId}`);
    return found;
  }
}

/** Of a form with files, the schema is that of its fields. */
function checkedBody({ body: schema }: Endpoint, body: unknown): unknown {
  const isUpload = schema !== undefined && isMultipart(schema);
  return isUpload && typeof body === 'object' && body !== null && 'fields' in body ? body.fields : body;
}

function texts(values: OperationInput['query']): Record<string, string> {
  const present = Object.entries(values ?? {}).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(present.map(([name, value]) => [name, String(value)]));
}

function answerOf({ status, body, raw }: Reply): OperationAnswer {
  const whole: unknown = body ?? (typeof raw === 'string' ? JSON.parse(raw) : {});
  const { data, meta, message } = objectIn(whole);
  return {
    status,
    data,
    meta: { ...objectIn(meta) },
    message: typeof message === 'string' ? message : null,
  };
}

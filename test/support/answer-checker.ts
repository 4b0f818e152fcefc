/**
 * Checks answers against the description: status, content type and schema. Tests pass it to `createHttpApp` as
 * `observe` and fail on what it reports, so that the document promises exactly what is sent.
 */
import type { TSchema } from '@sinclair/typebox';
import type { ValidateFunction } from 'ajv';
import type { Endpoint } from '../../adapters/http/endpoint.ts';
import { codesOf, ErrorEnvelope } from '../../adapters/http/openapi-answers.ts';
import type { AnswerObserver } from '../../adapters/http/responder.ts';
import type { Serialized } from '../../adapters/http/serialize.ts';
import { newAjv } from '../../adapters/http/validate.ts';
import { ERROR_TABLE } from '../../src/app/web/refusal-answers.ts';

/** Calls `report` with a sentence for each answer that the description does not cover. */
export function answerChecker(report: (sentence: string) => void): AnswerObserver {
  const compiled = new Map<TSchema, ValidateFunction>();
  const validatorOf = (schema: TSchema): ValidateFunction => {
    // A registry of its own for each: two answers may name the same schema in different places.
    const validate = compiled.get(schema) ?? newAjv(false).compile(schema);
    compiled.set(schema, validate);
    return validate;
  };
  return (endpoint, serialized) => {
    const fault = faultOf(endpoint, serialized, validatorOf);
    if (fault !== null) report(`${endpoint.method} ${endpoint.path} ${serialized.status}: ${fault}`);
  };
}

function faultOf(
  endpoint: Endpoint,
  { status, headers, payload }: Serialized,
  validatorOf: (schema: TSchema) => ValidateFunction,
): string | null {
  if (status === 304) return null;
  const described = endpoint.responses[status];
  const schema = described?.schema ?? (described === undefined && status >= 400 ? ErrorEnvelope : undefined);
  if (described === undefined && status < 400) return 'this status is not described';
  if (schema === undefined) return null;
  const type = headers[headers.lastIndexOf('Content-Type') + 1] ?? '';
  const expected = [described?.contentType ?? 'application/json'].flat();
  if (!expected.some((one) => type.startsWith(one))) return `is ${type}, not ${expected}`;
  if (!/json/.test(type) || payload === null || typeof payload === 'object') return null;
  const value: unknown = JSON.parse(payload);
  const validate = validatorOf(schema);
  if (!validate(value)) {
    const [error] = validate.errors ?? [];
    return `${error?.instancePath ?? ''} ${error?.message ?? 'does not match'}`;
  }
  return described === undefined ? undescribedRefusal(endpoint, status, value) : null;
}

function undescribedRefusal(endpoint: Endpoint, status: number, value: unknown): string | null {
  const { code } = value as { code?: string };
  if (code === undefined || status >= 500) return null;
  if (!codesOf(endpoint, ERROR_TABLE).includes(code)) return `${code} is not among the described refusals`;
  return ERROR_TABLE[code]?.status === status ? null : `${code} has another status`;
}

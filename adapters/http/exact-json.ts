/**
 * JSON with numbers that a JavaScript number cannot represent exactly: sums of money over any number of rows. For
 * answers and commands with such sums; everything else uses `JSON.stringify`.
 */
import type { Reply } from './endpoint.ts';
import { JSON_UTF8 } from './serialize.ts';

/** A number by its digits, such as `90071992547409931.23`. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toString(): string {
    return this.digits;
  }
}

/** As `JSON.stringify`, but a `bigint` and an `ExactNumber` are numbers with all of their digits. */
export function exactJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof ExactNumber) return value.digits;
  if (Array.isArray(value)) return `[${value.map(exactJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${exactJson(field)}`).join(',')}}`;
}

/** The reply with its body in exact JSON. */
export function exactly({ body, ...reply }: Reply): Reply {
  return { ...reply, raw: exactJson(body), contentType: JSON_UTF8 };
}

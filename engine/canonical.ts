/**
 * The JSON Canonicalization Scheme (RFC 8785): keys sorted by UTF-16 code units, no white space, numbers and strings as
 * ECMAScript serializes them. The journal's hash chain is taken over this form, so that anyone can recompute it.
 */
import { objectIn } from './objects.ts';

/** Serializes a JSON value in canonical form. Throws for what JSON cannot hold (NaN, functions, undefined). */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('canonical JSON holds only finite numbers');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`canonical JSON cannot hold a ${typeof value}`);
  const record = objectIn(value);
  const keys = Object.keys(record).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(record[key])}`).join(',')}}`;
}

/** What JSON writes as it is: printable ASCII but quotes and backslashes. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Whether JSON writes a text as it is, one byte for each character. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** A text as JSON. Nearly all ids and names are plain, which costs a third of what printing them as JSON does. */
export function quoted(text: string): string {
  return isPlain(text) ? `"${text}"` : JSON.stringify(text);
}

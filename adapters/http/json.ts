/**
 * Reads JSON that strangers send: strict UTF-8, within bounds (`json-bounds.ts`), and no text that the stores cannot
 * hold (NUL characters, lone surrogates) or that could reach a prototype (`__proto__` keys). `body.ts` calls it for
 * every JSON body; it never throws anything but a `Problem` and needs no recursion.
 */
import { isUtf8 } from 'node:buffer';
import { objectIn } from '../../engine/objects.ts';
import { passedBound } from './json-bounds.ts';
import { refuse } from './problem.ts';
import { labelOf } from './validation-errors.ts';

type FieldErrors = Record<string, string[]>;

/** Stands where an item of a list held text that must not come in, if the list's items are judged one by one. */
export class HostileItem {
  readonly item: unknown;
  readonly errors: FieldErrors;

  constructor(item: unknown, errors: FieldErrors) {
    this.item = item;
    this.errors = errors;
  }
}

/**
 * Parses; 400 `malformed_json`, or 422 for more than the bounds allow and for text that must not come in. `judgedList`
 * names the field, '' the body itself, that is a list whose items are judged one by one: such an item is a
 * `HostileItem`, the others are as they came.
 */
export function parseJson(bytes: Buffer, judgedList: string | null = null): unknown {
  const text = bytes.toString('utf8');
  // What is not UTF-8 is read as this character, which a text may also have by itself.
  if (text.includes('\uFFFD') && !isUtf8(bytes))
    throw refuse('malformed_json', { message: 'The body is not valid UTF-8.' });
  const passed = passedBound(text);
  if (passed !== null) {
    const field = passed.field === '' || !isStorable(passed.field) ? 'body' : passed.field;
    throw refuse('validation_failed', {
      errors: oneError(field, `The ${labelOf(field)} field ${passed.predicate}.`),
    });
  }
  const value = parse(text);
  // Such characters can only arrive as escapes: most bodies have none and are not scanned.
  if (text.includes('\\u') || text.includes('__proto__')) refuseHostileText(value, judgedList);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse('malformed_json');
  }
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether text can be stored and serialized: no NUL, no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !LONE_SURROGATE.test(text);
}

interface Visit {
  readonly path: string;
  readonly value: unknown;
}

function refuseHostileText(root: unknown, judgedList: string | null): void {
  const list = judgedList === null || judgedList === '' ? root : objectIn(root)[judgedList];
  if (judgedList !== null && Array.isArray(list)) replaceHostileItems(list);
  const errors = hostileText(root);
  if (errors !== null) throw refuse('validation_failed', { errors });
}

function replaceHostileItems(list: unknown[]): void {
  list.forEach((item, at) => {
    const errors = hostileText(item);
    if (errors !== null) list[at] = new HostileItem(item, errors);
  });
}

/** What must not come in, by its field; null: nothing. */
function hostileText(root: unknown): FieldErrors | null {
  const open: Visit[] = [{ path: '', value: root }];
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    const { path, value } = visit;
    if (typeof value === 'string' && !isStorable(value)) {
      const field = path || 'body';
      return oneError(field, `The ${labelOf(field)} field contains characters that are not allowed.`);
    }
    if (typeof value !== 'object' || value === null || value instanceof HostileItem) continue;
    for (const [key, inner] of Object.entries(value)) {
      const errors = hostileKey(key, path);
      if (errors !== null) return errors;
      open.push({ path: fieldIn(path, key), value: inner });
    }
  }
  return null;
}

function hostileKey(key: string, path: string): FieldErrors | null {
  if (key === '__proto__') return oneError(fieldIn(path, key), 'The __proto__ field is not recognized.');
  return isStorable(key) ? null : oneError(path || 'body', 'A field name is not allowed.');
}

const fieldIn = (path: string, key: string) => (path === '' ? key : `${path}.${key}`);

function oneError(field: string, message: string): FieldErrors {
  const errors: FieldErrors = Object.create(null);
  errors[field] = [message];
  return errors;
}

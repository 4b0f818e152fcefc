/**
 * What JSON may measure, whoever sends it: levels, fields of an object, characters of a name, items of a list and
 * values in all. `json.ts` counts them in the text before any value is made of it; one pass, no recursion. Names a
 * bound and the place where it is passed.
 */

/** Deeper than any schema here could accept. */
const MAX_DEPTH = 64;
/** Fields of one object; also the columns of a file. */
export const MAX_KEYS = 200;
const MAX_KEY_CHARACTERS = 200;
/** Longer than any list that a schema here accepts. */
const MAX_ITEMS = 2_000;
/** So much of all kinds, at any depth. */
const MAX_VALUES = 50_000;

/** Shorter texts pass none of the bounds. */
const ALWAYS_FITS = 128;

export interface PassedBound {
  /** The dotted path of what is too large; '' is the whole. */
  readonly field: string;
  /** Without its subject: `must not have more than 200 fields`. */
  readonly predicate: string;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const BRACE_END = 0x7d;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;

/** The first bound that a JSON text passes; null: none. What is no JSON is left to the parser. */
export function passedBound(text: string): PassedBound | null {
  return text.length <= ALWAYS_FITS ? null : new Count(text).run();
}

class Count {
  readonly #text: string;
  #depth = 0;
  #values = 1;
  /** By level: whether it is an object, how many commas it has had, and the last name or text in it. */
  readonly #isObject: boolean[] = [false];
  readonly #commas: number[] = [0];
  readonly #nameFrom: number[] = [0];
  readonly #nameTo: number[] = [0];

  constructor(text: string) {
    this.#text = text;
  }

  run(): PassedBound | null {
    const text = this.#text;
    for (let at = 0; at < text.length; at += 1) {
      const character = text.charCodeAt(at);
      let passed: string | null = null;
      if (character === QUOTE) {
        const end = endOfText(text, at);
        passed = this.#take(at, end);
        at = end;
      } else if (character === COMMA) passed = this.#next();
      else if (character === BRACE || character === BRACKET) passed = this.#open(character === BRACE);
      else if (character === BRACE_END || character === BRACKET_END)
        this.#depth = Math.max(0, this.#depth - 1);
      if (passed !== null) return { field: this.#path(), predicate: passed };
    }
    return null;
  }

  /** A text of an object is a name unless its value; only names stand before a colon. */
  #take(from: number, to: number): string | null {
    const depth = this.#depth;
    if (this.#isObject[depth] !== true || !isName(this.#text, to)) return null;
    this.#nameFrom[depth] = from + 1;
    this.#nameTo[depth] = to;
    return to - from - 1 > MAX_KEY_CHARACTERS
      ? `must not have names over ${MAX_KEY_CHARACTERS} characters`
      : null;
  }

  #next(): string | null {
    const commas = (this.#commas[this.#depth] ?? 0) + 1;
    this.#commas[this.#depth] = commas;
    this.#values += 1;
    if (this.#isObject[this.#depth] === true) {
      if (commas >= MAX_KEYS) return `must not have more than ${MAX_KEYS} fields`;
    } else if (commas >= MAX_ITEMS) return `must not have more than ${MAX_ITEMS} entries`;
    return this.#values > MAX_VALUES ? tooManyValues() : null;
  }

  #open(isObject: boolean): string | null {
    if (this.#depth >= MAX_DEPTH) return `must not be nested deeper than ${MAX_DEPTH} levels`;
    this.#depth += 1;
    this.#values += 1;
    this.#isObject[this.#depth] = isObject;
    this.#commas[this.#depth] = 0;
    return this.#values > MAX_VALUES ? tooManyValues() : null;
  }

  /** Of what is open; long ones are cut. */
  #path(): string {
    const parts: string[] = [];
    for (let level = 1; level < this.#depth && level <= 5; level += 1) {
      if (this.#isObject[level] !== true) parts.push(String(this.#commas[level]));
      else
        parts.push(this.#text.slice(this.#nameFrom[level], this.#nameTo[level]).slice(0, MAX_KEY_CHARACTERS));
    }
    return parts.join('.');
  }
}

function tooManyValues(): string {
  return `must not have more than ${MAX_VALUES} values in all`;
}

/** Where the text that begins at a quote ends; the end of all where it does not. */
function endOfText(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === BACKSLASH) at += 1;
    else if (character === QUOTE) return at;
  }
  return text.length;
}

const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

function isName(text: string, end: number): boolean {
  let at = end + 1;
  while (SPACES.has(text.charCodeAt(at))) at += 1;
  return text.charCodeAt(at) === 0x3a;
}

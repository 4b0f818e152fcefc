/**
 * What the service says, in another language. The English text is the name that a text is known by: `Lot {0}` stands in
 * a language's file with what it is there, an ICU message of the same numbered values, in which a number may choose
 * between forms (`{0, plural, one {# Gebot} other {# Gebote}}`). A text that code has already put its values into is
 * recognized by what is around them. What is not in the file stays as it is: names and what people wrote.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { LRUCache } from 'lru-cache';
import { type Language, LOCALES } from '../language.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { localAmount } from './local-amounts.ts';

/** English text → the language's. */
export type Texts = Readonly<Record<string, string>>;

/** A text in which values are missing. */
interface Pattern {
  readonly key: string;
  /** What stands around the values: one more than there are values. */
  readonly parts: readonly string[];
  /** The values' numbers, in the order in which they stand. */
  readonly holes: readonly number[];
  /** How many characters of its own it has. */
  readonly length: number;
}

const PLURAL = /\{(\d+), *plural,((?:\s*[=\w]+ \{[^{}]*\})+)\s*\}/g;
const COUNTED = /\{(\d+), *plural/g;
const HOLE = /\{(\d+)\}/g;
const KEPT = 5_000;
/** A value that is itself a text with a value, and no further. */
const MAX_DEPTH = 2;
const MANY_LETTERS = 12;
/** A longer text is nobody's phrase. */
const MAX_TEXT = 1_000;

export class Phrasebook {
  readonly language: Language;
  readonly #texts: ReadonlyMap<string, string>;
  /** By the first word of the text, or under '' where it begins with a value. */
  readonly #patterns = new Map<string, Pattern[]>();
  readonly #sorted = new Map<string, readonly Pattern[]>();
  readonly #messages = new Map<string, IntlMessageFormat>();
  readonly #kept = new LRUCache<string, string>({ max: KEPT });

  constructor(language: Language, texts: Texts) {
    this.language = language;
    this.#texts = new Map(Object.entries(texts));
    for (const key of this.#texts.keys()) if (/\{0\}/.test(key)) this.#addPattern(key);
  }

  /** Whether the language has this text. */
  has(key: string): boolean {
    return this.#texts.has(key);
  }

  /** A whole text, with its values in it or without any. */
  say(text: string): string {
    const known = this.#kept.get(text);
    if (known !== undefined) return known;
    const translated = this.#said(text, 0);
    this.#kept.set(text, translated);
    return translated;
  }

  /** A text of the file with these values, which are put in as they are; `escapeWords` is for its own. */
  fill(key: string, values: readonly string[], escapeWords = (text: string) => text): string {
    const text = escapeWords(this.#texts.get(key) ?? key);
    if (!key.includes('{0}')) return text;
    if (!this.#texts.has(key)) return text.replaceAll(HOLE, (_, n: string) => values[Number(n)] ?? '');
    let message = this.#messages.get(text);
    if (message === undefined) {
      message = new IntlMessageFormat(text, LOCALES[this.language], undefined, { ignoreTag: true });
      this.#messages.set(text, message);
    }
    const filling: Record<string, string | number> = Object.fromEntries(
      values.map((value, n) => [String(n), value]),
    );
    for (const [, n = ''] of text.matchAll(COUNTED))
      filling[n] = Number((filling[n] ?? '').toString().replaceAll(/\D/g, ''));
    return String(message.format(filling));
  }

  /** A text for a script, which puts values in and counts by itself: `{0}` of one or of many is a text of its own. */
  plain(key: string): string {
    const form = this.#texts.has(key.replace(/^(\{0\} \p{L}+)/u, '$1s')) ? 'one' : 'other';
    return (this.#texts.get(key) ?? key).replaceAll(PLURAL, (_, n: string, forms: string) => {
      const chosen = new RegExp(`\\b${form} \\{([^{}]*)\\}`).exec(forms)?.[1] ?? '';
      return chosen.replaceAll('#', `{${n}}`);
    });
  }

  #said(text: string, depth: number): string {
    const isPhrase = depth <= MAX_DEPTH && text.length <= MAX_TEXT && /\p{L}/u.test(text);
    return isPhrase ? this.#lookUp(text, depth) : text;
  }

  #lookUp(text: string, depth: number): string {
    const trimmed = text.trim();
    const exact = this.#texts.get(trimmed);
    if (exact !== undefined && !trimmed.includes('{0}')) return text.replace(trimmed, () => exact);
    const [first = ''] = trimmed.split(/\s/, 1);
    for (const pattern of this.#beginningWith(first)) {
      const found = valuesIn(pattern, trimmed);
      if (found === null || !isMeant(pattern, trimmed) || !this.#counts(pattern.key, found)) continue;
      const values = found.map((value) => localAmount(this.#said(value, depth + 1), this.language));
      return text.replace(trimmed, () => this.fill(pattern.key, values));
    }
    return text;
  }

  /** Of two texts that fit the one with more words of its own is meant. */
  #beginningWith(first: string): readonly Pattern[] {
    let some = this.#sorted.get(first);
    if (some === undefined) {
      const own = first === '' ? [] : (this.#patterns.get(first) ?? []);
      if (own.length === 0 && first !== '') return this.#beginningWith('');
      some = [...own, ...(this.#patterns.get('') ?? [])].sort((one, other) => other.length - one.length);
      this.#sorted.set(first, some);
    }
    return some;
  }

  /** Whether those values that choose a form are numbers. */
  #counts(key: string, values: readonly string[]): boolean {
    const counted = [...(this.#texts.get(key) ?? '').matchAll(COUNTED)];
    return counted.every(([, n]) => /^[\d.,\s]+$/.test(values[Number(n)] ?? ''));
  }

  #addPattern(key: string): void {
    const parts = key.split(/\{\d+\}/);
    const holes = [...key.matchAll(HOLE)].map(([, n]) => Number(n));
    const [head = ''] = parts;
    const first = /\s/.test(head) ? (head.split(/\s/, 1)[0] ?? '') : '';
    const pattern = { key, parts, holes, length: parts.join('').length };
    this.#patterns.set(first, [...(this.#patterns.get(first) ?? []), pattern]);
  }
}

/** A few words that follow a value may be in any sentence, but in brackets: what is to be theirs is mostly its own. */
function isMeant({ key, parts }: Pattern, text: string): boolean {
  if (!key.startsWith('{') || /^ \(.*\)$/.test(parts.slice(1).join('0'))) return true;
  const own = lettersIn(parts.join(''));
  return own >= MANY_LETTERS || own * 3 >= lettersIn(text);
}

const lettersIn = (text: string) => text.replaceAll(/\P{L}/gu, '').length;

/**
 * What stands where, by the values' own numbers; null where the text is another. It looks for each part once, behind
 * the one before, and never again: what people wrote is looked at as well.
 */
function valuesIn({ parts, holes }: Pattern, text: string): string[] | null {
  const [head = ''] = parts;
  const tail = parts.at(-1) ?? '';
  if (!text.startsWith(head) || !text.endsWith(tail)) return null;
  const end = text.length - tail.length;
  const values: string[] = [];
  let at = head.length;
  for (const [index, hole] of holes.entries()) {
    const isLast = index === holes.length - 1;
    const part = parts[index + 1] ?? '';
    const next = isLast ? end : text.indexOf(part, at + 1);
    if (next <= at || next > end) return null;
    values[hole] = text.slice(at, next);
    at = next + part.length;
  }
  return values;
}

/** Where a language's texts stand. */
export function textsOf(language: Language): Texts {
  const file = join(PROJECT_ROOT, 'src', 'shared', 'languages', `${language}.json`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

const books = new Map<Language, Phrasebook>();

/** The language's phrasebook; null for English, which needs none. Read once in a process. */
export function phrasebook(language: Language): Phrasebook | null {
  if (language === 'en') return null;
  let book = books.get(language);
  if (book === undefined) {
    book = new Phrasebook(language, textsOf(language));
    books.set(language, book);
  }
  return book;
}

/** Words in a row: texts of ours, each looked up by itself, and what people wrote, which never is. */
export type Words = readonly (string | { readonly theirs: string })[];

/** A text of ours, or words, in a language. */
export function wordsIn(language: Language, words: string | Words): string {
  if (typeof words === 'string') return inLanguage(language, words);
  return words.map((one) => (typeof one === 'string' ? inLanguage(language, one) : one.theirs)).join('');
}

/** Sentences with spaces between them. */
export function inARow(sentences: Words): Words {
  return sentences.flatMap((one, index) => (index === 0 ? [one] : [' ', one]));
}

/** The sentences of ours that a text was made of. */
export function sentencesIn(text: string): string[] {
  return text.split(/(?<=\.) (?=\p{Lu})/u);
}

/**
 * A text in a language. With values it is the text's name, `Lots: {0}`, and they stand in it as they are: what people
 * wrote is given so, and never looked up.
 */
export function inLanguage(language: Language, text: string, ...values: readonly string[]): string {
  const book = phrasebook(language);
  if (values.length === 0) return book?.say(text) ?? text;
  return book?.fill(text, values) ?? text.replaceAll(HOLE, (_, n: string) => values[Number(n)] ?? '');
}

/**
 * The API's sentences about a field, for people who see a form: the field is called by its label, others that the
 * sentence names by theirs, and what only programs are told is left out.
 */

import type { Schema } from './shapes.ts';

const ABOUT = /^The .{1,120}? field (.+)$/;
/** As the API names fields and words of its own. */
const NAME = /\b[a-z0-9]+(?:_[a-z0-9]+)+\b/g;

const SIMPLER: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/^must be one of: .+\.$/, 'must be one of those in the list.'],
  [/^must be a string or null/, 'must be text'],
  [/^must be a string/, 'must be text'],
  [/^must be an integer/, 'must be a whole number'],
  [/^must be an ISO 8601 date and time/, 'must be a date and a time'],
  [/^must be a date (?:such as|or an ISO 8601 time)[^.]*/, 'must be a date'],
  [/ \(YYYY-MM-DD\)/, ''],
  [/^is not recognized/, 'is not used here'],
];

/** `road_access` → `Road access` */
export function wordsOf(name: string): string {
  const words = (name.split('.').at(-1) ?? name).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * `The legal_name field is required.` → `Legal name is required.`, also where it was said of the field's name in words
 * before. `labelOf`: null for what is no field of the form;
 * `say` has a text in the reader's language.
 */
export function fieldSentence(
  sentence: string,
  name: string,
  label: string,
  labelOf: (name: string) => string | null,
  say: (text: string) => string = (text) => text,
): string {
  const called = (text: string) =>
    text.replaceAll(NAME, (other) => {
      const own = labelOf(other);
      return own === null ? other : `“${own}”`;
    });
  const start = `${wordsOf(name)} `;
  const rest = sentence.startsWith(start) ? sentence.slice(start.length) : null;
  const predicate = rest ?? ABOUT.exec(sentence)?.[1];
  if (predicate === undefined) return called(sentence);
  const simpler = SIMPLER.reduce((text, [pattern, words]) => text.replace(pattern, words), predicate);
  const words = called(simpler);
  const whole = say(words);
  return `${say(label)} ${whole === words ? `${say(words.slice(0, -1))}.` : whole}`;
}

/** What is said of a value alone is said of its field. */
export function about(name: string, sentence: string): string {
  return /^[a-z]/.test(sentence) ? `The ${name} field ${sentence}.` : sentence;
}

/** All errors of a form that has no labels of its own for them. */
export function fieldSentences(
  errors: Readonly<Record<string, readonly string[]>>,
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(errors).map(([name, sentences]) => [
      name,
      sentences.map((sentence) => fieldSentence(sentence, name, wordsOf(name), () => null)),
    ]),
  );
}

const LARGEST_SHOWN = 1_000_000_000;

/** What a number may be, in words. */
export function limitsOf({ minimum, maximum }: Schema): string | null {
  const messages = (n: number) => (n > 1_000 && n < 3_000 ? String(n) : n.toLocaleString('en-US'));
  if (minimum === undefined) return maximum === undefined ? null : `At most ${messages(maximum)}.`;
  if (maximum === undefined || maximum > LARGEST_SHOWN) return `${messages(minimum)} or more.`;
  return `From ${messages(minimum)} to ${messages(maximum)}.`;
}

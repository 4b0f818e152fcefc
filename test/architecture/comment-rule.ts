/** Comments that have outlived what they name: a file that is gone, or a name that no code uses any more. */
import type { Sources } from './rules.ts';

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g;
const FILE = /`((?:[\w.-]+\/)*[\w-][\w.-]*\.(?:ts|js|lua|eta|css))`/g;
/** A name of our own: lower case at first, with a capital inside, so no field, column, setting or English word. */
const NAME = /`#?([a-z]+[A-Z]\w*)(?:\(\))?`/g;

/** `existing` are the paths that comments may name; `words` is any other text whose words count as used. */
export function staleComments(sources: Sources, existing: readonly string[], words = ''): string[] {
  const used = new Set(words.match(/\w+/g));
  for (const text of sources.values())
    for (const word of text.replaceAll(COMMENT, ' ').match(/\w+/g) ?? []) used.add(word);
  return [...sources].flatMap(([path, text]) =>
    [...text.matchAll(COMMENT)].flatMap(([comment]) => [
      ...namesIn(comment, FILE)
        .filter((name) => !existing.some((file) => file === name || file.endsWith(`/${name}`)))
        .map((name) => `${path} names ${name}, which is not there`),
      ...namesIn(comment, NAME)
        .filter((name) => !used.has(name))
        .map((name) => `${path} names ${name}, which no code uses`),
    ]),
  );
}

function namesIn(comment: string, pattern: RegExp): string[] {
  return [...comment.matchAll(pattern)].map(([, name = '']) => name);
}

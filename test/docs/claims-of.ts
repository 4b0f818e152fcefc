/**
 * A page of docs/ is sentences, and one table at its end that says what shows each of its claims. This reads both: the
 * page's sections (a heading, or a paragraph or list item that begins with its name in bold), what each promises, and the
 * table's rows.
 */

export const CLAIMS = '## What is claimed here, and what shows it';
const HEAD = '| under | claim | shown by |';

/** Words that make a sentence one that can be broken. */
const PROMISE =
  /\b(never|always|every|exactly|at most|at least|at once|within|cannot|nobody|nothing|no more than|once|loses?|lost|twice)\b/i;
export const LINK = /\]\((?:\.\.\/)*(test\/[^)#]+)\)/g;
export const COMMAND = /`((?:npm run [\w:]+|npm test|npx mocha [^`]+|node verify\.mjs)[^`]*)`/g;
/** Brackets in which nothing stands but a command: a proof behind its sentence. */
const BRACKETS = new RegExp(`\\((?:${COMMAND.source}(?:, | and )?)+\\)`, 'g');
/** What stands where no test can be: the reason, in words. */
const UNTESTED = /^no test: .{20,}/;

export const promises = (text: string) => PROMISE.test(text.replace(/`[^`]*`/g, ''));
export const hasProof = (text: string) => text.search(LINK) >= 0 || text.search(COMMAND) >= 0;

interface Section {
  readonly name: string;
  readonly text: string;
}

/** A heading or a name without its marks, and without what stands in brackets behind it. */
const nameOf = (text: string) =>
  text
    .replace(/`/g, '')
    .replace(/\s\(.*$/, '')
    .trim();

/** A page's sections in their order, without code blocks and without the table at its end. */
export function sectionsOf(page: string): Section[] {
  const sections: { name: string; text: string }[] = [];
  let outer = { name: '', text: '' };
  let section = outer;
  let before = '';
  const begin = (name: string) => {
    section = { name: nameOf(name), text: '' };
    sections.push(section);
    return section;
  };
  for (const line of textOf(page).split('\n')) {
    const heading = /^#+ (.*)$/.exec(line)?.[1];
    const isItem = /^\s*([-*]|\d+\.) /.test(line);
    const bold = /^\s*(?:[-*] |\d+\. )?\*\*(.+?)[.:]?\*\*/.exec(line)?.[1];
    if (heading !== undefined) outer = begin(heading);
    else if (bold !== undefined && isItem) begin(bold);
    else if (bold !== undefined && before.trim() === '') outer = begin(bold);
    else if (/^([-*]|\d+\.) /.test(line) || (before.trim() === '' && /^\S/.test(line))) section = outer;
    if (heading === undefined) section.text += `${line}\n`;
    before = line;
  }
  return sections;
}

/** What stands on a page before its table, without code blocks. */
const textOf = (page: string) => page.split(CLAIMS)[0]!.replace(/^```.*?^```/gms, '');

interface Claim {
  readonly under: string;
  readonly claim: string;
  readonly shown: string;
}

/** The rows of a page's table; undefined: it has none, or something else stands at its end. */
export function claimsOf(page: string): Claim[] | undefined {
  const [head, rule, ...rows] = page.split(`${CLAIMS}\n\n`)[1]?.trimEnd().split('\n') ?? [];
  if (head !== HEAD || rule !== '|---|---|---|') return undefined;
  const cells = rows.map((row) => /^\| (.+?) \| (.+?) \| (.+) \|$/.exec(row));
  if (cells.some((row) => row === null)) return undefined;
  return cells.map((row) => ({ under: row![1]!, claim: row![2]!, shown: row![3]! }));
}

/**
 * What is wrong with a page's claims: promised and not in the table, in the table and not on the page, or in the text. A
 * section that promises needs a row, not each of its sentences; so two of one name would share theirs, and may not.
 */
export function wrongClaims(page: string, isGenerated = false): string[] {
  const sections = sectionsOf(page);
  const names = sections.map(({ name }) => name);
  const claims = claimsOf(page);
  const shown = new Set(claims?.map(({ under }) => under));
  const promising = sections.filter(({ text }, n) => promises(text) && (!isGenerated || n === 0));
  if (claims === undefined && promising.length > 0) return ['the page does not end with its table of claims'];
  return [
    ...promising
      .filter(({ name }) => !shown.has(name))
      .map(({ name }) => `“${name}” promises, and no row is under it`),
    ...(claims ?? []).flatMap(({ under, claim, shown: proof }) => [
      ...(names.includes(under) ? [] : [`the row “${claim}” is under “${under}”, which the page has not`]),
      ...(hasProof(proof) || UNTESTED.test(proof)
        ? []
        : [`the row “${claim}” names no test, no command, no reason`]),
    ]),
    ...promising
      .filter(({ name }, at) => promising.findIndex((other) => other.name === name) < at)
      .map(({ name }) => `two sections that promise are called “${name}”`),
    ...proofsInText(page).map((proof) => `in the text stands ${proof}`),
  ];
}

/** Proofs that stand behind a sentence: links to tests, and brackets with nothing in them but a command. */
function proofsInText(page: string): string[] {
  const text = textOf(page).replace(/\s+/g, ' ');
  return [
    ...[...text.matchAll(LINK)].map(([, file = '']) => file),
    ...[...text.matchAll(BRACKETS)].map(([brackets]) => brackets),
  ];
}

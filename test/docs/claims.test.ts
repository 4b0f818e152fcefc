/**
 * What the documents promise, each with its proof: a test or a command. A page of docs/, UPGRADING and CONTRIBUTING have
 * theirs in one table at the end (`claims-of.ts`); README and changelog in the sentence itself, of a list or table in
 * the row or in the paragraph that introduces it. This checks that every proof exists, and that nothing which reads
 * like a promise lacks one.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { CLAIMS, COMMAND, claimsOf, hasProof, LINK, promises, sectionsOf, wrongClaims } from './claims-of.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (page: string) => readFileSync(join(root, page), 'utf8');
const pagesIn = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

/** Definitions, which promise nothing; measurements, and what was decided: each has its proof as a whole. */
const DEFINITIONS = ['docs/glossary.md'];
const MEASURED = 'docs/benchmarks.md';
const DECISIONS = pagesIn('docs/decisions').filter((page) => !page.endsWith('README.md'));
/** Printed from data: what its tables promise is shown by the tests of the data. */
const GENERATED = ['docs/policy.md'];
const IN_SENTENCES = ['README.md', 'CHANGELOG.md'];
const PAGES = [...IN_SENTENCES, 'UPGRADING.md', 'CONTRIBUTING.md', ...pagesIn('docs')];
const IN_TABLES = PAGES.filter((page) => ![...IN_SENTENCES, ...DEFINITIONS, MEASURED].includes(page));

interface Block {
  readonly text: string;
  /** The paragraph that introduces a table or a list. */
  readonly lead: string;
}

/** A page's paragraphs, and each list item and table row by itself, without code blocks. */
function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let lead = '';
  const add = (lines: readonly string[]) => {
    const text = lines.join('\n');
    const isPart = /^\s*(\||[-*] |\d+\. )/.test(text);
    if (!isPart) lead = text;
    if (text.trim() !== '') blocks.push({ text, lead: isPart ? lead : '' });
  };
  for (const section of page.replace(/^```.*?^```/gms, '').split(/^#.*$/m)) {
    lead = '';
    for (const paragraph of section.split(/\n\s*\n/)) {
      let lines: string[] = [];
      for (const line of paragraph.split('\n')) {
        if (/^\s*(\||[-*] |\d+\. )/.test(line) && lines.length > 0) {
          add(lines);
          lines = [];
        }
        lines.push(line);
      }
      add(lines);
    }
  }
  return blocks;
}

/** The blocks of a page that promise something and show nothing. */
function unproven(page: string): string[] {
  return blocksOf(page)
    .filter(({ text, lead }) => promises(text) && !hasProof(text) && !hasProof(lead))
    .map(({ text }) => text.slice(0, 100));
}

/** The proofs of a page that cannot be run: files that are gone or that nobody runs, commands that there are not. */
function notToBeRun(page: string, scripts: Readonly<Record<string, string>>): string[] {
  const run = Object.values(scripts).join(' ');
  const isRun = (file: string) =>
    existsSync(join(root, file)) && (file.endsWith('.test.ts') || isContract(file) || run.includes(file));
  const files = [...page.matchAll(LINK)].map(([, file = '']) => file).filter((file) => !isRun(file));
  const commands = [...page.matchAll(COMMAND)].map(([, command = '']) => command);
  return [...files, ...commands.filter((command) => !isCommand(command, scripts))];
}

/** Contract suites are run by the tests of those who keep to them. */
const isContract = (file: string) => file.endsWith('.contract.ts');

function isCommand(command: string, scripts: Readonly<Record<string, string>>): boolean {
  const script = /^npm run ([\w:]+)/.exec(command)?.[1];
  if (script !== undefined) return script in scripts;
  const pattern = /^npx mocha '?([^' ]+)'?/.exec(command)?.[1];
  if (pattern === undefined) return true;
  return existsSync(join(root, pattern.replace(/\/[^/]*[*{].*$/, '')));
}

const HOW = 'write ([test](test/….test.ts)), or a command in backquotes, into the sentence';

const IN_TABLE = `a row of the table under “${CLAIMS}”: | heading or bold name | claim in a few words | [name](../test/….test.ts) |`;

describe('what the documents promise', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

  for (const page of IN_SENTENCES)
    it(`in ${page} is shown by a test or a command`, () => {
      expect(unproven(read(page)), HOW).to.deep.equal([]);
    });

  for (const page of IN_TABLES)
    it(`in ${page} is shown by the table at its end, and nowhere else`, () => {
      expect(wrongClaims(read(page), GENERATED.includes(page)), IN_TABLE).to.deep.equal([]);
    });

  it('is proved for every entry of the changelog, however worded', () => {
    const entries = blocksOf(read('CHANGELOG.md')).filter(({ text }) => text.startsWith('- '));
    expect(entries.length).to.be.greaterThan(90);
    const bare = entries.filter(({ text }) => !hasProof(text)).map(({ text }) => text.slice(0, 100));
    expect(bare, HOW).to.deep.equal([]);
  });

  it('is proved for every row of the README’s table of guarantees', () => {
    const rows = read('README.md')
      .split('| guarantee | what tries to break it |')[1]!
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| guarantee'));
    expect(rows.length).to.be.at.least(8);
    expect(rows.filter((row) => !hasProof(row))).to.deep.equal([]);
  });

  it('is measured by a command in every section of the benchmarks', () => {
    const sections = read(MEASURED).split(/^##+ /m).slice(1);
    expect(sections.length).to.be.greaterThan(12);
    expect(sections.filter((text) => !hasProof(text)).map((text) => text.slice(0, 60))).to.deep.equal([]);
  });

  it('is shown on every page of a decision', () => {
    expect(DECISIONS.length).to.be.greaterThan(20);
    expect(DECISIONS.filter((page) => !hasProof(read(page)))).to.deep.equal([]);
  });

  it('is proved by something that exists and is run', () => {
    const wrong = [...PAGES, ...DECISIONS].flatMap((page) =>
      notToBeRun(read(page), scripts).map((proof) => `${page}: ${proof}`),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('would be caught where a page of docs/ does not show it in its table', () => {
    const table = (rows: string) => `${CLAIMS}\n\n| under | claim | shown by |\n|---|---|---|\n${rows}\n`;
    const proof = '[claims](../test/docs/claims.test.ts)';
    const page = (text: string, rows: string) => `# One\n\n${text}\n\n${table(rows)}`;
    const good = page(
      'A bid is **never** lost.\n\n- **Ends.** It ends once.',
      `| One | bids | ${proof} |\n| Ends | once | \`npm test\` |`,
    );
    expect(wrongClaims(good)).to.deep.equal([]);
    expect(claimsOf(good)).to.have.length(2);
    expect(
      sectionsOf('# One\n\n1. **Two.** a\n   b\n2. c\n').map(({ name, text }) => `${name}: ${text.trim()}`),
    ).to.deep.equal(['One: 2. c', 'Two: 1. **Two.** a\n   b']);
    const wrong: readonly [page: string, says: string][] = [
      ['# One\n\nNever.', 'does not end'],
      [`${good}\nMore.`, 'does not end'],
      [page('Never.\n\n## Two\n\nNever.', `| One | a | ${proof} |`), '“Two” promises'],
      [page('Never.\n\n**Two.** Never.', `| One | a | ${proof} |`), '“Two” promises'],
      [page('Never.', `| One | a | ${proof} |\n| Two | a | ${proof} |`), '“Two”, which the page has not'],
      [page('Never.', '| One | a | some test |'), 'names no test'],
      [page('Never.', '| One | a | no test: later |'), 'names no test'],
      [page(`Never (${proof}).`, `| One | a | ${proof} |`), 'stands test/docs/claims.test.ts'],
      [page('Never (`npm test`, `npm run\ncheck`).', `| One | a | ${proof} |`), 'stands (`npm test`'],
    ];
    for (const [text, says] of wrong) expect(wrongClaims(text).join(), text).to.contain(says);
    expect(wrongClaims(page('A.', '| One | a | no test: only a real power cut shows it |'))).to.deep.equal(
      [],
    );
  });

  it('would be caught without a proof, or with one that is gone', () => {
    expect(unproven('No bid is ever lost twice.')).to.have.length(1);
    expect(unproven('Shown ([test](../test/docs/claims.test.ts)):\n\n| a | never |')).to.deep.equal([]);
    expect(unproven('# One\n\nShown (`npm test`).\n\n# Two\n\n| a | never |')).to.have.length(1);
    expect(
      notToBeRun('[test](../test/gone.test.ts), `npm run gone`, `npx mocha test/gone`', {}),
    ).to.have.length(3);
    expect(notToBeRun('[test](test/faults/run.ts)', {})).to.have.length(1);
    expect(notToBeRun('[test](test/docs/claims.test.ts), `npm run a -- 7`', { a: '' })).to.deep.equal([]);
  });
});

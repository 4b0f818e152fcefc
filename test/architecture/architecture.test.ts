import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { blindCasts } from './cast-rule.ts';
import { idleExports, testedOnly } from './export-rule.ts';
import { deadParts, deadStyles, sidedStyles } from './page-rules.ts';
import {
  circles,
  codeOf,
  contextFaults,
  crowding,
  deadFiles,
  doubledNames,
  ENTRIES,
  importsOf,
  impurities,
  knots,
  longLines,
  overlongFiles,
  type Sources,
  strayEnvironment,
  styleFaults,
  wrongArrows,
} from './rules.ts';
import { listedStatuses, unexplainedSql } from './sql-rule.ts';
import { goneWords, otherSpellings } from './words-rule.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

function read(...folders: string[]): Sources {
  return readEndingIn(['.ts'], folders);
}

function readEndingIn(endings: readonly string[], folders: readonly string[]): Sources {
  const sources = new Map<string, string>();
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !endings.some((ending) => entry.name.endsWith(ending))) continue;
      const file = join(entry.parentPath, entry.name);
      sources.set(relative(root, file).split(sep).join('/'), readFileSync(file, 'utf8'));
    }
  }
  return sources;
}

const sources = read('engine', 'adapters', 'src');

describe('the architecture', () => {
  it('is read at all', () => {
    const layers = new Set([...sources.keys()].map((path) => path.split('/')[0]));
    expect([...layers]).to.include.members(['engine', 'adapters', 'src']);
    const arrows = [...sources.values()].flatMap(importsOf);
    expect(arrows.length).to.be.greaterThan(sources.size);
  });

  it('has arrows that only go down, and never between adapters', () => {
    expect(wrongArrows(new Map([...sources, ...read('clients/typescript')]))).to.deep.equal([]);
  });

  it('has no circles', () => {
    expect(circles(sources)).to.deep.equal([]);
  });

  it('has contexts whose imports only run down', () => {
    expect(contextFaults(sources)).to.deep.equal([]);
  });

  it('has no rooms in a knot', () => {
    expect(knots(sources)).to.deep.equal([]);
  });

  it('has few rooms, and no file that nobody needs', () => {
    expect(crowding(sources)).to.deep.equal([]);
    expect(deadFiles(sources)).to.deep.equal([]);
  });

  it('exports nothing that no other file imports', () => {
    const importers = read('engine', 'adapters', 'src', 'test', 'bench', 'migrations');
    expect(idleExports(sources, importers)).to.deep.equal([]);
    expect(testedOnly(sources, ENTRIES)).to.deep.equal([]);
  });

  it('has no style, template or asset that no page uses', () => {
    const parts = readEndingIn(['.ts', '.eta', '.css', '.js', '.svg'], ['src']);
    expect(parts.size).to.be.greaterThan(read('src').size);
    expect([...deadStyles(parts), ...sidedStyles(parts), ...deadParts(parts)]).to.deep.equal([]);
  });

  it('has no file over 300 lines, tests and benchmarks included', () => {
    expect(overlongFiles(read('engine', 'adapters', 'src', 'test', 'bench', 'clients'))).to.deep.equal([]);
  });

  it('has no line over 120, and no name twice', () => {
    expect(longLines(new Map([...sources, ...read('clients')]))).to.deep.equal([]);
    expect(doubledNames(sources)).to.deep.equal([]);
  });

  it('keeps clocks, chance and the machine out of the engine', () => {
    expect(impurities(sources)).to.deep.equal([]);
  });

  it('reads the environment in one place', () => {
    expect(strayEnvironment(sources)).to.deep.equal([]);
  });

  it('says why it has SQL, wherever it has', () => {
    expect(unexplainedSql(sources)).to.deep.equal([]);
    expect(listedStatuses(readEndingIn(['.ts', '.eta'], ['src']))).to.deep.equal([]);
  });

  it('says why wherever it overrules the compiler', () => {
    expect(blindCasts(sources)).to.deep.equal([]);
  });

  it('has no name that a reader must translate, and one spelling', () => {
    expect(goneWords(sources)).to.deep.equal([]);
    const checks = new Map(read('test', 'bench', 'clients'));
    // The rule itself has to list them.
    expect(checks.delete('test/architecture/words-rule.ts')).to.equal(true);
    expect(goneWords(checks)).to.deep.equal([]);
    const texts = readEndingIn(['.ts', '.eta', '.js', '.md'], ['adapters', 'src', 'docs', 'deploy']);
    expect(otherSpellings(texts)).to.deep.equal([]);
  });

  it('keeps to the style', () => {
    expect(styleFaults(new Map([...sources, ...read('clients')]))).to.deep.equal([]);
  });
});

describe('the architecture test can fail', () => {
  const one = (path: string, text: string): Sources => new Map([[path, text]]);
  const wrong: readonly [string, (given: Sources) => string[], string, string][] = [
    ['an adapter that imports src', wrongArrows, 'adapters/http/a.ts', "import { b } from '../../src/b.ts';"],
    [
      'the engine importing an adapter',
      wrongArrows,
      'engine/a.ts',
      "import type { B } from '../adapters/x/b.ts';",
    ],
    ['a sibling adapter', wrongArrows, 'adapters/http/a.ts', "export { b } from '../redis/b.ts';"],
    [
      'a lazy import of a sibling',
      wrongArrows,
      'adapters/http/a.ts',
      "const b = await import('../redis/b.ts');",
    ],
    [
      'an import over several lines',
      wrongArrows,
      'adapters/http/a.ts',
      "import {\n  b,\n  c,\n} from '../redis/b.ts';",
    ],
    ['a Node module in the engine', wrongArrows, 'engine/a.ts', "import { join } from 'node:path';"],
    ['a package in a client', wrongArrows, 'clients/typescript/a.ts', "import 'pg';"],
    ['a package in the engine', wrongArrows, 'engine/lot/a.ts', "import 'pg';"],
    ['an arrow into the tests', wrongArrows, 'src/a.ts', "import { b } from '../test/support/b.ts';"],
    ['a missing ending', wrongArrows, 'src/a.ts', "import { b } from './b';"],
    [
      'a context importing one above',
      contextFaults,
      'src/bidding/a.ts',
      "import { b } from '../billing/b.ts';",
    ],
    [
      'two contexts side by side',
      contextFaults,
      'src/catalog/a.ts',
      "import { b } from '../bidding/x/b.ts';",
    ],
    ['a file outside every context', contextFaults, 'src/a.ts', '/** A. */\n'],
    ['a context that is not in the table', contextFaults, 'src/lots/a.ts', '/** A. */\n'],
    ['a file that nobody imports', deadFiles, 'src/bidding/a.ts', '/** A. */\n'],
    ['a function that nobody imports', idleExports, 'src/bidding/a.ts', 'export async function a() {}\n'],
    [
      'a constant that only its own file uses',
      idleExports,
      'src/a.ts',
      'export const a = 1;\nconst b = a;\n',
    ],
    [
      'a function that only a test calls',
      (given) => testedOnly(given, []),
      'src/a.ts',
      '/** `a` is fine. */\nexport function a() {}\n',
    ],
    ['a class that no page has', deadStyles, 'src/pages/assets/a.css', '.b { color: red; }'],
    ['a property that no rule takes', deadStyles, 'src/pages/assets/a.css', ':root { --b: var(--c); }'],
    ['a template that no page includes', deadParts, 'src/pages/a/b.eta', '<p>b</p>'],
    ['an asset that no page loads', deadParts, 'src/pages/assets/b.js', 'export {};'],
    ['a side by its name', sidedStyles, 'src/pages/assets/b.css', '.a {\n  margin-left: 1px;\n}'],
    ['a line over 120', longLines, 'src/bidding/a.ts', `// ${'a'.repeat(118)}\n`],
    ['Date.now in the engine', impurities, 'engine/a.ts', 'export const now = () => Date.now();'],
    ['new Date in the engine', impurities, 'engine/a.ts', 'export const now = new Date();'],
    ['Math.random in the engine', impurities, 'engine/a.ts', 'export const dice = Math.random();'],
    ['a timer in the engine', impurities, 'engine/a.ts', 'setTimeout(() => {}, 1);'],
    ['process in the engine', impurities, 'engine/a.ts', 'process.exit(1);'],
    ['a cast without a reason', blindCasts, 'src/a.ts', 'export const a = b as string;'],
    ['a cast over unknown, once', blindCasts, 'engine/a.ts', 'export const a = 1 as unknown as string;'],
    ['a cast in a template', blindCasts, 'adapters/a.ts', 'export const a = `\x24{b as string}`;'],
    ['a value promised for later', blindCasts, 'src/a.ts', 'let later!: string;'],
    [
      'a cast whose reason belongs to another',
      blindCasts,
      'src/a.ts',
      '// Cast: forgotten.\nconst a = b as string;\nconst c = d as string;',
    ],
    ['process.env elsewhere', strayEnvironment, 'adapters/a/b.ts', "const port = process.env['PORT'];"],
    ['raw SQL without a reason', unexplainedSql, 'src/bidding/a.ts', "await knex.raw('select 1');"],
    [
      'a reason that is a paragraph away',
      unexplainedSql,
      'src/bidding/a.ts',
      "// SQL: a setting.\nawait knex.raw('a');\n\nawait trx.raw<Rows>('b');",
    ],
    ['a table by its name where there are models', unexplainedSql, 'src/billing/a.ts', "await trx('lots');"],
    ['a list of statuses', listedStatuses, 'src/a.ts', "rows.whereIn('l.status', ['active', 'sold']);"],
    ['one among the sellers’', unexplainedSql, 'src/selling/a.ts', "await parts.knex('lots').first();"],
    ['a default export', styleFaults, 'src/a.ts', '/** A. */\nexport default 1;'],
    // What the rule forbids, as the text of a made-up file: it must be found there.
    ['a silenced compiler', styleFaults, 'src/a.ts', '/** A. */\nexport const a = 1 as any;'],
    ['a long file', overlongFiles, 'test/a.ts', 'export {};\n'.repeat(301)],
    ['a name that says nothing', styleFaults, 'src/utils/a.ts', '/** A. */\n'],
    ['a barrel', styleFaults, 'src/lots/index.ts', '/** A. */\n'],
    ['a name that must be translated', goneWords, 'src/a.ts', 'const gatheredReads = 1;'],
    ['a word with a second meaning', goneWords, 'engine/lot/a.ts', 'const standing = 1;'],
    ['a file of such a name', goneWords, 'src/a/lane.ts', '/** A lane. */\n'],
    ['such a name in a test', goneWords, 'test/a.test.ts', 'const ask = 1;'],
    ['another meaning in a test', goneWords, 'test/support/a.ts', 'const standing = 1;'],
    ['a second spelling', otherSpellings, 'docs/a.md', 'Confirm your E-mail address.'],
    ['a module that does not say what it is', styleFaults, 'src/a.ts', 'export const a = 1;'],
  ];
  for (const [name, rule, path, text] of wrong) {
    it(`on ${name}`, () => {
      expect(rule(one(path, text))).to.have.length(1);
    });
  }

  it('on a circle, however long, and only once', () => {
    const round = new Map([
      ['src/a.ts', "import { b } from './b.ts';"],
      ['src/b.ts', "import type { C } from './c/c.ts';"],
      ['src/c/c.ts', "export * from '../a.ts';"],
      ['src/d.ts', "import './a.ts';"],
    ]);
    expect(circles(round)).to.deep.equal(['src/a.ts → src/b.ts → src/c/c.ts → src/a.ts']);
  });

  it('on two rooms that import each other, without a circle of files', () => {
    const rooms = new Map([
      ['src/bidding/bids/a.ts', "import { b } from '../records/b.ts';"],
      ['src/bidding/records/b.ts', ''],
      ['src/bidding/records/c.ts', "import { d } from '../bids/d.ts';"],
      ['src/bidding/bids/d.ts', ''],
    ]);
    expect(circles(rooms)).to.deep.equal([]);
    expect(knots(rooms)).to.deep.equal(['src/bidding/bids → src/bidding/records → src/bidding/bids']);
  });

  it('on too many contexts or loose files, and on two files of one name', () => {
    const files = (count: number, name: (index: number) => string): Sources =>
      new Map(Array.from({ length: count }, (_, index) => [name(index), '']));
    expect(crowding(files(15, (index) => `src/context${index}/a.ts`))).to.have.length(1);
    expect(crowding(files(4, (index) => `src/a${index}.ts`))).to.have.length(1);
    expect(doubledNames(files(2, (index) => `src/context${index}/a.ts`))).to.have.length(1);
  });

  it('and not on comments, strings, or what is allowed', () => {
    const fine = new Map([
      [
        'engine/a.ts',
        "/** Never Date.now(). */\n// import x from 'pg';\nexport const text = 'new Date()';\nexport const at = new Date(5);\n",
      ],
      [
        'adapters/http/b.ts',
        "/** B. */\nimport { c } from './c.ts';\nimport 'koa';\nimport { a } from '../../engine/a.ts';\n",
      ],
      ['src/media/d.ts', "/** D. */\n// SQL: no builder says it.\nawait knex.raw('select 1');\n"],
      [
        'src/media/e.ts',
        '/** E. */\n// Cast: forgotten.\nexport const a = b as C;\nexport const d = [1] as const;\n',
      ],
      ['src/app/config/config.ts', '/** C. */\nexport const port = process.env.PORT;\n'],
    ]);
    const all = [
      wrongArrows,
      blindCasts,
      circles,
      contextFaults,
      knots,
      impurities,
      strayEnvironment,
      styleFaults,
      unexplainedSql,
      goneWords,
    ].flatMap((rule) => rule(fine));
    expect(all).to.deep.equal([]);
    expect(codeOf("const a = 'it''s'; // gone", true).trimEnd()).to.equal("const a = 'it''s';");
  });
});

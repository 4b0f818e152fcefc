import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8');

const CLAIMS = /\| \[`([^`|]+)`\]\(\.\.\/([^)]+)\) \| `([^`|]+)` \|/g;

/**
 * What a page claims of the code and the code does not hold: files that are not there, names that a file does not
 * have.
 */
function falseClaims(text: string): string[] {
  const wrong: string[] = [];
  for (const [, file, target, name] of text.matchAll(CLAIMS)) {
    const path = join(root, file!);
    if (file !== target) wrong.push(`${file} leads to ${target}`);
    if (!existsSync(path)) wrong.push(`${file} is not there`);
    else if (!new RegExp(`\\b${name}\\b`).test(readFileSync(path, 'utf8')))
      wrong.push(`${file} has no ${name}`);
  }
  return wrong;
}

describe('docs/architecture.md', () => {
  it('names files and functions that are there', () => {
    expect([...page.matchAll(CLAIMS)].length).to.be.greaterThan(10);
    expect(falseClaims(page)).to.deep.equal([]);
  });

  const foldersIn = (layer: string) =>
    readdirSync(join(root, layer), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  const listed = (from: string, to: string) =>
    [
      ...page.slice(page.indexOf(from), page.indexOf(to)).matchAll(/(?<=^ {2}|^ {2}\w+\/, )\w+(?=\/[, ])/gm),
    ].flat();

  it('lists each context of src and each technology of adapters, and no other', () => {
    expect(listed('```\nsrc/', 'Imports only go down: `app')).to.have.members(foldersIn('src'));
    expect(listed('\nadapters/', '\nsrc/')).to.have.members(foldersIn('adapters'));
  });

  it('would be caught with a file or a name that is gone', () => {
    expect(falseClaims('| a | [`engine/lot/gone.ts`](../engine/lot/gone.ts) | `decide` |')).to.have.length(1);
    expect(
      falseClaims(
        '| a | [`engine/formats/english/decide.ts`](../engine/formats/english/decide.ts) | `goneFunction` |',
      ),
    ).to.have.length(1);
    expect(
      falseClaims(
        '| a | [`engine/formats/english/decide.ts`](../engine/formats/english/evolve.ts) | `decide` |',
      ),
    ).to.have.length(1);
  });
});

describe('the documents', () => {
  const files = [
    'README.md',
    'UPGRADING.md',
    'CONTRIBUTING.md',
    ...pagesIn('docs'),
    ...pagesIn('docs/decisions'),
  ];

  it('link only to what exists', () => {
    const broken = files.flatMap((file) =>
      [...read(file).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, target]) => target!)
        .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(root, file, '..', target)))
        .map((target) => `${file} → ${target}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('name only files of code that are there', () => {
    const known = ['adapters', 'bench', 'engine', 'migrations', 'src', 'test', 'verifier'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true }).map((name) => `/${folder}/${String(name)}`),
    );
    const isThere = (name: string) => known.some((path) => path.endsWith(`/${name}`));
    const named = files.flatMap((file) =>
      [...read(file).matchAll(/`([\w./-]+\.(?:ts|eta|lua))`/g)].map(([, name = '']) => `${file}: ${name}`),
    );
    expect(named.length).to.be.greaterThan(100);
    const gone = named.filter((line) => !line.includes('YYYYMMDD') && !isThere(line.replace(/^.*: /, '')));
    expect(gone).to.deep.equal([]);
  });

  it('link only to headings that a page has', () => {
    const links = files.flatMap((file) =>
      [...read(file).matchAll(/\]\(([^)#\s:]*)#([^)]+)\)/g)].map(([, target, anchor]) => ({
        from: file,
        to: target === '' ? file : join(file, '..', target!),
        anchor: anchor!,
      })),
    );
    expect(links.length).to.be.greaterThan(10);
    const broken = links.filter(
      ({ to, anchor }) => to.endsWith('.md') && !anchorsOf(read(to)).includes(anchor),
    );
    expect(broken).to.deep.equal([]);
    expect(anchorsOf('## What a bid costs, by `p`\n')).to.deep.equal(['what-a-bid-costs-by-p']);
  });
});

/** What the headings of a page are called in addresses. */
const anchorsOf = (page: string) =>
  [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

const read = (page: string) => readFileSync(join(root, page), 'utf8');

function pagesIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
}

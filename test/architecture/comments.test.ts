import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { staleComments } from './comment-rule.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('comments', () => {
  it('name files and names that exist', () => {
    const sources = new Map<string, string>();
    const existing: string[] = [];
    for (const folder of ['engine', 'adapters', 'src', 'test', 'bench', 'migrations', 'verifier']) {
      for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const file = join(entry.parentPath, entry.name);
        const path = relative(root, file).split(sep).join('/');
        existing.push(path);
        if (/^(engine|adapters|src|bench|test)\/(?!architecture\/).*\.ts$/.test(path))
          sources.set(path, readFileSync(file, 'utf8'));
      }
    }
    expect(sources.size).to.be.greaterThan(1_000);
    expect(staleComments(sources, existing)).to.deep.equal([]);
  });

  it('would be caught with a file or a name that is gone', () => {
    const one = (text: string) => staleComments(new Map([['src/a.ts', text]]), ['src/a.ts', 'src/b/c.lua']);
    expect(one('/** See `gone.ts`. */')).to.deep.equal(['src/a.ts names gone.ts, which is not there']);
    expect(one('/** As `readAll` does. */')).to.deep.equal(['src/a.ts names readAll, which no code uses']);
    expect(one('// See `src/b/d.lua`.')).to.have.length(1);
    expect(one('/** See `c.lua`, `b/c.lua` and `readAll`. */ const readAll = 1;')).to.deep.equal([]);
  });
});

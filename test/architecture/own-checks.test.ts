/** States and roles are judged by the tables of `src/shared/policy/`, and nowhere else; the rule itself can fail. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { BY_TABLE, ownChecks } from './policy-rule.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map(({ parentPath, name }) => join(parentPath, name));
const sources = new Map(
  files.map((file) => [relative(root, file).split(sep).join('/'), readFileSync(file, 'utf8')]),
);

describe('who may do what in which state', () => {
  it('is compared nowhere but in the tables', () => {
    expect(ownChecks(sources)).to.deep.equal([]);
    const isThere = (folder: string) => [...sources.keys()].some((path) => path.startsWith(folder));
    expect(BY_TABLE.filter((folder) => !isThere(folder))).to.deep.equal([]);
  });

  const wrong: readonly [string, string][] = [
    ['a code of the tables', "  throw new Refusal('invalid_transition', { message });"],
    ['one on a line of its own', "  throw new Refusal(\n    'others_invoice',\n  );"],
    ['a move compared with statuses alone', "  requireMove('invoice', status, 'voided', name);"],
    ['a role', '  if (!isKeeper(role)) return null;'],
    ['a state that is thrown for', "  if (lot.status !== 'passed')\n    throw wrong('It is not passed.');"],
    ['staff who are thrown for', '  if (!row.owns && !caller.isAdmin) throw theirs();'],
    [
      'a reason a paragraph away',
      "  // Not in the table: a race.\n\n  throw new Refusal('invalid_transition');",
    ],
  ];
  for (const [name, text] of wrong) {
    it(`is found in ${name}`, () => {
      expect(ownChecks(new Map([['src/selling/campaigns/a.ts', text]]))).to.have.length(1);
    });
  }

  it('is not found in comments, other codes, or what no table knows', () => {
    const fine = [
      "// throw new Refusal('invalid_transition')",
      "throw new Refusal('reserve_not_reached');",
      "// Not in the table: somebody else was faster.\nif (moved === 0) throw new Refusal('invalid_transition');",
      "if (status === 'draft') return null;",
    ];
    expect(ownChecks(new Map([['src/selling/campaigns/a.ts', fine.join('\n')]]))).to.deep.equal([]);
  });
});

/** docs/lots-csv.md names every column with its values, as the command's help does. `UPDATE_DOCS=1` writes them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { CSV_COLUMNS } from '../../src/selling/lots/csv-columns.ts';
import { CLAIMS } from './claims-of.ts';

const PAGE = new URL('../../docs/lots-csv.md', import.meta.url);
const HEAD = '| column | kind | values |';

/** What cells hold whose kind says it all. */
const VALUES: Readonly<Record<string, string>> = { flag: '`yes` or `no`' };

describe('docs/lots-csv.md', () => {
  it('names every column with its values', () => {
    const text = readFileSync(PAGE, 'utf8');
    const rows = CSV_COLUMNS.map(
      ({ name, kind, rule }) => `| \`${name}\` | ${kind} | ${rule || VALUES[kind] || 'any'} |`,
    );
    const [head, claims] = [text.slice(0, text.indexOf(HEAD)), text.slice(text.indexOf(CLAIMS))];
    const written = `${head}${[HEAD, '|---|---|---|', ...rows, '', claims].join('\n')}`;
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, written);
    else expect(text).to.equal(written);
  });
});

/** docs/policy.md says what the tables say that the service judges by. `UPDATE_DOCS=1` writes it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { namesIn } from '../../engine/objects.ts';
import { POLICIES, policyMarkdown } from '../../src/shared/policy/policies.ts';
import { WHO } from '../../src/shared/policy/who.ts';

const PAGE = new URL('../../docs/policy.md', import.meta.url);
const PROOF = ' ([test](../test/policy/cells.test.ts))';

describe('docs/policy.md', () => {
  it('says what the tables say', () => {
    const text = readFileSync(PAGE, 'utf8');
    const head = text.slice(0, text.indexOf('| who | is |'));
    const people = namesIn(WHO).map((who) => `| ${who.replaceAll('_', ' ')} | ${WHO[who]} |`);
    const parts = [
      ['| who | is |', '|---|---|', ...people].join('\n'),
      ...POLICIES.map((table) => policyMarkdown(table, PROOF)),
    ];
    const formatted = `${head}${parts.join('\n\n')}\n`;
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, formatted);
    else expect(text).to.equal(formatted);
  });
});

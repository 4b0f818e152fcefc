/** docs/policy.md says what the tables say that the service judges by. `UPDATE_DOCS=1` writes it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { namesIn } from '../../engine/objects.ts';
import { POLICIES, policyMarkdown } from '../../src/shared/policy/policies.ts';
import { WHO } from '../../src/shared/policy/who.ts';
import { CLAIMS } from './claims-of.ts';

const PAGE = new URL('../../docs/policy.md', import.meta.url);

describe('docs/policy.md', () => {
  it('says what the tables say', () => {
    const text = readFileSync(PAGE, 'utf8');
    const head = text.slice(0, text.indexOf('| who | is |'));
    const claims = text.slice(text.indexOf(CLAIMS));
    const people = namesIn(WHO).map((who) => `| ${who.replaceAll('_', ' ')} | ${WHO[who]} |`);
    const parts = [
      ['| who | is |', '|---|---|', ...people].join('\n'),
      ...POLICIES.map((table) => policyMarkdown(table)),
    ];
    const formatted = `${head}${[...parts, claims].join('\n\n')}`;
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, formatted);
    else expect(text).to.equal(formatted);
  });
});

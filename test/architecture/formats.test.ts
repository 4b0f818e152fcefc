/** No code outside a format's folder knows it by name, so that another can be added without being asked for. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { formatsByName, formatsNamed } from './format-rule.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

function sources(): Map<string, string> {
  const found = new Map<string, string>();
  for (const layer of ['engine', 'adapters', 'src']) {
    for (const entry of readdirSync(join(ROOT, layer), { recursive: true, encoding: 'utf8' })) {
      const path = `${layer}/${entry}`;
      if (path.endsWith('.ts')) found.set(path, readFileSync(join(ROOT, path), 'utf8'));
    }
  }
  return found;
}

describe('formats in the code', () => {
  it('are known by name in their folders and in their list alone', () => {
    expect(formatsByName(sources())).to.deep.equal([]);
    expect(formatsNamed(sources())).to.deep.equal([]);
  });

  it('would be found elsewhere', () => {
    const text = "import { applyBid } from '../formats/english/lead.ts';";
    expect(formatsByName(new Map([['engine/actor/a.ts', text]]))).to.have.length(1);
    const own = "import { applyBid } from './lead.ts';";
    expect(formatsByName(new Map([['engine/formats/english/b.ts', own]]))).to.have.length(0);
    for (const named of ["a.format <> 'tender'", 'format === "falling"', '  falling: 21,'])
      expect(formatsNamed(new Map([['src/bidding/a.ts', named]])), named).to.have.length(1);
    expect(formatsNamed(new Map([['src/pages/formats/a.ts', "'tender'"]]))).to.have.length(0);
  });
});

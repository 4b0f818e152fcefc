/** The test vector that docs/journal.md publishes, checked against the text's own rule and against the engine's. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { canonicalJson } from '../../engine/canonical.ts';
import { commitmentTo, GENESIS_HASH } from '../../engine/digest.ts';
import { chainHash } from '../../engine/lot/entry.ts';
import { nodeDigest } from '../../src/shared/node-crypto.ts';
import { journalExamples, journalStory, parcelsExamples } from './journal-story.ts';

const pageOf = () => readFile(new URL('../../docs/journal.md', import.meta.url), 'utf8');

describe('the page of the journal', () => {
  it('shows each event with an example, which the engine writes when the story is told again', async () => {
    const page = await pageOf();
    const table = [...page.matchAll(/^\| `((?:lot|bids?|terms|final|choice|hammer)_\w+)` \|/gm)].map(
      ([, type]) => type,
    );
    const examples = journalExamples();
    expect([...examples.keys()]).to.have.members(table);
    for (const [type, text] of examples) expect(page, type).to.include(`\n\`\`\`json\n${text}\n\`\`\`\n`);
  });

  it('shows what is said of tracts that are sold together', async () => {
    const page = await pageOf();
    const examples = parcelsExamples();
    expect(examples).to.have.length(4);
    for (const text of examples) expect(page).to.include(`\n\`\`\`json\n${text}\n\`\`\`\n`);
  });

  it('shows entries that chain', () => {
    let previous = GENESIS_HASH;
    for (const entry of journalStory()) {
      if (entry.firstSequence === 1) previous = GENESIS_HASH;
      expect(entry.previousHash).to.equal(previous);
      expect(chainHash(nodeDigest, previous, entry.publicText)).to.equal(entry.hash);
      previous = entry.hash;
    }
  });
});

describe('the published test vector', () => {
  it('hashes as the page describes, and as the engine does', async () => {
    const page = await pageOf();
    const vector = page.slice(page.indexOf('## Test vector'));
    const pairs = [...vector.matchAll(/```json\n(.+)\n```\n\nHash: `([0-9a-f]{64})`/g)];
    expect(pairs).to.have.length(2);
    let previous = GENESIS_HASH;
    for (const [, text = '', hash] of pairs) {
      const entry = JSON.parse(text) as { previous_hash: string };
      expect(canonicalJson(entry)).to.equal(text);
      expect(entry.previous_hash).to.equal(previous);
      expect(
        createHash('sha256')
          .update(previous + text)
          .digest('hex'),
      ).to.equal(hash);
      expect(chainHash(nodeDigest, previous, text)).to.equal(hash);
      previous = hash!;
    }
    const salts: [string, number][] = [
      ['00112233445566778899aabbccddeeff', 50_000],
      ['ffeeddccbbaa99887766554433221100', 60_000],
    ];
    for (const [salt, cents] of salts) expect(vector).to.include(commitmentTo(nodeDigest, salt, cents));
  });
});

/** The demo marketplace's document; that it loads and runs is tested by `test/src/app/start.test.ts`. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { demoDocument } from '../../../../src/tools/demo/document.ts';
import { DEMO_TEAM_PAGES, type DemoRole } from '../../../../src/tools/demo/people.ts';

const PASSWORDS = new Map<DemoRole, string>([
  ['buyer', 'one'],
  ['seller', 'two'],
  ['admin', 'three'],
]);
const NOW_MS = Date.UTC(2026, 10, 22);

describe('the demo marketplace', () => {
  const demo = demoDocument(NOW_MS, PASSWORDS, 'demo');
  const auctions = demo.auctions ?? [];

  it('has as many auctions and lots as the changelog says', () => {
    const lots = auctions.flatMap((auction) => auction.lots ?? []);
    const changelog = readFileSync(new URL('../../../../CHANGELOG.md', import.meta.url), 'utf8');
    expect(changelog).to.include(
      `A demo marketplace of ${auctions.length} auctions with ${lots.length} lots`,
    );
  });

  it('has sellers who say who they are, and a Help Center of five topics', () => {
    expect(DEMO_TEAM_PAGES.map(({ name }) => name)).to.have.members(
      (demo.teams ?? []).map(({ name }) => name),
    );
    expect(DEMO_TEAM_PAGES.filter(({ about }) => about === '')).to.deep.equal([]);
    expect(demo.help).to.have.length(5);
  });

  it('is the same each time but for its times', () => {
    expect(demoDocument(NOW_MS, PASSWORDS, 'demo')).to.deep.equal(demo);
  });
});

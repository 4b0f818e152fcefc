import { expect } from 'chai';
import RssParser from 'rss-parser';
import { releasesOf } from '../../../src/pages/developers/changelog.pages.ts';
import { type Service, startService } from '../../support/service.ts';

const TEXT = `# Changelog

## [Unreleased]

### Added
- A thing, and more of it: \`GET /x\` ([test](test/src/x.test.ts), \`npm run x\`).
- Another.

## [1.2.0] - 2026-10-01

### Fixed
- What was wrong ([rule 7](docs/rules.md)).
`;

describe('the changelog', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  it('is read by release, without its links to tests', () => {
    const undated = new Date('2026-11-27');
    const read = releasesOf(TEXT, undated).map(({ name, date, changes }) => [
      name,
      date.toISOString().slice(0, 10),
      changes.map(({ kind, text }) => `${kind}: ${text}`),
    ]);
    expect(read).to.deep.equal([
      ['Unreleased', '2026-11-27', ['Added: A thing, and more of it: `GET /x`.', 'Added: Another.']],
      ['1.2.0', '2026-10-01', ['Fixed: What was wrong (rule 7).']],
    ]);
  });

  it('is a page and a feed of the same entries', async () => {
    const { text } = await service.get('/docs/changelog');
    const ids = [...text.matchAll(/<li id="([0-9a-f]{12})">/g)].map(([, id]) => id);
    expect(ids.length).to.be.above(50);
    expect(text)
      .to.contain('type="application/rss+xml"')
      .and.not.to.match(/\[test\]|test\/src/);
    const { status, headers, text: xml } = await service.get('/changelog.xml');
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'application/rss+xml; charset=utf-8']);
    const { items } = await new RssParser().parseString(xml);
    expect(items.map(({ link }) => link)).to.deep.equal(
      ids.slice(0, 100).map((id) => `${service.url}/docs/changelog#${id}`),
    );
    expect(new Set(items.map(({ guid }) => guid)).size).to.equal(100);
    for (const { title = '', isoDate } of items) {
      expect(title).to.have.length.within(3, 400);
      expect(Date.parse(isoDate ?? '')).to.be.above(0);
    }
  });
});

/** Releases are named with their commits, because tags do not travel with every clone. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT_ROOT } from '../../src/shared/project-root.ts';
import { namedReleases, releasesNamedIn } from '../support/releases.ts';

const read = (file: string) => readFileSync(join(PROJECT_ROOT, file), 'utf8');
const git = (...words: string[]) =>
  execFileSync('git', words, { cwd: PROJECT_ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

describe('the releases that the changelog names', () => {
  it('are read with their commits; one without is an error', () => {
    const commit = '0123456789abcdef0123456789abcdef01234567';
    const text = `## [Unreleased]\n\n## [1.1.0] - 2027-01-02\n\nMade from commit \`${commit}\`.\n\n### Added\n`;
    expect(releasesNamedIn(text)).to.deep.equal([{ version: '1.1.0', date: '2027-01-02', commit }]);
    expect(() => releasesNamedIn('## [1.1.0] - 2027-01-02\n\n### Added\n')).to.throw(/no commit of 1\.1\.0/);
  });

  it('begin with the version of the package, which UPGRADING.md names', () => {
    const { version } = JSON.parse(read('package.json'));
    expect(namedReleases()[0]?.version).to.equal(version);
    expect(read('UPGRADING.md')).to.include(version);
  });

  it('are the commits in which the package has that version', function () {
    for (const { version, commit } of namedReleases()) {
      try {
        git('cat-file', '-e', commit);
      } catch {
        // A clone without its history has only the newest commit.
        this.skip();
      }
      expect(JSON.parse(git('show', `${commit}:package.json`)).version, commit).to.equal(version);
    }
  });
});

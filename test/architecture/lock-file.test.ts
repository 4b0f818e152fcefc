/** What is installed is what was looked at: each package of the lock file has the hash of its archive. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';

interface Locked {
  readonly integrity?: string;
  readonly inBundle?: boolean;
}

const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
);

describe('the lock file', () => {
  // The project itself has none, and what comes inside another package's archive has that one's.
  const packages = Object.entries(lock.packages).filter(([path, one]) => path !== '' && !one.inBundle);

  it('has a hash for every package', () => {
    const hashed = packages.filter(([, { integrity = '' }]) =>
      /^sha(512|384)-[A-Za-z0-9+/]{64,}={0,2}$/.test(integrity),
    );
    expect(packages.length).to.be.greaterThan(300);
    expect(packages.filter((one) => !hashed.includes(one)).map(([path]) => path)).to.deep.equal([]);
    expect(hashed).to.have.length(packages.length);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT_ROOT } from '../../../src/shared/project-root.ts';

/** As advisory locks are numbered here: the service's digits, and two for the lock. */
const NUMBER = /\b72657374\d\d\b/g;

describe('advisory locks with a number', () => {
  it('have each their own', () => {
    const numbers = ['adapters', 'src'].flatMap((folder) =>
      readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .flatMap((name) => readFileSync(join(PROJECT_ROOT, folder, name), 'utf8').match(NUMBER) ?? []),
    );
    expect(numbers.length).to.be.at.least(6);
    expect(new Set(numbers).size, numbers.join(' ')).to.equal(numbers.length);
  });
});
